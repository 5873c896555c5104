#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mountcase.sh IMAGE EXPECTED [REGEX [OPTIONS]] - mount an image that may be
# damaged, by both ways to mount, and compare what comes of it.
#
# IMAGE is a block device, or a file (then a loop device is set up for it).
# EXPECTED is an errno's name, or OK; of an image that mounts every name and
# byte is read, errors there do not matter, crashes do.  REGEX has to match a
# message of the kernel log that is newer than the mount, or of the context.
#
# The module must have no mount of another image's device in progress: what
# counts is the log since the start of this script.
set -eu
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

image=$1
expected=$2
regex=${3:-}
options=${4:-}
dir=$(mktemp -d)
log=$(mktemp)
dev=$image
loop=

if [ -f "$image" ]; then
	loop=$(losetup -f)
	losetup -r "$loop" "$image"
	dev=$loop
fi

new_messages()
{
	dmesg | sed "1,/mountcase begins: $$-$how/d"
}

use_all()
{
	ls -lRn "$dir" >/dev/null 2>&1 || true
	find "$dir" -type f -exec cat {} + >/dev/null 2>&1 || true
	find "$dir" -type l -exec readlink {} \; >/dev/null 2>&1 || true
}

attempt()
{
	how=$1
	echo "mountcase begins: $$-$how" >/dev/kmsg
	# shellcheck disable=SC2086 # nothing, or an option
	if trymount ${how#-n} -o "$options" "$dev" "$dir" >"$log"; then
		use_all
		umount "$dir"
	fi
	result=$(sed 's/:.*//' "$log")
	if [ "$result" != "$expected" ]; then
		echo "# $prog: ${image##*/}: $(cat "$log")"
		return 1
	fi
	[ -n "$regex" ] || return 0
	{ cat "$log"; new_messages; } | grep -qE "$regex" && return 0
	echo "# $prog: ${image##*/}: no message like $regex, but:"
	{ cat "$log"; new_messages; } | sed 's/^/#   /'
	return 1
}

check "${image##*/} gives $expected" attempt -n
check "${image##*/} gives $expected by mount(2)" attempt -l
[ -z "$loop" ] || losetup -d "$loop"
rm -f "$log"
exit $failed
