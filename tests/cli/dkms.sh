#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dkms.sh - the module as dkms(8) builds and installs it on a node, from what a release
# holds; into a tree of its own here.
set -euo pipefail
. "$(dirname "$0")/cases"

if [ ! -w "$top" ]; then
	skip 'dkms' 'no kernel headers in a guest'
	finish
fi
. "$top/tests/lab/kernels"
kernel=$("$top/tests/lab/kernel" "$lab_main")
release=$(<"$kernel/release")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf")
mkdir -p "trees/dsfs-$version" state "modules/$release"
(cd "$top" && cp -r dkms.conf Kbuild Makefile fs scripts "$work/trees/dsfs-$version")
rm -f "trees/dsfs-$version"/fs/*.o "trees/dsfs-$version"/fs/*.ko

run_dkms()
{
	dkms "$1" "dsfs/$version" --dkmstree "$work/state" --sourcetree "$work/trees" \
		--installtree "$work/modules" --no-depmod -k "$release" \
		--kernelsourcedir "$(<"$kernel/kdir")"
}

# Whether dkms.conf lets a kernel pass, without a build
accepts()
(
	set +u
	kernelver=$1
	. "$top/dkms.conf"
	[[ $kernelver =~ $BUILD_EXCLUSIVE_KERNEL ]]
)

installed()
{
	find "modules/$release/updates" -name 'dsfs.ko*' 2>/dev/null
}

check 'the version is the Makefile'"'"'s' grep -qx "VERSION		:= $version" "$top/Makefile"
exits 'dkms add' 0 run_dkms add
# Half a minute of processor time beside all other builds of the module
if [ "${DSFS_LONG:-0}" = 0 ]; then
	skip 'dkms build, dkms install' 'make check-long'
else
	exits 'dkms build' 0 run_dkms build
	check 'the module is there' test -n "$(find state -name 'dsfs.ko*')"
	exits 'dkms install' 0 run_dkms install
	check 'the module is where modprobe(8) looks first' test -n "$(installed)"
fi
exits 'dkms remove' 0 run_dkms remove
check 'it is gone' test -z "$(installed)"

# What it was never built for it refuses, so that dkms passes over it.
refuses()
{
	release=$1
	says "dkms refuses $1, by name" 77 \
		"kernel $1: never built for it, only for 6.1 to 7.3" run_dkms build
}

exits 'dkms add, again' 0 run_dkms add
refuses 5.15.0-100-generic
refuses 6.0.0-6-amd64
refuses 7.30.1-amd64
refuses 8.1.0-amd64
for release in 6.1.0-56-amd64 6.1.192 6.8.0-31-generic 6.12.117+deb12-amd64 7.3-rc1; do
	check "it would not refuse $release" accepts "$release"
done
finish
