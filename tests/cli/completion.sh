#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# completion.sh - what bash and zsh complete for each tool are the options of its --help,
# no more and no less, and values by what they are.
set -uo pipefail
. "$(dirname "$0")/cases"
prog=completion
[ ! -w "$top" ] || make -s -C "$top" completions >&2
shells=$bin/completion
touch file.a 'file b' && mkdir dir

# options_of [COMMAND]: what --help tells in its first column, taken apart in another way
# than scripts/completions does it
options_of()
{
	"$bin/$tool" "$@" --help | sed -n 's/^  *\(-.*\)/\1/p' | sed 's/   *.*//' |
		grep -oE '(^|[ ,])--?[A-Za-z0-9][-a-z]*' | tr -d ' ,' | LC_ALL=C sort -u
}

# bash_offers WORD...: what bash makes of a line whose last word the cursor is behind
bash_offers()
{
	bash -c '
		compopt() { :; }
		. "$1"
		function=$(complete -p "$2" | sed "s/.*-F \([^ ]*\) .*/\1/")
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		$function
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' \
		sh "$shells/bash/$tool" "$@" | LC_ALL=C sort -u
}

# zsh_offers [COMMAND]: the options that zsh is told of
zsh_offers()
{
	zsh -f -c '
		_arguments() {
			[[ $* != *"->argument"* || -z $command ]] || { state=argument; return 1; }
			[[ $1 != -C || -z $command ]] || return 1
			print -rl -- "$@"
			return 1
		}
		command=$2 words=($2)
		. $1' zsh "$shells/zsh/_$tool" "${1:-}" |
		sed -n 's/^\(([^)]*)\)\{0,1\}\(--\{0,1\}[A-Za-z0-9][-a-z]*\)[]=+:[].*/\2/p' |
		LC_ALL=C sort -u
}

# same_options WANTED HAVE
same_options()
{
	[ -n "$1" ] && [ "$1" = "$2" ] && return
	diff <(echo "$1") <(echo "$2") | as_comments
	return 1
}

# one_tool [COMMAND]: both shells know the options of a tool, or of a command of dsfs
one_tool()
{
	local wanted

	wanted=$(options_of "$@")
	check "bash: $tool${1:+ $1}" same_options "$wanted" \
		"$(bash_offers "$tool" "$@" - | tr -d = | LC_ALL=C sort)"
	command -v zsh >/dev/null || { skip "zsh: $tool${1:+ $1}" 'no zsh'; return; }
	check "zsh: $tool${1:+ $1}" same_options "$wanted" "$(zsh_offers "$@")"
}

# offers WANTED WORD...: of bash; WANTED with blanks between them
offers()
{
	check "bash: ${*:2}" same_options "$(tr ' ' '\n' <<<"$1")" "$(bash_offers "${@:2}")"
}

for tool in mkfs.dsfs fsck.dsfs dump.dsfs mount.dsfs dsfs-fuse dsfs; do
	[ -x "$bin/$tool" ] || { skip "$tool" 'it is not built'; continue; }
	one_tool
done
mapfile -t commands < <("$bin/dsfs" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
check 'dsfs has commands' test ${#commands[@]} -gt 4
for command in "${commands[@]}"; do
	one_tool "$command"
done
offers "$(printf '%s\n' "${commands[@]}" | LC_ALL=C sort | paste -sd ' ')" dsfs ''

tool=mkfs.dsfs
offers 'data full' mkfs.dsfs --digest =
offers 'full' mkfs.dsfs --digest = f
offers 'file.a' mkfs.dsfs --order = file.
offers '--one-file-system --order=' mkfs.dsfs --o
check 'bash: a name with a blank' [ "$(bash_offers mkfs.dsfs 'file ')" = 'file b' ]
check 'bash: a size is nothing to complete' [ -z "$(bash_offers mkfs.dsfs --align = '')" ]
tool=dsfs
offers 'file.a' dsfs shards --order = file.
tool='dsfs-fuse'
if [ -x "$bin/$tool" ]; then
	offers 'ro,max_read= ro,max_threads= ro,meta=' dsfs-fuse -o ro,m
fi

# By zsh itself, on a terminal: the key is pressed when there is a prompt.
by_zsh()
{
	timeout 120 zsh -f -c '
		zmodload zsh/zpty
		zpty shell "zsh -f -i"
		zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; PS1=rea; PS1+=dy"
		zpty -r shell said "*ready*" || exit 1
		zpty -n -w shell "mkfs.dsfs --no-d"$'"'\\t'"'
		zpty -r shell said "*edup*"' zsh "$shells/zsh"
}

if command -v zsh >/dev/null; then
	check 'zsh: --no-d is completed' by_zsh
fi
finish
