# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The kernel's NFS server in a guest, and a client by the loopback interface.  To be sourced.
#
# No daemon is needed for that: what mountd would answer to the kernel's
# questions is written into its caches beforehand, and version 4 alone needs
# neither rpcbind nor the mount protocol.  Needs the modules nfsd and nfsv4.

# Seconds since 1970 until which the answers hold.
nfs_never=4000000000
# Read-only, any port, a subtree is not checked, with an fsid.
nfs_flags=$((0x1 | 0x2 | 0x400 | 0x2000))
# The same, but it is: a file is below what is exported.
# shellcheck disable=SC2034 # who sources this chooses
nfs_flags_subtree=$((nfs_flags & ~0x400))

# nfs_serve DIR [FLAGS]: all of it
nfs_serve()
{
	ip link set lo up
	# Who knows of which clients survives no restart here, but the place must be.
	mkdir -p /var/lib/nfs/v4recovery
	[ -e /proc/fs/nfsd/threads ] || mount -t nfsd nfsd /proc/fs/nfsd
	echo "nfsd 127.0.0.1 $nfs_never loopback" >/proc/net/rpc/auth.unix.ip/channel
	echo "loopback $1 $nfs_never ${2:-$nfs_flags} 65534 65534 0" >/proc/net/rpc/nfsd.export/channel
	printf 'loopback 1 \\x00000000 %s %s\n' "$nfs_never" "$1" >/proc/net/rpc/nfsd.fh/channel
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	echo "-3 +4 +4.1 +4.2" >/proc/fs/nfsd/versions
	echo "tcp 2049" >/proc/fs/nfsd/portlist
	echo 4 >/proc/fs/nfsd/threads
	# Nobody has anything to reclaim.
	echo Y 2>/dev/null >/proc/fs/nfsd/v4_end_grace || true
}

# Options of a client's mount, of type nfs4, of 127.0.0.1:/
# shellcheck disable=SC2034
nfs_options=ro,vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1

# nfs_end DIR: and unmount it.  The kernel gives an export back some time after it was told to.
nfs_end()
{
	echo 0 >/proc/fs/nfsd/threads
	echo "loopback $1 1" >/proc/net/rpc/nfsd.export/channel
	date +%s >/proc/net/rpc/nfsd.export/flush
	date +%s >/proc/net/rpc/nfsd.fh/flush
	tries=300
	until umount "$1" 2>/dev/null; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}
