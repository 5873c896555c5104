#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run-guest.sh BASE CASES [NAME...] - the kernel's part of the corruptions, in a
# guest that has loop devices and the module, next to try and mkcorrupt: with
# metadata in memory, without, and with some of it.
here=$(dirname "$0")
failed=0
for opts in meta=resident meta=lazy meta=16K; do
	"$here/try" -o "$opts" "$@" || failed=1
done
exit $failed
