#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# wide.sh DIR - mktree's wide tree, mounted at DIR: owners and numbers of links that
# are in extra records, because an inode's own record has 16 bits for each.
#
# The tree's rule is in make_wide() of tests/tools/zoo.c.
set -eu
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
dir=$1
count=65600

every_owner()
{
	find "$dir/owners" -type f -exec stat -c '%n %u %g' {} + |
		awk -v n="$count" '{ sub(/.*\//, ""); bad += $2 != $1 + 100000 || $3 != $1 + 200000 }
			END { exit bad || NR != n }'
}

links_of()
{
	[ "$(stat -c '%h %i' "$dir/links/$1")" = "$count $(stat -c %i "$dir/links/0")" ]
}

check "each of $count owners" every_owner
for name in 0 1 $((count - 1)); do
	check "$count links, by the name $name" links_of $name
done
exit $failed
