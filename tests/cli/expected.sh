#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# expected.sh - images that are asked for by the digest that they keep: option digest= of
# sources.
set -euo pipefail
. "$(dirname "$0")/cases"
refusal='not the image that was asked for'

mkdir tree
echo one >tree/a
"$mkfs" -q --digest set.dsfs tree
"$mkfs" -q --digest=full full.dsfs tree
"$mkfs" -q none.dsfs tree
data=$("$dsfs" digest set.dsfs)
full=$("$dsfs" digest --full set.dsfs)
sum=${data#*:}
other=$(tr 0-9a-f 1-9a-f0 <<<"$sum")
"$dsfs" ls -lR set.dsfs >list
echo two >tree/b
cp set.dsfs two.dsfs
"$dsfs" update -q two.dsfs tree

for digest in "sha256:$sum" "sha256:${sum^^}" "$data"; do
	exits "${digest:0:12}: the right image" 0 "$dsfs" ls -lR --source="digest=$digest" set.dsfs
	check 'is listed' same_file list "$out"
	exits 'and checked' 0 "$fsck" --source="digest=$digest" set.dsfs
done
exits 'of all attributes' 0 "$dump" --source="digest=$full" full.dsfs
exits 'by its sum alone' 0 "$dump" --source="digest=sha256:${full#*:}" full.dsfs
for tool in "$dump" "$fsck"; do
	case $tool in
	*fsck*)	code=8 ;;
	*)	code=1 ;;
	esac
	says "${tool##*/}: another image" $code \
		"set.dsfs: digest kept: $data, expected: sha256:$other: $refusal" \
		"$tool" --source="digest=sha256:$other" set.dsfs
	check 'nothing of it is shown' test ! -s "$out"
	says "${tool##*/}: one without a digest" $code \
		"none.dsfs: digest kept: none, expected: $data: $refusal" \
		"$tool" --source="digest=$data" none.dsfs
	says "${tool##*/}: the same sum of another kind" $code "expected: dsfs1-full:$sum: $refusal" \
		"$tool" --source="digest=dsfs1-full:$sum" set.dsfs
	says "${tool##*/}: an older generation keeps it" $code 'digest kept: none' \
		"$tool" --source="digest=$data" two.dsfs
	exits "${tool##*/}: that generation" 0 "$tool" --generation=1 --source="digest=$data" two.dsfs
done
says 'the environment asks' 1 "$refusal" env DSFS_SOURCE="digest=$data" "$dump" none.dsfs
exits 'an option counts for more' 0 env DSFS_SOURCE="digest=sha256:$other" \
	"$dump" --source="digest=$data" set.dsfs
for digest in "$sum" "sha256:${sum%?}" "sha256:${sum}0" "sha256:${sum%?}g" "md5:$sum" "sha:$sum" \
	      "sha2567:$sum" :; do
	says "digest=${digest:0:12}...: no digest" 1 'not sha256: and 64 hexadecimal digits' \
		"$dump" --source="digest=$digest" set.dsfs
done
says 'no value' 1 'source option digest: its value is missing' "$dump" --source=digest set.dsfs
says 'a word that is mistyped' 1 'source option digets: there is none' \
	"$dump" --source="digets=$data" set.dsfs

# A note that cannot be read vouches for nothing.
cp set.dsfs bad.dsfs
at=$(python3 -c 'import sys
print(open("set.dsfs", "rb").read().index(bytes.fromhex(sys.argv[1])))' "$sum")
flip bad.dsfs "$at"
says 'a damaged digest' 1 "bad.dsfs: digest: note at $((at & ~4095)): wrong checksum" \
	"$dump" --source="digest=$data" bad.dsfs
finish
