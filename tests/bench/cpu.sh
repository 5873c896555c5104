# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What those parts of the bench share that count instructions or memory, on top
# of lib.sh: guests whose clock counts instructions, images of directories of
# any size.  To be sourced instead of lib.sh.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cpu_out=$bench_dir/$bench_part
mkdir -p "$cpu_out"
drives=() guest_args=()

cpu_tools()
{
	make -s tools build/tests/bench_stat build/tests/requests >&2
}

# Checksums by the fast driver: it has to be there before libcrc32c, which
# takes the best one of the moment.  Kernels since 6.13 choose by themselves.
crc_module()
{
	local dir

	dir=$(tests/lab/kernel "$1")/modules
	[ -z "$(find "$dir" -name 'crc32c-intel.ko*')" ] || echo --mod crc32c-intel
}

# floor_module KERNEL: prints the path of floor.ko
floor_module()
{
	local dir=$cpu_out/floor-$1

	mkdir -p "$dir/src"
	cp tests/bench/floor/{Kbuild,floor.c} fs/compat.h "$dir/src"
	tests/lab/build-module "$1" "$dir/src" "$dir" >&2
	echo "$dir/floor.ko"
}

# cpu_guest KERNEL LOG ARG...: bench_guest with the fast crc32c, and a clock
# that counts instructions
cpu_guest()
{
	local kernel=$1 log=$2 mods

	shift 2
	mods=$(crc_module "$kernel")
	say "kernel $kernel: one CPU, -icount shift=0: an instruction is a nanosecond"
	# shellcheck disable=SC2086
	bench_guest "$kernel" "$log" $mods --icount "$@"
}

# part_guest SCRIPT WORD...: cpu_guest of $kernel with $drives and $guest_args, which runs SCRIPT;
# its rows, completed by part and kernel, are printed and are in $rows
part_guest()
{
	local script=$1 log=$cpu_out/log-$kernel

	shift
	cpu_guest "$kernel" "$log" --file "tests/bench/$script:/part.sh" "${drives[@]}" \
		"${guest_args[@]}" -- sh /part.sh "$@"
	rows=$cpu_out/rows-$kernel
	sed -n "s/^row\t/row\t$bench_part\t$kernel\t/p" "$log" | tee "$rows"
}

# value WHAT SUBJECT [UNIT]: the figure of a row, of that unit if there are several
value()
{
	awk -F '\t' -v what="$1" -v subject="$2" -v unit="${3:-}" \
		'$4 == what && $5 == subject && (unit == "" || $7 == unit) { print $6 }' "$rows"
}

# over WHAT A B [FORMAT]: the figure of subject A over that of B
over()
{
	quotient "$(value "$1" "$2")" "$(value "$1" "$3")" "${4:-%.3f}"
}

# best WHAT UNIT ORDER SUBJECT...: of these; ORDER is -g or -gr
best()
{
	local fs

	for fs in "${@:4}"; do
		value "$1" "$fs" "$2"
	done | sort "$3" | sed -n 1p
}

# --- images of directories ------------------------------------------------

# An image is asked for by a list: NAME:COUNT:BYTES is a directory NAME with
# COUNT files of BYTES bytes (bench_stat --make).  dsfs and erofs get the same
# tree.  ext4 and xfs are filled in a guest, since mke2fs -d is quadratic in the
# size of a directory; files of less than a block are empty there, and directories
# of more than 200,000 files are left out, as they take half an hour.

# For the guest's shell: fill_dirs MAKER DIR LIST OPTION
fill_dirs='
fill_dirs()
{
	for item in $3; do
		name=${item%%:*}
		rest=${item#*:}
		mkdir "$2/$name"
		"$1" --make --files="${rest%:*}" --bytes="${rest#*:}" $4 "$2/$name"
	done
}'

# pack_dirs DIR LIST FS...: on a tmpfs in a mount namespace of its own
pack_dirs()
{
	local dir=$1 list=$2

	shift 2
	# The mkfs commands are words of arrays, which no child inherits.
	bench_erofs
	erofs_tuned
	erofs=$(printf '%q ' "${erofs[@]}" "${erofs_args[@]}") \
		unshare --mount --propagation private sh -euc "$fill_dirs"'
		dir=$1 list=$2
		shift 2
		mount -t tmpfs -o size=80%,nr_inodes=0 none "$dir/source"
		fill_dirs build/tests/bench_stat "$dir/source" "$list" ""
		for fs; do
			rm -f "$dir/$fs.new"
			case $fs in
			# All contents differ.
			dsfs)	build/mkfs.dsfs -q -T 1700000000 --no-dedup "$dir/$fs.new" "$dir/source" ;;
			erofs)	eval "$erofs" -T1700000000 "$dir/$fs.new" "$dir/source" >"$dir/$fs.log" ;;
			esac
			mv "$dir/$fs.new" "$dir/$fs.img"
		done' pack "$dir" "$list" "$@" >&2
}

# fill_guest DIR LIST FS
fill_guest()
{
	local new=$1/$3.new list files data

	list=$(tr ' ' '\n' <<<"$2" | awk -F : 'NF && $2 <= 200000')
	rm -f "$new"
	read -r files data < <(awk -F : '{
		files += $2
		if ($3 >= 4096) data += $2 * ($3 + 4096)
	} END { printf "%.0f %.0f\n", files, data }' <<<"$list")
	case $3 in
	ext4)	truncate -s $((data + data / 50 + files * 400 + (1 << 28))) "$new"
		mke2fs -q -t ext4 -b 4096 -O ^has_journal -I 256 -N $((files + 1000)) "$new" ;;
	xfs)	truncate -s $((data + files * 700 + (1 << 29))) "$new"
		mkfs.xfs -q "$new" ;;
	*)	die "$3: dsfs, erofs, ext4 or xfs" ;;
	esac
	tests/vm/run --kernel "$lab_main" --mod "$3" --drive "$new" --mem 2G --timeout 3600 \
		--exe build/tests/bench_stat -- sh -euc "$fill_dirs"'
		mount -t "$1" /dev/vda /mnt
		fill_dirs bench_stat /mnt "$2" --empty
		umount /mnt' fill "$3" "$list" >&2
	mv "$new" "$1/$3.img"
}

# dir_images DIR LIST FS...: DIR/FS.img, made if the list or mkfs.dsfs is another; sets drives
dir_images()
{
	local dir=$1 list=$2 fs packed=()

	shift 2
	mkdir -p "$dir/source"
	exec 9>"$dir/lock"
	flock 9
	if [ "$(cat "$dir/list" 2>/dev/null)" != "$list" ]; then
		rm -f "$dir"/*.img
		echo "$list" >"$dir/list"
	fi
	[ "$dir/dsfs.img" -nt build/mkfs.dsfs ] || rm -f "$dir/dsfs.img"
	for fs; do
		[ ! -e "$dir/$fs.img" ] || continue
		note "$list: making the image: $fs"
		case $fs in
		dsfs|erofs)	packed+=("$fs") ;;
		*)		fill_guest "$dir" "$list" "$fs" ;;
		esac
	done
	[ ${#packed[@]} -eq 0 ] || pack_dirs "$dir" "$list" "${packed[@]}"
	exec 9>&-
	drives=()
	for fs; do
		drives+=(--drive "$dir/$fs.img,ro,serial=$fs")
		say "$fs: $(stat -c %s "$dir/$fs.img") bytes: $list"
	done
}
