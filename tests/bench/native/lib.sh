# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # read by who sources it
#
# What the benchmarks at the host's own speed share: their kernel, their memory, and
# disks with images of DSFS and its peers.
#
# Memory of the guest and disks lie in huge pages, as a real kernel's direct map does:
# in a tmpfs, mounted where nobody else sees it and gone with the script.
#
# To be sourced, before anything else, by a script that has the option --help, and wanted, a
# variable that names subjects or is empty.

case " $* " in
*" -h "*|*" --help "*)	;;
*)	[ -n "${NATIVE_INSIDE:-}" ] ||
		NATIVE_INSIDE=1 exec unshare --mount --propagation private "$0" "$@" ;;
esac

# shellcheck source=tests/bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. tests/bench/heading.sh
# Beside the kernel, as other checkouts use them, too.
bench_dir=$lab_cache/native/images
mkdir -p "$bench_dir"

# --- options --------------------------------------------------------------

# native_options NAMES ARG...: of the options --NAME it sets trees, mounts, wanted, patterns, rounds
# and quick; what is no option is in the array words.
native_options()
{
	local names=$1

	trees=() mounts=() words=()
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--quick)	quick=1; shift; continue ;;
		--*)		[[ " $names " == *" ${1#--} "* && $# -ge 2 ]] || { usage_text >&2; exit 2; } ;;
		*)		words+=("$1"); shift; continue ;;
		esac
		case $1 in
		--fs)		trees+=("$(cd "$OLDPWD" && realpath "$2")") ;;
		--mount)	mounts+=("$2") ;;
		--subjects)	wanted=$2 ;;
		--patterns)	patterns=$2 ;;
		--rounds|--runs) rounds=$2 ;;
		esac
		shift 2
	done
}

# native_main NAME ARG...: main ARG..., whose output stays in build/bench/out/NAME.txt.  It never
# returns, so that a script that ends with it is read whole before it runs: checkouts change under
# long runs.
native_main()
{
	local out=build/bench/out/$1

	shift
	case " $* " in
	*" -h "*|*" --help "*)	usage_text; exit 0 ;;
	esac
	mkdir -p build/bench/out
	main "$@" | tee "$out.new"
	mv "$out.new" "$out.txt"
	scripts/results-tables --show "$out.txt"
	exit 0
}

# --- subjects -------------------------------------------------------------

# subject SET NAME FS OPTIONS LIST: a disk of its own, as two mounts of one disk
# would be one.
subject()
{
	[[ -z $wanted || " $wanted " == *" $2 "* ]] || return 0
	[ -e "$huge/$1-$3" ] || copy_image "$1" "$3"
	echo "$1 $2 ${3%-default} $4 $5" >>"$work/subjects"
	images+=("$huge/$1-$3")
}

# native_peers SET LIST FS...: those file systems, mounted as they read fastest
native_peers()
{
	local set=$1 list=$2 fs options

	shift 2
	for fs; do
		case $fs in
		ext4)	options=ro,noload ;;
		xfs)	options=ro,norecovery ;;
		*)	options=ro ;;
		esac
		subject "$set" "$fs" "$fs" $options "$list"
	done
}

# native_mounts SET LIST: DSFS with the options of each --mount
native_mounts()
{
	local item

	for item in "${mounts[@]}"; do
		wanted=${wanted:+$wanted dsfs-${item%%=*}} \
			subject "$1" "dsfs-${item%%=*}" dsfs "ro,${item#*=}" "$2"
	done
}

native_no_subjects()
{
	: >"$work/subjects"
	images=()
}

# copy_image SET FS.  The set "files" is that of the tree "native".
copy_image()
(
	lock native-images 8
	cp "$(bench_image "$2" "${1/#files/native}")" "$huge/$1-$2"
)

# bench_set TREE: the files of a tree, one a line
bench_set()
(
	lock native-images 8
	cat "$(bench_list "$1")"
)

# --- guests ---------------------------------------------------------------

# native_prepare TREE...: programs, a kernel for the fs/ of each tree, memory
native_prepare()
{
	local tree n=0

	make -s tools bench-tools build/tests/native_task >&2
	bench_erofs
	kernels=() labels=()
	for tree; do
		n=$((n + 1))
		kernels+=("$(tests/bench/native/kernel --fs "$tree")")
		labels+=("$n")
		say "kernel $n: 7.2 with $(basename "${kernels[-1]}" | sed 's/linux-/fs of content /') of ${tree##*/}"
	done
	work=$(mktemp -d)
	huge=$work/huge
	mkdir -p "$huge" "$work/out"
	trap 'umount -l "$huge"; rm -rf "$work"' EXIT
	mount -t tmpfs -o size=90%,huge=always tmpfs "$huge"
	mkdir "$huge/mem"
}

join()
{
	local IFS=,

	echo "$*"
}

# native_boot KERNEL GUEST NAME=VALUE...: a guest with the disks of all subjects; GUEST, a
# script of the checkout, finds the values in its plan.
native_boot()
{
	local kernel=$1 guest=$2 cmd item

	shift 2
	for item; do
		printf '%s=%q\n' "${item%%=*}" "${item#*=}"
	done >"$work/plan"
	rm -f "$work/out/verdict"
	# shellcheck disable=SC2054 # the comma is a part of a word
	cmd=("$kernel" "mem=$mem" root=/dev/root rootfstype=hostfs rootflags=/ ro
	     "init=$PWD/$guest" seccomp=on "ncpus=$cpus" con=null con0=null,fd:1 ssl=null
	     loglevel=4 panic=-1 "bench_disk.images=$(join "${images[@]}")")
	# shellcheck disable=SC2206
	cmd+=(${NATIVE_APPEND:-} -- "$work")
	# shellcheck disable=SC2086 # words: perf record ...
	TMPDIR=$huge/mem timeout -s KILL "${BENCH_TIMEOUT:-1800}" ${NATIVE_WRAP:-} "${cmd[@]}" \
		</dev/null >"$work/out/boot" 2>&1 || true
	[ "$(cat "$work/out/verdict" 2>/dev/null)" = 0 ] && return
	tail -n 20 "$work/out/boot" "$work/out/console" "$work/out/dmesg" >&2 || true
	die "$guest: the guest failed"
}

# What the host did besides: the figures are worth as much as it was quiet.
show_host()
{
	say "host, $1: load $(cut -d ' ' -f 1-3 /proc/loadavg)"
}
