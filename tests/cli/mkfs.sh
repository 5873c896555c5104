#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs as a user meets it: every option, every exit code, and what a source that changes
# comes to.  Runs that are ended, or cannot write, are those of tests/robust/writes.
#
# A run is stopped at a known place without waiting for a time to pass: its
# --order list is a pipe, which it opens when the source has been scanned and
# the target is open, and not before.
set -euo pipefail
. "$(dirname "$0")/cases"
prog=mkfs
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

# fails NAME STATUS TEXT COMMAND...: and all that it says are messages
fails()
{
	says "$@"
	check "$1: messages" not grep -v '^mkfs.dsfs: \|^Try ' "$err"
}

# field IMAGE NAME: of its superblock
field()
{
	"$dump" --json "$1" | json "d['slots'][d['used']]['$2']"
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
	cmp <("$dsfs" digest --full --text "$1") <("$dsfs" digest --full --text "$2")
}

cases_paths()
{
	ln -sfn circle circle
	rows <<'T'
a SOURCE in a circle|1|circle: cannot open: symbolic links that lead in a circle|mkfs.dsfs target/x circle
an IMAGE in a circle|1|cannot follow the path: symbolic links that lead in a circle|mkfs.dsfs circle tree
source missing|1|nowhere: cannot open: No such file|mkfs.dsfs target/x nowhere
source is a file|1|cannot open: not a directory; of archives: --tar=FILE|mkfs.dsfs target/x tree/a/one
target's directory missing|1|No such file|mkfs.dsfs nowhere/x tree
target is a directory|1|is a directory, where the image is expected|mkfs.dsfs target tree
target is a device of characters|1|neither a regular|mkfs.dsfs /dev/null tree
list missing|1|nolist: cannot open|mkfs.dsfs -e @nolist target/x tree
order missing|1|nolist: cannot open|mkfs.dsfs --order=nolist target/x tree
T
	check 'errors leave nothing' nothing_left
	"$mkfs" -q one.img tree
	cp one.img kept.img
	says 'existing image' 1 'exists: use -f' "$mkfs" one.img tree
	check 'existing image is as it was' cmp one.img kept.img
	says 'failed run with -f' 1 nolist "$mkfs" -f --order=nolist one.img tree
	check 'existing image is still as it was' cmp one.img kept.img
	works '-f' "$mkfs" -q -f -L new one.img tree
	check '-f replaced it' test "$(field one.img label)" = new
	ln -s one.img link.img
	works '-f through a symlink' "$mkfs" -q -f -L linked link.img tree
	check 'the symlink stays' test -L link.img
	check 'what it names was replaced' test "$(field one.img label)" = linked
	# 43 KiB of targets, none of which may lie in two blocks
	mkdir targets
	for i in {1..300}; do
		ln -s "$(printf "%0$((i * 7 % 290 + 1))d" 0)" "targets/$i"
	done
	"$mkfs" -q targets.img targets
	works 'targets of symlinks fill their blocks: sound' "$fsck" targets.img
}

# --- what the options do

cases_super()
{
	local uuid=0123abcd-0123-4567-89ab-0123456789ab

	"$mkfs" -q -L 'some label' -U $uuid -T 1234567890.5 t.img tree
	check 'image with label, UUID and time' clean t.img
	check '-L' test "$(field t.img label)" = 'some label'
	check '-U' test "$(field t.img uuid)" = $uuid
	check '-T: build time' test "$(field t.img build_time_ns)" = 1234567890500000000
	check '-T: every mtime' test "$("$dsfs" digest --full --text t.img | cut -sf 6 | sort -u)" = 1234567890500000000
	works 'label of 64 bytes' "$mkfs" -q -f -L "$(printf %064d 7)" t.img tree
	works '-U clear' "$mkfs" -q -f --uuid=clear t.img tree
	check 'clear UUID' test "$(field t.img uuid)" = 00000000-0000-0000-0000-000000000000
	"$mkfs" -q -f t.img tree
	"$mkfs" -q -f -U random u.img tree
	check 'UUIDs are random' test "$(field t.img uuid)" != "$(field u.img uuid)"
}

cases_epoch()
{
	SOURCE_DATE_EPOCH=1000 "$mkfs" -q --threads=1 r1.img tree
	check 'SOURCE_DATE_EPOCH' clean r1.img
	check 'SOURCE_DATE_EPOCH is the build time' test "$(field r1.img build_time_ns)" = 1000000000000
	check 'derived UUID' grep -qE '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]' \
		<<<"$(field r1.img uuid)"
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
	check 'a block that many files share: the last file' cmp tail/b599 <("$dsfs" cat t1.img b599)
}

# What images of other layouts hold is judged by tests/judge; their bytes are in tests/golden.
cases_layout()
{
	local arg want

	for arg in 512 1K 64K 2M; do
		"$mkfs" -q -f --align=$arg t.img tree
		check "--align=$arg" clean t.img
		check "--align=$arg: place of a file" test \
			$(($(data_of t.img /c/large) % $(numfmt --from=iec $arg))) = 0
	done
	"$mkfs" -q -f --chunk-size=1M t.img tree
	check '--chunk-size=1M' clean t.img
	check '--chunk-size=1M: content' same_list t.img r1.img
	"$mkfs" -q -f --chunk-size=none t.img tree
	check '--chunk-size=none: none' test "$(field t.img chunk)" = 0
	"$mkfs" --json t2.img tree >dedup.json
	"$mkfs" --json --no-dedup t3.img tree >nodedup.json
	check 'dedup: same place' test "$(data_of t2.img /c/copy)" = "$(data_of t2.img /a/b/numbers)"
	check '--no-dedup: other place' test "$(data_of t3.img /c/copy)" != \
		"$(data_of t3.img /a/b/numbers)"
	check 'dedup saves a file, and counts it' holds \
		"e['stored_bytes'] - d['stored_bytes'] == $(stat -c %s tree/c/copy) and d['duplicates'] == 1" \
		dedup.json nodedup.json
}

cases_order()
{
	printf '%s\n' c/large ./a/b/f7 /a/two c/link nowhere >order
	"$mkfs" -q -f --order=order t.img tree 2>order.err
	check '--order' clean t.img
	check '--order: first' test "$(data_of t.img /c/large)" = 69632
	check '--order: then' test "$(data_of t.img /a/b/f7)" -gt "$(data_of t.img /c/large)"
	check '--order: before the rest' test "$(data_of t.img /a/two)" -lt \
		"$(data_of t.img /a/b/numbers)"
	check '--order: content' same_list t.img r1.img
	check '--order: unknown path' grep -q 'nowhere: not in the source$' order.err
	printf 'a/one\r\nc/large\n' >crlf
	says '--order: line ends of Windows' 0 \
		'entry 1: a/one?: not in the source: it ends in a carriage return' \
		"$mkfs" -q -f --order=crlf t3.img tree
	cp -a tree icons
	echo icon >icons/$'Icon\r'
	printf 'Icon\r\nc/large\n' >crlf
	run "$mkfs" -q -f --order=crlf t3.img icons
	check '--order: a name that ends in a carriage return' silent
	rm -rf icons
	tr '\n' '\0' <order >order0
	"$mkfs" -q -f --order=order0 t3.img tree 2>/dev/null
	check '--order: entries that end with NUL' test "$(data_of t3.img /a/two)" = "$(data_of t.img /a/two)"
}

# names IMAGE: of all objects, in the file "names"
names()
{
	{ echo / && "$dsfs" ls -R "$1"; } >names
}

# without PATTERN [KEPT]: no name of the last image matches, and one is there
without()
{
	! grep -qE "$1" names && grep -qx "${2:-/}" names
}

cases_exclude()
{
	"$mkfs" -q -f -e 'f*' --exclude=/c/large --exclude='b/' x.img tree 2>/dev/null
	names x.img
	check '--exclude' clean x.img
	check '--exclude: name' without '/f[0-9]'
	check '--exclude: path' without '^/c/large$' /c/copy
	check '--exclude: directory' without '^/a/b$'
	printf 'a/*\n\nsymlink\n' >patterns
	"$mkfs" -q -f -e @patterns x.img tree
	names x.img
	check '-e @FILE' without '^/a/.' /a
	printf 'c\0b' >patterns
	"$mkfs" -q -f -e @- x.img tree <patterns
	names x.img
	check '-e @-, entries that end with NUL' without '^/c|/b'
	fails '--exclude: a pattern that nothing matches' 0 \
		'warning: --exclude: /a/on: matches nothing that was looked at' \
		"$mkfs" -q -f -e /a/on -e 'o*' -e one -e a/one -e c/ -e 'c*' x.img tree
	check '--exclude: and no other is told' test "$(wc -l <"$err")" = 1
	printf '%s\n' /top cash/ '*.o' x y z 'a/b' '[' 'c/d/*' >patterns
	says '-e @FILE: patterns that nothing matches' 0 \
		'--exclude: 8 patterns match nothing that was looked at' \
		"$mkfs" -q -f -e @patterns x.img tree
	printf 'mkfs.dsfs: warning: --exclude: %s: matches nothing that was looked at\n' \
		/top cash/ '*.o' x y >told
	check '-e @FILE: the first of them' cmp <(head -n 5 "$err") told
	check '-e @FILE: nothing but them' test "$(wc -l <"$err")" = 6
	run "$mkfs" -q -f -e f7 -e 'a/b/f*' -e a/b/f8 x.img tree
	check '--exclude: a name that several match' silent
	printf 'f*\r\n' >patterns
	says '-e @FILE: line ends of Windows' 0 \
		'matches nothing that was looked at: it ends in a carriage return' \
		"$mkfs" -q -f -e @patterns x.img tree
	mkdir -p inside
	cp -a tree/c inside/
	"$mkfs" -q inside/self.img inside 2>/dev/null
	says 'the image itself is left out' 0 'is the image itself' "$mkfs" -q -f inside/self.img inside
	names inside/self.img
	check 'the image does not hold itself' without self
	check 'an image inside its source' clean inside/self.img
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
}

# What is taken back had moved on to the next object, over a hole of the image; the
# file behind it begins in front of that hole and ends behind it.
make_taken_back()
{
	mkdir back
	head -c 2097152 numbers >back/a
	head -c 900000 numbers >back/b
	cp back/a back/c
	tail -c 3145728 numbers >back/d
	rm numbers
}

# near PLANNED REAL: within 5 % and a block
near()
{
	test $((20 * (($1 > $2 ? $1 - $2 : $2 - $1) - 4096))) -le "$2"
}

meta_bytes()
{
	sed -n 's/^"meta_bytes":\([0-9]*\),$/\1/p'
}

# What --dry-run says of the metadata, for names and sizes that people have
cases_planned()
{
	local shape option planned

	python3 "$top/tests/cli/shapes.py" shapes
	for shape in shapes/*; do
		for option in --chunk-size=none --align=512; do
			planned=$("$mkfs" -n --json "$option" p.img "$shape" | meta_bytes)
			check "the plan of metadata: ${shape#*/}, $option" near "$planned" \
				"$("$mkfs" --json -f "$option" p.img "$shape" | meta_bytes)"
		done
	done
}

cases_objects()
{
	local size

	make_objects
	"$mkfs" -q -T 1 o0.img objects
	for size in 65536 262144 1048576 4194304; do
		"$mkfs" -q -f -T 1 --threads=1 --align=object=$size o1.img objects
		check "objects of $size: image" clean o1.img
		check "objects of $size: content" same_list o0.img o1.img
		check "objects of $size: superblock" test "$(field o1.img object)" = $size
		check "objects of $size: metadata begins with one" test \
			$(($(field o1.img meta_start) % size)) = 0
	done
	"$mkfs" -q -f -T 1 --align=object=none o2.img objects
	check '--align=object=none is the default of a file' cmp o0.img o2.img
	make_taken_back
	"$mkfs" -q -f -T 1 o1.img back
	"$mkfs" -q -f -T 1 --align=object=2M o2.img back
	check 'a copy taken back leaves what follows whole' same_list o1.img o2.img
	"$mkfs" -n --json --align=object=1M x objects >plan.json
	"$mkfs" -f --json --no-dedup --align=object=1M o1.img objects >done.json
	check 'object padding is stated, and planned' holds '
		d["object_bytes"] == e["object_bytes"] == 1 << 20 and
		0 < d["object_padding_bytes"] == e["object_padding_bytes"] and
		d["object_padding_bytes"] <= d["padding_bytes"] and
		d["image_bytes"] <= e["image_max_bytes"]' done.json plan.json
	run "$mkfs" -f --align=object=1M o1.img objects
	check 'object padding in words' grep -q '^objects of 1.0 MiB, object padding ' "$out"
}

cases_reports()
{
	run "$mkfs" -n target/x tree
	check '-n writes nothing' nothing_left
	check '-n: counts' grep -q '^files 106, directories 5,' "$out"
	check '-n: histogram' grep -q '####' "$out"
	works '-n over an image' "$mkfs" -n t.img tree
	"$mkfs" --dry-run --json target/x tree >plan.json
	check '-n --json' holds 'd["files"] == 106 and d["links"] == 1 and d["symlinks"] == 1 and
		sum(b["files"] for b in d["size_histogram"]) == d["files"] and
		d["image_min_bytes"] <= d["image_max_bytes"]' plan.json
	"$mkfs" -f --json t.img tree >done.json
	check '--json' holds "d['image_bytes'] == $(stat -c %s t.img) and
		e['image_min_bytes'] <= d['image_bytes'] <= e['image_max_bytes']" done.json plan.json
	run "$mkfs" -f -q t.img tree
	check '-q' test ! -s "$out" -a ! -s "$err"
	run "$mkfs" -f t.img tree
	check 'no progress bar without a terminal' silent
	check 'report' grep -q '^metadata ' "$out"
	check '-v says more' test "$("$mkfs" -f -v t.img tree | wc -l)" -gt "$(wc -l <"$out")"
}

# --- a source that changes under the run

# changing NAME STATUS TEXT OPTION... -- COMMAND...: run it between scan and data
changing()
{
	local name=$1 want=$2 text=$3 opts=() got=0

	shift 3
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
	check "$name" test "$got" = "$want"
	[ -z "$text" ] || check "$name: says so" grep -qF -- "$text" changing.err
	[ "$want" = 0 ] || check "$name: nothing is left" nothing_left
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
		changing "$n vanishes" 1 "moving/$n: vanished" -- rm -f moving/$n
		changing "$n grows" 1 "moving/$n: grew" -- sh -c "echo x >>moving/$n"
		changing "$n shrinks" 1 "moving/$n: shrank" -- truncate -s 1 moving/$n
		changing "$n is written" 1 "moving/$n: changed" -- \
			sh -c "printf x | dd of=moving/$n conv=notrunc status=none"
		changing "$n is replaced" 1 "moving/$n: changed" -- swap_file moving/$n
		changing "--allow=unreadable: $n vanishes" 0 \
			"moving/$n: warning: vanished during the run: left out" \
			--allow=unreadable -- rm -f moving/$n
		check '--allow=unreadable: image' clean target/x
		names target/x
		check "--allow=unreadable: $n is out" without "^/$n$" /a/one
	done
	changing 'a directory vanishes' 1 'moving/a/b/' -- rm -rf moving/a/b
	printf '{"path":"/a"}\n{"path":"/b","source":"c/large","offset":10,"size":1000}\n' >list
	n='list: line 2: /b: c/large:'
	changing '--manifest: a source vanishes' 1 "$n cannot open" --manifest=list -- \
		rm moving/c/large
	changing '--manifest: a source shrinks' 1 "$n shrank" --manifest=list -- \
		truncate -s 5 moving/c/large
	changing '--manifest: a source is written' 1 "$n changed" --manifest=list -- \
		sh -c "printf x | dd of=moving/c/large conv=notrunc status=none"
	changing '--manifest --allow=unreadable' 0 'shrank during the run: left out' --manifest=list \
		--allow=unreadable -- truncate -s 5 moving/c/large
	names target/x
	check '--manifest --allow=unreadable: it is out' without '^/b$' /a
}

# What no reading of contents shows: it shows at the end.
cases_changes_of_names()
{
	changing 'a new name' 1 'moving/a/new: appeared' -- touch moving/a/new
	check 'a new name: the sum' grep -q \
		'^mkfs.dsfs: moving: changes during the run: 1: no image is made: --allow=changing does not look$' changing.err
	changing 'a new name in the source itself' 1 'moving/new: appeared' -- mkdir moving/new
	changing 'an empty file vanishes' 1 'moving/empty: vanished' -- rm moving/empty
	changing 'an empty directory vanishes' 1 'moving/none: vanished' -- rmdir moving/none
	changing 'a directory is replaced' 1 'moving/none: was replaced' -- \
		sh -c 'rmdir moving/none && : >moving/none'
	changing 'a symlink leads elsewhere' 1 'moving/a/symlink: changed' -- ln -sfn two moving/a/symlink
	changing 'another mode of a directory' 1 'moving/a/b: changed' -- chmod 700 moving/a/b
	changing 'another mode of the source' 1 'moving: changed' -- chmod 700 moving
	changing 'names that come and go' 1 'moving/a: changed' -- \
		sh -c 'touch moving/a/new && rm moving/a/new'
	changing 'a directory and all in it vanish' 1 'changes during the run: ' -- mv moving/a moving.a
	check 'a directory and all in it vanish: told once' test "$(grep -c 'moving/a: ' changing.err)" = 1
	rm -rf moving.a
	changing 'many new names' 1 'moving: changes during the run: 30, the first 10' -- \
		touch moving/new{1..30}
	check 'many new names: ten are told' test "$(grep -c appeared changing.err)" = 10
	changing '--allow=changing: a new name' 0 '' --allow=changing -- touch moving/new
	names target/x
	check '--allow=changing: is not in it' without '^/new$' /a/one
	changing '--exclude: names that are left out change nothing' 0 '' -e '*.tmp' -- \
		touch moving/x.tmp moving/a/x.tmp
	changing '--allow=unreadable: a new name' 0 'moving/new: warning: appeared during the run' \
		--allow=unreadable --json -- touch moving/new
	check '--allow=unreadable: the image is whole' clean target/x
	changing '--exclude: names that are not left out' 1 'moving/new: appeared' -e '*.tmp' -- \
		touch moving/x.tmp moving/new
	changing '--exclude: and a mode' 1 'moving/a: changed' -e '*.tmp' -- \
		sh -c 'touch moving/a/x.tmp && chmod 700 moving/a'
}

# behind COMMAND OPTION...: COMMAND is run when all contents have been read
behind()
{
	FAULT=statx:1:run FAULT_RUN=$1 with_faults "${@:2}"
}

cases_changes_behind()
{
	rm -rf moving target && cp -a tree moving && mkdir target
	echo '{"path":"/x","source":"moving/a/one"}' >list
	says 'changed once it was read' 1 'moving/a/one: changed during the run' \
		behind 'echo >>moving/a/one' mkfs.dsfs target/x moving
	check 'changed once it was read: nothing left' nothing_left
	works 'changed once it was read: --allow=unreadable' \
		behind 'echo >>moving/a/two' mkfs.dsfs --allow=unreadable --json target/x moving
	check 'changed once it was read: is counted' holds 'd["changed"] == 1'
	check 'changed once it was read: is as it was' test "$("$dsfs" cat target/x /a/two)" = two
	cp target/x before
	rows <<'T'
update: changed|1|moving/a/two: changed during the run|behind 'echo >>moving/a/two' dsfs update target/x moving
update: not read|1|moving/empty: vanished during the run|behind 'rm moving/empty' dsfs update target/x moving
T
	check 'update: the image is as it was' cmp before target/x
	rm target/x
	says '--manifest: changed once it was read' 1 \
		'list: line 1: source: moving/a/one: changed during the run' \
		behind 'echo >>moving/a/one' mkfs.dsfs --manifest=list target/x
	check '--manifest: nothing left' nothing_left
	says '--manifest: vanished once it was read' 1 \
		'list: line 1: source: moving/a/one: vanished during the run' \
		behind 'rm moving/a/one' mkfs.dsfs --manifest=list target/x
	rm -rf moving target && cp -a tree moving && mkdir target
	FAULT=statx:999999:5 FAULT_COUNT=$work/looks works 'one look for each name' \
		with_faults "$mkfs" -q target/x moving
	check 'one look for each name: not one more' test "$(cat looks)" = "$(find moving | wc -l)"
	FAULT_NAMED=1 FAULT=statx:999999:5 works 'the image in its source, under a hidden name' \
		with_faults "$mkfs" -q moving/a/x moving
	works 'the image in its source, where it was before' "$mkfs" -q -f moving/a/x moving
	says 'the image in its source, and a new name' 1 'moving/a: changed' \
		behind 'touch moving/a/new' mkfs.dsfs -q -f moving/a/x moving
	works 'update: the image in its source' "$dsfs" update -q moving/a/x moving
}

cases_unreadable()
{
	rm -rf target && mkdir target
	[ "$(id -u)" -eq 0 ] || user=()
	rm -rf locked && cp -a tree locked
	chmod 0 locked/a/two
	mkdir locked/closed && echo x >locked/closed/x && chmod 0 locked/closed
	chmod 755 .
	[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 locked target
	fails 'unreadable file' 1 'locked/a/two: cannot open: Permission' \
		"${user[@]}" "$mkfs" -e closed target/x locked
	fails 'unreadable directory' 1 'locked/closed: cannot open' \
		"${user[@]}" "$mkfs" -e two target/x locked
	check 'they leave nothing' nothing_left
	run "${user[@]}" "$mkfs" --allow=unreadable target/x locked
	check '--allow=unreadable: counted' grep -q 'unreadable: 2' "$out"
	check '--allow=unreadable: clean' clean target/x
	names target/x
	check '--allow=unreadable: what is out' without 'closed|two' /a/one
	rm -f target/x
}

# --- a source whose sizes are not true

cases_no_size()
{
	local proc=/proc/sys/kernel/random text='has content and says that its size is 0' shm

	if [ ! -s "$proc/boot_id" ] && [ -r "$proc/boot_id" ]; then
		rm -rf target && mkdir target
		says 'size 0 and a content' 1 "$proc/boot_id: $text" \
			"$mkfs" -e uuid -e '*[!d]' target/x $proc
		check 'size 0 and a content: nothing left' nothing_left
		says 'size 0 and a content: --allow=unreadable' 0 \
			"$proc/boot_id: warning: $text: pack a copy of it: left out" \
			"$mkfs" --allow=unreadable -e uuid -e '*[!d]' target/x $proc
		names target/x
		check 'size 0 and a content: is left out' without boot_id
		rm target/x
		works 'size 0 and a content: a plan reads no contents' "$mkfs" -q -n target/x $proc
		echo "{\"path\":\"/x\",\"source\":\"$proc/boot_id\"}" >list
		says 'size 0 and a content: of a manifest' 1 \
			"list: line 1: source: $proc/boot_id: $text" "$mkfs" --manifest=list target/x
		check 'size 0 and a content: of a manifest: nothing left' nothing_left
	else
		skip 'size 0 and a content' 'no procfs'
	fi
	shm=$(mktemp -d -p /dev/shm) || { skip 'empty files without a disk' 'no tmpfs'; return; }
	: >"$shm/empty"
	: >"$shm/closed"
	ln "$shm/empty" "$shm/link"
	works 'empty files without a disk' "$mkfs" -q target/x "$shm"
	names target/x
	check 'empty files without a disk: are packed' test "$(xargs <names)" = '/ /closed /empty /link'
	rm target/x
	if [ "$(id -u)" -eq 0 ]; then
		chmod 0 "$shm/closed"
		chmod 755 "$shm" .
		chown 65534 target
		says 'an empty file that cannot be opened' 1 "$shm/closed: cannot open: Permission denied" \
			"${user[@]}" "$mkfs" target/x "$shm"
	fi
	rm -rf "$shm"
}

cases_root()
{
	if [ "$(id -u)" -ne 0 ]; then
		skip 'owners, attributes, mount points' 'not root'
		return
	fi
	chown 4000000000:70000 tree/a/two
	"$mkfs" -q -f t.img tree
	check 'owners' grep -q '^/a/two.*4000000000.70000' <("$dsfs" digest --full --text t.img)
	"$mkfs" -q -f --all-root t.img tree
	check '--all-root' test "$("$dsfs" digest --full --text t.img | cut -sf 4,5 | sort -u)" = $'0\t0'
	chown 0:0 tree/a/two
	if setfattr -n user.test -v value tree/a/two 2>/dev/null; then
		"$mkfs" -q -f t.img tree
		check 'xattrs' grep -q user.test <("$dsfs" digest --full --text t.img)
		"$mkfs" -q -f --xattrs-exclude=* t.img tree
		check '--xattrs-exclude=*' not grep -q user.test <("$dsfs" digest --full --text t.img)
		setfattr -x user.test tree/a/two
	else
		skip 'xattrs' 'none on this file system'
	fi
	mkdir tree/mnt
	if mount -t tmpfs none tree/mnt 2>/dev/null; then
		echo x >tree/mnt/file
		"$mkfs" -q -f t.img tree
		names t.img
		check 'mount points are entered' grep -qx /mnt/file names
		"$mkfs" -q -f -x t.img tree
		names t.img
		check '-x' without '^/mnt/file$' /mnt
		umount tree/mnt
	else
		skip '-x' 'cannot mount'
	fi
	rmdir tree/mnt
}

new_loop()
{
	truncate -s "$1" "$2"
	dev=$(losetup --show -f "$2" 2>/dev/null) || return 1
	loops+=("$dev")
}

cases_device()
{
	local dev

	if [ "$(id -u)" -ne 0 ] || ! new_loop 16M dev.bin; then
		skip 'block devices' 'no loop devices here'
		return
	fi
	"$mkfs" -q -f t.img tree
	works 'device' "$mkfs" -q "$dev" tree
	check 'device: image' clean "$dev"
	check 'device: content' same_list "$dev" t.img
	says 'device with dsfs on it' 1 'contains a signature: dsfs' "$mkfs" "$dev" tree
	works 'device: -f' "$mkfs" -q -f "$dev" tree
	says 'device: failed run' 1 nolist "$mkfs" -f --order=nolist "$dev" tree
	check 'device: failed run does not mount' not "$fsck" -q "$dev"
	mke2fs -q -F "$dev" 2>/dev/null
	says 'device with ext4 on it' 1 'contains a signature: ext2' "$mkfs" "$dev" tree
	works 'device: -n' "$mkfs" -q -n "$dev" tree
	says 'device: -n writes nothing' 1 'contains a signature: ext2' "$mkfs" "$dev" tree
	mkdir -p mnt
	if mount -t ext2 "$dev" mnt 2>/dev/null; then
		says 'mounted device' 1 'is mounted or in use' "$mkfs" "$dev" tree
		umount mnt
	else
		skip 'mounted device' 'cannot mount'
	fi
	works 'over ext4 with -f' "$mkfs" -q -f "$dev" tree
	check 'ext4 is gone' not grep -q ext2 <(blkid -p "$dev")
	new_loop 68K small.bin || return
	head -c 69632 /dev/urandom >random
	cat random >"$dev"
	says 'device too small by the plan' 1 'device too small' "$mkfs" -f "$dev" tree
	check 'nothing was written to it' cmp random "$dev"
	new_loop 1M small2.bin || return
	says 'device too small by content' 1 'device too small' "$mkfs" "$dev" tree
	check 'it does not mount' not "$fsck" -q "$dev"
}

make_tree
cases_planned
cases_paths
cases_super
cases_epoch
cases_lent
cases_layout
cases_order
cases_objects
cases_exclude
cases_reports
cases_changes
cases_changes_of_names
cases_changes_behind
cases_unreadable
cases_no_size
cases_root
cases_device
finish
