#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# archives.sh - mkfs.dsfs --tar: what dsfs tar and others have written makes the
# same tree; what is wrong with an archive is told by the name of its member, and no
# image is left.
set -uo pipefail
. "$(dirname "$0")/cases"


# digest IMAGE [full]
digest()
{
	"$dsfs" digest ${2:+"--$2"} "$1"
}

# packs OPTION...: that makes an image, new.dsfs, which is right
packs()
{
	"$mkfs" -q -f "$@" new.dsfs </dev/null && "$fsck" -q new.dsfs
}

# same full|'' IMAGE OPTION...: the image that the options make has the tree of IMAGE
same()
{
	local kind=$1 image=$2

	shift 2
	packs "$@" && [ "$(digest new.dsfs "$kind")" = "$(digest "$image" "$kind")" ]
}

# listed TEXT: the list of new.dsfs: names, types and sizes
listed()
{
	{ echo / d 0 && "$dsfs" ls -lR new.dsfs | sed 's/, *[0-9]* / /' |
		awk '{ print $8, substr($1, 1, 1), substr($1, 1, 1) ~ "[bc]" ? 0 : $5 }' |
		sed 's/ - / f /'; } >have
	diff have <(printf '%s\n' "$@")
}

# content PATH TEXT
content()
{
	[ "$("$dsfs" cat new.dsfs "$1")" = "$2" ]
}

# --- there and back again: every kind of file that tar has
zoo zoo
find zoo -type s -delete
rm -rf zoo/long-path
setfattr -n user.a%3Db=c -v x zoo/types/regular 2>/dev/null || true
head -c 3000000 /dev/urandom >zoo/large
"$mkfs" -q zoo.dsfs zoo
"$dsfs" tar zoo.dsfs >zoo.tar
check 'the tree of dsfs tar' same full zoo.dsfs --tar=zoo.tar
check 'and its archive, byte for byte' cmp zoo.tar <("$dsfs" tar new.dsfs)
check 'standard input' same full zoo.dsfs --tar=<(cat zoo.tar)
exits 'standard input: -' 0 bash -c "cat zoo.tar | '$mkfs' -q -f --tar=- new.dsfs"
check 'standard input: - is the same' test "$(digest new.dsfs full)" = "$(digest zoo.dsfs full)"
mkdir -p small/d
seq 1000 >small/d/file
ln small/d/file small/hard
ln -s d/file small/symlink
"$mkfs" -q small.dsfs small
"$dsfs" tar small.dsfs >small.tar
check '--all-root' packs --tar=zoo.tar --all-root --xattrs-exclude=*
check '--all-root: all of it' test -z "$("$dsfs" ls -lR new.dsfs | awk '$3 || $4')"
check '--xattrs-exclude=*: none' test -z "$("$dsfs" digest --full --text new.dsfs | cut -sf 9- | tr -d '\n')"
exits '-T' 0 "$mkfs" -q -f -T 5 --threads=1 --tar=zoo.tar one.dsfs
exits '-T: again' 0 "$mkfs" -q -f -T 5 --threads=9 --tar=zoo.tar two.dsfs
check '-T: the same bytes' cmp one.dsfs two.dsfs

# Python writes times as all its numbers; what a nanosecond has no room for is cut off.
python3 - <<'PY'
import decimal, tarfile
times = "1e-09", "2.9e-08", "1.5E+3", "12345678901234567890e-10", "-3e-9", "0.1234567899", "5e-30", \
    "-1.5", "17"
with tarfile.open("times.tar", "w") as t, open("times.want", "w") as want:
    for time in times:
        m = tarfile.TarInfo(time)
        m.pax_headers = {"mtime": time}
        t.addfile(m)
        print(time, int(decimal.Decimal(time) * 10 ** 9), file=want)
PY
check 'times of Python' packs --tar=times.tar
"$dsfs" ls -R --json new.dsfs >times.json
check 'times of Python: all of them' python3 - <<'PY'
import json
have = {n["path"][1:]: n["mtime"] * 10 ** 9 + n["mtime_nsec"]
        for n in map(json.loads, open("times.json"))}
for line in open("times.want"):
    name, ns = line.split()
    assert have[name] == int(ns), (name, have[name], ns)
PY

# --- what is said once, with a count
python3 - <<'PY'
import tarfile
def write(name, *records):
    with tarfile.open(name, "w", format=tarfile.PAX_FORMAT) as t:
        for i, record in enumerate(records):
            m = tarfile.TarInfo(f"m{i}")
            m.pax_headers = record
            t.addfile(m)
write("clamped.tar", {"mtime": "99999999999"}, {"mtime": "99999999999"}, {})
PY
says 'clamped times: one line' 0 'clamped.tar: warning: 2 modification times outside 1677 to 2262: clamped: m0, m1' \
	"$mkfs" -q -f --tar=clamped.tar new.dsfs

# --- names that come again
mkdir again
echo first >again/f
ln again/f again/kept
head -c 3000000 /dev/urandom >again/large
tar -C again -cf again.tar f kept large
echo second >again/new
tar -C again -rf again.tar --transform=s/new/f/ new
echo small >again/new
tar -C again -rf again.tar --transform=s/new/large/ new
exits 'a name twice' 0 "$mkfs" --json -f --tar=again.tar new.dsfs
check 'a name twice: it is counted' holds \
	'd["replaced_files"] == 1 and d["replaced_bytes"] == 3000000'
exits 'a name twice: fsck.dsfs' 0 "$fsck" new.dsfs
check 'a name twice: the last one counts' content /f second
check 'a name twice: another name of it does not' content /kept first
check 'a name twice: the names' listed '/ d 0' '/f f 7' '/kept f 6' '/large f 6'
says 'a name twice: it is told' 0 'replaced by later entries: 1 file, 2.9 MiB' \
	bash -c "'$mkfs' -f --tar=again.tar new.dsfs >&2"
# One that shared a block with another one has it for itself now.
mkdir pair
echo a >pair/a
echo b >pair/b
head -c 10000 /dev/urandom >pair/c
tar -C pair -cf pair.tar a b
tar -C pair -rf pair.tar --transform=s/c/b/ c
check 'a file alone in a shared block' packs --tar=pair.tar
# Another file has the content that is gone from the name, so it stays where it is.
mkdir equal
cp pair/c equal/a
cp pair/c equal/b
tar -C equal -cf equal.tar a b
tar -C pair -rf equal.tar --transform=s/a/b/ a
check 'a name twice: its first content is that of another file' packs --tar=equal.tar
# Small files share blocks; of two in a block the one that is gone counts no more.
mkdir many
for i in {1..200}; do echo "$i" >many/"$i"; done
tar -C many --sort=name -cf many.tar .
tar -C many -rf many.tar --transform='s/.*/1/' 200
for i in {2..199..2}; do tar -C small -rf many.tar --transform="s|.*|$i|" d/file; done
check 'files in shared blocks, replaced' packs --tar=many.tar
check 'the same with duplicates stored' packs --tar=many.tar --no-dedup

printf 'a\n' >small/only
tar -C small -cf more.tar only --transform='s|^symlink$|d/file|' symlink

# --- directories that are no members
tar -C zoo -cf implied.tar types/regular
check 'a directory that is no member' packs --tar=implied.tar
check 'a directory that is no member: its attributes' \
	grep -q '^drwxr-xr-x .* 0     0            0 .*types$' <("$dsfs" ls -l new.dsfs)

# --- WebDataset
mkdir shards
for shard in 0 1; do
	for key in 000 001; do
		echo "$shard$key" >$key.jpg
		echo 7 >$key.cls
	done
	tar -cf shards/train-$shard.tar 00?.jpg 00?.cls
done
gzip -c shards/train-1.tar >shards/val-0.tar.gz
check '--wds: .tar.gz' packs --wds --tar=shards/val-0.tar.gz
check '--wds: .tar.gz: its directory' content /val-0/000.jpg 1000

# Shards of one name have one directory, and samples of one name would be lost.
mkdir -p shards/A shards/B
tar -C shards -cf shards/A/train-0.tar train-0.tar
tar -C shards -cf shards/B/train-0.tar train-1.tar
cp shards/B/train-0.tar shards/B/train-0
rm -f bad.dsfs
says '--wds: shards of one name' 1 \
	'B/train-0.tar: at byte 0: --wds: the directory train-0 is that of shards/A/train-0.tar' \
	"$mkfs" -q --wds --tar=shards/val-0.tar.gz --tar=shards/A/train-0.tar \
	--tar=shards/B/train-0.tar bad.dsfs
says '--wds: shards of one name and two endings' 1 'the directory train-0 is that of shards/A/' \
	"$mkfs" -q --wds=shard --tar=shards/A/train-0.tar --tar=shards/B/train-0 bad.dsfs
says '--tar-index: archives of one directory' 1 \
	'B/train-0: at byte 0: --tar-index: the directory train-0 is that of shards/A/train-0.tar' \
	"$mkfs" -q --tar-index --tar=shards/A/train-0.tar --tar=shards/B/train-0 bad.dsfs
check 'shards of one name: no image' test ! -e bad.dsfs
says 'a name in two archives: that is said' 0 \
	'warning: 1 member of a name that comes again: the last one counts: shards/train-1.tar: 000.jpg' \
	"$mkfs" -q --tar=<(tar -C shards -xOf shards/A/train-0.tar | tar -f - --delete 001.jpg 000.cls 001.cls) \
	--tar=shards/train-1.tar bad.dsfs
rm -f bad.dsfs

# By the paths in their keys, shards are one tree, and a file is in one of them.
mkdir -p keys/n0 keys/n1
for key in n0/1 n0/2 n1/1; do
	echo $key >keys/$key.jpg
done
tar -C keys -cf shards/a.tar n0/1.jpg
tar -C keys -cf shards/b.tar --no-recursion n0 n0/2.jpg
tar -C keys -cf shards/c.tar --no-recursion n0 n1 n1/1.jpg
exits '--wds=prefix: standard input' 0 bash -c \
	"'$mkfs' -q -f --wds=prefix --tar=- new.dsfs <shards/a.tar"
tar -cf shards/none.tar -T /dev/null
tar -C keys -cf shards/d.tar n0/2.jpg
rm -f bad.dsfs
says '--wds=prefix: a file in two shards' 1 'shards/d.tar: n0/2.jpg: is in shards/b.tar already' \
	"$mkfs" -q --wds=prefix --tar=shards/none.tar --tar=shards/a.tar --tar=shards/none.tar \
	--tar=shards/b.tar --tar=shards/d.tar bad.dsfs
check '--wds=prefix: a file in two shards: no image' test ! -e bad.dsfs
tar -C keys -rf shards/d.tar n0/2.jpg
says '--wds=prefix: a file twice in a shard' 1 'shards/d.tar: n0/2.jpg: is in shards/d.tar already' \
	"$mkfs" -q --wds=prefix --tar=shards/d.tar bad.dsfs
check 'without --wds=prefix the last one counts' packs --tar=shards/b.tar --tar=shards/d.tar
cp small.tar ...tar
rm -f bad.dsfs
says '--wds: a shard named ..' 1 '--wds: not a name for a directory: ..' \
	"$mkfs" -q --wds --tar=...tar bad.dsfs
check '--wds: a shard named ..: no image' test ! -e bad.dsfs

head -c 40000000 /dev/zero | tr '\0' 'x' >plain
tar -cf plain.tar plain
rm plain

# --- an archive that changes.  changed N WANT OPTION...: as it is asked for the Nth time
# what it is: when its first byte is read (1), behind its last one (2), at the end (3)
changed()
{
	local n=$1 want=$2 tool=("$mkfs")

	shift 2
	[ "$1" != digest ] || { tool=("$dsfs" digest) && shift; }
	cp small.tar moving.tar
	rm -f bad.dsfs
	! FAULT=statx:$n:run FAULT_RUN='echo >>moving.tar' with_faults "${tool[@]}" -q "$@" 2>changed.err || return 1
	grep -qF -- "$want" changed.err && ! ls bad.dsfs .bad.dsfs* 2>/dev/null
}
for how in '' --wds --tar-index digest; do
	image=bad.dsfs
	[ "$how" != digest ] || image=
	# shellcheck disable=SC2086 # options
	check "--tar $how: changed while it is read" changed 2 \
		'moving.tar: changed during the run: no image is made' $how \
		--tar=moving.tar $image
	# shellcheck disable=SC2086 # options
	check "--tar $how: changed at the end" changed 3 'moving.tar: changed during the run' $how \
		--tar=moving.tar $image
done
check '--tar=-: changed while it is read' changed 2 \
	'standard input: changed during the run: no image is made' --tar=- bad.dsfs <moving.tar
check '--allow=changing: changed while it is read' changed 2 'moving.tar: changed during the run' \
	--allow=changing --tar=moving.tar bad.dsfs
cp small.tar moving.tar
FAULT=statx:3:run FAULT_RUN='echo >>moving.tar' exits '--allow=changing: changed at the end' 0 \
	with_faults "$mkfs" -q -f --allow=changing --tar=moving.tar new.dsfs
# The first bytes of another archive, the last ones of this: a whole one, to its reader
cp plain.tar moving.tar
exits 'rewritten while it is read' 1 env FAULT=read:4:run \
	FAULT_RUN="tr x y <plain.tar | dd of=moving.tar bs=1M seek=20 skip=20 iflag=fullblock conv=notrunc status=none" \
	LD_PRELOAD="$faults" "$mkfs" -q --tar=moving.tar bad.dsfs
check 'rewritten while it is read: no image' test ! -e bad.dsfs
# Others than the last one are looked at once more, too.
cp small.tar moving.tar
mkfifo late
{ exec 8>late; echo >>moving.tar; cat more.tar >&8; exec 8>&-; } &
says 'changed while another one is read' 1 'moving.tar: changed during the run' \
	"$mkfs" -q --tar=moving.tar --tar=late bad.dsfs
wait $!
rm -f moving.tar late
truncate -s 69632 disk
cat small.tar >>disk
cp disk disk.before
says '--tar-index: in place: changed while it is read' 1 'disk: changed during the run' \
	env FAULT=statx:2:run FAULT_RUN='echo >>disk' LD_PRELOAD="$faults" \
	"$mkfs" -q --tar-index disk
check '--tar-index: in place: nothing was written' cmp -n "$(stat -c %s disk.before)" disk disk.before
exits '--tar-index: in place: an image' 0 "$mkfs" -q -f --tar-index --tar=small.tar index.dsfs
cp more.tar moving.tar
says 'update --tar-index: changed while it is read' 1 'moving.tar: changed during the run' \
	env FAULT_IN='dsfs update' FAULT=statx:2:run FAULT_RUN='echo >>moving.tar' LD_PRELOAD="$faults" \
	"$dsfs" update -q --tar-index --tar=moving.tar index.dsfs
exits 'update --tar-index: the image is as it was' 0 "$fsck" -q index.dsfs

# --- what is wrong with an archive.  refused FILE WANT: 1, that message, and no image
refused()
{
	local got=0

	rm -f bad.dsfs
	timeout 60 "$mkfs" -q --tar="$1" bad.dsfs 2>refused.err </dev/null || got=$?
	cat refused.err
	[ "$got" = 1 ] && grep -qF -- "$2" refused.err && [ ! -e bad.dsfs ] &&
		! grep -qv '^mkfs.dsfs: ' refused.err
}
"$top/tests/tools/mktars" bad
for file in bad/*.tar; do
	name=${file#bad/}
	name=${name%.tar}
	check "refused: $name" refused "$file" "$(<"${file%.tar}.want")"
done
# taken NAME: an image that is right, of the files that the list has; one warning, if any
taken()
{
	local name=bad/taken/$1

	rm -f new.dsfs
	timeout 60 "$mkfs" -q --tar="$name.tar" new.dsfs 2>taken.err </dev/null || return 1
	cat taken.err
	if [ -s "$name.want" ]; then
		[ "$(wc -l <taken.err)" = 1 ] && grep -qF -- ": warning: " taken.err &&
			grep -qF -- "$(<"$name.want")" taken.err || return 1
	else
		[ ! -s taken.err ] || return 1
	fi
	"$fsck" -q new.dsfs && listed "$(<"$name.list")"
}
for file in bad/taken/*.tar; do
	name=${file##*/}
	check "taken: ${name%.tar}" taken "${name%.tar}"
done
check 'refused: no such file' refused none.tar 'none.tar: cannot open: No such file or directory'
check 'refused: a directory' refused zoo 'zoo: is a directory, where an archive is expected'
check 'refused: not the first archive' bash -c "! '$mkfs' -q --tar=zoo.tar --tar=bad/up.tar bad.dsfs"
check 'refused: not the first archive: no image' test ! -e bad.dsfs
cp zoo.tar itself.tar
says 'refused: the image itself' 1 'itself.tar: at byte 0: is the image itself' \
	"$mkfs" -q -f --tar=itself.tar itself.tar
check 'refused: the image itself is as it was' cmp zoo.tar itself.tar
exits 'a terminal' 1 script -qec "'$mkfs' --tar=- bad.dsfs" /dev/null
check 'a terminal: that is said' grep -q 'is a terminal' "$out"

# A bomb fills what there is: that ends the run, and tells where.
python3 - <<'PY'
import gzip, tarfile
with gzip.open("bomb.tar.gz", "wb", 1) as z, tarfile.open(fileobj=z, mode="w") as t:
    member = tarfile.TarInfo("bomb")
    member.size = 40 << 20
    class Ones:
        def read(self, n):
            return b"\1" * n
    t.addfile(member, Ones())
PY
says 'a bomb' 1 'bomb.tar.gz: bomb: the image could not be written up to here' \
	bash -c "ulimit -f 10000; trap '' XFSZ; exec '$mkfs' -q --tar=bomb.tar.gz bad.dsfs"
check 'a bomb: no image' test ! -e bad.dsfs
# An image that cannot be written ends the run though the pipe says nothing any more.
mkfifo pipe
exec 9<>pipe
head -c 35000000 plain.tar >pipe &
writer=$!
says 'a pipe that says no more' 1 'pipe: plain: the image could not be written up to here' \
	timeout 60 bash -c "ulimit -f 10000; trap '' XFSZ; exec '$mkfs' -q --no-dedup --tar=pipe bad.dsfs"
kill $writer 2>/dev/null
wait $writer 2>/dev/null
exec 9<&-
# What is behind the end of an archive is read, so that who writes it can.
exits 'data behind the end' 0 bash -c \
	"set -o pipefail; { cat small.tar; head -c 1000000 /dev/zero; } | '$mkfs' -q -f --tar=- new.dsfs"

cat small.tar more.tar >two.tar
says 'joined archives: --tar-index' 1 'two.tar: at byte ' "$mkfs" -q --tar-index --tar=two.tar bad.dsfs
# extracted NAME OPTION...: an archive is what GNU tar extracts
extracted()
{
	mkdir "$1.x" && tar -C "$1.x" -x "${@:2}" -f "$1.tar" && "$mkfs" -q -f want.dsfs "$1.x" &&
		test "$(digest new.dsfs)" = "$(digest want.dsfs)"
}
for how in two.tar <(cat two.tar); do
	"$mkfs" -q -f --allow=joined --tar="$how" new.dsfs
	check 'joined archives: --allow=joined' extracted two --ignore-zeros
	rm -r two.x
done
exits 'joined archives: --allow=joined --tar-index' 0 "$mkfs" -q -f --allow=joined --tar-index --tar=two.tar new.dsfs
# a member through a symlink, and names from / on
mkdir -p merged/usr/bin later/bin
ln -s usr/bin merged/bin
chmod 755 later/bin
echo x >later/bin/x
ln later/bin/x later/hard
tar -C merged -cf merged.tar usr bin
tar -C later -rf merged.tar bin/x hard
"$mkfs" -q -f --tar=merged.tar new.dsfs
check 'a member through a symlink' extracted merged
# a directory over a symlink, which members went through, and over a file of two names
mkdir -p over/bin over/file
echo z >over/bin/z
echo z >over/file/z
cp merged.tar over.tar
echo file >merged/file
ln merged/file merged/usr/second
tar -C merged -rf over.tar file usr/second
tar -C over -rf over.tar bin file
"$mkfs" -q -f --tar=over.tar new.dsfs
check 'a directory over a symlink, and over a file' extracted over
tar -cPf root.tar "$PWD/later"
"$mkfs" -q -f --allow=absolute --tar=root.tar new.dsfs
check 'names from / on: --allow=absolute' extracted root
"$mkfs" -q -f --tar=bad/taken/name-again.tar new.dsfs
check 'a symlink of another mode' grep -q '^/way.l.0777' <("$dsfs" digest --full --text new.dsfs)

# --- built without libarchive
if [ -w "$top" ]; then
	without=$top/build/tests/no-libarchive
	exits 'without libarchive: it is built' 0 make -s -C "$top" B="$without" LIBARCHIVE=no \
		"$without/mkfs.dsfs"
	exits 'without libarchive: an archive' 0 "$without/mkfs.dsfs" -q -f --tar=zoo.tar new.dsfs
	xz -c small.tar >small.txz
	says 'without libarchive: a compressed one' 1 \
		'small.txz: is compressed: mkfs.dsfs was built without libarchive' \
		"$without/mkfs.dsfs" -q -f --tar=small.txz bad.dsfs
fi
finish
