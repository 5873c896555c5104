# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts of the test bed share: the cache folder, locks, things made
# atomically, downloads of Debian packages without installing them.
#
# Why a cache: a kernel, a chroot or a User Mode Linux build costs a minute or
# more each, and none of it belongs into the checkout.  An entry is named by
# what it was made from, is made beside its place and renamed into it when it
# is complete, under a lock of its own; so an interrupted run leaves nothing
# that looks whole, and several runs can share the folder.
#
# To be sourced.  Callers set `tool`, the name in front of messages.

# Without it a failure within $( ) goes unnoticed.
shopt -s inherit_errexit

tool=${tool:-${0##*/}}
lab_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$lab_top/tests/lab/kernels"
lab_cache=${DSFS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/dsfs}
mkdir -p "$lab_cache/lock"
lab_cache=$(cd "$lab_cache" && pwd)

die()
{
	echo "$tool: $*" >&2
	exit "${die_status:-1}"
}

note()
{
	echo "$tool: $*" >&2
}

# The comment at the head of a script is its usage text.
usage_text()
{
	sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"
}

# usage [MESSAGE]: the end of a script that was called otherwise
usage()
{
	[ $# -eq 0 ] || note "$*"
	usage_text >&2
	exit 2
}

# A script that is asked alone what it does says so, whatever else it takes.
case ${1:-} in
-h|--help)	usage_text; exit 0 ;;
esac

# take_options ARG...: the options of a script that runs a command, which comes after -- and is
# then in cmd.  `flags` says for an option without a value what is set, `values` and `lists`
# which variable, or array, has the value.
# shellcheck disable=SC2154 # flags, values and lists are the script's
take_options()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--)		shift; cmd=("$@"); return ;;
		--*)		;;
		*)		usage "$1: no option: the command comes after --" ;;
		esac
		if [ -n "${flags[$1]:-}" ]; then
			declare -g "${flags[$1]}"
			shift
			continue
		fi
		[ -n "${values[$1]:-}${lists[$1]:-}" ] || usage "$1: unknown option"
		[ $# -ge 2 ] || usage "$1: needs a value"
		if [ -n "${values[$1]:-}" ]; then
			declare -g "${values[$1]}=$2"
		else
			eval "${lists[$1]}+=(\"\$2\")"
		fi
		shift 2
	done
}

# take_out: $out, where a run leaves what it was, is a directory in any case, and absolute; see
# --out.
take_out()
{
	out=${out:-$work/out}
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	rm -f "$out/console.log" "$out/dmesg"
}

need()
{
	local cmd

	for cmd in "$@"; do
		command -v "$cmd" >/dev/null ||
			die "$cmd: not found: please run scripts/install-deps check"
	done
}

# lock NAME FD: take the lock NAME of the cache for as long as FD is open.
# Says so when it has to wait.
lock()
{
	local name=$1 fd=$2

	eval "exec $fd>\"\$lab_cache/lock/\$name\""
	flock -n "$fd" && return
	note "$name: in use by another run, waiting"
	flock "$fd"
}

# run LOG CMD...: run quietly; on failure show the end of the log.
run_logged()
{
	local log=$1

	shift
	"$@" >"$log" 2>&1 </dev/null && return
	tail -n "${LAB_TAIL:-40}" "$log" >&2
	note "${1##*/}: failed, the whole output is in $log"
	return 1
}

# sha256, shortened, of what comes in: the key of a cache entry.
short_sum()
{
	sha256sum | cut -c1-16
}

# tree_sum DIR...: a key of the names and contents of all files there.
tree_sum()
{
	find "$@" -type f -print0 | LC_ALL=C sort -z |
		xargs -0r sha256sum | short_sum
}

# entry DEST CMD [ARG...]: CMD DIR ARG... makes what is kept as DEST, in a DIR beside it, unless it
# is there.
entry()
{
	local dest=$1 cmd=$2 tmp=${1%/*}/.tmp-${1##*/}

	[ ! -d "$dest" ] || return 0
	shift 2
	rm -rf "$tmp"
	mkdir -p "$tmp"
	"$cmd" "$tmp" "$@"
	mv -T "$tmp" "$dest"
}

# fresh MEMO: was it written within a day, and not LAB_REFRESH=1 asked for?
fresh()
{
	[ "${LAB_REFRESH:-0}" = 0 ] && [ -n "$(find "$1" -mmin -1440 2>/dev/null)" ]
}

# version_name: a version, that comes in, as a part of a file's name
version_name()
{
	tr -c 'A-Za-z0-9.+\n' -
}

# apt_state DIR: sets apt, for a state of apt's of its own that lies there
apt_state()
{
	apt_dir=$1
	mkdir -p "$1"/{lists/partial,cache/archives/partial}
	apt=(-o "Dir::State::Lists=$1/lists" -o "Dir::Cache=$1/cache"
	     -o Acquire::Languages=none -o APT::Sandbox::User=root)
}

# apt_sources DIR KIND SUITE...: and that knows nothing but packages of these suites, or with
# KIND deb-src their sources
apt_sources()
{
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg mirror

	mirror=$(debian_mirror Debian)
	apt_state "$1"
	printf "$2 [signed-by=$keyring] $mirror %s main\n" "${@:3}" >"$1/sources.list"
	apt+=(-o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=/dev/null)
}

# once KEY CMD...: run CMD, unless it has succeeded with this KEY, a name and the sum of all
# that its verdict depends on; then what it printed is printed again.  A failure is not kept;
# make check-long and DSFS_ANEW=1 believe nothing that is.
once()
{
	local kept=$lab_cache/once/$1 status=0

	shift
	if [ -e "$kept" ] && [ "${DSFS_LONG:-0}" = 0 ] && [ "${DSFS_ANEW:-0}" = 0 ]; then
		touch "$kept"
		echo "# kept from an earlier run: nothing that it depends on has changed"
		cat "$kept"
		return
	fi
	mkdir -p "${kept%/*}"
	find "${kept%/*}" -type f -mtime +30 -delete
	"$@" >"$kept.$$" || status=$?
	cat "$kept.$$"
	if [ $status -eq 0 ]; then
		mv "$kept.$$" "$kept"
	else
		rm "$kept.$$"
	fi
	return $status
}

# debian_mirror LABEL: the mirror that this machine's apt uses for Debian or for its
# archive Debian-Security.
debian_mirror()
{
	local label=$1 uri

	if [ "$label" = Debian ] && [ -n "${DSFS_MIRROR:-}" ]; then
		echo "$DSFS_MIRROR"
		return
	fi
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' \
		"Label: $label" 'Identifier: Packages' 2>/dev/null | sed -n 1p)
	[ -n "$uri" ] || die "apt: no archive of $label in its sources"
	echo "${uri%/}"
}

# apt's lists may name packages that the archive has dropped meanwhile.
refresh_host_apt()
{
	[ "$(id -u)" -eq 0 ] ||
		die "apt: the package lists are missing or old: please run: sudo apt-get update"
	apt-get -q update >/dev/null 2>&1 || true
}

# host_version PACKAGE: the candidate version in the machine's own apt, or in
# the one that ${apt[@]} names.
host_version()
{
	local v

	v=$(apt-cache "${apt[@]}" policy "$1" | sed -n 's/^  Candidate: //p')
	if [ -z "$v" ] || [ "$v" = "(none)" ]; then
		refresh_apt
		v=$(apt-cache "${apt[@]}" policy "$1" | sed -n 's/^  Candidate: //p')
	fi
	[ -n "$v" ] && [ "$v" != "(none)" ] ||
		die "$1: no such package in apt's sources; newer kernels of bookworm are in its security archive alone"
	echo "$v"
}

# apt_unpack DIR PACKAGE...: download with the apt options in ${apt[@]} and
# unpack into DIR, installing nothing.
apt_unpack()
{
	local dir=$1 tmp deb

	shift
	mkdir -p "$dir"
	tmp=$(mktemp -d "$dir.debs.XXXXXX")
	# apt drops to a user of its own for downloads; spare us its warning.
	if ! (cd "$tmp" && apt-get "${apt[@]}" -q -o APT::Sandbox::User=root \
		download "$@") >"$tmp/log" 2>&1; then
		refresh_apt
		(cd "$tmp" && run_logged "$tmp/log" apt-get "${apt[@]}" -q \
			-o APT::Sandbox::User=root download "$@") ||
			die "$*: download failed"
	fi
	for deb in "$tmp"/*.deb; do
		dpkg -x "$deb" "$dir" || die "${deb##*/}: does not unpack"
	done
	rm -rf "$tmp"
}

apt=()
refresh_apt()
{
	refresh_host_apt
}

# --- kernels that are built here ------------------------------------------

# For rsync: what kbuild leaves in a folder of sources
# shellcheck disable=SC2034 # who sources this reads it
no_sources=(--exclude '*.o' --exclude '*.ko' --exclude '*.mod' --exclude '*.mod.c' --exclude '*.a'
	--exclude '.*.cmd' --exclude '.*.d' --exclude '.tmp_*' --exclude Module.symvers
	--exclude modules.order)

# configure_kernel SRC BUILD ARCH BASE FRAGMENT...: .config in BUILD: make BASE, and what
# the FRAGMENTs say.
configure_kernel()
{
	local src=$1 build=$2 arch=$3 base=$4

	shift 4
	run_logged "$build/log.config" make -C "$src" ARCH="$arch" O="$build" "$base" || return 1
	(cd "$build" && run_logged "$build/log.config" env ARCH="$arch" \
		"$src/scripts/kconfig/merge_config.sh" -m -O "$build" \
		"$build/.config" "$@") || return 1
	run_logged "$build/log.config" make -C "$src" ARCH="$arch" O="$build" olddefconfig || return 1
	check_config "$build/.config" "$@"
}

# A symbol that Kconfig dropped silently would be a test that tests nothing.  Of fragments
# that set the same one the last counts, as for merge_config.sh.
check_config()
{
	local config=$1 line sym bad=0

	shift
	while read -r line; do
		case $line in
		CONFIG_*=n)
			sym=${line%=n}
			! grep -q "^$sym=" "$config" || { note "$sym: is set, wanted off"; bad=1; } ;;
		CONFIG_*)
			grep -qxF -- "$line" "$config" ||
				{ note "$line: not taken by Kconfig"; bad=1; } ;;
		esac
	done < <(cat "$@" | tac | awk -F= '!seen[$1]++')
	[ $bad -eq 0 ] || die "$config: does not hold what the fragments ask for"
}

# --- other machines -------------------------------------------------------

# lab_machine ARCH: what is called what for a machine of Debian's architecture
# ARCH: $karch (kbuild), $cross (prefix of the compiler), $triplet (libraries),
# $user (QEMU's name).  The machine's own ARCH has no prefix.
# shellcheck disable=SC2034 # who sources this reads them
lab_machine()
{
	case $1 in
	amd64)	karch=x86_64 cross='' triplet=x86_64-linux-gnu user=x86_64 ;;
	arm64)	karch=arm64 cross=aarch64-linux-gnu- triplet=aarch64-linux-gnu user=aarch64 ;;
	i386)	karch=i386 cross=i686-linux-gnu- triplet=i386-linux-gnu user=i386 ;;
	s390x)	karch=s390 cross=s390x-linux-gnu- triplet=s390x-linux-gnu user=s390x ;;
	*)	die "$1: no such architecture here" ;;
	esac
}

# apt_daily: the lists of the state that apt_state made last are those of the archive, of a day
# ago at most
apt_daily()
{
	refresh_apt()
	{
		if apt-get "${apt[@]}" -q update >"$apt_dir/log" 2>&1; then
			touch "$apt_dir/fresh"
		else
			note "${apt_dir##*/}: apt-get update: failed: $(tail -n 1 "$apt_dir/log")"
		fi
	}
	lock "${apt_dir##*/}" 7
	fresh "$apt_dir/fresh" || refresh_apt
	exec 7>&-
}

# apt_arch ARCH: and it knows packages of that architecture
apt_arch()
{
	[ "$1" = amd64 ] ||
		apt+=(-o "APT::Architecture=$1" -o "APT::Architectures=$1" -o Dir::State::status=/dev/null)
}

# foreign_apt ARCH: have apt_unpack and apt-cache look at packages of another
# architecture, out of the sources that this machine's apt has.  A state of its
# own keeps dpkg from knowing about it.
foreign_apt()
{
	apt_state "$lab_cache/apt-$1"
	apt_arch "$1"
	apt_daily
}

# suite_apt SUITE ARCH: the same for packages of another suite of Debian, sid or trixie (with
# its backports), which this machine's apt is not to know.
suite_apt()
{
	local suites=("$1") dir=$lab_cache/apt-$1

	[ "$2" = amd64 ] || dir+=-$2
	[ "$1" != trixie ] || suites+=(trixie-backports)
	apt_sources "$dir" deb "${suites[@]}"
	apt_arch "$2"
	apt_daily
}

# cross_make ARCH TARGET...: make, for another machine, below build/arch/ARCH
# (which the TARGETs name).  SANITIZE: there are no sanitizers under qemu-user;
# and without them the compiler believes in paths that are none.
cross_make()
{
	local arch=$1 root

	shift
	lab_machine "$arch"
	need make "${cross}gcc"
	root=$("$lab_top/tests/lab/sysroot" "$arch")
	# The linker warns of getpwnam() in static programs.
	make -s -C "$lab_top" B="build/arch/$arch" CC="${cross}gcc" AR="${cross}ar" \
		ISAL=no SANITIZE=-Wno-maybe-uninitialized \
		CPPFLAGS="-isystem $root/usr/include -isystem $root/usr/include/$triplet" \
		LDFLAGS="-static -L$root/usr/lib/$triplet" "$@" 2>&1 |
		{ grep -vE 'statically linked applications|in function .(user|group|main|_gpgrt_)' || true; }
	return "${PIPESTATUS[0]}"
}

# memory_nodes SIZE...: sets nodes, options of tests/vm/run for a node of that much memory each, on
# a processor each
# shellcheck disable=SC2034,SC2054 # who sources this reads it; commas of QEMU
memory_nodes()
{
	local n=0 size item

	nodes=(--qemu -smp --qemu "$#,sockets=$#")
	for size; do
		for item in -object "memory-backend-ram,id=m$n,size=$size" \
			    -numa "node,memdev=m$n,cpus=$n"; do
			nodes+=(--qemu "$item")
		done
		n=$((n + 1))
	done
}

# kernel_arch DIR: the architecture of a kernel of tests/lab/kernel.
kernel_arch()
{
	cat "$1/arch" 2>/dev/null || echo amd64
}

# module_tools DIR: what builds modules for a kernel of tests/lab/kernel, by its versions; in
# a chroot the packages say.
module_tools()
{
	if [ -d "$1/chroot" ]; then
		dpkg-query --admindir="$1/chroot/var/lib/dpkg" -W gcc-\* sparse make
	else
		lab_machine "$(kernel_arch "$1")"
		"${cross}gcc" --version
		! command -v sparse >/dev/null || sparse --version
	fi
}

# Back to the packages of this machine.
own_apt()
{
	apt=()
	refresh_apt()
	{
		refresh_host_apt
	}
}
