#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tar-index.sh - mkfs.dsfs --tar-index: the members are files, the archives are what they
# were, for tar(1) and for Python, in a copy and in place; and what cannot be used as it is
# is refused before anything is written.
set -uo pipefail
. "$(dirname "$0")/cases"
prog=tar-index
start=69632

# Three shards as webdataset writes them, of sizes below, at and above a sector, a block, a
# chunk of checksums and a buffer; and one of GNU tar with all that --tar takes.
python3 - <<'PY'
import io, os, random, tarfile
random.seed(1)
os.mkdir("in")
for shard in range(3):
    with tarfile.open(f"in/train-{shard}.tar", "w") as t:
        for n in range(40):
            for ext, size in (("jpg", random.randrange(200000)), ("cls", n % 3),
                              ("json", random.randrange(500, 4097))):
                member = tarfile.TarInfo(f"{shard}{n:05}.{ext}")
                member.size, member.mtime, member.mode = size, 1600000000 + n, 0o640
                t.addfile(member, io.BytesIO(random.randbytes(size)))
        for n, size in enumerate((511, 512, 513, 4095, 4096, 4097, 32768, 32769, 262144, 262145,
                                  3000000)):
            member = tarfile.TarInfo(f"sizes/{n}.bin")
            member.size = size
            t.addfile(member, io.BytesIO(random.randbytes(size)))
PY
mkdir more
long=$(printf 'l%.0s' {1..180})
seq 5000 >more/file
seq 700 >"more/$long"
ln more/file more/hard
ln -s file more/symlink
mkdir more/dir
: >more/dir/empty
setfattr -n user.a -v b more/file 2>/dev/null || true
tar -C more --sort=name --xattrs --format=pax -cf in/more.tar .
# The first content of a name that comes again stays in the archive, and has no name.
printf 'again\n' >more/file
tar -C more -rf in/more.tar --transform='s|^file$|./dir/empty|' file
printf 'last\n' >more/file
tar -C more -rf in/more.tar --transform='s|^file$|./dir/empty|' file
shards=(in/train-0.tar in/train-1.tar in/train-2.tar in/more.tar)
sum=$(cat "${shards[@]}" | wc -c)

# trees IMAGE NAME...: the samples of each archive, named in the image as told, are what
# tar extracts; the archives are files, too
trees()
{
	local image=$1 i=0 name

	shift
	rm -rf have want
	mkdir want want/shards
	for name; do
		mkdir "want/$name"
		tar -C "want/$name" -xf "${shards[i]}" || return 1
		cp "${shards[i]}" "want/shards/$name.tar"
		i=$((i + 1))
	done
	"$dsfs" extract "$image" have >/dev/null && diff -r --no-dereference want have
}

# In the image, with no DSFS: what lies at the place of an archive, for tar and Python
# embedded IMAGE PATH FILE
embedded()
{
	local from

	from=$(data_of "$1" "$2") || return 1
	dd if="$1" of=embedded.tar iflag=skip_bytes,count_bytes skip="$from" \
		count="$(stat -c %s "$3")" bs=1M status=none
	cmp embedded.tar "$3" && diff <(tar -tvf embedded.tar) <(tar -tvf "$3") || return 1
	python3 - "$1" "$from" "$3" <<'PY'
import sys, tarfile
image = open(sys.argv[1], "rb")
image.seek(int(sys.argv[2]))
a = [(m.name, m.size, m.offset - int(sys.argv[2])) for m in tarfile.open(fileobj=image, mode="r:")]
b = [(m.name, m.size, m.offset) for m in tarfile.open(sys.argv[3])]
assert a == b and a, (len(a), len(b))
PY
}

# --- a copy
tars=()
for shard in "${shards[@]}"; do tars+=(--tar="$shard"); done
exits 'a copy' 0 "$mkfs" --json --tar-index "${tars[@]}" copy.dsfs
check 'a copy: archives' holds "d['archives'] == 4 and d['archive_bytes'] == $sum and not d['in_place']"
check 'a copy: little more than the archives' holds \
	"d['image_bytes'] - d['archive_bytes'] < $start + 4 * 4096 + d['meta_bytes'] + 1"
check 'a copy: what is replaced' holds 'd["replaced_files"] == 1 and d["replaced_bytes"] == 0'
exits 'a copy: fsck.dsfs' 0 "$fsck" copy.dsfs
check 'a copy: samples and archives' trees copy.dsfs train-0 train-1 train-2 more
check 'a copy: the archive in it' embedded copy.dsfs /shards/train-1.tar in/train-1.tar
check 'a copy: attributes' diff \
	<("$dsfs" ls -lR copy.dsfs train-1 | awk '/jpg$/ { print $1, $2 }') \
	<("$mkfs" -q --wds --tar=in/train-1.tar wds.dsfs &&
		"$dsfs" ls -lR wds.dsfs train-1 | awk '/jpg$/ { print $1, $2 }')
check 'a copy: mode and time of the archive' test \
	"$("$dsfs" ls -l copy.dsfs /shards/more.tar | cut -d ' ' -f 1)" = "$(stat -c %A in/more.tar)"
says 'a copy: the feature is told' 0 '(archives)' bash -c "'$dump' copy.dsfs >&2"
made 'without checksums' nosums.dsfs "$mkfs" -q --tar-index --chunk-size=none "${tars[@]}" nosums.dsfs
check 'without checksums: samples and archives' trees nosums.dsfs train-0 train-1 train-2 more
made '--chunk-size' nosums.dsfs "$mkfs" -q -f --tar-index --chunk-size=4K "${tars[@]}" nosums.dsfs
exits '-T' 0 "$mkfs" -q -T 5 --tar-index "${tars[@]}" one.dsfs
exits '-T: again' 0 "$mkfs" -q -T 5 --tar-index "${tars[@]}" two.dsfs
check '-T: the same bytes' cmp one.dsfs two.dsfs
check '-T: another UUID for other archives' bash -c \
	"'$mkfs' -q -f -T 5 --tar-index --tar=in/more.tar two.dsfs &&
	 ! cmp -s -i 1072 -n 16 one.dsfs two.dsfs"

# --- in place.  archives FILE...: on a disk of their own, as somebody would write them
archives()
{
	rm -f disk
	truncate -s $start disk
	cat "$@" >>disk
	cp disk before
}

# Nothing of what lies behind the superblocks was written
untouched()
{
	cmp -i "$start" -n "$(($(stat -c %s before) - start))" disk before
}

archives "${shards[@]}"
exits 'in place' 0 "$mkfs" --json --tar-index disk
check 'in place: archives' holds "d['archives'] == 4 and d['archive_bytes'] == $sum and d['in_place']"
check 'in place: nothing of them is written' untouched
exits 'in place: fsck.dsfs' 0 "$fsck" disk
check 'in place: samples and archives' trees disk 000000 000001 000002 000003
check 'in place: the archive in it' embedded disk /shards/000002.tar in/train-2.tar
says 'in place: again' 1 'disk: contains a signature: dsfs: use -f' "$mkfs" -q --tar-index disk
exits 'in place: again, -f' 0 "$mkfs" -q -f --tar-index disk
check 'in place: again, -f: nothing is written' untouched
check 'in place: again, -f: the same' trees disk 000000 000001 000002 000003
exits 'in place: again, -f: fsck.dsfs' 0 "$fsck" -q disk
# Padded to where somebody wants them, and with the zeros of a record missing
archives in/train-0.tar
truncate -s $((start + (8 << 20) * 3)) disk
dd if=in/train-1.tar of=disk bs=512 seek=$(((start + (8 << 20) * 2) / 512)) conv=notrunc status=none
"$dsfs" tar nosums.dsfs >short.tar
shards=(in/train-0.tar in/train-1.tar short.tar)
cat short.tar >>disk
cp disk before
exits 'gaps' 0 "$mkfs" -q --tar-index disk
check 'gaps: nothing is written' untouched
exits 'gaps: fsck.dsfs' 0 "$fsck" -q disk
check 'gaps: samples and archives' trees disk 000000 000001 000002

# --- what a device has behind the archives
shards=(in/train-0.tar in/more.tar)
archives "${shards[@]}"
echo "something of before" >>disk
truncate -s %4096 disk
cp disk before
end=$((start + $(cat "${shards[@]}" | wc -c)))
says 'something behind' 1 "disk: at byte $end: neither zeros nor a tar archive" "$mkfs" -q --tar-index disk
check 'something behind: all is as it was' cmp disk before
made 'something behind: --tar-index=SIZE' disk "$mkfs" -q --tar-index=$((end - start)) disk
check 'something behind: --tar-index=SIZE: samples' trees disk 000000 000001
check 'something behind: --tar-index=SIZE: archives' cmp -i "$start" -n $((end - start)) disk before
says '--tar-index=SIZE: too many' 1 '--tar-index: 1099511627776 bytes: the limit is' \
	"$mkfs" -q -f --tar-index=1T disk
cp before disk
says '--tar-index=SIZE: not all archives' 1 "at byte $end: no header of a tar archive" \
	"$mkfs" -q -f --tar-index=$((end - start + 512)) disk
says '--tar-index=SIZE: in an archive' 1 'cut off' "$mkfs" -q -f --tar-index=1M disk
head -c 200000 /dev/zero >zeros
head -c 200000 /dev/zero | tr '\0' x >plain
rows <<'T'
no archive|1|zeros: no tar archive from byte 69632 on|mkfs.dsfs -q --tar-index zeros
something else|1|plain: at byte 69632: no header of a tar archive|mkfs.dsfs -q --tar-index plain
nothing|1|none: cannot read attributes: No such file|mkfs.dsfs -q --tar-index none
T

# --- a run that fails leaves what was there
archives "${shards[@]}"
says 'no room for metadata' 1 'cannot write' bash -c \
	"ulimit -f $(($(stat -c %s disk) / 1024)); trap '' XFSZ; exec '$mkfs' -q --tar-index disk"
check 'no room for metadata: all is as it was' cmp disk before
# failed_place WHAT WANT: in place: said, and nothing changed
failed_place()
{
	cp disk before
	says "$1" 1 "$2" "$mkfs" -q --tar-index disk
	check "$1: all is as it was" cmp disk before
}
archives in/train-0.tar in/train-1.tar
truncate -s -100000 disk
failed_place 'cut off, in place' "disk: archive at byte $((start + $(stat -c %s in/train-0.tar))): "
head -c 300000 in/train-0.tar >cut.tar
says 'cut off' 1 'cut.tar: ' "$mkfs" -q --tar-index --tar=cut.tar bad.dsfs
check 'cut off: no image' test ! -e bad.dsfs
# A member that says to be longer than it is, its header's checksum right
python3 - <<'PY'
import tarfile
with tarfile.open("in/train-0.tar") as t:
    member = t.getmembers()[3]
data = bytearray(open("in/train-0.tar", "rb").read())
header = data[member.offset:member.offset + 512]
header[124:136] = b"%011o\0" % (member.size + 512)
header[148:156] = b" " * 8
header[148:156] = b"%06o\0 " % sum(header)
data[member.offset:member.offset + 512] = header
open("lies.tar", "wb").write(data)
PY
says 'a size that lies' 1 'lies.tar: ' "$mkfs" -q --tar-index --tar=lies.tar bad.dsfs
check 'a size that lies: no image' test ! -e bad.dsfs
archives lies.tar
failed_place 'a size that lies, in place' "disk: archive at byte $start: "

# --- holes
truncate -s 1M holes
printf x | dd of=holes bs=1 seek=262144 conv=notrunc status=none
printf y >>holes
for format in 'pax --sparse-version=0.1' 'pax --sparse-version=1.0' gnu; do
	# shellcheck disable=SC2086 # options
	tar -S --format=$format -cf holes.tar holes
	made "holes: $format" holes.dsfs "$mkfs" -q -f --tar-index --tar=holes.tar holes.dsfs
	check "holes: $format: content" cmp holes <("$dsfs" cat holes.dsfs /holes/holes)
	check "holes: $format: a hole" test "$("$dump" --extents=/holes/holes holes.dsfs | wc -l)" -gt 3
done
truncate -s 1M empty
tar -S -cf empty.tar empty
made 'holes alone' holes.dsfs "$mkfs" -q -f --tar-index --tar=empty.tar holes.dsfs
check 'holes alone: content' cmp empty <("$dsfs" cat holes.dsfs /empty/empty)
python3 - <<'PY'
import io, tarfile
with tarfile.open("odd.tar", "w", format=tarfile.PAX_FORMAT) as t:
    member = tarfile.TarInfo("odd")
    member.size = 1024
    member.pax_headers = {"GNU.sparse.size": "100000", "GNU.sparse.map": "512,1024"}
    t.addfile(member, io.BytesIO(b"x" * 1024))
PY
says 'holes that no extent has' 1 \
	'odd.tar: odd: map of holes: data from byte 512 to 1536: --tar-index needs multiples of 4096 bytes' \
	"$mkfs" -q --tar-index --tar=odd.tar bad.dsfs
check 'holes that no extent has: no image' test ! -e bad.dsfs

# --- what cannot be used as it is
gzip -c in/more.tar >more.tar.gz
cp in/more.tar itself.tar
mkdir other
cp in/more.tar other/
cp in/more.tar shards.tar
rows <<'T'
compressed|1|more.tar.gz: at byte 0: is compressed|mkfs.dsfs -q --tar-index --tar=more.tar.gz bad.dsfs
a pipe|1|is not a regular file|mkfs.dsfs -q --tar-index --tar=<(cat in/more.tar) bad.dsfs
no such file|1|none.tar: cannot open|mkfs.dsfs -q --tar-index --tar=none.tar bad.dsfs
itself|1|itself.tar: at byte 0: is the image itself|mkfs.dsfs -q -f --tar-index --tar=itself.tar itself.tar
a name twice|1|another archive is named more.tar|mkfs.dsfs --tar-index --tar={in,other}/more.tar bad.dsfs
the directory|1|shards is that of the archives|mkfs.dsfs --tar-index --tar=shards.tar bad.dsfs
packed anew|1|has archives in place|dsfs compact -q -f copy.dsfs compact.dsfs
T
check 'the image itself is as it was' cmp in/more.tar itself.tar
check 'none of them is an image' test ! -e bad.dsfs
if [ "$(id -u)" -eq 0 ] && dev=$(losetup -b 4096 -f --show before 2>/dev/null); then
	says 'a device of larger blocks' 1 \
		"--tar-index: alignment: 512 bytes: less than the device's logical block size of 4096" \
		"$mkfs" -q --tar-index "$dev"
	losetup -d "$dev"
else
	skip 'a device of larger blocks' 'no loop device'
fi

# --- more archives.  updated NAME IMAGE DIR...: fsck.dsfs, the tree, and the generation before
updated()
{
	local name=$1 image=$2

	shift 2
	exits "$name: fsck.dsfs" 0 "$fsck" "$image"
	check "$name: all samples and archives" trees "$image" "$@"
	check "$name: the generation before" diff <("$dsfs" digest --full --text before.dsfs) \
		<("$dsfs" digest --full --text --generation=1 "$image")
	# but for the superblocks, the image of before is there
	check "$name: what was there is not written" \
		cmp -i "$start" -n "$(($(stat -c %s before.dsfs) - start))" before.dsfs "$image"
}

shards=(in/train-0.tar in/more.tar in/train-1.tar in/train-2.tar)
"$mkfs" -q -f --tar-index -L shards --tar=in/train-0.tar --tar=in/more.tar grown.dsfs
cp grown.dsfs before.dsfs
exits 'more of them' 0 "$dsfs" update --json --tar-index -m more --tar=in/train-1.tar \
	--tar=in/train-2.tar grown.dsfs
check 'more of them: what was added' holds "d['generation'] == 2 and d['archives'] == 2 and
	d['archive_bytes'] == $(cat in/train-[12].tar | wc -c) and not d['compact'] and
	d['written_data_bytes'] >= d['archive_bytes'] and d['padding_bytes'] < 3 * 4096"
updated 'more of them' grown.dsfs train-0 more train-1 train-2
check 'more of them: the first one' embedded grown.dsfs /shards/train-0.tar in/train-0.tar
check 'more of them: the last one' embedded grown.dsfs /shards/train-2.tar in/train-2.tar
check 'more of them: the same attributes' diff \
	<("$dsfs" digest --full --text before.dsfs | grep -v '^/\(shards\)\?	') \
	<("$dsfs" digest --full --text grown.dsfs | grep -v '^/\(shards\)\?	\|^/train-[12]/\|^/train-[12]	\|^/shards/train-[12]')
cp in/train-1.tar last.tar
shards+=(last.tar)
exits 'a third generation, with a digest' 0 \
	"$dsfs" update -q --tar-index --digest=full --tar=last.tar grown.dsfs
exits 'a third generation: its digest' 0 "$fsck" --digest grown.dsfs
check 'a third generation: all of it' trees grown.dsfs train-0 more train-1 train-2 last
cp grown.dsfs before.dsfs
says 'a name that is there' 1 'another archive is named more.tar, too' \
	"$dsfs" update -q --tar-index --tar=in/more.tar grown.dsfs
cp in/more.tar last.tar.2
says 'a directory that is there' 1 'the image has a directory last already' \
	"$dsfs" update -q --tar-index --tar=last.tar.2 grown.dsfs
cp in/train-0.tar in/train-0b.tar
says 'cut off, after a good one' 1 'cut.tar: ' "$dsfs" update -q --tar-index \
	--tar=in/train-0b.tar --tar=cut.tar grown.dsfs
check 'a run that fails changes nothing' cmp before.dsfs grown.dsfs
says 'archives of their own, without --tar-index' 1 'has archives in place' \
	"$dsfs" update -q grown.dsfs more
says 'an image without archives' 1 'has no archives in place' \
	"$dsfs" update -q --tar-index --tar=in/more.tar wds.dsfs
# In place: behind the image
shards=(in/train-0.tar in/more.tar)
archives "${shards[@]}"
"$mkfs" -q --tar-index disk
cp disk before.dsfs
says 'nothing is added' 1 "no tar archive from byte $(stat -c %s disk) on" \
	"$dsfs" update -q --tar-index disk
check 'nothing is added: nothing changed' cmp disk before.dsfs
cat in/train-1.tar in/train-2.tar >>disk
cp disk longer
exits 'more of them, in place' 0 "$dsfs" update --json --tar-index disk
check 'more of them, in place: what was added' holds "d['generation'] == 2 and d['archives'] == 2 and
	d['in_place'] and d['written_data_bytes'] == 0"
check 'more of them, in place: nothing of them is written' \
	cmp -i "$start" -n "$(($(stat -c %s longer) - start))" longer disk
shards+=(in/train-1.tar in/train-2.tar)
updated 'more of them, in place' disk 000000 000001 000002 000003
cp longer disk
truncate -s -100000 disk
cp disk longer
says 'cut off, behind the image' 1 'disk: archive at byte ' "$dsfs" update -q --tar-index disk
check 'cut off, behind the image: nothing changed' cmp longer disk

# --- the archive is an object with attributes of its own
cp in/train-1.tar own.tar
if setfacl -m u:4321:r,g::-,o::- own.tar 2>/dev/null; then
	"$mkfs" -q own.dsfs --tar-index --tar=own.tar
	check 'the ACL of an archive' grep -q '^/shards/own.tar.*posix_acl_access' \
		<("$dsfs" digest --full --text own.dsfs)
	"$mkfs" -q -f own.dsfs --tar-index --tar=own.tar --xattrs-exclude=*
	check 'the ACL of an archive: without it nobody reads more' grep -q '^/shards/own.tar.f.0600' \
		<("$dsfs" digest --full --text own.dsfs)
fi

# --- what fsck.dsfs makes of damage
cp copy.dsfs flipped.dsfs
flip flipped.dsfs $(($(data_of copy.dsfs /shards/train-1.tar) + 20))
says 'damage in a header' 4 'train-1.tar' "$fsck" flipped.dsfs
while IFS='|' read -r name change said; do
	"$corrupt" copy.dsfs "$change" bad.dsfs
	says "$name" 4 "$said" "$fsck" bad.dsfs
done <<'T'
without the feature they overlap|super both compat=0|data that overlaps
a member without its flag|rows /train-0/000003.jpg base[0]^0x100000|flag of shared data
a member in another one|rows /train-0/000004.json base[3]+1024|data that overlaps
an archive that ends early|inode /shards/train-0.tar size-10240|data that overlaps
T
finish
