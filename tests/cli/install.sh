#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh - make install and uninstall keep to DESTDIR and prefix, and leave
# nothing; make help names every target that others may rely on.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/cases.sh
. tests/harness/cases.sh
prog=install
work_dir
dest=$work/dest

files()
{
	(mkdir -p "$dest" && cd "$dest" && find . -type f -o -type l | LC_ALL=C sort)
}

wanted()
{
	diff <(files | grep -v '/lib/modules/') - <<-'T'
	./lib/udev/dsfs_id
	./lib/udev/rules.d/61-dsfs.rules
	./sbin/mount.dsfs
	./usr/bin/dsfs-fuse
	./usr/include/dsfs.h
	./usr/lib/libdsfs.a
	./usr/lib/libdsfs.so
	./usr/lib/libdsfs.so.0
	./usr/lib/libdsfs.so.0.1.0
	./usr/lib/pkgconfig/libdsfs.pc
	./usr/lib/systemd/system/dsfs-stat.service
	./usr/lib/systemd/system/dsfs-stat.timer
	./usr/sbin/dsfs
	./usr/sbin/dsfs-switch
	./usr/sbin/dump.dsfs
	./usr/sbin/fsck.dsfs
	./usr/sbin/mkfs.dsfs
	./usr/share/bash-completion/completions/dsfs
	./usr/share/bash-completion/completions/dsfs-fuse
	./usr/share/bash-completion/completions/dsfs-switch
	./usr/share/bash-completion/completions/dump.dsfs
	./usr/share/bash-completion/completions/fsck.dsfs
	./usr/share/bash-completion/completions/mkfs.dsfs
	./usr/share/bash-completion/completions/mount.dsfs
	./usr/share/man/man3/dsfs.3
	./usr/share/man/man5/dsfs.5
	./usr/share/man/man7/dsfs-source.7
	./usr/share/man/man8/dsfs-fuse.8
	./usr/share/man/man8/dsfs-order.8
	./usr/share/man/man8/dsfs-readahead.8
	./usr/share/man/man8/dsfs-stat.8
	./usr/share/man/man8/dsfs-switch.8
	./usr/share/man/man8/dsfs-top.8
	./usr/share/man/man8/dsfs-trace.8
	./usr/share/man/man8/dsfs-warmup.8
	./usr/share/man/man8/dsfs.8
	./usr/share/man/man8/dsfs_id.8
	./usr/share/man/man8/dump.dsfs.8
	./usr/share/man/man8/fsck.dsfs.8
	./usr/share/man/man8/mkfs.dsfs.8
	./usr/share/man/man8/mount.dsfs.8
	./usr/share/zsh/site-functions/_dsfs
	./usr/share/zsh/site-functions/_dsfs-fuse
	./usr/share/zsh/site-functions/_dsfs-switch
	./usr/share/zsh/site-functions/_dump.dsfs
	./usr/share/zsh/site-functions/_fsck.dsfs
	./usr/share/zsh/site-functions/_mkfs.dsfs
	./usr/share/zsh/site-functions/_mount.dsfs
	T
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
	# shellcheck disable=SC2016 # for eval
	check 'but not with DESTDIR' eval '! live "DESTDIR=$work/elsewhere"'
else
	skip 'make install and ldconfig' 'not root, or a module would be installed, too'
fi
check "make install" make -s install "DESTDIR=$dest" prefix=/usr
check "files are in their places" wanted
check "what is installed runs" runs
check "the unit starts what is installed" starts /usr/sbin /usr
check "make uninstall" make -s uninstall "DESTDIR=$dest" prefix=/usr
check "nothing is left" nothing
check "another prefix: the unit starts what is there" other_prefix
check "and nothing is left" nothing
check "make help" helped "$(make -s help)"
finish
