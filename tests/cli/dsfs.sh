#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dsfs.sh - dsfs and its commands: options, messages, exit codes, reports, and orders.
# What they do to a mount is tested in a guest: tests/guest/tool.sh.
set -euo pipefail
. "$(dirname "$0")/cases"

mkdir -p tree/a tree/b 'tree/new
line'
for i in {1..40}; do
	head -c $((i * 700)) /dev/zero >"tree/a/$i"
	echo "$i" >"tree/b/$i"
done
echo x >'tree/new
line/x'
ln tree/a/7 tree/b/more
ln -s a/7 tree/link
: >tree/empty
find tree -type f ! -name more | LC_ALL=C sort >files
find tree -type f ! -name more -print0 >files0
count=$(tr -dc '\0' <files0 | wc -c)
bytes=$(xargs -0 stat -c %s <files0 | awk '{ n += $1 } END { print n }')

exits 'dsfs --help' 0 "$dsfs" --help
exits 'dsfs help' 0 "$dsfs" help

# --- warmup
exits 'warmup' 0 "$dsfs" warmup tree
check 'warmup: says how many files' grep -q "^$count of $count files" "$out"
exits 'warmup --json' 0 "$dsfs" warmup --json tree
check 'warmup --json: files, those of two names once' holds "d['files'] == d['files_done'] == $count"
check 'warmup --json: bytes' holds "d['bytes'] == $bytes"
check 'warmup --json: all of it was in memory' holds "d['cached_bytes'] in (None, $bytes)"
check 'warmup --json: no error' holds "d['errors'] == 0 and d['interrupted'] is False"
exits 'warmup --filelist --null' 0 "$dsfs" warmup --json -0 --filelist=files0
check 'warmup --filelist --null: files' holds "d['files'] == $count and d['bytes'] == $bytes"
exits 'warmup --filelist=-' 0 bash -c "'$dsfs' warmup --json -0 --filelist=- <files0"
check 'warmup --filelist=-: files' holds "d['files'] == $count"
exits 'warmup: a list and a path' 0 "$dsfs" warmup --json --filelist=<(echo tree/a/1) tree/b
check 'warmup: a list and a path: files' holds "d['files'] == 42"
exits 'warmup -q' 0 "$dsfs" warmup -q tree
check 'warmup -q says nothing' test ! -s "$out" -a ! -s "$err"
exits 'warmup through a link' 0 "$dsfs" warmup --json tree/link
check 'warmup through a link: the file' holds "d['files'] == 1 and d['bytes'] == 4900"
says 'warmup: what is not there is named' 1 'nowhere: No such file' "$dsfs" warmup --json nowhere tree
check 'warmup: and the rest is read' holds "d['files_done'] == $count and d['errors'] == 1"
says 'warmup: no such list' 1 'nowhere: cannot open' "$dsfs" warmup --filelist=nowhere
printf 'tree/a/1\r\ntree/a/2\ntree/Icon\r\n' >crlf
echo icon >$'tree/Icon\r'
for command in warmup readahead order; do
	says "$command: line ends of Windows" 1 'tree/a/1\015: No such file' \
		"$dsfs" $command --filelist=crlf
	check "$command: line ends of Windows: it is said" \
		grep -q 'it ends in a carriage return$' "$err"
	check "$command: a name that ends in a carriage return" test "$(wc -l <"$err")" = 1
done
rm $'tree/Icon\r'
exits 'warmup: a list with NULs is known by them' 0 "$dsfs" warmup --json --filelist=files0
check 'warmup: a list with NULs: files' holds "d['files'] == $count"
if [ "$(id -u)" -eq 0 ]; then
	chmod 711 "$work"
	mkdir -m 755 others
	echo secret >others/secret
	chmod 600 others/secret
	says 'warmup as a user: what cannot be read is named' 1 'others/secret: Permission denied' \
		"${user[@]}" "$dsfs" warmup --json others
	check 'warmup as a user: it is counted' holds "d['errors'] == 1 and d['files_done'] == 0"
	# Some containers have a /dev/null that a user may not write to.
	exits 'warmup: /dev/null is not for writing' 0 unshare --mount sh -c '
		mknod -m 644 "$1/null" c 1 3 && mount --bind "$1/null" /dev/null && shift &&
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' \
		sh "$work" "$dsfs" warmup --json tree
	check 'warmup: it reads all the same' holds "d['errors'] == 0 and d['files_done'] == $count and d['bytes'] == $bytes"
fi

# Stopped while it reads the list, which is a pipe that nobody writes to.
mkfifo pipe
exec 5<>pipe
for command in warmup readahead; do
	"$dsfs" $command --json --filelist=pipe >"$out" 2>"$err" 5<&- &
	pid=$!
	# Then it listens to signals.
	until [ "$(readlink /proc/$pid/exe)" = "$dsfs" ] &&
		readlink /proc/$pid/fd/* | grep -x "$work/pipe" >/dev/null; do :; done
	kill -TERM $pid
	rc=0
	wait $pid || rc=$?
	check "$command: stopped, it ends by that signal" test $rc = 143
	check "$command: and says so" holds "d['interrupted'] is True and d['files'] == 0"
	check "$command: and nothing else" test ! -s "$err"
done
exec 5<&-
# A shell that starts something in the background has it ignore ^C.
exits 'trace: no such directory' 1 "$dsfs" trace nowhere
exits 'trace: no directory' 1 "$dsfs" trace files

# --- readahead
exits 'readahead' 0 "$dsfs" readahead --filelist=files0 -0 --json
check 'readahead: files' holds "d['files'] == $count and d['bytes'] == $bytes and not d['limit_reached']"
exits 'readahead --limit' 0 "$dsfs" readahead -j1 --limit=2000 --json --filelist=<(printf 'tree/a/1\ntree/a/2\ntree/b/1\n')
check 'readahead --limit: no more than that' holds "d['files'] == 1 and d['bytes'] == 700 and d['limit_reached']"
exits 'readahead: the limit is the memory' 0 "$dsfs" readahead --json --filelist=/dev/null
check 'readahead: the limit is the memory: it is told' holds "d['limit'] > 0"
exits 'readahead: no limit for a pipe' 0 bash -c "'$dsfs' readahead --json --filelist=- </dev/null"
check 'readahead: no limit for a pipe: it is told' holds "d['limit'] == 0"
says 'readahead: a directory' 1 'tree: Is a directory' "$dsfs" readahead --filelist=<(echo tree)
says 'readahead: what is not there' 1 'nowhere: No such file' "$dsfs" readahead --filelist=<(echo nowhere)

# --- order
sorted()
{
	LC_ALL=C sort -z "$1"
}

# orders NAME OPTION...: each file once, in an order that is left in the file "order"
orders()
{
	exits "order $*" 0 "$dsfs" order -0 "$@"
	cp "$out" order
	check "order $*: each file once" cmp <(sorted order) <(sorted files0)
}

windows=(--buffer=20K --range=4K tree)
orders --seed=5 "${windows[@]}"
cp order first
orders --seed=6 "${windows[@]}"
check 'order: another seed, another order' not cmp -s first order
orders --filelist=files0
orders --sorted tree
orders --buffer=all tree
mkdir none
exits 'order of an empty tree' 0 "$dsfs" order none
exits 'order of nothing' 0 "$dsfs" order --filelist=/dev/null
check 'order of nothing is nothing' test ! -s "$out"
finish
