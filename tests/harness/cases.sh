# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC3043 # local: every shell that it is for has it
#
# cases.sh - the harness of all tests written in shell; to be sourced.
#
# A case is one line, "ok - NAME" or "not ok - NAME", which tests/check counts; lines
# that begin with # are comments, and a case that failed has its reasons in front of it.
# The file is for busybox' ash as much as for bash, since guests have no other shell:
# besides `local` it uses nothing that POSIX does not have.  What is local here is seen by
# the commands that are called, hence names that no test uses.
#
#   prog		what stands in front of a case's name, before a colon; may be empty
#   told failed		how many cases were told; 1 as soon as one failed, else 0
#   work		a folder that goes away at the end, after work_dir
#   out err rc		what the last `run` wrote to stdout and stderr, and its exit status

prog=${prog-}
told=0
failed=0
ran=
rc=0

# --- one case ---------------------------------------------------------------

# comment TEXT: what a reader of the log may want to know
comment()
{
	echo "# $*"
}

# as_comments [COUNT]: of what comes in, the first lines (20), none of them endless.
# It reads to the end: a writer that meets a closed pipe is killed, and under pipefail
# that is a failure of the script.
as_comments()
{
	awk -v most="${1:-20}" 'NR <= most { print "# " substr($0, 1, 300) }'
}

ok()
{
	told=$((told + 1))
	echo "ok - ${prog:+$prog: }$*"
}

not_ok()
{
	told=$((told + 1))
	failed=1
	echo "not ok - ${prog:+$prog: }$*"
}

# skip NAME WHY: a case that cannot be tried here
skip()
{
	told=$((told + 1))
	echo "ok - ${prog:+$prog: }$1 # skip: $2"
}

# result NAME STATUS: a case that was decided before
result()
{
	if [ "$2" -eq 0 ]; then
		ok "$1"
		return
	fi
	if [ -n "$ran" ]; then
		as_comments 10 <"$out" | sed 's/^# /# stdout: /'
		as_comments 10 <"$err" | sed 's/^# /# stderr: /'
		comment "exit $rc"
	fi
	not_ok "$1"
}

# check NAME CMD...: CMD has to succeed.
check()
{
	local case_name="$1"

	shift
	if "$@"; then
		ok "$case_name"
	else
		comment "failed: $*"
		result "$case_name" 1
	fi
}

# --- commands whose output is looked at: after work_dir ---------------------

run()
{
	ran=1
	rc=0
	"$@" >"$out" 2>"$err" || rc=$?
}

# exits NAME STATUS CMD...: CMD has to end with STATUS, whatever it says.
exits()
{
	local case_name="$1" case_want="$2"

	shift 2
	run "$@"
	result "$case_name" $((rc != case_want))
}

# works NAME CMD...: CMD has to succeed; what it says is shown if it does not.
works()
{
	local case_name="$1"

	shift
	exits "$case_name" 0 "$@"
}

# says NAME STATUS TEXT CMD...: CMD has to end with STATUS and write TEXT to stderr.
says()
{
	local case_name="$1" case_want="$2" case_text="$3"

	shift 3
	run "$@"
	if [ "$rc" -eq "$case_want" ] && grep -qF -- "$case_text" "$err"; then
		ok "$case_name"
	else
		comment "expected: exit $case_want, '$case_text'"
		result "$case_name" 1
	fi
}

# same_file WANT HAVE: the same bytes; shows in what lines they differ.
same_file()
{
	cmp -s "$1" "$2" && return
	diff "$1" "$2" | as_comments
	return 1
}

# --- a whole script ---------------------------------------------------------

# part CMD...: a program that tells cases of its own, and exits non-zero if one failed
part()
{
	"$@" && return
	comment "${1##*/} gave $?"
	failed=1
}

# verdict STATUS [WHAT]: how a guest ended, by the exit status of tests/vm/run or
# tests/uml/run; 1 means that a case failed in it, which it has told.
verdict()
{
	case $1 in
	0)	ok "${2:-kernel log and unload}" ;;
	1)	ok "${2:-kernel log and unload}"
		failed=1 ;;
	126)	not_ok "${2:-kernel log and unload}" ;;
	*)	not_ok "the guest gave $1" ;;
	esac
}

at_exit_all=

# at_exit COMMAND: a line of shell for the end, however it comes; the last one goes first.
at_exit()
{
	at_exit_all="$1
$at_exit_all"
	trap 'eval "$at_exit_all"' EXIT
}

# work_dir: makes $work and what `run` needs.
work_dir()
{
	work=$(mktemp -d) || exit 1
	at_exit 'rm -rf "$work"'
	out=$work/.out
	err=$work/.err
	: >"$out"
	: >"$err"
}

# finish: the end of a script that tells cases.
finish()
{
	exit "$failed"
}
