#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# overlay.sh DIR SCRATCH - a mounted zoo as the lower layer of an overlay, whose other layers are
# in SCRATCH, a directory on a tmpfs.
set -eu
prog=stacks
. "$(dirname "$0")/lib.sh"

lower=$1 upper=$2/upper work=$2/work merged=$2/merged
mkdir "$upper" "$work" "$merged"

# same FILE...: above as it is below
same()
{
	for file; do
		cmp "$lower/$file" "$merged/$file" || return 1
	done
}

owner()
{
	stat -c '%a %u %g' "$1"
}

copies_up()
{
	for file in root-file sizes/0 sizes/1 sizes/65535 sizes/3000001 secrets/001-secret \
		    sparse/holes-between sparse/hole-last links/a-first owners/1000-1; do
		printf more >>"$merged/$file"
		{ cat "$lower/$file"; printf more; } | cmp - "$merged/$file" || return 1
		[ "$(owner "$lower/$file")" = "$(owner "$merged/$file")" ] || return 1
	done
	chmod 0600 "$merged/sizes/4097" && [ "$(stat -c %a "$merged/sizes/4097")" = 600 ] &&
		same sizes/4097
}

removes()
{
	rm "$merged/sizes/511" && [ ! -e "$merged/sizes/511" ] &&
		mv "$merged/sizes/512" "$merged/renamed" && [ ! -e "$merged/sizes/512" ] &&
		cmp "$lower/sizes/512" "$merged/renamed" && rmdir "$merged/zz-empty-dir"
}

# What is about to be changed, and all beside it
below()
{
	(cd "$lower" && ls -ln . sizes links secrets sparse owners && cat sizes/* | md5sum)
}

before=$(below)
# The overlay turns nfs_export off when a layer has no handles.
mount -t overlay -o "lowerdir=$lower,upperdir=$upper,workdir=$work,index=on,nfs_export=on" \
	overlay "$merged"
check "overlay takes handles of the lower layer" grep -q " $merged .*nfs_export=on" /proc/mounts
check "overlay shows the lower layer" same root-file sizes/1048577 sparse/holes-between
check "overlay copies up" copies_up
check "overlay removes and renames" removes
check "the lower layer stays as it is" [ "$(below)" = "$before" ]
umount "$merged"
exit $failed
