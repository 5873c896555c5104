#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# compress.sh - images of compressed files: which files are, as what units, what a dry run says of
# it, and what updates keep.  What such images hold, made and updated by any codec, is judged by
# tests/judge; records and frames that are broken are cases of tests/corrupt.
set -euo pipefail
. "$(dirname "$0")/cases"

# lines N: text that gets smaller
lines()
{
	seq 1 "$1"
}

# frames IMAGE PATH: logical, length, offset and stored bytes of each
frames()
{
	dump.dsfs --extents="$2" "$1" | awk '/stored$/ { on = 1; next } / checksum$/ { exit } on'
}

# packed IMAGE PATH: whether the file is compressed
packed()
{
	grep -q '^packed:' <<<"$(dump.dsfs --inode="$2" "$1")"
}

# forms IMAGE: of some files the codec, the units and the bytes stored, if they are compressed
forms()
{
	local file

	for file in small many-units dir/again text-then-random random-then-text text-and-holes; do
		echo "$file: $(dump.dsfs --inode=/$file "$1" | sed -n '/^packed:/p')"
	done
}

mkdir tree tree/dir
lines 100 >tree/small
lines 3000 >tree/one-unit
lines 400000 >tree/many-units
cp tree/many-units tree/dir/again
bytes tree/random 300000 1
od -An -v -tu1 -w1 -N 40000 tree/random | tr -d ' \n' >tree/digits
bytes tree/large-random 3000000 2
{ lines 300000; cat tree/large-random; } >tree/text-then-random
{ cat tree/large-random; lines 300000; } >tree/random-then-text
head -c 700000 /dev/zero | tr '\0' x >tree/one-letter
head -c 5000000 /dev/zero >tree/zeros
{ cat tree/random; head -c 500000 /dev/zero; } >tree/random-and-holes
{ lines 30000; head -c 500000 /dev/zero; } >tree/text-and-holes
head -c 131072 tree/many-units >tree/unit-exact
head -c 131073 tree/many-units >tree/unit-and-byte
head -c 1048576 tree/many-units >tree/sample
printf x >tree/byte
: >tree/empty
lines 5000 >tree/with-xattr
setfattr -n user.a -v b tree/with-xattr 2>/dev/null || true
ln tree/small tree/dir/link
exits "without compression" 0 mkfs.dsfs -q plain.dsfs tree

# bytes_read CMD...: what CMD reads, by whatever call
bytes_read()
{
	python3 - "$@" <<-'PYTHON'
	import os
	import subprocess
	import sys

	done = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
	os.waitid(os.P_PID, done.pid, os.WEXITED | os.WNOWAIT)
	with open(f"/proc/{done.pid}/io") as counts:
	    print(counts.readline().split()[1])
	PYTHON
}

for codec in zstd zstd:19 lz4 auto; do
	image=${codec/:/-}.dsfs
	made "$codec: mkfs.dsfs" "$image" mkfs.dsfs -q --compress=$codec "$image" tree
	check "$codec: smaller by a tenth" test $(($(stat -c %s "$image") * 10)) \
		-lt $(($(stat -c %s plain.dsfs) * 9))
	check "$codec: the same digest" cmp <(dsfs digest "$image") \
		<(dsfs digest plain.dsfs)
done
# Of lz4, a file has more than the 4 MiB that fsck.dsfs holds.
check "fsck.dsfs reads compressed files once" test "$(bytes_read fsck.dsfs -q zstd.dsfs)" \
	-lt $(($(stat -c %s zstd.dsfs) * 5 / 4))

# --- what is compressed
for file in small one-unit many-units text-then-random one-letter text-and-holes with-xattr \
	dir/again; do
	check "$file is" packed zstd.dsfs /$file
done
for file in random large-random random-then-text byte empty zeros random-and-holes; do
	check "$file is not" not packed zstd.dsfs /$file
done
check "auto: digits that do not repeat are compressed" packed auto.dsfs /digits
check "auto: random bytes are not" not packed auto.dsfs /random
check "one frame for each unit of 128 KiB" test "$(frames zstd.dsfs /many-units | wc -l)" -eq \
	$((($(stat -c %s tree/many-units) + 131071) / 131072))
check "a unit that gets no smaller is stored as it is" test \
	"$(frames zstd.dsfs /text-then-random | awk '$2 == $4' | wc -l)" -gt 10
check "no unit has more than 256 times its frame" test \
	"$(frames zstd.dsfs /one-letter | awk '$2 > 256 * $4' | wc -l)" -eq 0
# Frames that follow each other are what zstd(1) reads.
stored=$(frames zstd.dsfs /many-units | awk '{ n += $4 } END { print n }')
tail -c +$(($(frames zstd.dsfs /many-units | awk 'NR == 1 { print $3 }') + 1)) zstd.dsfs >stored
truncate -s "$stored" stored
check "zstd(1) unpacks what is stored to the same bytes" cmp tree/many-units <(zstd -dc <stored)
check "equal files are stored once" test "$(data_of zstd.dsfs /many-units)" = \
	"$(data_of zstd.dsfs /dir/again)"
check "a superblock says so" grep -q '(compressed files)' <<<"$(dump.dsfs zstd.dsfs)"
mkdir random-only
cp tree/random random-only
exits "nothing that gets smaller" 0 mkfs.dsfs -q --compress=zstd random.dsfs random-only
check "no feature then" test "$(dump.dsfs random.dsfs | grep -c 'compressed files')" = 0

# A first MiB that does not get smaller, and ends in zeros: the rest is given up while it waits.
mkdir given-up
for i in 1 2 3 4; do
	{ head -c 700000 tree/large-random; head -c 348576 /dev/zero; cat tree/large-random; } >given-up/$i
done
exits "large files that are given up, by four threads" 0 timeout 120 \
	mkfs.dsfs -q --threads=4 --compress=zstd given-up.dsfs given-up
check "are stored as they are" cmp given-up/4 <(dsfs cat given-up.dsfs /4)

# --- what a dry run says
estimate='d["compress_bytes"], d["compress_stored_bytes"], d["compress_samples"]'
# plan OPTION...: the three numbers of a dry run
plan()
{
	mkfs.dsfs -n --json "$@" | estimates
}
estimates()
{
	python3 -c "import json, sys; d = json.load(sys.stdin)
print(*($estimate))"
}
for codec in zstd lz4 auto; do
	exits "$codec without deduplication" 0 mkfs.dsfs -f --json --no-dedup --compress=$codec \
		x.dsfs tree
	stored=$(python3 -c 'import json; d = json.load(open("'"$out"'"))
print(d["content_bytes"], d["stored_bytes"], 0)')
	check "-n --compress=$codec says what that stores" test "$(plan --compress=$codec x tree)" = \
		"$stored"
done
check "-n with an exception" test "$(plan --compress=zstd '--compress=none:*' x random-only)" = \
	"300000 300000 0"
mkdir many
for i in {1..40}; do
	bytes "many/random-$i" 1000000 "$i"
	lines 150000 >"many/text-$i"
done
read -r all stored samples <<<"$(plan --compress=zstd x many)"
check "-n of more than 64 MiB: by samples" test "$samples" = 512
mkfs.dsfs -f --json --no-dedup --compress=zstd x.dsfs many >"$out"
check "within 3 % of what is stored" holds \
	"abs(d['stored_bytes'] - $stored) < $all * 0.03"
check "and so it says" grep -q 'by 512 samples of it' \
	<<<"$(mkfs.dsfs -n --compress=zstd x many)"
check "of a small tree by all of it" grep -q 'by all of it' \
	<<<"$(mkfs.dsfs -n --compress=zstd x tree)"
exits "an update" 0 mkfs.dsfs -q -f x.dsfs tree
check "-n update says what of the new files" test \
	"$(dsfs update -n --json --compress=zstd x.dsfs tree | estimates)" = "0 0 0"
rm -r many

# --- what stays as it is
# except SOURCE: lines of NAME|OPTIONS|FILES that stay as they are|FILES that do not
except()
{
	local name options as_is others file

	while IFS='|' read -r name options as_is others; do
		# shellcheck disable=SC2086
		mkfs.dsfs -q -f --compress=zstd $options except.dsfs $1
		for file in $as_is; do
			check "$name: $file stays as it is" not packed except.dsfs "/$file"
		done
		for file in $others; do
			check "$name: $file does not" packed except.dsfs "/$file"
		done
	done
}

except tree <<'END'
a name|--compress=none:one-*|one-unit one-letter|many-units small
a path|--compress=none:/many-units|many-units|one-unit
a directory|--compress=none:/dir/|dir/again|many-units
two patterns|--compress=none:one-unit --compress=none:dir|one-unit dir/again|many-units
a size|--compress=none:+100000|unit-exact many-units|one-unit small
a size and a byte|--compress=none:+13892|one-unit|small
one of its size|--compress=none:+13893|many-units|one-unit
END
says "a pattern that matches nothing" 0 'warning: --compress=none: none*: matches nothing' \
	mkfs.dsfs -q -f --compress=zstd '--compress=none:none*' except.dsfs tree
exits "one that matches" 0 mkfs.dsfs -q -f --compress=zstd '--compress=none:one*' \
	except.dsfs tree
check "nothing is said" test ! -s "$out"
printf '{"path":"/a/raw/x.c","source":"tree/one-unit"}\n{"path":"/b.c","source":"tree/one-unit"}\n' \
	>lines
mkfs.dsfs -q -f --compress=zstd --compress=none:raw/ --manifest=lines except.dsfs
check "a manifest: the path in the image counts" eval \
	"! packed except.dsfs /a/raw/x.c && packed except.dsfs /b.c"

# --- what the image says of its codec
# made_by IMAGE: codec, level, auto and version
made_by()
{
	dump.dsfs --json "$1" | python3 -c 'import json, sys
d = json.load(sys.stdin)
d = d["slots"][d["used"]]
print(d["codec"], d["codec_level"], d["codec_auto"], d["codec_version"])'
}

while IFS='|' read -r image want; do
	check "$image.dsfs: $want" grep -qxE "$want" <<<"$(made_by "$image.dsfs")"
done <<'END'
zstd|zstd 3 False 1\.[0-9]+\.[0-9]+
zstd-19|zstd 19 False 1\.[0-9]+\.[0-9]+
auto|zstd 3 True 1\.[0-9]+\.[0-9]+
lz4|lz4 0 False 1\.[0-9]+\.[0-9]+
plain| 0 False *
random| 0 False *
END
check "the text says so, too" grep -qE '^compressed by: zstd:19, libzstd 1\.[0-9.]+$' \
	<<<"$(dump.dsfs zstd-19.dsfs)"
now=$(made_by zstd-19.dsfs)
"$corrupt" zstd-19.dsfs "note codec_version=10203" old.dsfs
check "a version of before" grep -q ' 1\.2\.3$' <<<"$(made_by old.dsfs)"
cp -a tree more
lines 4000 >more/new
exits "update goes on as the image says" 0 dsfs update -q old.dsfs more
check "a new file is compressed" packed old.dsfs /new
check "by its level, and the version of now" test "$(made_by old.dsfs)" = "$now"
check "a file that has not changed stays where it is" test \
	"$(data_of old.dsfs /many-units)" = "$(data_of zstd-19.dsfs /many-units)"
"$corrupt" zstd-19.dsfs "note codec_version=10203" old.dsfs
exits "update --compress=none" 0 dsfs update -q --compress=none old.dsfs more
check "a new file is not" not packed old.dsfs /new
check "the others are, and the image says of them what it did" eval \
	'packed old.dsfs /many-units && test "$(made_by old.dsfs)" = "${now% *} 1.2.3"'
exits "compact" 0 dsfs compact -q -f old.dsfs old-compact.dsfs
check "says so, too" test "$(made_by old-compact.dsfs)" = "${now% *} 1.2.3"
exits "update --compress=none:PATTERN alone" 0 dsfs update -q \
	--compress=none:new old-compact.dsfs more
lines 5000 >more/another
exits "the same for another file" 0 dsfs update -q --compress=none:another \
	old-compact.dsfs more
check "leaves it as it is" not packed old-compact.dsfs /another
"$corrupt" zstd-19.dsfs "note codec=9" old.dsfs
exits "a codec of later versions" 0 dsfs update -q old.dsfs more
check "is none for new files" not packed old.dsfs /new

# --- archives
tar -cf tree.tar -C tree .
tar --sparse -cf sparse.tar -C tree .
while read -r codec way; do
	made "$codec: --tar=$way" tar.dsfs mkfs.dsfs -q -f "--compress=$codec" "--tar=$way" tar.dsfs \
		< <(gzip -c tree.tar)
	check "$codec: $way: the same digest" cmp <(dsfs digest tar.dsfs) \
		<(dsfs digest plain.dsfs)
	check "$codec: $way: the files that are compressed of a directory, to as many bytes" \
		cmp <(forms tar.dsfs) <(forms "$codec.dsfs")
done <<'END'
zstd tree.tar
zstd sparse.tar
lz4 -
auto tree.tar
END
head -c $(($(stat -c %s tree.tar) / 3)) tree.tar >cut.tar
says "an archive that ends in a compressed member" 1 'cut off' \
	mkfs.dsfs --compress=zstd --threads=4 --tar=cut.tar cut.dsfs
check "leaves no image" test ! -e cut.dsfs
except --tar=tree.tar <<'END'
archive, a name|--compress=none:one-*|one-unit|small
archive, a path|--compress=none:/dir/again|dir/again|many-units
archive, a directory|--compress=none:dir/|dir/again|many-units
archive, a size|--compress=none:+100000|many-units|small
a path of a shard|--wds --compress=none:/tree/many-units|tree/many-units|tree/dir/again
END
mkdir second
lines 70000 >second/many-units
tar -cf second.tar -C second many-units
made "a compressed member that comes again" tar.dsfs mkfs.dsfs -q -f --compress=zstd \
	--tar=tree.tar --tar=second.tar tar.dsfs
check "the last one counts" cmp <(dsfs cat tar.dsfs /many-units) second/many-units

# --- order and manifests
printf '%s\n' dir/again one-unit >order
made "--order" order.dsfs mkfs.dsfs -q -f --compress=zstd --order=order order.dsfs tree
# shellcheck disable=SC2034 # in what eval gets
first=$(data_of order.dsfs /dir/again)
check "what is listed comes first" eval \
	'test "$first" -lt "$(data_of order.dsfs /one-unit)" && test "$first" = 69632 &&
	 test "$(data_of order.dsfs /one-unit)" -lt "$(data_of order.dsfs /large-random)"'
check "and as many bytes are stored" test "$(forms order.dsfs)" = "$(forms zstd.dsfs)"
printf '%s\n' '{"path":"/part","source":"tree/many-units","offset":1000,"size":500000}' >part
exits "a part of a file" 0 mkfs.dsfs -q -f --compress=zstd --manifest=part part.dsfs
check "is compressed" packed part.dsfs /part
check "and is that part" cmp <(dsfs cat part.dsfs /part) \
	<(dd if=tree/many-units iflag=skip_bytes,count_bytes skip=1000 count=500000 status=none)

# --- updates
cp zstd.dsfs updated.dsfs
cp -a tree later
lines 60000 >later/new
rm later/one-unit
exits "update with another codec" 0 dsfs update -q --compress=lz4 updated.dsfs later
exits "fsck.dsfs of it" 0 fsck.dsfs -q updated.dsfs
check "a file that has not changed stays where it is" test \
	"$(data_of updated.dsfs /many-units)" = "$(data_of zstd.dsfs /many-units)"
for options in "" --compress=zstd --compress=lz4; do
	exits "update --checksum $options" 0 dsfs update --json --checksum $options \
		updated.dsfs later
	check "writes nothing" holds 'd["written_data_bytes"] == 0'
done
exits "--diff" 0 dsfs diff updated.dsfs 1..2
check "what changed" test "$(grep -cE '/(new|one-unit)' "$out")" -eq 2
# --- lists of frames
# units IMAGE: how many ends of frames it has
units()
{
	echo $(($(dump.dsfs --regions "$1" | awk '$2 == "units" { print $4 }') / 4))
}

# lists WHAT IMAGE UNITS: it has as many, and is in order
lists()
{
	check "$1: $3 ends of frames" test "$(units "$2")" -eq "$3"
	exits "$1: fsck.dsfs" 0 fsck.dsfs -q "$2"
}

mkdir -p equal/dir equal-later
lines 300000 >equal/a
n=$((($(stat -c %s equal/a) + 131071) / 131072))
bytes equal/random 100000 3
cp equal/a equal/dir/b
cp equal/a equal/z
cat equal/a equal/a >equal/twice
m=$((($(stat -c %s equal/twice) + 131071) / 131072))
tar -cf equal.tar -C equal .
exits "three equal files" 0 mkfs.dsfs -q -T 1 -U clear --compress=lz4 equal.dsfs equal
lists "three equal files" equal.dsfs $((n + m))
exits "an archive of them" 0 mkfs.dsfs -q --compress=lz4 --tar=equal.tar equal-tar.dsfs
lists "an archive of them" equal-tar.dsfs $((n + m))
exits "without deduplication" 0 mkfs.dsfs -q -f --no-dedup --compress=lz4 x.dsfs equal
lists "without deduplication" x.dsfs $((3 * n + m))
cp -a equal/. equal-later
rm equal-later/a
cp equal/a equal-later/0-new
cp equal/a equal-later/z-new
lines 250000 | tee equal-later/other >equal-later/dir/other
k=$((($(stat -c %s equal-later/other) + 131071) / 131072))
exits "update" 0 dsfs update -q equal.dsfs equal-later
lists "update" equal.dsfs $((n + m + k))
exits "update of what has a list for each" 0 dsfs update -q x.dsfs equal-later
check "a file that was stored twice has two" test "$(units x.dsfs)" -ge $((2 * n + m + k))
exits "compact" 0 dsfs compact -q -f equal.dsfs equal-compact.dsfs
lists "compact" equal-compact.dsfs $((n + m + k))
exits "compact --keep" 0 dsfs compact -q -f --keep=2 equal.dsfs equal-kept.dsfs
lists "compact --keep" equal-kept.dsfs $((n + m + k))
finish
