# SPDX-License-Identifier: GPL-2.0
#
# What the scenarios of cache-guest.sh are to reach: lines of WHAT, VALUE and LIMIT, separated
# by tabs, of the worst of all runs.  A limit is over what does not fit, 1 - share.
function worst(what, value, limit)
{
	if (!(what in most) || value > most[what])
		most[what] = value
	most_allowed[what] = limit
}
function end_run()
{
	if (count > 1)
		worst(last ": between the epochs of a run", high - low, 0.01)
	count = 0
}
$2 == "set_bytes" { set_bytes = $3 }
$2 == "dsfs-epoch" && $3 == "cache_lost_pages" && $1 == "#" && name ~ /^(lists-)?(plain|readers|pil|mapped)/ && epochs_run {
	worst(name ": own pages reclaimed, of the set, an epoch", $4 * 4096 / set_bytes / epochs_run, 0.01)
}
$3 !~ /^share=/ {
	if (subject == "dsfs-epoch" && $2 == "memcg_oom")
		worst("memcg: " $2, $3, 0)
	next
}
{
	split($3, a, "="); split($4, e, "="); split($5, r, "=")
	name = $1; subject = $2; epochs_run = epoch = e[2]; share = a[2]; over = r[2] - 1 + share
	rounded = sprintf("%.0f %%", share * 100)
}
$2 == "dsfs-lru" && epoch > 1 { lru[$1] += r[2]; lrus[$1]++ }
$2 != "dsfs-epoch" { next }
epoch > 1 { mine[$1] += r[2]; mines[$1]++ }
$1 ~ /^(lists-)?(plain|readers|pil|nfs)/ && epoch > 1 {
	worst($1 ", " rounded ": over what does not fit", over, share > 0.8 ? 0.04 : 0.03)
}
$1 ~ /^(lists-)?plain$/ {
	if (epoch == 1)
		end_run()
	last = $1 ", " rounded
	if (epoch > 1) {
		if (!count++)
			low = high = r[2]
		low = r[2] < low ? r[2] : low
		high = r[2] > high ? r[2] : high
	}
}
$1 == "mapped" && epoch > 1 { worst("mapped: over what does not fit", over, 0.05) }
$1 == "memcg" && epoch > 1 { worst("memcg: over what does not fit", over, 0.03) }
# They are not in step: an epoch of one has more or less than one of the other beside it.
$1 == "two" && epoch > 1 { two += r[2] - 2 * (1 - share); twos++ }
$1 ~ /^(lists-)?(cold|warm|inodes)$/ && epoch > 3 { worst($1 ": over what does not fit, after three epochs", over, 0.03) }
$1 == "hog" && epoch > 21 { worst("hog: over what does not fit, from the second epoch after it on", over, 0.03) }
$1 == "move" && epoch == 16 { worst("move: over what does not fit, the sixth epoch", r[2] - 1 + 2 * share, 0.10) }
END {
	end_run()
	if (twos)
		worst("two: over twice what does not fit, mean", two / twos, 0.05)
	for (what in most)
		printf "%s\t%.4f\t%s\n", what, most[what], most_allowed[what]
	for (what in mine)
		if (what in lru)
			printf "%s: over cache=lru\t%.4f\t%s\n", what, \
				mine[what] / mines[what] - lru[what] / lrus[what], what == "stream" ? 0 : 0.02
}
