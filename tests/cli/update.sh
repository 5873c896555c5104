#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# update.sh - dsfs update and compact: what stays and what is written, which trees the
# image then holds, and what is refused.  Random trees, attributes of all kinds and other layouts
# are those of tests/judge; the same bytes by one thread and by eight those of tests/golden.
set -euo pipefail
. "$(dirname "$0")/cases"

list()
{
	"$dsfs" digest --full --text "$@"
}

# The report of the last update: report KEY
report()
{
	json "d['$1']" report
}

# update OPTION...: of image.dsfs by tree
update()
{
	"$dsfs" update --json "$@" image.dsfs tree >report 2>"$err"
}

# The image holds what a new image of the tree holds, and all of it is sound.
is_tree()
{
	"$mkfs" -q -f "$@" fresh.dsfs tree
	diff <(list fresh.dsfs) <(list image.dsfs) >"$out" &&
		"$fsck" -q image.dsfs >>"$out" 2>&1
}

# generation N LISTING: an older generation is what it was.
generation()
{
	diff "$2" <(list --generation="$1" image.dsfs) >"$out"
}

reset()
{
	cp "$1" image.dsfs
}

# The tree that each group of cases begins with.
make_tree()
{
	rm -rf tree
	cp -a pristine tree
}

cases_content()
{
	local written meta

	make_tree
	"$mkfs" -q image.dsfs tree
	list image.dsfs >one
	check 'the same tree' update
	check 'the same tree: nothing of its data is written' \
		test "$(report written_data_bytes)" = 0
	check 'the same tree: the same image' is_tree
	check 'the same tree: generation 1' generation 1 one

	# half a percent of the files, in place, and what else can happen to a tree
	bytes tree/many/7 5000 77
	bytes tree/many/300 4000 78
	bytes tree/new 30000 79
	bytes tree/small/50 10 80
	bytes tree/chunks 200000 81
	rm -r tree/gone tree/small/3 tree/small/99
	chmod 600 tree/many/9
	ln tree/large tree/another
	ln -sfn large tree/symlink
	check 'a changed tree' update
	check 'a changed tree: what a new image holds' is_tree
	check 'a changed tree: generation 1' generation 1 one
	written=$(report written_data_bytes)
	check 'a changed tree: no more data than changed' \
		test "$written" -ge 239010 -a "$written" -le 260000
	check 'kept files are counted' test "$(report kept_files)" = 501
	meta=$(report written_meta_bytes)
	check 'the image grows by what was written' test \
		"$(report image_bytes)" = "$(($("$dump" --generations --json image.dsfs |
		json 'd["generations"][1]["image_bytes"]') + written + meta))"

}

# Contents that are in the image under another name.
cases_moved()
{
	make_tree
	"$mkfs" -q -f image.dsfs tree
	list image.dsfs >one
	mkdir tree/moved
	mv tree/many tree/moved
	mv tree/large tree/chunks tree/holes tree/moved
	cp tree/moved/large tree/copy
	cp tree/linked tree/linked-no-more
	cp tree/linked tree/and-again
	check 'moved files' update
	check 'moved files: nothing of their data is written' \
		test "$(report written_data_bytes)" = 0
	check 'moved files: what a new image holds' is_tree
	check 'moved files: generation 1' generation 1 one
	bytes tree/copy 3000000 500
	cp tree/copy tree/copy-of-new
	check 'moved files, and a new one twice' update
	check 'a new one twice: is written once' test "$(report written_data_bytes)" = 3002368
}

# Contents that begin alike: each is looked for by all of its checksums, and compared with one.
cases_alike()
{
	rm -rf tree
	mkdir -p tree/alike
	python3 - <<'PY'
import random
r = random.Random(1)
begin = r.randbytes(32768)
for i in range(300):
    with open(f'tree/alike/{i}', 'wb') as f:
        f.write(begin + r.randbytes(7000))
PY
	"$mkfs" -q -f image.dsfs tree
	mv tree/alike tree/moved
	FAULT=read:0:none FAULT_COUNT=$work/reads with_faults "$dsfs" update -q image.dsfs tree
	check 'contents that begin alike' is_tree
	check 'contents that begin alike: nothing of their data is written' test \
		"$(data_of image.dsfs /moved/7)" = "$(data_of image.dsfs /alike/7 --generation=1)"
	# one of the file and one of the image each; with all before it, it would be 45,000
	check 'contents that begin alike: reads' test "$(<reads)" -lt 2000
}

# A file with another content, and the size and the time of before.
cases_checksum()
{
	local options

	for options in '' --chunk-size=none --chunk-size=4K; do
		make_tree
		# shellcheck disable=SC2086
		"$mkfs" -q -f $options base.dsfs tree
		list base.dsfs >one
		printf 'changed' | dd of=tree/chunks bs=1 seek=150000 conv=notrunc status=none
		printf 'changed' | dd of=tree/small/80 bs=1 seek=5 conv=notrunc status=none
		printf 'changed' | dd of=tree/large bs=1 seek=2999990 conv=notrunc status=none
		printf 'changed' | dd of=tree/holes bs=1 seek=409700 conv=notrunc status=none
		# and everything has the time of before
		list base.dsfs | awk -F '\t' 'NF > 1 { print $1, substr($6, 1, length($6) - 9) "." substr($6, length($6) - 8) }' >./times
		while read -r path time; do
			[ -h "tree$path" ] || touch -d "@$time" "tree$path"
		done <./times
		reset base.dsfs
		update
		check "$options size and time tell that nothing changed" \
			test "$(report written_data_bytes)" = 0
		reset base.dsfs
		check "$options --checksum" update --checksum
		check "$options --checksum: finds all changes" is_tree
		check "$options --checksum: generation 1" generation 1 one
		check "$options --checksum: keeps the rest" \
			test "$(report kept_files)" = $(($(report files) - 5))
		touch -d @5 tree/*/* tree/*
		reset base.dsfs
		check "$options --checksum: times alone" update --checksum
		check "$options --checksum: times alone: keeps the rest" \
			test "$(report kept_files)" = $(($(report files) - 5))
		reset base.dsfs
		check "$options -T" update -T 99
		check "$options -T: contents tell" is_tree -T 99
		# now the image has these times, too
		file=$(find tree -type f -size +0 | sort | sed -n 1p)
		tr '\0-\377' '\1-\377\0' <"$file" >turned
		cat turned >"$file"
		update -T 99
		check "$options -T again: contents tell" is_tree -T 99
	done
}

cases_manifest()
{
	make_tree
	"$top/tests/tools/mkmanifest" tree >list
	"$mkfs" -q -f --manifest=list image.dsfs tree
	bytes tree/many/7 5000 99
	"$top/tests/tools/mkmanifest" tree >list
	bytes one 70000 1
	printf '/one source=%s/one\n/two source=large\n' "$PWD" | "$top/tests/tools/mklist" >>list
	check 'manifest' update --manifest=list
	check 'manifest: what a new image holds' is_tree --manifest=list
	check 'manifest: what changed and what is new' \
		test "$(report written_data_bytes)" = $((8192 + 73728))
}


# An object that a snapshot holds is not written to, however little there is to write.
cases_objects()
{
	local end

	make_tree
	"$mkfs" -q -f --align=object=1M image.dsfs tree
	end=$(stat -c %s image.dsfs)
	cp image.dsfs before
	bytes tree/many/5 5000 56
	update
	check 'objects: new data begins with one' \
		test "$(data_of image.dsfs /many/5)" = $(((end + 1048575) / 1048576 * 1048576))
	check 'objects: nothing but the slots is written in front of it' \
		test "$(cmp -l -n "$end" before image.dsfs |
			awk '$1 <= 1024 || $1 > 67072 || ($1 > 1536 && $1 <= 66560)' |
			wc -l)" = 0
}

# What was not mounted, or listed to its end
cases_fewer()
{
	mkdir fewer
	seq 1 4 | while read -r n; do echo "$n" >"fewer/$n"; done
	"$mkfs" -q -f image.dsfs fewer
	cp image.dsfs before
	rm fewer/1 fewer/2
	works 'half of the files are gone' "$dsfs" update -q image.dsfs fewer
	cp before image.dsfs
	rm fewer/3
	says 'more than half are gone' 1 'fewer: files: 1, the image has 4: use -f' \
		"$dsfs" update -q image.dsfs fewer
	rm fewer/4
	says 'an empty source' 1 'fewer: files: 0, the image has 4: use -f' \
		"$dsfs" update -q image.dsfs fewer
	check 'the image is as it was' cmp before image.dsfs
	says '-n tells it, too' 0 'fewer: warning: files: 0' "$dsfs" update -n image.dsfs fewer
	works '-f: it is meant so' "$dsfs" update -q -f image.dsfs fewer
	check '-f: nothing is left' test "$(list image.dsfs | wc -l)" = 2
}

cases_refused()
{
	make_tree
	"$mkfs" -q -f -L before image.dsfs tree
	cp image.dsfs before
	says 'no image' 1 'No such file' "$dsfs" update missing tree
	check 'no image: none is made' test ! -e missing
	head -c 200000 /dev/zero >zeros
	says 'something else' 1 'zeros: not a DSFS image' \
		"$dsfs" update zeros tree
	exits 'a dry run' 0 "$dsfs" update -n image.dsfs tree
	check 'a dry run: says what stays' grep -q '^kept where they are: 509 files' "$out"
	check 'a dry run: writes nothing' cmp before image.dsfs
	exec 5<image.dsfs
	flock 5
	says 'another update' 1 'is being updated by another process' \
		"$dsfs" update image.dsfs tree
	exec 5<&-
	check 'none of these changed it' cmp before image.dsfs

	# what is broken
	flip image.dsfs "$(region image.dsfs blocksums)"
	says 'bad block checksums' 1 'run fsck.dsfs' "$dsfs" update image.dsfs tree
	reset before
	flip image.dsfs "$(region image.dsfs names)"
	cp image.dsfs broken
	says 'bad metadata' 1 'run fsck.dsfs' "$dsfs" update image.dsfs tree
	check 'bad metadata: nothing changed' cmp broken image.dsfs
	reset before
	flip image.dsfs 1100
	says 'a bad slot' 0 'superblock slot 0: superblock checksum' \
		"$dsfs" update -q image.dsfs tree
	check 'a bad slot: it is good now' is_tree -L before

	# what fails on the way
	reset before
	bytes tree/many/1 5000 99
	chmod 0 tree/many/1
	if [ "$(id -u)" -ne 0 ]; then
		exits 'a file that cannot be read' 1 "$dsfs" update -q image.dsfs tree
		check 'a file that cannot be read: nothing changed' cmp before image.dsfs
	fi
	chmod 600 tree/many/1
	# the end of a file that an update left is written over
	bytes junk 3000000 7
	cat junk >>image.dsfs
	bytes tree/large 3000000 8
	check 'behind the image something is left' update
	check 'behind the image something is left: what a new image holds' is_tree -L before
}

# Who has it in use: a loop device, or somebody who opened that for himself.
cases_devices()
{
	make_tree
	"$mkfs" -q -f image.dsfs tree
	list image.dsfs >one
	if ! loop_of image.dsfs -r; then
		skip 'devices' 'no loop devices here'
		return
	fi
	cp image.dsfs before
	says 'a file that a loop device has' 1 "is in use by $loop: unmount it" \
		"$dsfs" update image.dsfs tree
	check 'a file that a loop device has: nothing changed' cmp before image.dsfs
	exits 'a file that a loop device has: a dry run' 0 \
		"$dsfs" update -q -n image.dsfs tree
	detach
	check 'a file that no loop device has any more' update
	check 'a file that no loop device has any more: the same tree' is_tree

	cp before disk
	head -c 20000256 < <(yes) >>./disk
	loop_of disk
	bytes tree/many/7 5000 99
	bytes tree/new 2000000 98
	# as a mount has it
	exec 6< <(exec python3 -c 'import os, sys, time
os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
print("open", flush=True)
time.sleep(1000)' "$loop")
	read -r <&6
	says 'a device in use' 1 'is mounted or in use: an update needs it alone' \
		"$dsfs" update "$loop" tree
	kill $!
	wait $! || true
	exec 6<&-
	made 'a device' "$loop" "$dsfs" update -q "$loop" tree
	"$mkfs" -q -f fresh.dsfs tree
	check 'a device: what a new image holds' diff <(list fresh.dsfs) <(list "$loop")
	check 'a device: generation 1' diff one <(list --generation=1 "$loop")
	detach
	cp before disk
	truncate -s $(($(stat -c %s before) + 1000448)) disk
	loop_of disk
	says 'a device too small' 1 'device too small' "$dsfs" update "$loop" tree
	check 'a device too small: it is as it was' diff one <(list "$loop")
	exits 'a device too small: and sound' 0 "$fsck" "$loop"
	detach
}

# meta_aligned IMAGE: metadata begins with an object, or, where there are none, with a
# block.
meta_aligned()
{
	"$dump" --json "$1" |
		json --holds 'd["slots"][0]["meta_start"] % (d["slots"][0]["object"] or 4096) == 0'
}

# The image packed anew from itself.
cases_compact()
{
	local options i size

	for options in '' --align=object=1M; do
		make_tree
		# shellcheck disable=SC2086
		"$mkfs" -q -f -L before $options image.dsfs tree
		for i in 1 2 3; do
			bytes tree/large 3000000 "$((700 + i))"
			bytes "tree/small/$i" 100 "$((800 + i))"
			rm "tree/many/$i"
			update
		done
		list image.dsfs >now
		"$dump" image.dsfs | grep -e ^uuid: -e '^label: *before$' >words
		exits "$options compact" 0 "$dsfs" compact image.dsfs
		check "$options compact: nothing is of no use" \
			grep -q '^used by previous generations alone: .* 0 %$' "$out"
		check "$options compact: the same tree" diff now <(list image.dsfs)
		exits "$options compact: it is sound" 0 "$fsck" image.dsfs
		# shellcheck disable=SC2086
		"$mkfs" -q -f $options fresh.dsfs tree
		size=$(stat -c %s image.dsfs)
		check "$options compact: no larger than a new image" \
			test "$size" -le $(($(stat -c %s fresh.dsfs) + 4096))
		check "$options compact: metadata begins where a new image's does" \
			meta_aligned image.dsfs
		run "$dump" --generations image.dsfs
		check "$options compact: one generation, a new one" \
			test "$(awk '{ print $1 }' "$out" | tr '\n' ' ')" = 'generation 5 '
		check "$options compact: label and UUID are those of before" same_file words \
			<("$dump" image.dsfs | grep -e ^uuid: -e ^label:)
	done
	bytes tree/new 10000 9
	update
	list image.dsfs >now
	cp image.dsfs before
	works '-n' "$dsfs" compact -n --json image.dsfs
	cp "$out" plan.json
	check '-n: writes nothing' cmp before image.dsfs
	works 'to another file: whatever it saves' "$dsfs" compact -q image.dsfs other.dsfs
	check 'to another file: it is there' diff now <(list other.dsfs)
	exits 'to another file' 0 "$dsfs" compact -f --json image.dsfs other.dsfs
	cp "$out" report.json
	check '-n: bounds of the image, and what it gets rid of' json --holds \
		'd["image_min_bytes"] <= e["image_bytes"] <= d["image_max_bytes"] and
		d["dead_bytes"] > e["dead_bytes"] == 0 and d["files"] == e["files"]' \
		plan.json report.json
	check 'to another file: the same tree' diff now <(list other.dsfs)
	says 'to another file that is there' 1 'exists: use -f' \
		"$dsfs" compact image.dsfs other.dsfs
	says 'nothing to be packed anew' 1 'No such file' "$dsfs" compact missing

	if ! loop_of image.dsfs -r; then
		skip 'packed anew while in use' 'no loop devices here'
		return
	fi
	says 'a device in its place' 1 'pack it to another TARGET' "$dsfs" compact "$loop"
	made 'packed anew while in use' "$loop" "$dsfs" compact -q -f image.dsfs
	check 'packed anew while in use: and sees the same' diff now <(list "$loop")
	check 'packed anew while in use: the new one' diff now <(list image.dsfs)
	detach
}

made_up pristine 400
cases_content
cases_moved
cases_alike
cases_checksum
cases_manifest
cases_objects
cases_fewer
cases_refused
cases_devices
cases_compact
finish
