#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pieces.sh - dsfs pieces, and lists that are files: what is cut, put and put no more, what goes on,
# what is refused.  The digest of trees in pieces is in tests/judge, servers are in tests/http,
# the parser is in tests/unit.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"

# complete DIR LIST IMAGE: the pieces have the names and the bytes that the list says
complete()
{
	local name bytes sum

	json '"\n".join("%s %s %s" % (p["name"], p["bytes"], p["sha256"]) for p in d["pieces"])' \
		<"$1/$2" >told
	while read -r name bytes sum; do
		[ "$(stat -c %s "$1/$name")" = "$bytes" ] &&
			[ "$(sha256sum <"$1/$name")" = "$sum  -" ] || return 1
		cat "$1/$name" >&3
	done <told 3>joined
	cmp joined "$3"
}

# same DIR/LIST IMAGE: names and contents are those of the image
same()
{
	diff <("$dsfs" digest --full --text "$1") <("$dsfs" digest --full --text "$2")
}

mkdir tree
for i in {1..60}; do head -c $((i * 1000)) /dev/urandom >"tree/$i"; done
head -c 400000 /dev/urandom >tree/large
"$mkfs" -q --digest=full set.dsfs tree
works 'pieces' "$dsfs" pieces --size=64K set.dsfs out
check 'the report' grep -qE '^pieces: +[0-9]+$' "$out"
check 'the list has them' complete out set.list set.dsfs
check 'a copy of the generation' cmp out/set.list out/set-1.list
check 'what the list tells' holds 'd["generation"] == 1 and d["digest"][:11] == "dsfs1-full:" and
	d["pieces"][0]["bytes"] == 69632 and len(d["pieces"]) > 30 and
	max(p["bytes"] for p in d["pieces"][1:]) <= 65536' out/set.list
check 'it is the image' same out/set.list set.dsfs
works 'fsck.dsfs' "$fsck" -q --digest out/set.list
find out -printf '%i %f\n' | sort >before
works 'once more' "$dsfs" pieces --json --size=64K set.dsfs out
check 'once more: none is new' holds 'd["new"] == 0 and d["pieces"] > 30' "$out"
check 'and none replaced' diff <(grep -v list before) <(find out -printf '%i %f\n' | sort | grep -v list)

# Files are of up to 60,000 bytes, so none but the large one is cut.
"$dsfs" pieces --size=1M set.dsfs whole >/dev/null
check 'pieces of 1M are the image' complete whole set.list set.dsfs
uncut()
{
	local i

	json '"\n".join(str(sum(p["bytes"] for p in d["pieces"][:i])) for i in range(2, len(d["pieces"])))' \
		whole/set.list >ends
	{ for i in {1..60} large; do data_of set.dsfs "/$i"; done; 
		"$dump" --json set.dsfs | json 'd["slots"][0]["meta_start"]'; } >starts
	[ "$(wc -l <ends)" -ge 3 ] && ! grep -vxFf starts ends
}
check 'pieces of 1M end where files do' uncut

# A generation: data, metadata and a head are new
cp set.dsfs first.dsfs
echo new >tree/new && "$dsfs" update -q --digest=full set.dsfs tree
# and another one, as long, of the same image
cp first.dsfs fork.dsfs && mv tree/new tree/neu && echo old >tree/neu
"$dsfs" update -q --digest=full fork.dsfs tree
check 'generations of one length' test "$(stat -c %s set.dsfs)" = "$(stat -c %s fork.dsfs)"
works 'a generation' "$dsfs" pieces --json --size=4G set.dsfs out
check 'a generation: three pieces are new' holds 'd["new"] == 3 and d["new_bytes"] < 200000' "$out"
check 'a generation: complete' complete out set.list set.dsfs
check 'a generation: the one before stays' same out/set-1.list first.dsfs
check 'and is in the new one' diff <("$dsfs" ls -R out/set-1.list) \
	<("$dsfs" ls -R --generation=1 out/set.list)
works 'nothing is unused' "$dsfs" pieces --unused out
check 'nothing is unused: nothing is said' test ! -s "$out"
mkdir gone && cp out/* gone && rm gone/set-1.list
works 'without the old list' "$dsfs" pieces --unused gone
check 'its head alone is unused, and metadata stays' test "$(wc -l <"$out")" = 1
(cd gone && xargs rm) <"$out"
check 'what is left is complete' same gone/set.list set.dsfs

# Another image of that name, whose metadata is other: nothing is believed
head -c 3000 /dev/urandom >tree/7 && "$mkfs" -q other.dsfs tree
cp -r out others && works 'another image under that name' \
	"$dsfs" pieces --name=set --size=64K other.dsfs others
check 'another image: complete' complete others set.list other.dsfs
rm -rf others && cp -r out others
works 'another second generation' "$dsfs" pieces --name=set fork.dsfs others
check 'another second generation: complete' complete others set.list fork.dsfs

# A command for each
mkdir store
works 'a command' "$dsfs" pieces --size=64K --each='cat >store/%n.new && mv store/%n.new store/%n' first.dsfs lists
check 'a command: complete' complete store first.list first.dsfs
check 'a command: the folder has lists' test "$(ls lists)" = "$(printf 'first-1.list\nfirst.list')"
works 'a command, again' "$dsfs" pieces --each='echo %n >>put; cat >/dev/null' first.dsfs lists
check 'a command, again: a head and lists' test "$(wc -l <put)" = 2
cp first.dsfs uuid.dsfs && "$dsfs" label -q -U random uuid.dsfs
rm put && works 'a command, another UUID' "$dsfs" pieces --name=first --size=64K \
	--each='echo %n >>put; cat >/dev/null' uuid.dsfs lists
check 'a command, another UUID: equal pieces are not put' test "$(wc -l <put)" = 4
# cut off: from the tenth on each is refused
rm -rf store/* lists
each='n=$(find store -type f | wc -l); [ $n -lt 10 ] || [ -e go ] || exit 9; echo %n >>log; cat >store/%n'
says 'a command that fails' 1 'exit status 9' "$dsfs" pieces --jobs=1 --size=64K --each="$each" first.dsfs lists
check 'a command that fails: no list' not test -e lists/first.list -o -e store/first.list
touch go
works 'it goes on' "$dsfs" pieces --jobs=3 --size=64K --each="$each" first.dsfs lists
check 'it goes on: complete' complete store first.list first.dsfs
check 'it goes on: nothing twice' test -z "$(sort log | uniq -d)"
check 'no journal is left' test "$(find lists -type f | wc -l)" = 2

# An image that is read by a list can be cut anew.
works 'from a list' "$dsfs" pieces --name=again --size=128K out/set.list again
check 'from a list: complete' complete again again.list set.dsfs

# dsfs-fuse goes to another folder.
if [ "$(id -u)" = 0 ] && [ -e /dev/fuse ] && [ -x "$bin/dsfs-fuse" ]; then
	mkdir mnt && works 'dsfs-fuse of a list' "$bin/dsfs-fuse" -o verify=pieces,verify=off out/set.list mnt
	check 'dsfs-fuse of a list: a file' cmp mnt/large tree/large
	umount mnt
fi

# A list that is changed has the bytes of an image that is changed: new pieces, then the list.
# changed VERB ARGUMENT...: a verb of both
changed()
{
	"$dsfs" "$1" -q one.dsfs "${@:2}" || return 1
	works "$1 of a list" "$dsfs" "$1" -q ones/one.list "${@:2}"
	check "$1 of a list: complete" complete ones one.list one.dsfs
}
export SOURCE_DATE_EPOCH=1700000000
cp first.dsfs one.dsfs && "$dsfs" pieces --name=one --size=64K one.dsfs ones >/dev/null
there() { find ones -type f -printf '%f\n' | LC_ALL=C sort; }
cp ones/one.list before && there >names
# behind the pieces and the list of the generation: the third
FAULT=sync:3:kill with_faults "$dsfs" rm -q ones/one.list 2 || true
check 'killed: pieces and a list are new' test "$(there | grep -v '^[.]' | LC_ALL=C comm -23 - names | wc -l)" = 3
check 'killed: the list is that of before' cmp before ones/one.list
changed rm 2
check 'rm of a list: nothing more is there' test "$(there | LC_ALL=C comm -23 - names | wc -l)" = 3
changed label new
changed update tree
changed add --at=more names
check 'all pieces stay' test -z "$(there | LC_ALL=C comm -13 - names)"
# A list of its own, over the same data
cp one.dsfs few.dsfs && "$dsfs" subset -q few.dsfs 7 large
cp ones/one.list before && there >names
works 'subset --to' "$dsfs" subset -q --to=few ones/one.list 7 large
check 'subset --to: complete' complete ones few.list few.dsfs
check 'subset --to: metadata, a head and lists are new' test "$(there | LC_ALL=C comm -23 - names | wc -l)" = 4
check 'subset --to: the list stays' cmp before ones/one.list
unset SOURCE_DATE_EPOCH

# Who comes second is refused, so nobody's list is lost
says 'while a verb has the list' 1 'one.list: is being updated by another process' \
	flock ones/one.list "$dsfs" pieces --name=one one.dsfs ones
"$dsfs" rm -q one.dsfs 4
works 'a verb beside a run' "$dsfs" pieces -j1 --name=one \
	--each='dsfs rm -q ones/one.list 5 2>>beside; cat >ones/%n' one.dsfs ones
check 'a verb beside a run: refused' grep -q 'one.list: is being updated by' beside
check 'a verb beside a run: complete' complete ones one.list one.dsfs
works 'two first runs' "$dsfs" pieces -j1 --name=two \
	--each='dsfs pieces --name=two one.dsfs ones 2>>beside; cat >ones/%n' one.dsfs ones
check 'two first runs: one is refused' grep -q 'two.done: is being updated by' beside

# What is refused.  bad NAME EXPRESSION: list NAME is what the expression makes of d
bad()
{
	python3 -c 'import json, sys
d = json.load(open("out/set.list")); p = d["pieces"]
'"$2"'
open(sys.argv[1], "w").write(json.dumps(d, separators=(",", ":")))' "out/$1"
}
bad missing.list 'p[3]["name"] = "none"'
bad long.list 'p[3]["bytes"] += 1; p[4]["bytes"] -= 1'
bad head.list 'p[0]["sha256"] = "0" * 64'
bad up.list 'p[3]["name"] = "../x"'
bad sum.list 'd["bytes"] += 1'
bad many.list 'd["pieces"] = p * 2000'
bad self.list 'p[0]["name"] = "self.list"'
bad swap.list 'p[3]["name"], p[4]["name"] = p[4]["name"], p[3]["name"]'
"$dsfs" pieces --size=64K first.dsfs out >/dev/null
bad stale.list 'p[0] = json.load(open("out/first.list"))["pieces"][0]'
printf '{"dsfs-list":1' >out/cut.list
printf '{"dsfs-list":1,"dsfs-list":1}' >out/twice.list
{ printf '{"dsfs-list":1,"x":"'; head -c 17M /dev/zero | tr '\0' x; } >out/vast.list
rows <<'T'
a piece is missing|1|piece none: open: No such file or directory|"$dsfs" tar out/missing.list >tar
a piece is of another length|1|bytes, the list says|"$dsfs" tar out/long.list >tar
and fsck.dsfs says so|4|bytes, the list says|"$fsck" -q out/long.list
another head|1|its SHA-256 is|"$dsfs" ls out/head.list
a name above|1|piece 3: "name" is ../x, which is no name beside the list|"$dsfs" ls out/up.list
another sum|1|its pieces have|"$dsfs" ls out/sum.list
too many|1|expected 1 to 65536|"$dsfs" ls out/many.list
a list as its own piece|1|bytes, the list says 69632|"$dsfs" ls out/self.list
cut off|1|list: no JSON|"$dsfs" ls out/cut.list
a member twice|1|duplicate object key|"$dsfs" ls out/twice.list
more than is read|1|at most 16777216 are read|"$dsfs" ls out/vast.list
a digest of a change|1|--digest needs the image in one file|"$dsfs" update --digest out/set.list tree
of an addition|1|--digest needs the image in one file|"$dsfs" add --digest out/set.list names
of a removal|1|--digest needs the image in one file|"$dsfs" rm --digest out/set.list 1
a subset that is there|1|few.list: is there already|"$dsfs" subset --to=few ones/one.list 7
a subset by a path|1|expected a name|"$dsfs" subset --to=../few ones/one.list 7
a subset of an image|1|no list of pieces|"$dsfs" subset --to=few one.dsfs 7
an erase of a list|1|pieces keep their bytes|"$dsfs" erase -y out/set.list 1
a size|2|at least 65536|"$dsfs" pieces --size=1K set.dsfs x
no folder|2|IMAGE and DIR are needed|"$dsfs" pieces set.dsfs
a name of a list|1|name of the list: a b|"$dsfs" pieces --name='a b' set.dsfs x
no list|1|no list|"$dsfs" pieces --unused store/..
a broken list|1|list: no JSON|"$dsfs" pieces --unused out
no image|1|not a DSFS image|"$dsfs" pieces tree/1 x
T
swapped()
{
	! "$fsck" -q out/swap.list 2>/dev/null
}
check 'pieces that are exchanged' swapped
sum=$(sha256sum <gone/set.list)
works 'the SHA-256 of the list' "$dsfs" ls "gone/set.list@sha256:${sum%% *}"
says 'another SHA-256' 1 'not the image that was asked for' "$dsfs" ls "gone/set.list@sha256:$(printf %064d 0)"
works 'the digest of the image' "$dsfs" ls "gone/set.list@$("$dsfs" digest --full set.dsfs)"
finish
