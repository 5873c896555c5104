# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts here share; to be sourced behind tests/harness/cases.sh, by who sets dir.
# shellcheck disable=SC2034,SC2154 # variables are of those who source it, as dir is
export LC_ALL=C
uuid=0b6fe6a2-3c1b-4c54-8e5a-6ba0b5a1c4f7
mkfs=$PWD/build/mkfs.dsfs
dsfs=$PWD/build/dsfs

# same CASE WANTED FOUND
same()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		comment "expected: ${2//$'\n'/ }"
		comment "found:    ${3//$'\n'/ }"
		not_ok "$1"
	fi
}

# one_file: $dir anew, with a tree of one file in it
one_file()
{
	rm -rf "$dir"
	mkdir -p "$dir/tree"
	echo one >"$dir/tree/one"
}

# images COMMAND...: it makes them, or the script ends.
images()
{
	"$@" && return
	not_ok 'images of mkfs.dsfs'
	finish
}

# at IMAGE OFFSET BYTES: overwrite some, which are a format of printf(1)
at()
{
	# shellcheck disable=SC2059
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# made BASE CHANGE...: $image is a copy of an image, changed: "OFFSET=BYTES" writes these; "slotN"
# puts in that superblock of the image "new"; "cutN" ends it there.
made()
{
	local change sector

	image=$dir/image
	cp --sparse=always "$dir/$1" "$image"
	shift
	for change; do
		case $change in
		slot*)	sector=$((2 + ${change#slot} * 128))
			dd if="$dir/new" of="$image" bs=512 skip=$sector seek=$sector count=1 \
				conv=notrunc status=none ;;
		cut*)	truncate -s "${change#cut}" "$image" ;;
		*)	at "$image" "${change%%=*}" "${change#*=}" ;;
		esac
	done
}

# An image as one of before there was a boot signature: nothing but its superblocks is known
unsigned()
{
	dd if=/dev/zero of="$1" bs=512 count=1 conv=notrunc status=none
}
