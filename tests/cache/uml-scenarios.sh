# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# uml-scenarios.sh - the epoch cache with less memory than the set has, in User Mode Linux; to
# be sourced with $top and $list set.
#
# Disks: the set, whose files $list names, and one that nobody wants.  What an epoch reads is
# judged by tests/cache/run alone.
bin=/tmp/bin
# shellcheck disable=SC2154 # whoever sources this sets them
{
	mkdir -p $bin /tmp/drive
	cp "$top"/build/tests/{epochs,access,trymount} "$top"/tests/guest/{hints,lib}.sh \
		"$top"/tests/bench/guest.sh "$top"/tests/bench/cache-guest.sh "$top/tests/harness/cases.sh" $bin
	cp "$list" /tmp/list
}
ln -s /dev/ubda /tmp/drive/dsfs
ln -s /dev/ubdb /tmp/drive/other
export PATH=$bin:$PATH BENCH_LIB=$bin/guest.sh BENCH_LIST=/tmp/list BENCH_DRIVES=/tmp/drive

for scenario in plain:dsfs-epoch:50:4:read:3 cold:dsfs-epoch:50:4:read:3 \
	mapped:dsfs-epoch:25:1:mmap:2 memcg:dsfs-epoch:50:4:read:3 \
	full:dsfs-epoch:131:4:read:3 move:dsfs-epoch:25:4:read:6 two:dsfs-epoch:50:2:read:3 \
	hog:dsfs-epoch:70:4:pil:1; do
	check "epochs: $scenario" sh $bin/cache-guest.sh "$scenario"
done
