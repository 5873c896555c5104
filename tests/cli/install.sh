#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh - make install and uninstall keep to DESTDIR and prefix, and leave
# nothing; make help names every target that others may rely on.  libdsfs as a program of
# somebody else finds it: installed, by pkg-config, shared and static, with nothing to be seen
# but what its header declares.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/harness/cases.sh
prog=install
work_dir
dest=$work/dest
lib=$dest/usr/lib

files()
{
	(mkdir -p "$dest" && cd "$dest" && find . -type f -o -type l | LC_ALL=C sort)
}

wanted()
{
	diff <(files | grep -v '/lib/modules/') <(printf '%s\n' \
		./lib/udev/{dsfs_id,rules.d/61-dsfs.rules} ./sbin/mount.dsfs ./usr/bin/dsfs-fuse \
		./usr/include/dsfs.h ./usr/lib/libdsfs.{a,so,so.0,so.0.1.0} \
		./usr/lib/pkgconfig/libdsfs.pc ./usr/lib/systemd/system/dsfs-stat.{service,timer} \
		./usr/sbin/{dsfs,dsfs-switch,{dump,fsck,mkfs}.dsfs} \
		./usr/share/bash-completion/completions/{dsfs{,-fuse},{dump,fsck,mkfs,mount}.dsfs} \
		./usr/share/man/man{3/dsfs.3,5/dsfs.5,7/dsfs-source.7} \
		./usr/share/man/man8/dsfs{,-{add,cat,compact,diff,digest,edit,erase,extract,fuse,info,join,label,ls,manifest,mv,oci,order,pieces}}.8 \
		./usr/share/man/man8/dsfs-{readahead,revert,rm,set,shards,subset}.8 \
		./usr/share/man/man8/dsfs{-stat,-switch,-tar,-top,-trace,-update,-view,-warmup,_id}.8 \
		./usr/share/man/man8/{dump,fsck,mkfs,mount}.dsfs.8 \
		./usr/share/zsh/site-functions/_{dsfs{,-fuse},{dump,fsck,mkfs,mount}.dsfs} |
		LC_ALL=C sort)
}

runs()
{
	"$dest/usr/sbin/mkfs.dsfs" --version | grep '^mkfs.dsfs' >/dev/null
}

nothing()
{
	[ -z "$(files)" ]
}

helped()
{
	local target

	for target in tools lib modules install uninstall deb rpm demo check check-long clean distclean; do
		grep -q "^make $target" <<<"$1" || return 1
	done
}

# Of a kernel whose headers are not here
mkdir "$work/uname"
printf '#!/bin/sh\necho 9.9.9-none\n' >"$work/uname/uname"
chmod +x "$work/uname/uname"
headerless()
{
	PATH=$work/uname:$PATH run make -s "$@"
	grep -qF 'linux-headers-9.9.9-none' "$err"
}

tools_alone()
{
	headerless && [ "$rc" -eq 0 ] && [ "$(wc -l <"$err")" -eq 1 ] && [ -x build/mkfs.dsfs ]
}

no_module()
{
	headerless modules && [ "$rc" -ne 0 ]
}

# The unit of a prefix starts the program of that prefix.
starts()
{
	grep -qx "ExecStart=$1/dsfs stat .*" "$dest$2/lib/systemd/system/dsfs-stat.service"
}

other_prefix()
{
	make -s install "DESTDIR=$dest" && starts /usr/local/sbin /usr/local &&
		make -s uninstall "DESTDIR=$dest"
}

# --- the library, for programs
flags()
{
	PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dest pkg-config "$@" libdsfs
}

example()
{
	# shellcheck disable=SC2046
	cc -std=c99 -pedantic -Wall -Wextra -Werror -o "$1" userspace/examples/cat.c \
		$(flags --cflags --libs "${@:2}")
}

shared()
{
	example "$work/shared" && LD_LIBRARY_PATH=$lib "$work/shared" "$@"
}

needs_soname()
{
	readelf -d "$work/shared" | grep 'NEEDED.*\[libdsfs\.so\.0\]' >/dev/null
}

# The shared library is out of the way then.
static()
{
	mkdir -p "$work/aside" && mv "$lib"/libdsfs.so* "$work/aside" &&
		example "$work/static" --static && "$work/static" "$@"
	local ret=$?

	mv "$work"/aside/* "$lib"
	return "$ret"
}

same()
{
	"$@" >"$work/lib.out" && cmp "$work/lib.out" README.md
}

declared()
{
	cc -E -P "$dest/usr/include/dsfs.h" | grep -o '\bdsfs_[a-z_]*(' | tr -d '(' | sort -u
}

# What is exported, without versions
exported()
{
	diff <(declared) <(nm "$@" --defined-only | sed -n 's/.* [A-TV-Z] //p' |
		sed 's/@.*//' | grep -v '^LIBDSFS_' | sort -u)
}

fails()
{
	local out

	out=$(LD_LIBRARY_PATH=$lib "$work/shared" "$@" 2>&1) && return 1
	grep -qF "$message" <<<"$out"
}

check 'make without headers makes the tools and names the package' tools_alone
check 'make modules without headers fails, and names it, too' no_module
# live [DESTDIR=...]: an install in folders of our own; whether the linker was told of it
printf '#!/bin/sh\ntouch "%s/told"\n' "$work" | tee "$work/uname/ldconfig" >"$work/uname/depmod"
chmod +x "$work"/uname/*
live()
{
	rm -f "$work/told"
	PATH=$work/uname:$PATH make -s install "prefix=$work/live" "mountdir=$work/live/sbin" \
		"udevdir=$work/live/udev" "MODDIR=$work/live/modules" "$@" && [ -e "$work/told" ]
}

if [ "$(id -u)" -eq 0 ] && [ ! -e fs/dsfs.ko ]; then
	check 'make install has ldconfig find the library' live
	check 'but not with DESTDIR' eval '! live "DESTDIR=$work/elsewhere"'
else
	skip 'make install and ldconfig' 'not root, or a module would be installed, too'
fi
check "make install" make -s install "DESTDIR=$dest" prefix=/usr
check "files are in their places" wanted
check "what is installed runs" runs
check "the unit starts what is installed" starts /usr/sbin /usr
mkdir "$work/tree" && cp README.md "$work/tree" && ln -s README.md "$work/tree/link"
build/mkfs.dsfs --quiet "$work/image" "$work/tree" || failed=1
check "the example, shared" same shared "$work/image" link
check "it asks for the SONAME" needs_soname
check "the example, static" same static "$work/image" link
message='directory 1: none: No such file or directory'
check "the example says what is missing" fails "$work/image" none
message='none???31mé: No such file or directory'
check "controls of a name steer no terminal" fails "$work/image" $'none\a\302\23331mé'
message='not a DSFS image'
check "the example says what is no image" fails README.md none
check "the header is what the shared library exports" exported -D "$lib/libdsfs.so"
check "the header is what the static library exports" exported "$lib/libdsfs.a"
check "the header is C++, too" clang++ -fsyntax-only -Wall -Werror -x c++ \
	"$dest/usr/include/dsfs.h"
check "all functions are in the manual page" diff <(declared) \
	<(sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' Documentation/man/dsfs.3 |
		grep -o '\bdsfs_[a-z_]*(' | tr -d '(' | sort -u)
check "make uninstall" make -s uninstall "DESTDIR=$dest" prefix=/usr
check "nothing is left" nothing
check "another prefix: the unit starts what is there" other_prefix
check "and nothing is left" nothing
check "make help" helped "$(make -s help)"
finish
