# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Clean chroots of Debian's suites, and commands in them; to be sourced after lib.sh.
#
# A base is what debootstrap calls minbase, kept in the cache folder by the suite and what it
# was made with, beside the packages that were downloaded.  What is done in a chroot goes to
# a layer on top, which its caller throws away.  All of it needs root.

# chroot_sources SUITE MIRROR SECURITY: the suite with its updates and backports, as Debian's
# installer sets it up: bookworm's 6.12 is in the security archive alone.
chroot_sources()
{
	printf 'deb %s %s main\n' "$2" "$1" "$2" "$1-updates" "$2" "$1-backports" \
		"$3" "$1-security"
}

# The machine's own apt knows of proxies.
chroot_apt_conf()
{
	apt-config dump | grep '^Acquire::' || true
	echo 'APT::Sandbox::User "root";'
}

# chroot_base SUITE: set $base, and $archives, where its packages are kept.  One caller at a
# time has the lock, on descriptor 6, as apt's folder of packages has one user.
chroot_base()
{
	local suite=$1 mirror security key tmp

	need debootstrap unshare
	# shellcheck disable=SC2154 # of lib.sh
	tmp=$lab_cache/chroots/.tmp-$suite
	mirror=$(debian_mirror Debian) || return 1
	security=$(debian_mirror Debian-Security) || return 1
	key=$({ chroot_sources "$suite" "$mirror" "$security"; chroot_apt_conf; } | short_sum)
	base=$lab_cache/chroots/$suite-$key
	archives=$lab_cache/chroots/$suite-archives
	mkdir -p "$archives/partial"
	lock "chroots-$suite" 6
	[ ! -d "$base" ] || return 0
	rm -rf "$tmp"
	run_logged "$lab_cache/chroots/log" debootstrap --variant=minbase "$suite" "$tmp" \
		"$mirror" || return 1
	chroot_sources "$suite" "$mirror" "$security" >"$tmp/etc/apt/sources.list"
	chroot_apt_conf >"$tmp/etc/apt/apt.conf.d/90host"
	mv -T "$tmp" "$base"
}

# chroot_run LOWER LAYER IN COMMAND...: COMMAND in a chroot of LOWER, folders apart by colons,
# with what it changes in LAYER, and the folder IN as /tmp/in.  $chroot_devices is a command
# that fills the folder /dev of it, which is the chroot's own, or nothing: LOWER's then.  The
# mounts and the processes go away with its namespaces.
chroot_run()
{
	local lower=$1 layer=$2 in=$3

	shift 3
	unshare --mount --pid --fork --kill-child bash -euc '
		lower=$1 layer=$2 in=$3 archives=$4 devices=$5
		shift 5
		root=$layer/root
		mount --make-rprivate /
		mkdir -p "$layer/upper" "$layer/work" "$root"
		mount -t overlay -o "lowerdir=$lower,upperdir=$layer/upper,workdir=$layer/work" \
			overlay "$root"
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/tmp"
		mkdir -p "$root/tmp/in" "$root/var/cache/apt/archives/partial"
		mount --bind "$archives" "$root/var/cache/apt/archives"
		mount --bind "$in" "$root/tmp/in"
		chmod 1777 "$root/tmp"
		if [ -n "$devices" ]; then
			mount -t tmpfs -o mode=755 tmpfs "$root/dev"
			"$devices" "$root/dev"
		fi
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' \
		bash "$lower" "$layer" "$in" "$archives" "${chroot_devices:-}" "$@" </dev/null
}
