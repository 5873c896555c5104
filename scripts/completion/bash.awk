# SPDX-License-Identifier: GPL-2.0
#
# The table of options.awk as a function for bash' complete -F.  It needs nothing of
# bash-completion's own functions, whose names have changed.

function quoted(text)
{
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}

# how(ARGUMENT): in which way a value is completed
function how(argument)
{
	if (argument ~ /FILE$/)
		return "kind=files"
	if (argument == "DIR")
		return "kind=dirs"
	if (argument ~ /^[a-z]+(\|[a-z]+)+$/) {
		gsub(/\|/, " ", argument)
		return "kind=words words=" quoted(argument)
	}
	if (argument == "OPTIONS")
		return "kind=mount"
	return "kind=none"
}

BEGIN {
	FS = "\t"
	function_name = name
	gsub(/[^a-z]/, "_", function_name)
	function_name = "_dsfs_complete_" function_name
}

$2 == "command" {
	commands = commands (commands ? " " : "") $3
}

$2 == "mount" {
	mounts = mounts (mounts ? " " : "") $3 ($4 != "" ? "=" : "")
}

$2 == "option" {
	if (!($1 in options))
		order[++n] = $1
	count = split($3, word, " ")
	if ($1 SUBSEP $3 in seen)
		next
	seen[$1 SUBSEP $3] = 1
	pattern = ""
	for (i = 1; i <= count; i++) {
		last = word[i] ($4 != "" && $4 !~ /^\[/ && word[i] ~ /^--/ ? "=" : "")
		options[$1] = options[$1] (options[$1] ? " " : "") last
		pattern = pattern (pattern ? "|" : "") word[i]
	}
	if ($4 ~ /^\[/)	# Behind = alone: the next word is none of its values.
		cases[$1] = cases[$1] "\t\t" pattern ")\t[ -z \"$equals\" ] || " \
			how(substr($4, 2, length($4) - 2)) " ;;\n"
	else if ($4 != "")
		cases[$1] = cases[$1] "\t\t" pattern ")\t" how($4) " ;;\n"
}

END {
	# FUSE's and mount(8)'s own -o, which has lines but none of its own
	if (mounts) {
		options[""] = options[""] " -o"
		cases[""] = cases[""] "\t\t-o)\tkind=mount ;;\n"
	}
	print "# bash completion of " name ", made of its --help by scripts/completions"
	print ""
	print function_name "()"
	print "{"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}"
	print "\tlocal command='' equals='' kind=files options='' words=''" (mounts ? " word" : "")
	print ""
	print "\t# --option=value is three words"
	print "\tif [ \"$cur\" = = ]; then"
	print "\t\tcur='' equals=1"
	print "\telif [ \"$prev\" = = ] && [ \"$COMP_CWORD\" -ge 2 ]; then"
	print "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]} equals=1"
	print "\tfi"
	if (commands) {
		print "\tif [ \"$COMP_CWORD\" -gt 1 ]; then"
		print "\t\tcommand=${COMP_WORDS[1]}"
		print "\telse"
		print "\t\tkind=words words=" quoted(commands)
		print "\tfi"
	}
	print "\tcase $command in"
	for (i = 1; i <= n; i++) {
		print "\t" (order[i] == "" ? "''" : order[i]) ")"
		print "\t\toptions=" quoted(options[order[i]])
		if (cases[order[i]] != "")
			printf "\t\tcase $prev in\n%s\t\tesac\n", cases[order[i]]
		print "\t\t;;"
	}
	print "\tesac"
	print "\tif [[ $cur == -* ]]; then"
	print "\t\tkind=words words=$options"
	print "\tfi"
	print "\tcase $kind in"
	print "\tfiles)\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
	print "\t\tcompopt -o filenames ;;"
	print "\tdirs)\tmapfile -t COMPREPLY < <(compgen -d -- \"$cur\")"
	print "\t\tcompopt -o filenames ;;"
	print "\twords)\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;"
	if (mounts) {
		print "\tmount)\tword="
		print "\t\t[[ $cur != *,* ]] || word=${cur%,*},"
		print "\t\tmapfile -t COMPREPLY < <(compgen -P \"$word\" -W " quoted(mounts) " -- \"${cur##*,}\")"
		print "\t\tcompopt -o nospace ;;"
	}
	print "\tesac"
	print "\tif [ ${#COMPREPLY[@]} -eq 1 ] && [[ $kind == words && ${COMPREPLY[0]} == *= ]]; then"
	print "\t\tcompopt -o nospace"
	print "\tfi"
	print "}"
	print "complete -F " function_name " " name
}
