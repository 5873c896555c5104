#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# examples.sh - the help of each verb ends with two examples.  Those that need no mount are run, in
# a copy of a folder with an image of two generations; of the others the options are there.
set -euo pipefail
. "$(dirname "$0")/cases"

mkdir -p kept/photos/cats
echo one >kept/photos/cats/1.jpg
echo label >kept/photos/labels.csv
"$mkfs" -q kept/train.dsfs kept/photos
echo two >kept/photos/cats/2.jpg
"$dsfs" update -q kept/train.dsfs kept/photos
uuid=$(uuidgen)
"$mkfs" -q -U "$uuid" kept/packed.dsfs@1G+1G kept/photos@1/2
"$mkfs" -q -U "$uuid" kept/packed.dsfs@2G+1G kept/photos@2/2

# examples VERB
examples()
{
	"$dsfs" "$1" --help | sed -n '/^Examples:$/,$s/^  //p'
}

# run_in_copy COMMAND
run_in_copy()
{
	rm -rf copy
	cp -a kept copy
	(cd copy && eval "set -o pipefail; $1")
}

# is_known VERB COMMAND: each option of it is in the help
is_known()
{
	local option

	"$dsfs" "$1" --help | sed '/^Examples:$/,$d' >help
	while read -r option; do
		grep -qE -- "[ ,]$option([=[ ]|$)" help || return 1
	done < <(grep -oE -- ' --[a-z]+' <<<"$2")
}

mapfile -t verbs < <("$dsfs" --help | sed -n 's/^  \([a-z]\{2,\}\)  .*/\1/p')
check 'there are verbs' test "${#verbs[@]}" -ge 20
for verb in "${verbs[@]}"; do
	# Its help is not made of a table.
	[ "$verb" != switch ] || continue
	mapfile -t lines < <(examples "$verb")
	check "dsfs $verb: two examples" test "${#lines[@]}" -eq 2
	for line in "${lines[@]}"; do
		case "$line" in
		*/data*|*epoch.list*|'dsfs stat'|'dsfs top')
			check "$line: known options" is_known "$verb" "$line" ;;
		*)	works "$line" run_in_copy "$line" ;;
		esac
	done
done

# bars: the histogram of dsfs info fits 80 columns, and the longest bar is full
bars()
{
	"$dsfs" info kept/train.dsfs >shown
	grep -qE "^below .* {2}#{36}$" shown && ! grep -qE '.{81}' shown
}
check 'dsfs info draws sizes' bars
finish
