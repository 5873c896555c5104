#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# nfs.sh DIR [subtree] - export mktree's zoo, mounted at DIR, by the kernel's NFS server
# and compare it, mounted over the loopback interface, with DIR; unmount DIR.
#
# No daemon is needed for that: what mountd would answer to the kernel's
# questions is written into its caches beforehand, and version 4 alone needs
# neither rpcbind nor the mount protocol.  Extended attributes and ACLs are not
# compared, NFS has its own.
#
# With "subtree" the server checks that a file is below what it exports: it finds the
# name of each by its handle.
#
# Needs the modules nfsd and nfsv4.
set -eu
here=$(dirname "$0")
prog=nfs
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

dir=$1
client=$(mktemp -d)
# Seconds since 1970 until which the answers hold.
never=4000000000
# Read-only, any port, a subtree is not checked, with an fsid.
flags=$((0x1 | 0x2 | 0x400 | 0x2000))
parts="types links modes names sizes secrets" again="types links sizes"
if [ "${2:-}" = subtree ]; then
	flags=$((flags & ~0x400))
	prog="nfs, subtrees"
	parts="types links" again="types"
fi

serve()
{
	ip link set lo up
	# Who knows of which clients survives no restart here, but the place must be.
	mkdir -p /var/lib/nfs/v4recovery
	[ -e /proc/fs/nfsd/threads ] || mount -t nfsd nfsd /proc/fs/nfsd
	echo "nfsd 127.0.0.1 $never loopback" >/proc/net/rpc/auth.unix.ip/channel
	echo "loopback $dir $never $flags 65534 65534 0" >/proc/net/rpc/nfsd.export/channel
	printf 'loopback 1 \\x00000000 %s %s\n' "$never" "$dir" >/proc/net/rpc/nfsd.fh/channel
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	echo "-3 +4 +4.1 +4.2" >/proc/fs/nfsd/versions
	echo "tcp 2049" >/proc/fs/nfsd/portlist
	echo 4 >/proc/fs/nfsd/threads
	# Nobody has anything to reclaim.
	echo Y 2>/dev/null >/proc/fs/nfsd/v4_end_grace || true
}

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
		diff /tmp/nfs-want /tmp/nfs-have | cut -c 1-300 | head -n 20 | sed 's/^/# /'
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

refused()
{
	! touch "$client/new" 2>/dev/null
}

serve
check "mount over the loopback" "$here/trymount" -l -t nfs4 -o \
	ro,vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1 127.0.0.1:/ "$client"
# shellcheck disable=SC2086 # several
check "the client's listing" same $parts
drop_caches
# shellcheck disable=SC2086
check "again after drop_caches on both sides" same $again
check "a file held open while caches are dropped" held
check "changes are refused" refused
umount "$client"

# The kernel gives an export back some time after it was told to.
stop()
{
	echo 0 >/proc/fs/nfsd/threads
	echo "loopback $dir 1" >/proc/net/rpc/nfsd.export/channel
	date +%s >/proc/net/rpc/nfsd.export/flush
	date +%s >/proc/net/rpc/nfsd.fh/flush
	tries=300
	until umount "$dir" 2>/dev/null; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

check "unmount after the export has ended" stop
exit $failed
