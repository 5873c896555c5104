#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# harness.sh - the harness tells what is wrong, in each shell that it is used by: a test
# whose failures nobody sees is worth nothing.
set -euo pipefail
. "$(dirname "$0")/cases"

cat >script <<'T'
set -eu
prog=demo
. "$1"
work_dir
echo "$work" >place
at_exit 'echo last >>ends'
at_exit 'echo first >>ends'
shout()
{
	echo out
	echo "told: wrong" >&2
	return 3
}
check 'good' true
check 'bad' false
exits 'a status' 3 shout
exits 'another status' 0 shout
says 'a text' 3 'told: wrong' shout
says 'another text' 3 'told: right' shout
says 'another status with its text' 0 'told: wrong' shout
works 'what works' true
skip 'elsewhere' 'not here'
seq 3 >"$work/a"
seq 4 >"$work/b"
check 'the same file' same_file "$work/a" "$work/a"
check 'another file' same_file "$work/a" "$work/b"
verdict 0
verdict 126
verdict 125
comment "$told told, $failed"
seq 100000 | as_comments 1
finish
T
cat >want <<'T'
ok - demo: good
not ok - demo: bad
ok - demo: a status
not ok - demo: another status
ok - demo: a text
not ok - demo: another text
not ok - demo: another status with its text
ok - demo: what works
ok - demo: elsewhere # skip: not here
ok - demo: the same file
not ok - demo: another file
ok - demo: kernel log and unload
not ok - demo: kernel log and unload
not ok - demo: the guest gave 125
T

# ends_with STATUS TEXT...: a script of the harness and TEXT
ends_with()
{
	local want=$1 got=0

	shift
	printf '%s\n' ". $top/tests/harness/cases.sh" "$@" >short
	$shell short >short.out 2>&1 || got=$?
	[ "$got" -eq "$want" ]
}

for shell in bash 'bash -o pipefail' 'busybox sh' dash; do
	if ! command -v "${shell%% *}" >/dev/null; then
		skip "$shell" 'not here'
		continue
	fi
	rm -f ends
	# shellcheck disable=SC2086 # a command
	exits "$shell: a case that failed is a status" 1 $shell script "$top/tests/harness/cases.sh"
	grep -v '^#' "$out" >have || true
	check "$shell: cases are told" same_file want have
	check "$shell: what a command said is shown" grep -qx '# stderr: told: wrong' "$out"
	check "$shell: and how files differ" grep -qxE '# (> |[+])4' "$out"
	check "$shell: cases are counted" grep -qx '# 14 told, 1' "$out"
	check "$shell: the folder is gone" test ! -e "$(<place)"
	check "$shell: the last in, the first out" test "$(paste -sd ' ' ends)" = 'first last'
	check "$shell: all good" ends_with 0 'check good true' 'verdict 0' finish
	check "$shell: a guest whose cases failed" ends_with 1 'verdict 1' finish
	check "$shell: a program whose cases failed" ends_with 1 'part false' finish
	check "$shell: a program that passed" ends_with 0 'part true' finish
done

# --- JSON
echo '{"n": 5, "text": "a b", "list": [1, 2]}' >d.json
check 'json: a number' test "$(json 'd["n"]' d.json)" = 5
check 'json: a text' test "$(json 'd["text"]' d.json)" = 'a b'
check 'json: more than that' test "$(json 'd["list"]' d.json)" = '[1, 2]'
check 'json: standard input' test "$(json 'd["n"]' <d.json)" = 5
check 'json: true' holds 'd["n"] == 5 and
	len(d["list"]) == 2' d.json
exits 'json: false' 1 holds 'd["n"] == 6' d.json
exits 'json: nothing of that name' 1 holds 'd["m"] == 6' d.json

# --- tiers
tiers=$top/tests/harness/tiers
check 'tiers: a command' test "$("$tiers" command format)" = tests/format/run
check 'tiers: of a kernel that no list has' test "$("$tiers" command vm-9.9)" = 'tests/check-vm 9.9'
exits 'tiers: no such one' 1 "$tiers" command nonsense
exits 'tests/check: no such tier' 2 "$top/tests/check" nonsense
check 'tests/check --help names all' test "$("$top/tests/check" --help | grep -c '^  [a-z]')" -eq \
	"$(grep -cE '^[a-z].*\|' "$top/tests/tiers")"
while read -r tier; do
	command=$("$tiers" command "$tier")
	check "tiers: $tier is there" test -x "$top/${command%% *}"
done < <("$tiers" list long)
check 'tests/near names what is there' "$top/tests/t" --check
says 'tests/t: no such suite' 2 'nonsense: neither a path nor a tier nor a suite' "$top/tests/t" nonsense
finish
