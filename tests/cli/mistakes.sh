#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mistakes.sh [--renew] - mistakes.txt: what people type by mistake, and the first line that they
# are told.  --renew prints the table with what is told now, to be looked at.
set -euo pipefail
. "$(dirname "$0")/cases"

mkdir -p tree/sub dir
seq 2000 >tree/a
echo b >tree/sub/b
ln -s a tree/link
echo x >dir/there
"$mkfs" -q image tree
head -c 6000 image >"cut"
echo text >notar
: >empty
head -c 20000 /dev/zero >zeros
tar -cf good.tar --format=ustar --mtime=@1 tree
head -c 3000 good.tar >cut.tar
gzip -k good.tar
printf 'PK\003\004%300s' '' >x.zip
{ printf '%1080s' ''; printf '\123\357%4000s' ''; } >ext4
echo 'no such line' >bad.list
mkfifo fifo

# told COMMAND: "STATUS|MESSAGE", without the place of the work directory
told()
{
	local status=0

	HOME=$work timeout 60 bash -c "$1" </dev/null >/dev/null 2>err || status=$?
	rm -rf new
	printf '%s|%s\n' "$status" "$(sed "s|$work/||g; 1q" err)"
}

# holds_text TEXT COMMAND...: what it writes has TEXT
holds_text()
{
	local written

	written=$("${@:2}" 2>&1) || :
	[ "${written#*"$1"}" != "$written" ]
}

rows=0
while IFS='|' read -r status command message; do
	[ "${status#\#}" = "$status" ] || continue
	rows=$((rows + 1))
	now=$(told "$command")
	if [ "${1:-}" = --renew ]; then
		printf '%s|%s|%s\n' "${now%%|*}" "$command" "${now#*|}"
	elif [ "$now" = "$status|$message" ]; then
		ok "$command"
	else
		not_ok "$command"
		comment "$now" "expected $status|$message"
	fi
done <"$top/tests/cli/mistakes.txt"
[ "${1:-}" != --renew ] || exit 0

# A terminal gets them in colour, unless it or its user wants none.
on_terminal()
{
	env -u NO_COLOR TERM=xterm "$@" python3 -c 'import pty; pty.spawn(["dsfs", "ls", "nowhere"])' </dev/null
}
red=$(printf '\033[31mdsfs ls:\033[m nowhere: open')
check 'in colour on a terminal' holds_text "$red" on_terminal
check 'not with NO_COLOR' not holds_text "$red" on_terminal NO_COLOR=1
check 'with an empty one' holds_text "$red" on_terminal NO_COLOR=
check 'not on a dumb terminal' not holds_text "$red" on_terminal TERM=dumb
check 'not in a file' not grep -q "$(printf '\033')" <(dsfs ls nowhere 2>&1)
check 'there are seventy mistakes and more' test "$rows" -ge 70
finish
