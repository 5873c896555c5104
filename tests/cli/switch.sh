#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# switch.sh - dsfs-switch: usage and exit codes; what it is for needs two devices, see
# tests/rbd/run.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
switch=$bin/dsfs-switch

mkdir tree dir
echo x >tree/x
"$bin/mkfs.dsfs" -q image tree
exits '--help' 0 "$switch" --help
check '--help: the options' grep -q '^  -o OPTIONS' "$out"
exits '-V' 0 "$switch" -V
exits 'usage: nothing' 2 "$switch"
exits 'usage: no link' 2 "$switch" image
exits 'usage: unknown option' 2 "$switch" -x image link
says 'no such image' 1 'missing: no such file' "$switch" missing link
says 'a directory in place of the link' 1 'is there and no symbolic link' "$switch" image dir
says 'no such directory' 1 'nowhere: no such directory' "$switch" image nowhere/link
says 'a name that /proc/mounts would quote' 1 'a blank or a backslash' "$switch" image 'a link'
says 'what does not mount' 1 'link is what it was' "$switch" tree link
check 'leaves nothing behind' test ! -e link -a -z "$(ls link.mounts)"
finish
