#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# reader-guest.sh SAMPLES SUBJECTS NSEC:AHEAD:FORM... - the guest's part of train/count: a line for
# each cold epoch, SUBJECT NSEC:AHEAD:FORM NAME=VALUE...
#
# /files has the samples; pack is a packed format on ext4, of which /pack is the index and which
# has one way of being read.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

samples=$1 subjects=$2
shift 2

# A device cannot change what it takes while it is there.
begin()
{
	type=$1
	[ "$1" != pack ] || type=ext4
	add_device "$1" "$2"
	mkdir -p "/mnt/$1"
	mount -t "$type" -o ro "/dev/b-$1" "/mnt/$1"
	show_device "/dev/b-$1" "$2 ns a request"
	show_mount "$1"
}

end()
{
	umount "/mnt/$1"
	remove_device "$1"
}

show_kernel
for fs in $subjects; do
	now=
	for pass in "$@"; do
		IFS=: read -r nsec ahead form <<-EOF
			$pass
		EOF
		list=/files
		[ "$fs" != pack ] || form=pack list=/pack
		if [ "$now" != "$nsec" ]; then
			[ -z "$now" ] || end "$fs"
			begin "$fs" "$nsec"
			now=$nsec
		fi
		drop_caches
		echo "$fs $pass $(reader --ahead="$ahead" --samples="$samples" "$form" $list "/mnt/$fs")"
	done
	end "$fs"
done
