#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs as a user meets it: every option, every exit code, and what is left
# behind when a run does not come to its end.
#
# A run is stopped at a known place without waiting for a time to pass: its
# --order list is a pipe, which it opens when the source has been scanned and
# the target is open, and not before.
set -euo pipefail
export LC_ALL=C
unset SOURCE_DATE_EPOCH
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
prog=mkfs
bin=${DSFS_BUILD:-$bin}
[ ! -w "$top" ] || make -s -C "$top" build/tests/faults.so >&2
mkfs=$bin/mkfs.dsfs
fsck=$bin/fsck.dsfs
dump=$bin/dump.dsfs
loops=()

cleanup()
{
	local dev

	for dev in "${loops[@]}"; do
		losetup -d "$dev" 2>/dev/null || true
	done
	umount "$work/tree/mnt" 2>/dev/null || true
}
at_exit cleanup

# fails CODE TEXT COMMAND...: that exit code, and TEXT on stderr
fails()
{
	local want=$1 text=$2 got=0

	shift 2
	"$@" >fails.out 2>fails.err || got=$?
	cat fails.err
	[ "$got" = "$want" ] || { echo "exit code $got, not $want"; return 1; }
	grep -qF -- "$text" fails.err || { echo "no '$text'"; return 1; }
	! grep -qv '^mkfs.dsfs: \|^Try ' fails.err
}

# super_field FILE NAME: of the superblock that dump.dsfs --json tells of
super_field()
{
	json "d['slots'][d['used']]['$2']" "$1"
}

# where IMAGE PATH: byte offset of a file's data
where()
{
	"$dump" --json --path="$2" "$1" >where.json
	json 'd["start"]' where.json
}

clean()
{
	"$fsck" "$1" >fsck.out 2>&1 || { cat fsck.out; return 1; }
}

nothing_left()
{
	local left

	left=$(find "$work/target" -mindepth 1)
	[ -z "$left" ] || { echo "left: $left"; return 1; }
}

make_tree()
{
	mkdir -p tree/a/b tree/c target
	echo one >tree/a/one
	echo two >tree/a/two
	seq 5000 >tree/a/b/numbers
	cp tree/a/b/numbers tree/c/copy
	head -c 3000000 /dev/zero | tr '\0' z >tree/c/large
	for i in {1..100}; do echo "$i" >"tree/a/b/f$i"; done
	ln tree/a/one tree/c/link
	ln -s one tree/a/symlink
	: >tree/empty
	mkdir tree/none
}

same_list()
{
	"$dump" --list "$1" >list.1
	"$dump" --list "$2" >list.2
	cmp list.1 list.2
}

# --- usage

cases_usage()
{
	local arg

	works "--help" sh -c "'$mkfs' --help | grep -q '^Usage: mkfs.dsfs'"
	works "-h" sh -c "'$mkfs' -h | grep -q '^Usage: mkfs.dsfs'"
	works "--version" sh -c "'$mkfs' --version | grep -q '^mkfs.dsfs [0-9]'"
	works "-V" sh -c "'$mkfs' -V | grep -q '^mkfs.dsfs [0-9]'"
	works "no arguments" fails 2 "IMAGE and SOURCE are needed" "$mkfs"
	works "one argument" fails 2 "IMAGE and SOURCE are needed" "$mkfs" x
	works "three arguments" fails 2 "too many arguments" "$mkfs" x y z
	works "unknown option" fails 2 "--nonsense: unknown option" \
		"$mkfs" --nonsense x tree
	works "option without its value" fails 2 "--label: needs a value" \
		"$mkfs" x tree --label
	for arg in 256 4M 5000 4k4 -1 ''; do
		works "--align=$arg" fails 2 "--align: $arg: not a power of two" \
			"$mkfs" --align="$arg" target/x tree
	done
	for arg in 2K 2M 33K; do
		works "--chunk-size=$arg" fails 2 "--chunk-size: $arg: not a power" \
			"$mkfs" --chunk-size="$arg" target/x tree
	done
	for arg in 32K 2G 100000 4k4 ''; do
		works "--object-size=$arg" fails 2 \
			"--object-size: $arg: not a power of two" \
			"$mkfs" --object-size="$arg" target/x tree
	done
	for arg in 0 257 two; do
		works "--threads=$arg" fails 2 "--threads: $arg: not a number" \
			"$mkfs" --threads="$arg" target/x tree
	done
	works "long label" fails 2 "65 bytes: the limit is 64" \
		"$mkfs" -L "$(printf %065d 0)" target/x tree
	ln -sfn circle circle
	works "a SOURCE that leads in a circle" fails 1 \
		"circle: cannot open: symbolic links that lead in a circle" \
		"$mkfs" target/x circle
	works "an IMAGE that leads in a circle" fails 1 \
		"circle: cannot follow the path: symbolic links that lead in a circle" \
		"$mkfs" circle tree
	works "wrong UUID" fails 2 "not a UUID" "$mkfs" -U 1234 target/x tree
	works "wrong time" fails 2 "not seconds" "$mkfs" -T soon target/x tree
	works "time out of range" fails 2 "not seconds" \
		"$mkfs" -T 99999999999 target/x tree
	works "wrong SOURCE_DATE_EPOCH" fails 2 "SOURCE_DATE_EPOCH: today" \
		env SOURCE_DATE_EPOCH=today "$mkfs" target/x tree
	works "empty pattern" fails 2 "not a pattern" "$mkfs" -e / target/x tree
	works "standard input as manifest and order" fails 2 \
		"--manifest=- and --order=-: standard input" \
		"$mkfs" --manifest=- --order=- target/x </dev/null
	works "standard input as order and patterns" fails 2 \
		"--order=- and --exclude-from=-: standard input" \
		"$mkfs" --order=- --exclude-from=- target/x tree </dev/null
	works "standard input as patterns twice" fails 2 \
		"--exclude-from=- and --exclude-from=-: standard input" \
		"$mkfs" --exclude-from=- --exclude-from=- target/x tree </dev/null
	works "usage errors leave nothing" nothing_left
}

cases_paths()
{
	works "source missing" fails 1 "nowhere: cannot open: No such file" \
		"$mkfs" target/x nowhere
	works "source is a file" fails 1 "cannot open: a part of the path is not a directory" \
		"$mkfs" target/x tree/a/one
	works "target's directory missing" fails 1 "No such file" \
		"$mkfs" nowhere/x tree
	works "target is a directory" fails 1 "neither a regular file" \
		"$mkfs" target tree
	works "target is a device of characters" fails 1 "neither a regular" \
		"$mkfs" /dev/null tree
	works "list missing" fails 1 "nolist: cannot open" \
		"$mkfs" --exclude-from=nolist target/x tree
	works "order missing" fails 1 "nolist: cannot open" \
		"$mkfs" --order=nolist target/x tree
	works "errors leave nothing" nothing_left
	"$mkfs" -q one.img tree
	cp one.img kept.img
	works "existing image" fails 1 "exists: use -f" "$mkfs" one.img tree
	works "existing image is as it was" cmp one.img kept.img
	works "failed run with -f" fails 1 "nolist" \
		"$mkfs" -f --order=nolist one.img tree
	works "existing image is still as it was" cmp one.img kept.img
	works "-f" "$mkfs" -q -f -L new one.img tree
	"$dump" --json one.img >super.json
	works "-f replaced it" test "$(super_field super.json label)" = new
	ln -s one.img link.img
	works "-f through a symlink" "$mkfs" -q -f -L linked link.img tree
	works "the symlink stays" test -L link.img
	"$dump" --json one.img >super.json
	works "what it names was replaced" \
		test "$(super_field super.json label)" = linked
}

# --- what the options do

cases_super()
{
	local uuid=0123abcd-0123-4567-89ab-0123456789ab

	"$mkfs" -q -L "some label" -U $uuid -T 1234567890.5 t.img tree
	works "image with label, UUID and time" clean t.img
	"$dump" --json t.img >super.json
	works "-L" test "$(super_field super.json label)" = "some label"
	works "-U" test "$(super_field super.json uuid)" = $uuid
	works "-T: build time" test \
		"$(super_field super.json build_time_ns)" = 1234567890500000000
	"$dump" --list t.img | cut -f 8 | sort -u >mtimes
	works "-T: every mtime" test "$(cat mtimes)" = 1234567890.500000000
	works "label of 64 bytes" "$mkfs" -q -f -L "$(printf %064d 7)" t.img tree
	works "-U clear" "$mkfs" -q -f --uuid=clear t.img tree
	"$dump" --json t.img >super.json
	works "clear UUID" test "$(super_field super.json uuid)" = \
		00000000-0000-0000-0000-000000000000
	"$mkfs" -q -f t.img tree
	"$mkfs" -q -f -U random u.img tree
	"$dump" --json t.img >super.json
	"$dump" --json u.img >super2.json
	works "UUIDs are random" test "$(super_field super.json uuid)" != \
		"$(super_field super2.json uuid)"
}

cases_same_bytes()
{
	local n

	SOURCE_DATE_EPOCH=1000 "$mkfs" -q --threads=1 r1.img tree
	works "SOURCE_DATE_EPOCH" clean r1.img
	for n in 2 8 256; do
		SOURCE_DATE_EPOCH=1000 "$mkfs" -q --threads=$n r$n.img tree
		works "same bytes with $n threads" cmp r1.img r$n.img
	done
	"$dump" --json r1.img >super.json
	works "SOURCE_DATE_EPOCH is the build time" test \
		"$(super_field super.json build_time_ns)" = 1000000000000
	works "derived UUID" holds 're.match("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]",
		d["slots"][d["used"]]["uuid"])' super.json
	cp -a tree other
	echo owt >other/a/two
	"$mkfs" -q -T 1000 --no-checksums c1.img tree
	"$mkfs" -q -T 1000 --no-checksums c2.img other
	"$dump" --json c1.img >super.json
	"$dump" --json c2.img >super2.json
	works "other content, other UUID" test \
		"$(super_field super.json uuid)" != "$(super_field super2.json uuid)"
	rm -rf other
}

# Each job of a reader has one file that is written from its buffer, and nothing that
# makes anybody write: readers must get their buffers back all the same.
cases_lent()
{
	local i n

	mkdir lent
	for ((i = 0; i < 400; i++)); do
		if ((i % 8)); then
			: >"lent/$i"
		else
			head -c $((20000 + i)) < <(yes "$i") >"lent/$i"
		fi
	done
	for n in 1 8; do
		works "buffers that are hardly used, $n threads" timeout 60 \
			"$mkfs" -q -f -T 1 -U clear --threads=$n "l$n.img" lent
	done
	check 'buffers that are hardly used: same bytes' cmp l1.img l8.img
	check 'buffers that are hardly used: image' clean l1.img
	# There all contents are hashed; what is alike is found by their sums otherwise.
	cp -r lent again
	mv again lent/again
	"$mkfs" -q -f -T 1 -U clear l1.img lent
	"$mkfs" -q -f -T 1 l2.img lent
	check 'derived UUID: the rest is the same' cmp -i 69632 l1.img l2.img
	cases_lent_tail
}

# The last block of the first file has room for all the others, job after job.
cases_lent_tail()
{
	local i n

	mkdir tail
	head -c 20580 </dev/urandom >tail/a
	for ((i = 0; i < 600; i++)); do
		echo "$i" >"tail/b$i"
	done
	for n in 1 8; do
		works "a block that many files share with one in a buffer, $n threads" \
			timeout 60 bash -c 'ulimit -v 8000000; exec "$@"' - \
			"$mkfs" -q -f -T 1 --threads=$n "t$n.img" tail
	done
	check 'a block that many files share: same bytes' cmp t1.img t8.img
	check 'a block that many files share: image' clean t1.img
	"$dump" --cat=b599 t1.img >last.txt
	check 'a block that many files share: the last file' cmp last.txt tail/b599
}

cases_layout()
{
	local arg start bits

	for arg in 512 1K 64K 2M; do
		"$mkfs" -q -f --align=$arg t.img tree
		works "--align=$arg" clean t.img
		start=$(where t.img /c/large)
		bits=$(numfmt --from=iec $arg)
		works "--align=$arg: place of a file" test $((start % bits)) = 0
		works "--align=$arg: content" same_list t.img r1.img
	done
	for arg in 4K 1M; do
		"$mkfs" -q -f --chunk-size=$arg t.img tree
		works "--chunk-size=$arg" clean t.img
		works "--chunk-size=$arg: content" same_list t.img r1.img
	done
	"$mkfs" -q -f --no-checksums t.img tree
	works "--no-checksums" clean t.img
	"$dump" --json t.img >super.json
	works "--no-checksums: feature" test "$(super_field super.json compat)" = 0
	"$mkfs" --json t2.img tree >dedup.json
	"$mkfs" --json --no-dedup t3.img tree >nodedup.json
	works "dedup: same place" test "$(where t2.img /c/copy)" = \
		"$(where t2.img /a/b/numbers)"
	works "--no-dedup: other place" test "$(where t3.img /c/copy)" != \
		"$(where t3.img /a/b/numbers)"
	works "--no-dedup" clean t3.img
	works "dedup saves a file" test \
		$(($(json 'd["stored_bytes"]' nodedup.json) - \
		   $(json 'd["stored_bytes"]' dedup.json))) = \
		"$(stat -c %s tree/c/copy)"
	works "dedup counts it" test "$(json 'd["duplicates"]' dedup.json)" = 1
	printf '%s\n' c/large ./a/b/f7 /a/two c/link nowhere >order
	"$mkfs" -q -f --order=order t.img tree 2>order.err
	works "--order" clean t.img
	works "--order: first" test "$(where t.img /c/large)" = 69632
	works "--order: then" test "$(where t.img /a/b/f7)" -gt \
		"$(where t.img /c/large)"
	works "--order: before the rest" test "$(where t.img /a/two)" -lt \
		"$(where t.img /a/b/numbers)"
	works "--order: content" same_list t.img r1.img
	works "--order: unknown path" grep -q "nowhere: not in the source\$" order.err
	printf 'a/one\r\nc/large\n' >crlf
	works "--order: line ends of Windows" fails 0 \
		"entry 1: a/one?: not in the source: it ends in a carriage return" \
		"$mkfs" -q -f --order=crlf t3.img tree
	cp -a tree icons
	echo icon >icons/$'Icon\r'
	printf 'Icon\r\nc/large\n' >crlf
	"$mkfs" -q -f --order=crlf t3.img icons 2>crlf.err
	works "--order: a name that ends in a carriage return" test ! -s crlf.err
	rm -rf icons
	tr '\n' '\0' <order >order0
	"$mkfs" -q -f -0 --order=order0 t3.img tree 2>/dev/null
	works "--order with --null" test "$(where t3.img /a/two)" = \
		"$(where t.img /a/two)"
}

names_of()
{
	"$dump" --list "$1" | cut -f 1
}

cases_exclude()
{
	"$mkfs" -q -f -e 'f*' --exclude=/c/large --exclude='b/' x.img tree 2>/dev/null
	names_of x.img >names
	works "--exclude" clean x.img
	works "--exclude: name" sh -c "! grep -q '/f[0-9]' names"
	works "--exclude: path" sh -c "! grep -qx /c/large names"
	works "--exclude: directory" sh -c "! grep -qx /a/b names"
	works "--exclude: the rest stays" grep -qx /c/copy names
	printf 'a/*\n\nsymlink\n' >patterns
	"$mkfs" -q -f --exclude-from=patterns x.img tree
	names_of x.img >names
	works "--exclude-from" sh -c "! grep -q '^/a/.' names"
	works "--exclude-from: the rest stays" grep -qx /a names
	printf 'c\0b' >patterns
	"$mkfs" -q -f --exclude-from=- -0 x.img tree <patterns
	names_of x.img >names
	works "--exclude-from=- with --null" sh -c \
		"! grep -q '^/c' names && ! grep -q '/b' names"
	works "--exclude: a pattern that nothing matches" fails 0 \
		"warning: --exclude: /a/on: matches nothing that was looked at" \
		"$mkfs" -q -f -e /a/on -e 'o*' -e one -e a/one -e c/ -e 'c*' x.img tree
	works "--exclude: and no other is told" test "$(wc -l <fails.err)" = 1
	printf '%s\n' /top cash/ '*.o' x y z 'a/b' '[' 'c/d/*' >patterns
	works "--exclude-from: patterns that nothing matches" fails 0 \
		"--exclude: 8 patterns match nothing that was looked at" \
		"$mkfs" -q -f --exclude-from=patterns x.img tree
	printf 'mkfs.dsfs: warning: --exclude: %s: matches nothing that was looked at\n' \
		/top cash/ '*.o' x y >told
	works "--exclude-from: the first of them" sh -c "head -n 5 fails.err | cmp - told"
	works "--exclude-from: nothing but them" test "$(wc -l <fails.err)" = 6
	"$mkfs" -q -f -e f7 -e 'a/b/f*' -e a/b/f8 x.img tree 2>told
	printf 'f*\r\n' >patterns
	works "--exclude-from: line ends of Windows" fails 0 \
		"matches nothing that was looked at: it ends in a carriage return" \
		"$mkfs" -q -f --exclude-from=patterns x.img tree
	works "--exclude: a name that several match" test ! -s told
	mkdir -p inside
	cp -a tree/c inside/
	"$mkfs" -q inside/self.img inside 2>/dev/null
	"$mkfs" -q -f inside/self.img inside 2>self.err
	works "the image itself is left out" grep -q "is the image itself" self.err
	names_of inside/self.img >names
	works "the image does not hold itself" sh -c "! grep -q self names"
	works "an image inside its source" clean inside/self.img
}

# Files of many sizes; copies of large ones, which are written and taken back.
make_objects()
{
	local i

	mkdir objects
	seq 1000000 >numbers
	for i in {1..120}; do
		head -c "$((i * 45000))" numbers | tail -c "$((i * 7919 % 150000 + 1))" \
			>"objects/f$i"
	done
	for i in {1..9}; do
		head -c "$((i * 190000))" numbers >"objects/g$i"
	done
	for i in 2 3; do
		cp numbers "objects/h$i"
		cp objects/g8 "objects/g8-$i"
		cp objects/g5 "objects/g5-$i"
	done
	tail -c 1700000 numbers >objects/h4
	rm numbers
}

# What is taken back had moved on to the next object, over a hole of the image; the
# file behind it begins in front of that hole and ends behind it.
make_taken_back()
{
	mkdir back
	seq 1000000 >numbers
	head -c 2097152 numbers >back/a
	head -c 900000 numbers >back/b
	cp back/a back/c
	tail -c 3145728 numbers >back/d
	rm numbers
}

# in_objects IMAGE BYTES: no file lies in more objects than its size asks for.
in_objects()
{
	local f start size crossed bad=0

	for f in objects/*; do
		start=$(where "$1" "/${f##*/}")
		size=$(stat -c %s "$f")
		crossed=$(((start + size - 1) / $2 - start / $2))
		[ "$crossed" -le $(((size - 1) / $2)) ] || {
			echo "$f at $start, $size bytes"
			bad=1
		}
	done
	return "$bad"
}

# Metadata begins with an object, and the superblock says what was kept to.
object_super()
{
	local meta

	"$dump" --json "$1" >super.json
	meta=$(super_field super.json meta_start)
	[ "$(super_field super.json object)" = "$2" ] && [ $((meta % $2)) -eq 0 ]
}

cases_objects()
{
	local size n

	make_objects
	"$mkfs" -q -T 1 o0.img objects
	for size in 65536 262144 1048576 4194304; do
		"$mkfs" -q -f -T 1 --threads=1 --object-size=$size o1.img objects
		works "objects of $size: image" clean o1.img
		works "objects of $size: content" same_list o0.img o1.img
		works "objects of $size: no file crosses more than it must" \
			in_objects o1.img $size
		works "objects of $size: superblock" object_super o1.img $size
		for n in 8 200; do
			"$mkfs" -q -f -T 1 --threads=$n --object-size=$size o2.img objects
			works "objects of $size: $n threads" cmp o1.img o2.img
		done
	done
	"$mkfs" -q -f -T 1 --object-size=none o2.img objects
	works "--object-size=none is the default of a file" cmp o0.img o2.img
	make_taken_back
	"$mkfs" -q -f -T 1 o1.img back
	"$mkfs" -q -f -T 1 --object-size=2M o2.img back
	works "a copy taken back leaves what follows whole" same_list o1.img o2.img
	"$mkfs" -n --json --object-size=1M x objects >plan.json
	"$mkfs" -f --json --no-dedup --object-size=1M o1.img objects >done.json
	works "object padding is stated, and planned" holds '
		d["object_bytes"] == e["object_bytes"] == 1 << 20 and
		0 < d["object_padding_bytes"] == e["object_padding_bytes"] and
		d["object_padding_bytes"] <= d["padding_bytes"] and
		d["image_bytes"] <= e["image_max_bytes"]' done.json plan.json
	"$mkfs" -f --object-size=1M o1.img objects >plain
	works "object padding in words" grep -q '^objects of 1.0 MiB, object padding ' plain
}

cases_reports()
{
	"$mkfs" -n target/x tree >plan
	works "-n writes nothing" nothing_left
	works "-n: counts" grep -q '^files 106, directories 5,' plan
	works "-n: histogram" grep -q '####' plan
	works "-n over an image" "$mkfs" -n t.img tree
	"$mkfs" --dry-run --json target/x tree >plan.json
	works "-n --json" holds 'd["files"] == 106 and d["links"] == 1 and d["symlinks"] == 1 and
		sum(b["files"] for b in d["size_histogram"]) == d["files"] and
		d["image_min_bytes"] <= d["image_max_bytes"]' plan.json
	"$mkfs" -f --json t.img tree >done.json
	works "--json" holds "d['image_bytes'] == $(stat -c %s t.img) and
		e['image_min_bytes'] <= d['image_bytes'] <= e['image_max_bytes']" done.json plan.json
	"$mkfs" -f -q t.img tree >quiet 2>&1
	works "-q" test ! -s quiet
	"$mkfs" -f t.img tree >plain 2>errors
	works "no progress bar without a terminal" test ! -s errors
	works "report" grep -q '^metadata ' plain
	"$mkfs" -f -v t.img tree >verbose
	works "-v says more" test "$(wc -l <verbose)" -gt "$(wc -l <plain)"
}

# A tree of more levels than there may be files open, with a file and a second name of
# the one above in each.
make_deep()
{
	python3 - <<'PY'
import os
os.mkdir("deep")
fd = os.open("deep", os.O_RDONLY)
for level in range(2000):
    with open(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=fd), "w") as f:
        f.write(f"{level}\n")
    os.mkdir("d", dir_fd=fd)
    down = os.open("d", os.O_RDONLY, dir_fd=fd)
    os.link("file", "above", src_dir_fd=fd, dst_dir_fd=down)
    os.close(fd)
    fd = down
PY
}

cases_deep()
{
	local n

	make_deep
	SOURCE_DATE_EPOCH=1 "$mkfs" -q d1.img deep
	for n in 1 8 64; do
		works "2000 levels, 64 descriptors, $n threads" env SOURCE_DATE_EPOCH=1 bash -c \
			"ulimit -n 64; exec '$mkfs' -q -f --threads=$n d2.img deep"
		works "2000 levels, 64 descriptors, $n threads: same bytes" cmp d1.img d2.img
	done
	works "2000 levels, 64 descriptors, 30 of them taken" env SOURCE_DATE_EPOCH=1 bash -c "
		ulimit -n 64
		for ((i = 0; i < 30; i++)); do exec {fd}</dev/null; done
		exec '$mkfs' -q -f d2.img deep"
	works "2000 levels, 64 descriptors, 30 of them taken: same bytes" cmp d1.img d2.img
	rm -rf deep
}

# --- a source that changes under the run

# changing TEXT OPTIONS -- COMMAND...: run it between scan and data
changing()
{
	local text=$1 opts=() got=0

	shift
	while [ "$1" != -- ]; do
		opts+=("$1")
		shift
	done
	shift
	rm -rf moving target pipe
	mkdir target
	cp -a tree moving
	mkfifo pipe
	"$mkfs" -q --order=pipe "${opts[@]}" target/x moving 2>changing.err &
	exec 4>pipe
	"$@"
	exec 4>&-
	wait $! || got=$?
	cat changing.err
	[ -z "$text" ] || grep -qF -- "$text" changing.err || { echo "no '$text'"; return 1; }
	[ "$got" = "${want:-1}" ] || { echo "exit code $got"; return 1; }
}

swap_file()
{
	mv "$1" "$1.old"
	cp -a "$1.old" "$1"
}

cases_changes()
{
	local n

	for n in a/two c/large; do
		works "$n vanishes" changing "moving/$n: vanished" -- \
			rm -f moving/$n
		works "$n vanishes: nothing left" nothing_left
		works "$n grows" changing "moving/$n: grew" -- \
			sh -c "echo x >>moving/$n"
		works "$n shrinks" changing "moving/$n: shrank" -- \
			truncate -s 1 moving/$n
		works "$n is written" changing "moving/$n: changed" -- \
			sh -c "printf x | dd of=moving/$n conv=notrunc status=none"
		works "$n is replaced" changing "moving/$n: changed" -- \
			swap_file moving/$n
		works "changes leave nothing" nothing_left
		want=0
		works "--skip-unreadable: $n vanishes" changing \
			"moving/$n: warning: vanished during the run: left out" \
			--skip-unreadable -- rm -f moving/$n
		works "--skip-unreadable: image" clean target/x
		names_of target/x >names
		works "--skip-unreadable: $n is out" \
			sh -c "! grep -qx /$n names && grep -qx /a/one names"
		unset want
	done
	works "a directory vanishes" changing "moving/a/b/" -- rm -rf moving/a/b
	works "it leaves nothing" nothing_left
}

# What no reading of contents shows: it shows at the end.
cases_changes_of_names()
{
	works "a new name" changing "moving/a/new: appeared" -- touch moving/a/new
	works "a new name: the sum" grep -q \
		'^mkfs.dsfs: moving: changes during the run: 1: no image is made$' changing.err
	works "a new name: nothing left" nothing_left
	works "a new name in the source itself" changing "moving/new: appeared" -- \
		mkdir moving/new
	works "an empty file vanishes" changing "moving/empty: vanished" -- rm moving/empty
	works "an empty directory vanishes" changing "moving/none: vanished" -- rmdir moving/none
	works "a directory is replaced" changing "moving/none: was replaced" -- \
		sh -c "rmdir moving/none && : >moving/none"
	works "a symlink leads elsewhere" changing "moving/a/symlink: changed" -- \
		ln -sfn two moving/a/symlink
	works "another mode of a directory" changing "moving/a/b: changed" -- \
		chmod 700 moving/a/b
	works "another mode of the source" changing "moving: changed" -- chmod 700 moving
	works "names that come and go" changing "moving/a: changed" -- \
		sh -c "touch moving/a/new && rm moving/a/new"
	works "a directory and all in it vanish: told once" changing "changes during the run: " -- \
		mv moving/a moving.a
	works "a directory and all in it vanish: its name" test \
		"$(grep -c 'moving/a: ' changing.err)" = 1
	rm -rf moving.a
	works "many new names" changing "moving: changes during the run: 30, the first 10" -- \
		touch moving/new{1..30}
	works "many new names: ten are told" test "$(grep -c appeared changing.err)" = 10
	want=0
	works "--no-recheck: a new name" changing "" --no-recheck -- touch moving/new
	names_of target/x >names
	works "--no-recheck: is not in it" sh -c "grep -qx /a/one names && ! grep -x /new names"
	works "--exclude: names that are left out change nothing" changing "" -e '*.tmp' -- \
		touch moving/x.tmp moving/a/x.tmp
	works "--skip-unreadable: a new name" changing \
		"moving/new: warning: appeared during the run" --skip-unreadable --json -- \
		touch moving/new
	works "--skip-unreadable: the image is whole" clean target/x
	unset want
	works "--exclude: names that are not left out" changing "moving/new: appeared" \
		-e '*.tmp' -- touch moving/x.tmp moving/new
	works "--exclude: and a mode" changing "moving/a: changed" -e '*.tmp' -- \
		sh -c "touch moving/a/x.tmp && chmod 700 moving/a"
}

# behind COMMAND OPTION...: COMMAND is run when all contents have been read
behind()
{
	local command=$1

	shift
	env LD_PRELOAD="$top/build/tests/faults.so" FAULT=statx:1:run \
		FAULT_RUN="$command" "$@"
}

cases_changes_behind()
{
	rm -rf moving target && cp -a tree moving && mkdir target
	echo '{"path":"/x","source":"moving/a/one"}' >list
	works "changed once it was read" fails 1 "moving/a/one: changed during the run" \
		behind "echo >>moving/a/one" "$mkfs" target/x moving
	works "changed once it was read: nothing left" nothing_left
	works "changed once it was read: --skip-unreadable" \
		behind "echo >>moving/a/two" "$mkfs" --skip-unreadable --json target/x moving
	cp "$out" report.json
	works "changed once it was read: is counted" json --holds 'd["changed"] == 1' report.json
	works "changed once it was read: is as it was" test \
		"$("$dump" --cat=/a/two target/x)" = two
	cp target/x before
	works "--update: changed once it was read" fails 1 \
		"moving/a/two: changed during the run" \
		behind "echo >>moving/a/two" "$mkfs" --update target/x moving
	works "--update: a file that is not read" fails 1 "moving/empty: vanished during the run" \
		behind "rm moving/empty" "$mkfs" --update target/x moving
	works "--update: the image is as it was" cmp before target/x
	rm target/x
	works "--manifest: changed once it was read" fails 1 \
		"list: line 1: source: moving/a/one: changed during the run" \
		behind "echo >>moving/a/one" "$mkfs" --manifest=list target/x
	works "--manifest: nothing left" nothing_left
	works "--manifest: vanished once it was read" fails 1 \
		"list: line 1: source: moving/a/one: vanished during the run" \
		behind "rm moving/a/one" "$mkfs" --manifest=list target/x
	rm -rf moving target && cp -a tree moving && mkdir target
	works "one look for each name" env LD_PRELOAD="$top/build/tests/faults.so" \
		FAULT=statx:999999:5 FAULT_COUNT="$work/looks" "$mkfs" -q target/x moving
	works "one look for each name: not one more" test \
		"$(cat looks)" = "$(find moving | wc -l)"
	works "the image in its source, under a hidden name" env FAULT_NAMED=1 \
		LD_PRELOAD="$top/build/tests/faults.so" FAULT=statx:999999:5 \
		"$mkfs" -q moving/a/x moving
	works "the image in its source, where it was before" \
		"$mkfs" -q -f moving/a/x moving
	works "the image in its source, and a new name" fails 1 "moving/a: changed" \
		behind "touch moving/a/new" "$mkfs" -q -f moving/a/x moving
	works "--update: the image in its source" "$mkfs" -q --update moving/a/x moving
}

cases_unreadable()
{
	local user=(setpriv --reuid=65534 --regid=65534 --clear-groups)

	rm -rf target && mkdir target
	if [ "$(id -u)" -ne 0 ]; then
		user=()
	elif ! command -v setpriv >/dev/null; then
		skip "unreadable sources" "no setpriv"
		return
	fi
	rm -rf locked && cp -a tree locked
	chmod 0 locked/a/two
	mkdir locked/closed && echo x >locked/closed/x && chmod 0 locked/closed
	chmod 755 .
	if [ "$(id -u)" -eq 0 ]; then
		chown -R 65534:65534 locked target
	fi
	works "unreadable file" fails 1 "locked/a/two: cannot open: Permission" \
		"${user[@]}" "$mkfs" -e closed target/x locked
	works "unreadable directory" fails 1 "locked/closed: cannot open" \
		"${user[@]}" "$mkfs" -e two target/x locked
	works "they leave nothing" nothing_left
	"${user[@]}" "$mkfs" --skip-unreadable target/x locked >skipped 2>&1 ||
		true
	works "--skip-unreadable: counted" grep -q "unreadable: 2" skipped
	works "--skip-unreadable: clean" clean target/x
	names_of target/x >names
	works "--skip-unreadable: what is out" \
		sh -c "! grep -q 'closed\|two' names && grep -qx /a/one names"
	rm -f target/x
}

# --- a source whose sizes are not true

cases_no_size()
{
	local user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	local proc=/proc/sys/kernel/random text="has content and says that its size is 0" shm

	if [ ! -s "$proc/boot_id" ] && [ -r "$proc/boot_id" ]; then
		rm -rf target && mkdir target
		works "size 0 and a content" fails 1 "$proc/boot_id: $text" \
			"$mkfs" -e uuid -e '*[!d]' target/x $proc
		works "size 0 and a content: nothing left" nothing_left
		works "size 0 and a content: --skip-unreadable" fails 0 \
			"$proc/boot_id: warning: $text: pack a copy of it: left out" \
			"$mkfs" --skip-unreadable -e uuid -e '*[!d]' target/x $proc
		names_of target/x >names
		works "size 0 and a content: is left out" sh -c "! grep -q boot_id names"
		rm target/x
		works "size 0 and a content: a plan reads no contents" \
			"$mkfs" -q -n target/x $proc
		echo "{\"path\":\"/x\",\"source\":\"$proc/boot_id\"}" >list
		works "size 0 and a content: of a manifest" fails 1 \
			"list: line 1: source: $proc/boot_id: $text" \
			"$mkfs" --manifest=list target/x
		works "size 0 and a content: of a manifest: nothing left" nothing_left
	else
		skip "size 0 and a content" "no procfs"
	fi
	shm=$(mktemp -d -p /dev/shm) || { skip "empty files without a disk" "no tmpfs"; return; }
	: >"$shm/empty"
	: >"$shm/closed"
	ln "$shm/empty" "$shm/link"
	works "empty files without a disk" "$mkfs" -q target/x "$shm"
	works "empty files without a disk: are packed" test \
		"$(names_of target/x | tr '\n' ' ')" = '/ /closed /empty /link '
	rm target/x
	if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
		chmod 0 "$shm/closed"
		chmod 755 "$shm" .
		chown 65534 target
		works "an empty file that cannot be opened" fails 1 \
			"$shm/closed: cannot open: Permission denied" \
			"${user[@]}" "$mkfs" target/x "$shm"
	fi
	rm -rf "$shm"
}

# --- runs that are ended

# killed SIGNAL: with the target open; nohup ignores SIGHUP for all that it starts
killed()
{
	local got=0 pid

	rm -rf target pipe
	mkdir target
	mkfifo pipe
	env --default-signal=HUP "$mkfs" -q --order=pipe "${@:2}" target/x tree 2>/dev/null &
	pid=$!
	exec 4>pipe
	kill -"$1" "$pid"
	wait "$pid" || got=$?
	exec 4>&-
	[ "$got" -gt 128 ] || { echo "exit code $got"; return 1; }
	nothing_left
}

cases_killed()
{
	local sig

	# a job in the background of a script ignores SIGINT
	for sig in TERM HUP KILL; do
		works "SIG$sig" killed $sig
	done
	works "no space" fails 1 "cannot write" \
		bash -c "ulimit -f 200; exec '$mkfs' target/x tree"
	works "no space: nothing left" nothing_left
}

cases_root()
{
	if [ "$(id -u)" -ne 0 ]; then
		skip "owners, attributes, mount points" "not root"
		return
	fi
	chown 4000000000:70000 tree/a/two
	"$mkfs" -q -f t.img tree
	works "owners" sh -c "'$dump' --list t.img | grep -q '^/a/two.*4000000000.70000'"
	"$mkfs" -q -f --all-root t.img tree
	"$dump" --list t.img | cut -f 4,5 | sort -u >owners
	works "--all-root" test "$(cat owners)" = $'0\t0'
	chown 0:0 tree/a/two
	if setfattr -n user.test -v value tree/a/two 2>/dev/null; then
		"$mkfs" -q -f t.img tree
		works "xattrs" sh -c "'$dump' --list t.img | grep -q user.test="
		"$mkfs" -q -f --no-xattrs t.img tree
		works "--no-xattrs" sh -c "! '$dump' --list t.img | grep -q user.test="
		setfattr -x user.test tree/a/two
	else
		skip "xattrs" "none on this file system"
	fi
	mkdir tree/mnt
	if mount -t tmpfs none tree/mnt 2>/dev/null; then
		echo x >tree/mnt/file
		"$mkfs" -q -f t.img tree
		names_of t.img >names
		works "mount points are entered" grep -qx /mnt/file names
		"$mkfs" -q -f -x t.img tree
		names_of t.img >names
		works "-x" sh -c "! grep -qx /mnt/file names && grep -qx /mnt names"
		umount tree/mnt
	else
		skip "-x" "cannot mount"
	fi
	rmdir tree/mnt
}

new_loop()
{
	truncate -s "$1" "$2"
	dev=$(losetup --show -f "$2" 2>/dev/null) || return 1
	loops+=("$dev")
}

killed_device()
{
	local got=0 pid

	rm -f pipe
	mkfifo pipe
	"$mkfs" -q -f --order=pipe "$1" tree 2>/dev/null &
	pid=$!
	exec 4>pipe
	kill -KILL "$pid"
	wait "$pid" || got=$?
	exec 4>&-
	[ "$got" -gt 128 ] || return 1
	! "$fsck" "$1"
}

cases_device()
{
	local dev small

	if [ "$(id -u)" -ne 0 ] || ! new_loop 16M dev.bin; then
		skip "block devices" "no loop devices here"
		return
	fi
	"$mkfs" -q -f t.img tree
	works "device" "$mkfs" -q "$dev" tree
	works "device: image" clean "$dev"
	works "device: content" same_list "$dev" t.img
	works "device with dsfs on it" fails 1 "contains a signature: dsfs" \
		"$mkfs" "$dev" tree
	works "device: -f" "$mkfs" -q -f "$dev" tree
	works "device: killed run does not mount" killed_device "$dev"
	works "device: failed run" fails 1 "nolist" \
		"$mkfs" --order=nolist "$dev" tree
	works "device: failed run does not mount" sh -c "! '$fsck' '$dev'"
	mke2fs -q -F "$dev" 2>/dev/null
	works "device with ext4 on it" fails 1 "contains a signature: ext2" \
		"$mkfs" "$dev" tree
	works "device: -n" "$mkfs" -q -n "$dev" tree
	works "device: -n writes nothing" fails 1 "contains a signature: ext2" \
		"$mkfs" "$dev" tree
	mkdir -p mnt
	if mount -t ext2 "$dev" mnt 2>/dev/null; then
		works "mounted device" fails 1 "is mounted or in use" \
			"$mkfs" "$dev" tree
		umount mnt
	else
		skip "mounted device" "cannot mount"
	fi
	works "over ext4 with -f" "$mkfs" -q -f "$dev" tree
	works "ext4 is gone" sh -c "! blkid -p '$dev' | grep -q ext2"
	new_loop 68K small.bin || return
	small=$dev
	head -c 69632 /dev/urandom >random
	cat random >"$small"
	works "device too small by the plan" fails 1 "device too small" \
		"$mkfs" -f "$small" tree
	works "nothing was written to it" cmp random "$small"
	new_loop 1M small2.bin || return
	works "device too small by content" fails 1 "device too small" \
		"$mkfs" "$dev" tree
	works "it does not mount" sh -c "! '$fsck' '$dev'"
}

make_tree
cases_usage
cases_paths
cases_super
cases_same_bytes
cases_lent
cases_layout
cases_objects
cases_exclude
cases_reports
cases_deep
cases_changes
cases_changes_of_names
cases_changes_behind
cases_unreadable
cases_no_size
cases_killed
cases_root
cases_device
finish
