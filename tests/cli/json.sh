#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# json.sh - the keys of what the tools print as JSON are those of their manual pages, each
# of them: a script is written after the page.
set -euo pipefail
. "$(dirname "$0")/cases"
prog=json

# keys FILE...: of the documents in them, a line each; not of objects whose keys are data
keys()
{
	python3 - "$@" <<'PY'
import json, sys

def keys(d):
    if isinstance(d, list):
        for v in d:
            yield from keys(v)
    elif isinstance(d, dict):
        for k, v in d.items():
            yield k
            if k not in ("kinds", "xattrs"):
                yield from keys(v)

found = set()
for path in sys.argv[1:]:
    found.update(keys(json.load(open(path))))
print(*sorted(found), sep="\n")
PY
}

# listed PAGE...: the words in bold or italics in which keys are told: those of the section
# JSON, of paragraphs that begin with --json, and of the option
listed()
{
	(cd "$top/Documentation/man" && python3 - "${@/%/.8}") <<'PY'
import re, sys
text = "".join(open(page).read() for page in sys.argv[1:])
parts = re.findall(r"^\.SH JSON\n(.*?)^\.SH ", text, re.M | re.S)
parts += re.findall(r"^With\n\.B \\-\\-json\n(.*?)^\.(?:PP|TP|SH|BI)", text, re.M | re.S)
parts += re.findall(r"^\\fB\\-\\-json\\fR\n(.*?)^\.(?:TP\n\\f|SH)", text, re.M | re.S)
words = set()
for part in parts:
    for line in re.findall(r"^\.(?:B|I|BR|IR) (.*)$", part, re.M):
        words.update(re.findall(r"(?<![-\\\w./=])[a-z][a-z0-9_]*\b(?![./\\-])", line))
print(*sorted(words - {"and", "or"}), sep="\n")
PY
}

# says_nothing COMMAND...: what it prints all the same is told
says_nothing()
{
	local said

	said=$("$@")
	[ -z "$said" ] || { echo "# ${said//$'\n'/ }"; return 1; }
}

# told PAGES FILE...: the pages have the keys of the documents, and no others
told()
{
	local page=$1

	shift
	keys "$@" >printed
	# shellcheck disable=SC2086 # several pages
	listed $page >told
	check "$page: what is printed is told" says_nothing comm -23 printed told
	check "$page: what is told is printed" says_nothing comm -13 printed told
}

mkdir -p tree/dir
echo a >tree/a
ln tree/a tree/b
truncate -s 300K tree/holes
echo end >>tree/holes
ln -s a tree/symlink
mkfifo tree/pipe
"$mkfs" --json --digest x.img tree >mkfs.new
"$mkfs" -n --json x.img tree >mkfs.plan
"$mkfs" -n --compress=lz4 --json none.img tree >mkfs.compress-plan
"$dsfs" digest --json tree >digest.tree
echo new >tree/new
"$dsfs" update -n --json x.img tree >update.plan
"$dsfs" update --json x.img tree >update.made
"$dsfs" compact -f --json x.img y.img >compact.made
"$dsfs" compact -n --json x.img >compact.plan
"$dsfs" compact -f --keep=2 --json x.img kept.img >compact.keep
"$dsfs" update -q kept.img tree
"$dsfs" compact -n --keep=2 --json kept.img >compact.keep-plan
tar -C tree -cf x.tar .
"$mkfs" --json --tar=x.tar z.img >mkfs.tar
"$mkfs" --json --tar-index --tar=x.tar index.img >mkfs.tar-index
told mkfs.dsfs mkfs.*
told 'mkfs.dsfs dsfs-update' mkfs.* update.*
told 'mkfs.dsfs dsfs-update dsfs-compact' mkfs.* update.* compact.*

cp x.img bad.img
flip bad.img 1100
show()
{
	shown=$((shown + 1))
	"$dump" --json "$@" >"dump.$shown"
}
shown=0
show x.img
"$dump" --json bad.img >dump.bad || true
for option in --regions --generations --generation=1 --inode=/a --inode=/symlink \
		--inode=/holes --dir=1 --extents=/holes; do
	show "$option" x.img
done
# what needs privileges, or a file system that has it
more='{"rdev": "1:3", "xattrs": {}}'
echo "$more" >dump.more
told dump.dsfs dump.*
while read -r verb args; do
	# shellcheck disable=SC2086 # several words
	"$dsfs" "$verb" --json $args >"verb.$verb"
	[ "$verb" != ls ] || sed -i "1s/^/[$more,/; \$s/\$/]/; \$!s/\$/,/" verb.ls
	[ "$verb" != digest ] || mv digest.tree verb.digest.tree
	told "dsfs-$verb" "verb.$verb"*
done <<'T'
ls -R x.img
info x.img
digest x.img
diff x.img
shards x.img shard
pieces x.img published
oci published/x.img.list layout
T

flip x.img $(($(data_of x.img /new) + 1))
"$fsck" --json x.img >fsck.1 || true
told fsck.dsfs fsck.*
finish
