#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# equal-sums.sh - contents that differ and have equal checksums.
#
# A sum may say that contents differ, never that they are the same: XXH64 is no signature, and
# here it is the same for all files of a name.  What metadata has is crc32c, which is linear: data
# followed by its own has the same one whatever the data is.
set -euo pipefail
. "$(dirname "$0")/cases"

# trees: two, one and two, of the same names and sizes, with the same sum for each chunk of so
# many bytes, and with different contents; and two, whose files have the same crc32c
cat >trees.py <<'PY'
import os, random, struct, sys

sys.path.insert(0, sys.argv[1])
from xxh64 import lanes, settle

CHUNK = int(sys.argv[2])
SMALL = 256 << 10           # a file is one chunk
SETTLED = lanes(b'')
table = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
    table.append(n)


def crc32c(data):
    crc = 0xffffffff
    for b in data:
        crc = crc >> 8 ^ table[(crc ^ b) & 0xff]
    return crc ^ 0xffffffff


def content(r, size, *parts):
    """Parts that are the same in all trees, and as many random bytes as a number says."""
    data, chunk = b'', CHUNK if size > max(CHUNK, SMALL) else size
    for part in parts:
        if isinstance(part, int):
            part = r.randbytes(part - 32)
            have = (data + part)[len(data) // chunk * chunk:]
            part += settle(lanes(have), SETTLED)
        data += part
    assert len(data) == size
    return data


def units(r, size, unit):
    return content(r, size, *[unit] * (size // unit))


def checked(r, size):
    return b''.join(d + struct.pack('<I', crc32c(d))
                    for d in (r.randbytes(100) for _ in range(size // 104)))


def put(name, data, seed):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, 'wb') as f:
        f.write(data)
    os.utime(name, (seed, seed))


def tree(top, seed):
    r = random.Random(seed)
    fixed = random.Random(0).randbytes(2500000)
    files = {
        'c/0': units(r, 128, 128), 'c/1': units(r, 8192, 8192),
        'c/2': units(r, 32768, 32768), 'c/3': units(r, 98304, 32768),
        'c/4': units(r, 16384, 4096), 'c/5': units(r, 7168, 1024),
        # some bytes of many, in files of each way that mkfs.dsfs reads them
        'in/small': content(r, 5824, fixed[:4992], 128, fixed[:704]),
        'in/chunks': content(r, 160128, fixed[:70016], 128, fixed[:89984]),
        'in/large': content(r, 2123584, fixed[:2000000], 128, fixed[:123456]),
    }
    # a hole is not stored, and its bytes are in no sum
    stored = content(r, 8192 + 4096 + 128 + 100, fixed[:8192], fixed[:4096], 128, fixed[:100])
    files['in/holes'] = stored[:8192] + bytes(196608) + stored[8192:]
    for name, data in files.items():
        put(f'{top}/{name}', data, seed)
    put(f'{top}-crc/0', checked(r, 104), seed)
    put(f'{top}-crc/1', checked(r, 8320), seed)


tree('one', 1)
tree('two', 2)
PY

# trees BYTES: of chunks of BYTES
trees()
{
	rm -rf one two one-crc two-crc
	python3 trees.py "$top/tests/harness" "$1"
}

# The image, or a generation of it, holds the bytes of a tree: is TREE [OPTION]
is()
{
	holds_tree image.dsfs "$@" >"$out" 2>&1
}

# update TREE OPTION...: an image of the tree one gets a generation
update()
{
	cp base.dsfs image.dsfs
	"$dsfs" update -q "${@:2}" image.dsfs "$1" >"$out" 2>"$err" && "$fsck" -q image.dsfs
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
	find one -type f -printf '/%P\n' | sort | while read -r file; do
		"$dump" --extents="$file" "$1" |
			awk -v file="$file" '/ checksum$/ { on = 1; next } on { print file, $NF }'
	done
}

all_equal()
{
	sums base.dsfs >one.sums
	sums other.dsfs >two.sums
	[ "$(wc -l <one.sums)" -ge 10 ] && diff one.sums two.sums
}

cases_update()
{
	local options how

	for options in '' --chunk-size=1M --chunk-size=none; do
		[ "$options" != --chunk-size=1M ] || trees 1048576
		# shellcheck disable=SC2086
		"$mkfs" -q -f $options base.dsfs one
		# shellcheck disable=SC2086
		"$mkfs" -q -f $options other.dsfs two
		[ "$options" = --chunk-size=none ] || check "$options all sums are equal" all_equal
		for how in '' --no-dedup; do
			# shellcheck disable=SC2086
			check "$options $how update" update two $how
			both "$options $how update"
		done
		# the times are no help
		rm -rf same
		cp -r two same
		(cd one && find . -type f -exec touch -r {} "../same/{}" \;)
		check "$options update --checksum" update same --checksum
		both "$options update --checksum"
		check "$options update -T" update same -T 99
		both "$options update -T"
		check "$options update: size and time are believed" update same
		check "$options update: size and time: holds the old bytes" is one
		"$top/tests/tools/mkmanifest" two >list
		check "$options update --manifest" update two --manifest=list
		both "$options update --manifest"
		sed -i 's/, "mtime": "[^"]*"//' list
		check "$options update --manifest without times" update two --manifest=list
		both "$options update --manifest without times"
		mkdir moved
		cp -r two moved/elsewhere
		check "$options update, other names" update moved
		check "$options update, other names: holds the new bytes" is moved
		rm -r moved
	done
}

cases_dedup()
{
	local options

	trees 32768
	mkdir both
	cp -r one two both
	for options in '' --chunk-size=1M --chunk-size=none --threads=1; do
		# shellcheck disable=SC2086
		works "$options a new image" "$mkfs" -q -f $options image.dsfs both
		check "$options a new image: holds the bytes" is both
	done
	tar -C both -cf both.tar .
	works 'a new image of an archive' "$mkfs" -q -f --tar=both.tar image.dsfs
	check 'a new image of an archive: holds the bytes' is both
	rm -r both
}

cases_later()
{
	"$mkfs" -q -f base.dsfs one
	update two
	check '--diff' same_file <(find two -type f | sed 's/^two//' | sort) \
		<("$dsfs" diff image.dsfs 1 | awk -F '\t' '$4 ~ /content/ { print $3 }' | sort)
	cp image.dsfs base.dsfs
	works 'compact --keep' "$dsfs" compact -q -f --keep=2 image.dsfs
	both 'compact --keep'
	cp base.dsfs image.dsfs
	works 'compact' "$dsfs" compact -q -f image.dsfs
	check 'compact: holds the new bytes' is two
	check '--resume' resumed
	check '--digest' test "$("$dsfs" digest --generation=1 base.dsfs)" != \
		"$("$dsfs" digest base.dsfs)"
}

# An extraction goes on where files have the size, another time and the sums.
resumed()
{
	rm -rf have
	cp -r one have
	run "$dsfs" extract --resume image.dsfs have
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
		cp "$name-crc/0" "$name-crc/1" "u-$name"
		mkdir "tar-$name"
		tar -C "u-$name" --mtime=@5 --sort=name -cf "tar-$name/tar" .
	done
	check 'derived UUID' derived image.dsfs u-NAME
	check 'derived UUID of archives' derived --tar=tar-NAME/tar image.dsfs
	for options in '' --chunk-size=4K --chunk-size=none; do
		# shellcheck disable=SC2086 # none or one
		check "derived UUID of archives in place, $options" \
			derived --tar-index $options --tar=tar-NAME/tar image.dsfs
	done
	for name in one two; do
		mkdir "x-$name"
		touch "x-$name/file"
		setfattr -n user.shard -v "0x$(od -An -v -tx1 "$name-crc/0" | tr -d ' \n')" \
			"x-$name/file" 2>/dev/null ||
			{ skip 'derived UUID, an attribute' 'no attributes here'; return; }
	done
	check 'derived UUID, an attribute' derived image.dsfs x-NAME
}

trees 32768
cases_update
cases_dedup
cases_later
cases_uuid
finish
