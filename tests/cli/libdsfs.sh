#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libdsfs.sh - libdsfs as a program of somebody else finds it: installed, by pkg-config,
# shared and static, with nothing to be seen but what its header declares.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
# shellcheck source=tests/harness/cases.sh
. tests/harness/cases.sh
prog=libdsfs
work_dir
dest=$work
lib=$dest/usr/lib

flags()
{
	PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dest pkg-config "$@" libdsfs
}

example()
{
	# shellcheck disable=SC2046
	cc -std=c99 -pedantic -Wall -Wextra -Werror -o "$1" "$top/userspace/examples/cat.c" \
		$(flags --cflags --libs "${@:2}")
}

shared()
{
	example "$dest/shared" && LD_LIBRARY_PATH=$lib "$dest/shared" "$@"
}

needs_soname()
{
	readelf -d "$dest/shared" | grep 'NEEDED.*\[libdsfs\.so\.0\]' >/dev/null
}

# The shared library is out of the way then.
static()
{
	mkdir -p "$dest/aside" && mv "$lib"/libdsfs.so* "$dest/aside" &&
		example "$dest/static" --static && "$dest/static" "$@"
	local ret=$?

	mv "$dest"/aside/* "$lib"
	return "$ret"
}

same()
{
	"$@" >"$dest/out" && cmp "$dest/out" README.md
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

	out=$(LD_LIBRARY_PATH=$lib "$dest/shared" "$@" 2>&1) && return 1
	grep -qF "$message" <<<"$out"
}

check "make install" make -s install "DESTDIR=$dest" prefix=/usr
mkdir "$dest/tree" && cp README.md "$dest/tree" && ln -s README.md "$dest/tree/link"
build/mkfs.dsfs --quiet "$dest/image" "$dest/tree" || failed=1
check "the example, shared" same shared "$dest/image" link
check "it asks for the SONAME" needs_soname
check "the example, static" same static "$dest/image" link
message='directory 1: none: No such file or directory'
check "the example says what is missing" fails "$dest/image" none
message='none???31mé: No such file or directory'
check "controls of a name steer no terminal" fails "$dest/image" $'none\a\302\23331mé'
message='not a DSFS image'
check "the example says what is no image" fails README.md none
check "the header is what the shared library exports" exported -D "$lib/libdsfs.so"
check "the header is what the static library exports" exported "$lib/libdsfs.a"
check "the header is C++, too" clang++ -fsyntax-only -Wall -Werror -x c++ \
	"$dest/usr/include/dsfs.h"
check "all functions are in the manual page" diff <(declared) \
	<(sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' Documentation/man/dsfs.3 |
		grep -o '\bdsfs_[a-z_]*(' | tr -d '(' | sort -u)
finish
