#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# wds.sh - dsfs shards: shards that readers of WebDataset make samples of.  That mkfs.dsfs
# makes the same tree of them is judged by tests/judge.
set -euo pipefail
. "$(dirname "$0")/cases"
prog=wds

# samples FILE...: as a reader of WebDataset has them: shard, key, extensions; a key again
# after another one would be a sample of its own
cat >samples.py <<'PY'
import itertools, re, sys, tarfile
def split(name):
    m = re.match(r"^((?:.*/|)[^.]+)[.]([^/]*)$", name)
    return m.groups() if m else (name, "")
for path in sys.argv[1:]:
    members = tarfile.open(path, "r|").getmembers()
    assert all(m.isreg() and not m.issparse() for m in members), path
    for key, of in itertools.groupby((split(m.name) for m in members), lambda s: s[0]):
        print(path, key, " ".join(ext for _, ext in of))
PY
samples()
{
	python3 samples.py "$@"
}

# shards WANT PREFIX: which there are
shards()
{
	[ "$(echo "$2"-*)" = "$1" ]
}

# wants TEXT...: what samples() is to print
wants()
{
	diff <(printf '%s\n' "$@") <(samples s-*.tar)
}

# hidden DIR: what a run may have left there
hidden()
{
	find "$1" -name '.dsfs.*'
}

# A directory and other names sort between the files of "a"; keys are not names.
mkdir -p tree/a.d tree/a tree/n
for f in a.cls a.d/x.jpg a.jpg a-b.jpg a.d/x.cls a/y.jpg n/README n/.hid n/z.tar.gz n/z.b; do
	echo "$f" >"tree/$f"
done
"$mkfs" -q tree.dsfs tree
exits 'shards' 0 "$dsfs" shards tree.dsfs s
check 'shards: what it says' grep -qx '1 shard, 7 samples, 10 files, 11.0 KiB' "$out"
check 'shards: no message' test ! -s "$err"
check 'shards: files of a key are adjacent, keys in their order' wants \
	's-000000.tar a cls jpg' 's-000000.tar a-b jpg' 's-000000.tar a.d/x cls jpg' \
	's-000000.tar a/y jpg' 's-000000.tar n/ hid' 's-000000.tar n/README ' \
	's-000000.tar n/z b tar.gz'
check 'shards: mode of the umask' test "$(stat -c %a s-000000.tar)" = \
	"$(printf '%o' $((0666 & ~0$(umask))))"

# Shards have whole seconds: those of stat(2), which are rounded down.
mkdir old
touch -d '1969-12-31 23:59:57.5 UTC' old/a.txt
"$mkfs" -q old.dsfs old
"$dsfs" shards old.dsfs old >/dev/null
check 'shards: a time before 1970' grep -q ' 1969-12-31 23:59:57 a.txt' \
	<(TZ=UTC tar --full-time -tvf old-000000.tar)

# --- how large.  A member of a few bytes takes a kilobyte, the end of an archive one more.
rm s-*
mkdir -p nothing/dir
"$mkfs" -q none.dsfs nothing
says 'no file: no shard' 1 'none: no shard made: no regular file in the image' \
	"$dsfs" shards none.dsfs none
says 'a pattern of a directory without one: no shard' 1 'no regular file is selected' \
	"$dsfs" shards none.dsfs none dir
exits '--size' 0 "$dsfs" shards --size=4K tree.dsfs s
check '--size: what is where' wants \
	's-000000.tar a cls jpg' 's-000000.tar a-b jpg' 's-000001.tar a.d/x cls jpg' \
	's-000001.tar a/y jpg' 's-000002.tar n/ hid' 's-000002.tar n/README ' \
	's-000003.tar n/z b tar.gz'
check '--size: none is larger' test -z "$(find . -name 's-*' -size +4096c)"
rm s-*
says '--size: of one sample' 0 's: warning: 2 shards above 2.0 KiB, of one sample each: first s-000000.tar' \
	bash -c "'$dsfs' shards --size=2K tree.dsfs s '/[a].*' >&2"
check '--size: of one sample: it is whole' wants \
	's-000000.tar a cls jpg' 's-000001.tar a.d/x cls jpg'
rm s-*
exits '--samples' 0 "$dsfs" shards --samples=3 --json tree.dsfs s
check '--samples: --json' holds '[s["samples"] for s in d["shards"]] == [3, 3, 1] and
	d["samples"] == 7 and d["files"] == 10 and d["large"] == 0 and
	[s["name"] for s in d["shards"]] == ["s-00000%d.tar" % n for n in range(3)]'
check '--samples: --json: bytes' holds \
	"d['bytes'] == $(cat s-* | wc -c) and d['shards'][2]['bytes'] == $(stat -c %s s-000002.tar)"

rm s-*
printf '%s\n' n/z ./a.jpg /a/none.jpg /a/y.jpg n/z.b >order
says '--order' 0 'order: warning: entry 3: /a/none.jpg: no sample of the image' \
	bash -c "'$dsfs' shards --order=order tree.dsfs s >&2"
check '--order: what comes first' wants \
	's-000000.tar n/z b tar.gz' 's-000000.tar a cls jpg' 's-000000.tar a/y jpg' \
	's-000000.tar a-b jpg' 's-000000.tar a.d/x cls jpg' 's-000000.tar n/ hid' \
	's-000000.tar n/README '
cp s-000000.tar ordered
rm s-*
tr '\n' '\0' <order >order0
exits '--order=- -0' 0 bash -c "'$dsfs' shards --order=- -0 tree.dsfs s <order0"
check '--order=- -0: the same bytes' cmp ordered s-000000.tar
rm s-*
seq 9 >order
exits '--order: of nothing that is there' 0 "$dsfs" shards --order=order tree.dsfs s
check '--order: of nothing that is there: five are named, and all counted' \
	test "$(tail -n 2 "$err")" = 'dsfs shards: order: warning: entry 5: 5: no sample of the image
dsfs shards: order: warning: 9 entries: no sample of the image'
rm s-*

# --- a file of several names, holes, long names, times; what is no file
mkdir -p odd/d "odd/$(printf '%0200d' 0)"
seq 1000 >odd/a.txt
ln odd/a.txt odd/d/b.txt
truncate -s 200K odd/holes.bin
echo end >>odd/holes.bin
echo long >"odd/$(printf '%0200d/%0200d' 0 1).x"
touch -d @-5.25 odd/d
touch -d @1000000000.5 odd/a.txt
ln -s a.txt odd/link.txt
mkfifo odd/pipe
"$mkfs" -q odd.dsfs odd
says 'odd files' 0 'odd.dsfs: warning: 2 objects left out: neither file nor directory' \
	bash -c "'$dsfs' shards --samples=1 odd.dsfs s >&2"
check 'odd files: Python' wants "s-000000.tar $(printf '%0200d/%0200d' 0 1) x" \
	's-000001.tar a txt' 's-000002.tar d/b txt' 's-000003.tar holes bin'
rm s-*

# --- what is bad: its sample is left out, and the others are there
mkdir -p bad
for f in 1.a 1.b 2.a 2.b 3.a; do
	{ seq 1000; echo $f; } >"bad/$f"
done
# More than what comes behind it, which does not write over all of it
seq 9000 >>bad/2.a
"$mkfs" -q bad.dsfs bad
flip bad.dsfs "$(data_of bad.dsfs /2.b)"
says 'a bad file' 1 '/2.b: content: data checksum' "$dsfs" shards bad.dsfs s
check 'a bad file: what is left out' grep -qx \
	'dsfs shards: s: 1 sample left out: a file is bad' "$err"
check 'a bad file: the others are there' wants 's-000000.tar 1 a b' 's-000000.tar 3 a'
"$mkfs" -q -f good.dsfs bad
rm bad/2.* s-*
"$mkfs" -q -f rest.dsfs bad
"$dsfs" shards rest.dsfs rest >/dev/null
flip good.dsfs "$(data_of good.dsfs /2.b)"
run "$dsfs" shards good.dsfs s
check 'a bad file: nothing of its sample' cmp s-000000.tar rest-000000.tar
rm s-* rest-*
flip rest.dsfs "$(data_of rest.dsfs /1.b)"
flip rest.dsfs "$(data_of rest.dsfs /3.a)"
exits 'nothing but bad files' 1 "$dsfs" shards rest.dsfs s
check 'nothing but bad files: no shard' shards 's-*' s
check 'nothing but bad files: nothing hidden' test -z "$(hidden .)"

# --- the target
touch s-000007.tar s-12.tar
says 'a shard of another run' 1 's: s-000007.tar exists' "$dsfs" shards tree.dsfs s
check 'a shard of another run: nothing is written' shards 's-000007.tar s-12.tar' s
rm s-*
rows <<'T'
no such directory|1|none/: open: No such file|dsfs shards tree.dsfs none/s
no directory|1|order/: open: Not a directory|dsfs shards tree.dsfs order/s
no name|1|tree/: no name for shards|dsfs shards tree.dsfs tree/
a long name|1|: a name of 231 bytes: the limit is 230|dsfs shards tree.dsfs "$(printf %0231d)"
T
limited()
(
	ulimit -f 8
	exec "$dsfs" shards --samples=1 odd.dsfs s
)
says 'no space for a shard' 1 's: s-000003.tar: write: File too large' limited
check 'no space for a shard: complete ones stay' shards \
	's-000000.tar s-000001.tar s-000002.tar' s
check 'no space for a shard: nothing hidden' test -z "$(hidden .)"
rm s-*
says 'a pattern that matches nothing' 1 '/none: matches nothing' \
	"$dsfs" shards tree.dsfs s /none
check 'a pattern that matches nothing: no shard' shards 's-*' s

finish
