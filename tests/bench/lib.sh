# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the benchmarks share: how a figure is printed, the trees, and the images
# of them that DSFS and its peers make.
#
# A figure alone says nothing, so each is printed with what it depends on, and
# beside its peers from the same tree.  Trees and images cost minutes: they are
# kept in build/bench, named by what they were made from.
#
# To be sourced by tests/bench/PART, which runs alone too.  The working
# directory is the top of the checkout from here on.
#
# Environment:
#   BENCH_KERNELS	kernels, instead of the part's own (empty: what runs without one)
#   BENCH_FS		subjects, instead of all ("dsfs erofs")
#   BENCH_PATTERNS	patterns of reading, instead of all ("pil")
#   BENCH_ALL=1		all files, where a part takes a sample
#   BENCH_ROUNDS	how often what is compared by time runs (5)
#   BENCH_CPU		another processor for QEMU (max,-erms,-sse4.2: without the
#			crc32 instruction)

bench_part=${0##*/}
tool=bench/$bench_part
# shellcheck source=tests/lab/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lab/lib.sh"
cd "$lab_top" || exit 1
bench_dir=build/bench
mkdir -p "$bench_dir"

# --- what is printed ------------------------------------------------------

# Environment: kernels, settings, options, versions.
say()
{
	printf '# %s\n' "$*"
}

# row KERNEL WHAT SUBJECT VALUE UNIT: a figure; KERNEL is - for host tools.
row()
{
	printf 'row\t%s\t%s\t%s\t%s\t%s\t%s\n' "$bench_part" "$@"
}

# target KERNEL WHAT VALUE OP LIMIT: what has to be reached; OP is <= or >=.
target()
{
	printf 'target\t%s\t%s\t%s\t%s\t%s\t%s\n' "$bench_part" "$@"
}

# median NUMBER...
median()
{
	printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 }
		END { m = int((NR + 1) / 2); printf "%.6g\n", NR % 2 ? v[m] : (v[m] + v[m + 1]) / 2 }'
}

# quotient A B [FORMAT]
quotient()
{
	awk -v a="$1" -v b="$2" -v f="${3:-%.3f}" 'BEGIN { printf f "\n", b ? a / b : 0 }'
}

# said FILE KEY NAME: of the lines "KEY NAME=VALUE..." the values of NAME
said()
{
	awk -v key="$2 " -v name="$3=" 'index($0, key) == 1 {
		for (i = 1; i <= NF; i++)
			if (index($i, name) == 1) print substr($i, length(name) + 1)
	}' "$1"
}

# kernels DEFAULT...
bench_kernels()
{
	echo "${BENCH_KERNELS-$*}"
}

# subjects DEFAULT...: those of them that are asked for, in this order.
bench_subjects()
{
	local fs

	for fs in "$@"; do
		[[ -n ${BENCH_FS:-} && " $BENCH_FS " != *" $fs "* ]] || printf '%s ' "$fs"
	done
}

# --- programs and modules -------------------------------------------------

bench_tools()
{
	make -s tools bench-tools >&2
}

# suite_packages PACKAGE...: what they need in a suite, themselves included.
suite_packages()
{
	apt-cache "${apt[@]}" depends --recurse --no-recommends --no-suggests \
		--no-conflicts --no-breaks --no-replaces --no-enhances "$@" |
		grep '^[a-z0-9]' | sort -u
}

# unpack_suite SUITE DIR PACKAGE...: programs with their own libc, installed nowhere.
unpack_suite()
{
	local dir=$2 names

	suite_apt "$1" amd64
	names=$(suite_packages "${@:3}") || return 1
	# shellcheck disable=SC2086
	(die_status=1; apt_unpack "$dir" $names)
}

# suite_command DIR PROGRAM: sets command to what runs the PROGRAM in there.
suite_command()
{
	local loader libs

	loader=$(find "$1" -name 'ld-linux-x86-64.so.2' | sed -n 1p)
	libs=$(find "$1" -name 'lib*.so.*' -printf '%h\n' | sort -u | paste -sd :)
	[ -x "$1/usr/bin/$2" ] && [ -n "$loader" ] || return 1
	command=("$loader" --library-path "$libs" "$1/usr/bin/$2")
}

# from_suite SUITE NAME PROGRAM PACKAGE...: sets suite_dir to where they are unpacked, if the
# PROGRAM of them runs here; kept as NAME-SUITE
from_suite()
{
	local suite=$1 program=$3 command

	suite_dir=$lab_cache/bench/$2-$suite
	shift 3
	mkdir -p "$lab_cache/bench"
	if [ ! -e "$suite_dir" ] && [ ! -e "$suite_dir.failed" ]; then
		note "$suite: fetching $*"
		rm -rf "$suite_dir.tmp"
		if unpack_suite "$suite" "$suite_dir.tmp" "$@" &&
		   suite_command "$suite_dir.tmp" "$program" &&
		   [[ "$("${command[@]}" --version 2>&1)" == *" "[0-9].[0-9]* ]]; then
			mv -T "$suite_dir.tmp" "$suite_dir"
		else
			note "$suite: $* can't be had or do not run here"
			touch "$suite_dir.failed"
		fi
		own_apt
	fi
	[ -d "$suite_dir" ]
}

# newest_suite NAME PROGRAM PACKAGE...: the same of the newest suite, sid or trixie
newest_suite()
{
	from_suite sid "$@" || from_suite trixie "$@"
}

# The newest mkfs.erofs that runs here: sid's, trixie's or this machine's own.
# Sets erofs (a command) and erofs_version.
bench_erofs()
{
	local command suite_dir

	command=(mkfs.erofs)
	if newest_suite erofs-utils mkfs.erofs erofs-utils; then
		suite_command "$suite_dir" mkfs.erofs
	else
		need mkfs.erofs
	fi
	erofs=("${command[@]}")
	erofs_version=$("${erofs[@]}" --version 2>&1 |
		sed -n '1s/^mkfs.erofs (erofs-utils) //; 1s/^mkfs.erofs //; 1p')
}

# --- trees ----------------------------------------------------------------

# The arguments of mkset for each tree.
tree_args()
{
	case $1 in
	# What an epoch is measured with: the sizes of ImageNet
	imagenet)	echo --files=8000 --classes=40 --sizes=imagenet ;;
	# The same, as few as a test in a small guest can do with
	epochs-short)	echo --files=2600 --classes=40 --sizes=imagenet ;;
	# The same files in another form (tests/bench/packs.py)
	imagenet-*)	echo "$1 of $(tree_args imagenet)" ;;
	# More than a GiB of it: what a cache is measured with
	epochs)		echo --files=10500 --classes=40 --sizes=imagenet ;;
	# A mean of 6 KB
	tiny)		echo --files=20000 --classes=200 --sizes=512-11776 ;;
	# As imagenet, fewer: by the clock (tests/bench/native)
	native)		echo --files=2000 --classes=40 --sizes=imagenet ;;
	# The sizes of RetinaNet's, as MLPerf Storage has them: 322,957 bytes are the mean
	train)		echo --files=1200 --classes=12 --sizes=161479-484435 ;;
	# The same in packed formats (tests/bench/train/pack)
	packs)		echo packs of "$(tree_args train)" ;;
	# As many names as ImageNet's training set; 256 of the files have contents
	million)	echo --files=1280000 --classes=1000 --sizes=0 ;;
	# Real pictures (tests/bench/train/jpegs)
	jpegs)		echo 1000 jpegs ;;
	# One file of 512 MiB: of so much of an archive
	large)		echo --files=8200 --classes=1 --sizes=65536 --form=tar ;;
	# The same of 128 MiB
	mapped)		echo --files=2100 --classes=1 --sizes=65536 --form=tar ;;
	# One file of 64 MiB, by weights.py
	weights)	echo 64 ;;
	# As many names as ImageNet has
	names)		echo --files=1300000 --classes=1000 --sizes=0 ;;
	*)		die "$1: no such tree" ;;
	esac
}

# Is the tree only told to what makes images, and never made?
told()
{
	[ "$1" = names ]
}

# Where the things of a tree lie: a new generator makes new trees.
tree_home()
{
	local sum

	sum=$({ tree_args "$1"; cat tests/tools/mkset
		[ "$1" != packs ] || cat tests/bench/train/pack
		[[ $1 != imagenet-* ]] || cat tests/bench/packs.py; } | short_sum)
	echo "$bench_dir/$1-${sum:0:8}"
}

# fill_tree NAME DIR
fill_tree()
{
	# shellcheck disable=SC2046
	case $1 in
	large|mapped)
		mkdir "$2"
		# head ends before mkset does.
		{ build/tests/mkset $(tree_args "$1") 2>/dev/null || true; } |
			head -c $([ "$1" = large ] && echo 512M || echo 128M) >"$2/large.bin" ;;
	weights)
		mkdir "$2"
		tests/bench/weights.py "$2/model.safetensors" $(tree_args weights) ;;
	packs)	tests/bench/train/pack "$(bench_tree train)" "$2" ;;
	imagenet-loop)	tests/bench/packs.py make loop "$(bench_image ext4 imagenet)" "$2" ;;
	imagenet-*)	tests/bench/packs.py make "${1#imagenet-}" "$(bench_tree imagenet)" "$2" ;;
	million)
		build/tests/mkset $(tree_args million) "$2"
		find "$2" -type f | LC_ALL=C sort | awk 'NR % 5000 == 1' |
			while read -r file; do
				head -c 115712 /dev/urandom >"$file"
			done ;;
	jpegs)	tests/bench/train/jpegs 1000 10 "$2" ;;
	*)	build/tests/mkset $(tree_args "$1") "$2" ;;
	esac
}

# bench_tree NAME: makes the tree if it is not there, prints its path.
bench_tree()
{
	local home

	home=$(tree_home "$1")
	if [ ! -e "$home/tree" ]; then
		note "$1: making the tree: $(tree_args "$1")"
		mkdir -p "$home"
		rm -rf "$home/tree.tmp"
		fill_tree "$1" "$home/tree.tmp"
		mv "$home/tree.tmp" "$home/tree"
	fi
	echo "$home/tree"
}

# bench_list NAME: prints the path of a list of the tree's files, sorted.
bench_list()
{
	local tree home

	tree=$(bench_tree "$1")
	home=${tree%/tree}
	[ -e "$home/list" ] ||
		{ (cd "$tree" && find . -type f -printf '%P\n') | LC_ALL=C sort >"$home/list.tmp" &&
			mv "$home/list.tmp" "$home/list"; }
	echo "$home/list"
}

# --- images ---------------------------------------------------------------

# image FS TREE: makes the image if it is not there, or if what makes it has
# changed; prints its path.  The commands are in the file beside it, .how.
bench_image()
{
	local fs=$1 home img key made_by

	home=$(tree_home "$2")
	img=$home/$fs.img
	key=$(image_key "$fs")
	if [ "$(cat "$img.key" 2>/dev/null)" != "$key" ] || [ ! -e "$img" ]; then
		made_by='make'
		if told "$2"; then
			mkdir -p "$home"
			made_by=tell
		else
			bench_tree "$2" >/dev/null
		fi
		note "$2: making the image: $fs"
		rm -f "$img" "$img.key" "$img.how"
		"${made_by}_${fs//-/_}" "$home/tree" "$img" "$img.how" "$2"
		echo "$key" >"$img.key"
	fi
	echo "$img"
}

# image_drives TREE FS...: adds their images to drives, and says how they were made
image_drives()
{
	local tree=$1 fs img

	shift
	for fs; do
		img=$(bench_image "$fs" "$tree")
		say "$tree, $fs: $(cat "$img.how"); $(stat -c %s "$img") bytes"
		drives+=(--drive "$img,ro,serial=$fs")
	done
}

# What an image depends on besides the tree.
image_key()
{
	case $1 in
	dsfs)		sha256sum <build/mkfs.dsfs ;;
	erofs*)		echo "$erofs_version" ;;
	ext4)		mke2fs -V 2>&1 ;;
	squashfs*)	mksquashfs -version | sed -n 1p ;;
	xfs)		mkfs.xfs -V ;;
	esac
	declare -f "make_${1//-/_}" "tell_${1//-/_}" || true
}

# made HOW VERSION CMD...: run a command that makes an image, and note it.
made()
{
	local how=$1 version=$2

	shift 2
	run_logged "$how.log" "$@" || die "${1##*/}: failed"
	echo "$version: ${shown:-$*}" >"$how"
}

make_dsfs()
{
	shown="mkfs.dsfs IMAGE TREE" \
		made "$3" "$(build/mkfs.dsfs --version | sed -n 1p)" build/mkfs.dsfs -f "$2" "$1"
}

# The fast setting: no contents among the metadata, and from 1.9 on the
# metadata in one place.  Sets erofs_args.
erofs_tuned()
{
	local text

	erofs_args=(-Enoinline_data)
	# Whole, as grep -q would end the pipe, and pipefail take that for a no.
	text=$("${erofs[@]}" --help 2>&1) || true
	[[ $text != *--MZ* ]] || erofs_args=("-E^inline_data" --MZ)
}

make_erofs()
{
	local erofs_args

	erofs_tuned
	shown="mkfs.erofs ${erofs_args[*]} IMAGE TREE" \
		made "$3" "$erofs_version" "${erofs[@]}" --quiet "${erofs_args[@]}" "$2" "$1"
}

make_erofs_default()
{
	shown="mkfs.erofs IMAGE TREE" \
		made "$3" "$erofs_version" "${erofs[@]}" --quiet "$2" "$1"
}

# extent DIR: how many objects and how many bytes of storage, in blocks of 4 KiB.
# What the disk has given them so far may be less.
extent()
{
	find "$1" -printf '%s\n' |
		awk '{ n++; b += int(($1 + 4095) / 4096) } END { printf "%d %.0f\n", n, b * 4096 }'
}

# ext4 with room for the tree, read-only as it will be.
make_ext4()
{
	local count bytes

	read -r count bytes < <(extent "$1")
	truncate -s $((bytes + bytes / 16 + count * 512 + (32 << 20))) "$2"
	shown="mke2fs -t ext4 -O ^has_journal -m 0 -d TREE IMAGE" \
		made "$3" "$(mke2fs -V 2>&1 | sed -n 1p)" mke2fs -q -F -t ext4 -O ^has_journal \
		-N $((count + 1000)) -m 0 -d "$1" "$2"
}

make_squashfs()
{
	shown="mksquashfs TREE IMAGE -noI -noD -noF -noX" \
		made "$3" "$(mksquashfs -version | sed -n 1p)" mksquashfs "$1" "$2" -noappend \
		-no-progress -quiet -noI -noD -noF -noX
}

# As people make it
make_squashfs_zstd()
{
	shown="mksquashfs TREE IMAGE -comp zstd" \
		made "$3" "$(mksquashfs -version | sed -n 1p)" mksquashfs "$1" "$2" -noappend \
		-no-progress -quiet -comp zstd
}

# mkfs.xfs takes no tree, but a list of one.
xfs_proto()
{
	printf '/\n0 0\nd--755 0 0\n'
	(cd "$1" && find . -mindepth 1 -printf '%y %d %m %P\n' | LC_ALL=C sort -k 4) |
	awk -v tree="$1" '{
		name = $4
		sub(/.*\//, "", name)
		while (depth >= $2) { print "$"; depth-- }
		if ($1 == "d") { print name, "d--" $3, 0, 0; depth = $2 }
		else print name, "---" $3, 0, 0, tree "/" $4
	} END { while (depth-- >= 0) print "$" }'
}

make_xfs()
{
	local count bytes more=()

	read -r count bytes < <(extent "$1")
	# More inodes than data
	[ "$4" != million ] || more=(-i maxpct=90)
	# It writes a file in one piece, over whatever lies between two allocation
	# groups, of which it makes four.
	[[ $4 != large && $4 != mapped ]] || bytes=$((bytes * 5))
	truncate -s $((bytes + bytes / 16 + count * 1024 + (400 << 20))) "$2"
	xfs_proto "$(realpath "$1")" >"$2.proto"
	shown="mkfs.xfs${more[*]:+ ${more[*]}} -p LIST IMAGE" \
		made "$3" "$(mkfs.xfs -V)" mkfs.xfs -q -f "${more[@]}" -p "$2.proto" "$2"
	rm -f "$2.proto"
}

# tell_dsfs - IMAGE HOW TREE: from what mkset says of the tree
tell_dsfs()
{
	shown="mkset --form=manifest DATA | mkfs.dsfs --manifest=- IMAGE" \
		made "$3" "$(build/mkfs.dsfs --version | sed -n 1p)" bash -o pipefail -c \
		"build/tests/mkset $(tree_args "$4") --form=manifest $2.data | build/mkfs.dsfs -f --manifest=- $2"
	rm -f "$2.data"
}

# --- guests ---------------------------------------------------------------

# The modules of all of them; a kernel may have one built in.
bench_mods=(--mod-if null_blk --mod-if loop --mod-if erofs --mod-if ext4 --mod-if squashfs --mod-if xfs)

# bench_guest KERNEL LOG ARG...: a guest with the module under test and the
# peers' modules.  What it prints goes to LOG, and on failure to stderr.
bench_guest()
{
	local kernel=$1 log=$2 rc=0

	shift 2
	tests/vm/run --kernel "$kernel" --module-ko "$(tests/lab/dsfs-module "$kernel")" \
		"${bench_mods[@]}" --file tests/bench/guest.sh:/guest.sh \
		--file tests/guest/nullblk.sh:/nullblk.sh --exe build/tests/requests \
		--timeout "${BENCH_TIMEOUT:-3600}" ${BENCH_CPU:+--qemu -cpu --qemu "$BENCH_CPU"} \
		"$@" >"$log" || rc=$?
	[ $rc -eq 0 ] || { tail -n 30 "$log" >&2; die "kernel $kernel: the guest gave $rc: its output is in $log"; }
	grep '^#' "$log" || true
}
