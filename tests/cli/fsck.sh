#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fsck.sh - fsck.dsfs: options, exit codes, and how it tells what is wrong.
# What it finds is the matter of the tier `corrupt`, wrong usage that of usage.sh.
set -euo pipefail
. "$(dirname "$0")/cases"

mkdir -p tree/sub
for i in $(seq -w 40); do
	printf 'contents of %s\n%0*d' "$i" 5000 0 >"tree/sub/file-$i"
done
printf 'twice' >tree/a
printf 'twice' >tree/b
for i in $(seq 20); do
	cat "$mkfs"
done >tree/large
mkfs.dsfs -q good.dsfs tree

base=good.dsfs
damaged()
{
	cp "$base" bad.dsfs
	local at

	for at; do
		flip bad.dsfs "$at"
	done
}

# --- options
exits 'a good image' 0 "$fsck" good.dsfs
check 'says that it is clean' grep -q 'good.dsfs: clean, ' "$out"
exits '-q says nothing' 0 "$fsck" -q good.dsfs
check '-q: no output' test ! -s "$out" -a ! -s "$err"
exits '-n -f' 0 "$fsck" -n -f good.dsfs
exits '-a -p -y of fsck(8)' 0 "$fsck" -a -p -y good.dsfs
exits '--threads=1' 0 "$fsck" --threads=1 good.dsfs
exits '--threads=64' 0 "$fsck" --threads=64 good.dsfs
exits '-C 0' 0 "$fsck" -C 0 good.dsfs
run "$fsck" -v good.dsfs
check '-v names the passes' grep -q '^Pass 5: data$' "$out"
# --- what is no image
: >empty
head -c 100000 /dev/zero >zeros
ln -s circle circle
rows <<'T'
no such file|8|missing: open: No such file|fsck.dsfs missing
a directory|8|Is a directory|fsck.dsfs tree
an empty file|8|empty: not a DSFS image|fsck.dsfs empty
below a file|8|open: a part of the path is not a directory|fsck.dsfs good.dsfs/x
symlinks in a circle|8|open: symbolic links that lead in a circle|fsck.dsfs circle
zeros|8|zeros: not a DSFS image|fsck.dsfs zeros
T
check 'zeros: one message' test "$(wc -l <"$err")" = 1
says 'a device that is none' 8 '/dev/null: neither a file nor a block device' "$fsck" /dev/null
check 'a device that is none: no errno' test "$(grep -c 'device:' "$err")" = 0
says 'a generation that is not there' 8 'generation 9: not in the image' \
	"$fsck" --generation=9 good.dsfs
check 'a generation that is not there: one message' test "$(wc -l <"$err")" = 1

# --- superblocks
damaged 1100
says 'slot 0 is bad' 4 'slot 0: superblock checksum' "$fsck" bad.dsfs
check 'slot 0: its offset' grep -q 'offset 1024:' "$err"
head -c 200000 good.dsfs >short.dsfs
bytes=$(stat -c %s good.dsfs | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta')
says 'cut short' 4 "short.dsfs: length of the image: cut short: 200,000 of $bytes bytes" "$fsck" short.dsfs
check 'cut short: said once' test "$(grep -c . "$err")" = 1
says 'cut short: dsfs' 1 "short.dsfs: cut short: 200,000 of $bytes bytes" \
	dsfs ls short.dsfs
check 'cut short: dsfs: said once' test "$(grep -c . "$err")" = 1
head -c 60000 good.dsfs >short.dsfs
says 'cut short in front of slot 1' 4 "cut short: 60,000 of $bytes bytes" "$fsck" short.dsfs
check 'cut short in front of slot 1: said once' test "$(grep -c . "$err")" = 1

"$corrupt" good.dsfs 'super 1 build_time+1' bad.dsfs
says 'the slots differ' 4 'superblock slots: those of one generation differ: 1' "$fsck" bad.dsfs
says 'the slots differ: dsfs' 1 'bad.dsfs: superblocks of one generation differ: 1: ' \
	dsfs ls bad.dsfs
check 'the slots differ: dsfs lists it' test -s "$out"

# --- data
at=$(data_of good.dsfs /sub/file-07)
damaged "$at"
says 'data is named by path' 4 '/sub/file-07: inode ' "$fsck" bad.dsfs
check 'data: its offset' grep -q "offset $at: data checksum: " "$err"
exits '--no-data does not look at it' 0 "$fsck" --no-data bad.dsfs
damaged $(($(data_of good.dsfs /large) + 40000))
run "$fsck" bad.dsfs
check 'a chunk of a large file' grep -q \
	"offset $(($(data_of good.dsfs /large) + 32768)): data checksum: .* bytes 32768 to 65535 " "$err"
damaged "$(data_of good.dsfs /a)"
run "$fsck" bad.dsfs
check 'shared data is looked at once' test "$(grep -c 'data checksum' "$err")" = 1
damaged 10
says 'bytes in front are a warning' 0 'warning: ' "$fsck" bad.dsfs
exits '-q: no warnings' 0 "$fsck" -q bad.dsfs
check '-q: no warnings' test ! -s "$err"

# --- what an older generation alone has: whoever mounts the newest never sees it
cp -a tree tree2
printf 'another one' >tree2/sub/file-07
cp good.dsfs two.dsfs
dsfs update -q two.dsfs tree2
base=two.dsfs
exits 'two generations' 0 "$fsck" two.dsfs
at=$(data_of two.dsfs /sub/file-07 --generation=1)
damaged "$at"
says 'data of an older generation' 4 '/sub/file-07: inode ' "$fsck" bad.dsfs
check 'data of an older generation: its offset' grep -q "offset $at: data checksum: " "$err"
exits 'data of an older generation: asked for' 4 "$fsck" --generation=1 bad.dsfs
exits 'data of an older generation: the newest is sound' 0 "$fsck" --generation=2 bad.dsfs
exits 'data of an older generation: its metadata is sound' 0 "$fsck" --no-data bad.dsfs
old_regions()
{
	dump.dsfs --regions --generation=1 two.dsfs |
		awk '$1 ~ /^[0-9]+$/ && $4 > 0 { print $2 }'
}
check 'an older generation has regions' test "$(old_regions | wc -l)" -ge 6
for name in $(old_regions); do
	at=$(region two.dsfs "$name" --generation=1)
	damaged "$at"
	says "metadata of an older generation: $name" 4 "generation 1: offset $at: " \
		"$fsck" bad.dsfs
	exits "metadata of an older generation: $name: the newest is sound" 0 \
		"$fsck" --generation=2 bad.dsfs
done
# The older superblock lies in the newer metadata.
at=$(region two.dsfs history)
damaged $((at + 40))
says 'a damaged history' 4 "generation 2: offset $at: superblock checksum: " "$fsck" bad.dsfs
check 'a damaged history: as metadata, too' grep -qF \
	"offset $at: metadata block checksum: history: " "$err"
says 'a damaged history: no way to the older generation' 8 \
	'generation 1: on the way there: superblock checksum: ' "$fsck" --generation=1 bad.dsfs
damaged "$(data_of two.dsfs /sub/file-08)"
says 'data of both generations' 4 '/sub/file-08: inode ' "$fsck" bad.dsfs
check 'data of both generations: is looked at once' test "$(grep -c 'data checksum' "$err")" = 1
base=good.dsfs

# --- many problems
all=()
for i in $(seq -w 40); do
	all+=("$(data_of good.dsfs "/sub/file-$i")")
done
damaged "${all[@]}"
says 'many problems are counted' 4 'data checksum: 24 more of this kind' "$fsck" bad.dsfs
check 'some are shown' test "$(grep -c ': data checksum: 0x' "$err")" = 16
run "$fsck" -v bad.dsfs
check '-v shows all' test "$(grep -c ': data checksum: 0x' "$err")" = 40
run "$fsck" -v --threads=1 bad.dsfs
sort "$err" >one
run "$fsck" -v --threads=8 bad.dsfs
check 'threads find the same' diff one <(sort "$err")

# --- names of attributes: more than Linux lists, which mkfs.dsfs makes of no source
# attributes BYTES: of a file, 300 of them with names of so many bytes; the rest is in the value
attributes()
{
	awk -v bytes="$1" 'BEGIN {
		for (i = 0; i < 300; i++) {
			name = value = ""
			for (j = 4; j < bytes; j++) name = name "n"
			for (j = bytes; j < 240; j++) value = value "6e"
			all = all sprintf("%s\"user.%04d%s\":\"%s\"", i ? "," : "", i, name, value)
		}
		printf "{\"path\":\"/f\",\"xattrs\":{%s}}\n", all
	}'
}
attributes 240 >list
says 'names of attributes that cannot be listed' 1 'list: line 1: xattrs: all of them' \
	mkfs.dsfs -q --manifest=list names.dsfs
attributes 212 >list
works 'as many as can be' mkfs.dsfs -q --manifest=list names.dsfs
exits 'as many as can be: clean' 0 "$fsck" names.dsfs
for i in {0..4}; do
	printf 'xattr /f %d name_len=240; xattr /f %d value_len=0; ' "$i" "$i"
done | sed 's/; $//' >changes
"$top/build/tests/mkcorrupt" names.dsfs "$(<changes)" bad-names.dsfs
says 'fsck.dsfs: too many' 4 'names of xattrs: 65540 bytes, at most 65536' "$fsck" bad-names.dsfs

# --- for programs
run "$fsck" --json bad.dsfs
check '--json: exit code' test "$rc" = 4
check '--json: counts' holds 'd["errors"] == d["kinds"]["data checksum"] == 40'
check '--json: problems, as many as are shown' holds 'len(d["problems"]) == 16'
check '--json: a problem' holds 'all(p["path"].startswith("/sub/file-") and
	p["offset"] > 0 and p["severity"] == "error" for p in d["problems"])'
run "$fsck" --json good.dsfs
check '--json of a good image' holds 'd["errors"] == 0'
"$fsck" -C 5 good.dsfs 5>progress >/dev/null
check '-C writes lines of pass, done, total, image' \
	awk '$1 < last || $2 > $3 || $4 != "good.dsfs" || NF != 4 { exit 1 }
	     { last = $1 } END { if (last < 5) exit 1 }' progress
# The pipe of the progress holds one line, so the run is under way and cannot
# end before the signal is there.
check 'cancelled by a signal' python3 - "$fsck" <<'PY'
import fcntl, os, select, signal, subprocess, sys
# A test in the background of a shell ignores SIGINT, and so would fsck.dsfs.
signal.signal(signal.SIGINT, signal.SIG_DFL)
r, w = os.pipe()
fcntl.fcntl(w, fcntl.F_SETPIPE_SZ, 4096)
p = subprocess.Popen([sys.argv[1], "-C", str(w), "./" * 1500 + "good.dsfs"],
                     pass_fds=[w], stdout=subprocess.DEVNULL)
os.close(w)
select.select([r], [], [])
p.send_signal(signal.SIGINT)
while os.read(r, 65536):
    pass
assert p.wait() == 32, p.returncode
PY

# --- words
mkdir -p empty.d
mkfs.dsfs -q one.dsfs empty.d
exits 'one inode' 0 "$fsck" one.dsfs
check 'one inode: the plural' grep -qx 'one.dsfs: clean, 1 inode, 1 directory, 0 bytes of files' "$out"
# The manual page shows what is printed, but for the numbers.
mkdir -p sample/train/n01440764
bytes sample/train/n01440764/a.jpg 5000 1
mkfs.dsfs -q sample.dsfs sample
flip sample.dsfs "$(data_of sample.dsfs /train/n01440764/a.jpg)"
run "$fsck" sample.dsfs
numbers='s/0x[0-9a-f]*/X/g; s/\([^0-9]\)[0-9]\+/\1N/g'
check 'the manual page shows what is printed' same_file \
	<(sed -n '/^\.nf/,/^\.fi/p' "$top/Documentation/man/fsck.dsfs.8" |
		sed -n '/^fsck.dsfs: /{N; s/\\e\n//; p}' | sed "$numbers") <(sed "$numbers" "$err")
finish
