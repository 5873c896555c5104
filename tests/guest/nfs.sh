#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# nfs.sh DIR [subtree] - export mktree's zoo, mounted at DIR, by the kernel's NFS server
# and compare it, mounted over the loopback interface, with DIR; unmount DIR.  Extended attributes
# and ACLs are not compared, NFS has its own.
#
# With "subtree" the server checks that a file is below what it exports: it finds the
# name of each by its handle.
set -eu
. "$(dirname "$0")/lib.sh"
. "$here/nfs-serve.sh"

dir=$1
client=$(mktemp -d)
flags=$nfs_flags
parts="types links modes names sizes secrets" again="types links sizes"
if [ "${2:-}" = subtree ]; then
	flags=$nfs_flags_subtree
	prog="nfs, subtrees"
	parts="types links" again="types"
fi

# All columns but the last one, the extended attributes.
columns()
{
	listing "$1" | cut -f 1-11
}

# Every name takes a dozen calls to the server: some directories will do.
same()
{
	for part in "$@"; do
		columns "$dir/$part" >/tmp/nfs-want
		columns "$client/$part" >/tmp/nfs-have
		cmp -s /tmp/nfs-want /tmp/nfs-have && continue
		echo "# $prog: $part"
		diff /tmp/nfs-want /tmp/nfs-have | as_comments
		return 1
	done
}

# The server opens by handle again what it has forgotten.
held()
{
	exec 8<"$client/sizes/3000001"
	head -c 1000 <&8 >/dev/null
	drop_caches
	[ "$(wc -c <&8)" -gt 0 ]
	exec 8<&-
}

nfs_serve "$dir" $flags
check "mount over the loopback" try -l -t nfs4 -o \
	"$nfs_options" 127.0.0.1:/ "$client"
# shellcheck disable=SC2086 # several
check "the client's listing" same $parts
drop_caches
# shellcheck disable=SC2086
check "again after drop_caches on both sides" same $again
check "a file held open while caches are dropped" held
check "changes are refused" fails touch "$client/new"
umount "$client"

check "unmount after the export has ended" nfs_end "$dir"
exit $failed
