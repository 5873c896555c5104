#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# equal-sums.sh - contents that differ and have equal checksums.
#
# A CRC is linear: data followed by its own CRC32C has the same CRC32C whatever the data is,
# and so has all that such data is put into.  Zarr's codec crc32c writes such files.  A sum
# may say that contents differ, never that they are the same.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"

# trees: two, one and two, of the same names and sizes, and no byte of a content in common
# but by accident
cat >trees.py <<'PY'
import os, random, struct, sys

table = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
    table.append(n)


def crc32c(data, crc=0):
    crc ^= 0xffffffff
    for b in data:
        crc = crc >> 8 ^ table[(crc ^ b) & 0xff]
    return crc ^ 0xffffffff


def checked(data):
    return data + struct.pack('<I', crc32c(data))


def blocks(r, size, unit):
    """Every chunk of DSFS, if it has a unit's size, has the same sum as every other."""
    return b''.join(checked(r.randbytes(unit - 4)) for _ in range(size // unit))


def shard(r, chunks, size):
    """As zarr 3 lays a shard out: chunks with their sums, an index of them with its own."""
    part = [checked(r.randbytes(size)) for _ in range(chunks)]
    index = b''.join(struct.pack('<QQ', i * len(p), len(p)) for i, p in enumerate(part))
    return b''.join(part) + checked(index)


def tree(top, seed):
    r = random.Random(seed)
    fixed = random.Random(0).randbytes(2500000)
    files = {
        'c/0': blocks(r, 104, 104), 'c/1': blocks(r, 8192, 8192),
        'c/2': blocks(r, 32768, 32768), 'c/3': blocks(r, 98304, 32768),
        'c/4': blocks(r, 16384, 4096), 'shard/0': shard(r, 7, 1000),
        'shard/1': shard(r, 1, 30000),
        # one record of many, in files of each way that mkfs.dsfs reads them
        'in/small': fixed[:5000] + checked(r.randbytes(100)) + fixed[:700],
        'in/chunks': fixed[:70000] + checked(r.randbytes(100)) + fixed[:90000],
        'in/large': fixed[:2000000] + checked(r.randbytes(100)) + fixed[:123456],
        'in/holes': fixed[:9000] + bytes(200000) + fixed[:4096] +
                    checked(r.randbytes(100)) + fixed[:100],
    }
    for name, data in files.items():
        os.makedirs(os.path.dirname(f'{top}/{name}'), exist_ok=True)
        with open(f'{top}/{name}', 'wb') as f:
            f.write(data)
        os.utime(f'{top}/{name}', (seed, seed))


def many(top, number):
    """That many contents with one sum."""
    r = random.Random(3)
    begin = r.randbytes(32000)
    at = crc32c(begin)
    os.makedirs(top)
    for i in range(number):
        more = r.randbytes(764)
        with open(f'{top}/{i}', 'wb') as f:
            f.write(begin + more + struct.pack('<I', crc32c(more, at)))


if sys.argv[1] == 'many':
    many('many', 700)
else:
    tree('one', 1)
    tree('two', 2)
PY

# The image, or a generation of it, holds the bytes of a tree: is TREE [OPTION]
is()
{
	holds_tree image.dsfs "$@" >"$out" 2>&1
}

# update TREE OPTION...: an image of the tree one gets a generation
update()
{
	cp base.dsfs image.dsfs
	"$mkfs" -q --update "${@:2}" image.dsfs "$1" >"$out" 2>"$err" && "$fsck" -q image.dsfs
}

# both NAME: generation 1 is of the tree one, and 2 of the tree two
both()
{
	check "$1: holds the new bytes" is two
	check "$1: generation 1 holds the old ones" is one --generation=1
}

# The sums are equal indeed, so that the cases are about what they say.
sums()
{
	"$dump" --list "$1" | awk -F '\t' '{ print $1, $NF }'
}

cases_update()
{
	local options how

	for options in '' --chunk-size=1M --no-checksums; do
		# shellcheck disable=SC2086
		"$mkfs" -q -f $options base.dsfs one
		# shellcheck disable=SC2086
		"$mkfs" -q -f $options other.dsfs two
		[ "$options" != --chunk-size=1M ] ||
			check 'all sums are equal' diff <(sums base.dsfs) <(sums other.dsfs)
		for how in '' --no-dedup; do
			# shellcheck disable=SC2086
			check "$options $how --update" update two $how
			both "$options $how --update"
		done
		# the times are no help
		rm -rf same
		cp -r two same
		(cd one && find . -type f -exec touch -r {} "../same/{}" \;)
		check "$options --update --checksum" update same --checksum
		both "$options --update --checksum"
		check "$options --update -T" update same -T 99
		both "$options --update -T"
		check "$options --update: size and time are believed" update same
		check "$options --update: size and time: holds the old bytes" is one
		"$top/tests/tools/mkmanifest" two >list
		check "$options --update --manifest" update two --manifest=list
		both "$options --update --manifest"
		sed -i 's/, "mtime": "[^"]*"//' list
		check "$options --update --manifest without times" update two --manifest=list
		both "$options --update --manifest without times"
		mkdir moved
		cp -r two moved/elsewhere
		check "$options --update, other names" update moved
		check "$options --update, other names: holds the new bytes" is moved
		rm -r moved
	done
}

cases_dedup()
{
	local options

	mkdir both
	cp -r one two both
	for options in '' --chunk-size=1M --no-checksums --threads=1; do
		# shellcheck disable=SC2086
		works "$options a new image" "$mkfs" -q -f $options image.dsfs both
		check "$options a new image: holds the bytes" is both
	done
	tar -C both -cf both.tar .
	works 'a new image of an archive' "$mkfs" -q -f --tar=both.tar image.dsfs
	check 'a new image of an archive: holds the bytes' is both
	rm -r both
	python3 trees.py many
	FAULT=read:0:none FAULT_COUNT=$work/reads with_faults "$mkfs" -q -f image.dsfs many
	check 'contents with one sum: hold their bytes' is many
	# one each; where each is compared with all before it, it is some 100,000
	comment "$(<reads) reads"
	check 'contents with one sum: are not compared with all others' test "$(<reads)" -lt 2000
	rm -r many
}

cases_later()
{
	"$mkfs" -q -f base.dsfs one
	update two
	check '--diff' same_file <(find two -type f | sed 's/^two//' | sort) \
		<("$dump" --diff=1.. image.dsfs | awk -F '\t' '$4 ~ /content/ { print $3 }' | sort)
	cp image.dsfs base.dsfs
	works '--compact --keep' "$mkfs" -q -f --compact --keep=2 image.dsfs
	both '--compact --keep'
	exits '--compact --keep: is sound' 0 "$fsck" -q image.dsfs
	cp base.dsfs image.dsfs
	works '--compact' "$mkfs" -q -f --compact image.dsfs
	check '--compact: holds the new bytes' is two
	exits '--compact: is sound' 0 "$fsck" -q image.dsfs
	check '--resume' resumed
	check '--digest' test "$("$dump" --digest --generation=1 base.dsfs)" != \
		"$("$dump" --digest base.dsfs)"
}

# An extraction goes on where files have the size, another time and the sums.
resumed()
{
	rm -rf have
	cp -r one have
	run "$dump" --extract=have --resume image.dsfs
	[ "$rc" = 1 ] && diff -rq one have
}

uuid()
{
	"$dump" image.dsfs | grep ^uuid:
}

# derived OPTION...: UUIDs of images of both trees, which are derived from what they hold
derived()
{
	local name

	for name in one two; do
		"$mkfs" -q -f -T 5 "${@//NAME/$name}" && uuid >"$name.uuid" || return
	done
	! cmp -s one.uuid two.uuid
}

cases_uuid()
{
	local name options

	# archives have names in the image, and no content here is in two of their chunks
	for name in one two; do
		mkdir "u-$name"
		cp "$name/c/0" "$name/c/1" "u-$name"
		mkdir "tar-$name"
		tar -C "u-$name" --mtime=@5 --sort=name -cf "tar-$name/tar" .
	done
	check 'derived UUID' derived image.dsfs u-NAME
	check 'derived UUID of archives' derived --tar=tar-NAME/tar image.dsfs
	for options in '' --chunk-size=4K --no-checksums; do
		# shellcheck disable=SC2086 # none or one
		check "derived UUID of archives in place, $options" \
			derived --tar-index $options --tar=tar-NAME/tar image.dsfs
	done
	for name in one two; do
		mkdir "x-$name"
		touch "x-$name/file"
		setfattr -n user.shard -v "0x$(od -An -v -tx1 "$name/c/0" | tr -d ' \n')" \
			"x-$name/file" 2>/dev/null ||
			{ skip 'derived UUID, an attribute' 'no attributes here'; return; }
	done
	check 'derived UUID, an attribute' derived image.dsfs x-NAME
}

python3 trees.py pair
cases_update
cases_dedup
cases_later
cases_uuid
finish
