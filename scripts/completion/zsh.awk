# SPDX-License-Identifier: GPL-2.0
#
# The table of options.awk as a function for zsh' compsys.

# escaped(TEXT): within a specification of _arguments, in single quotes
function escaped(text)
{
	gsub(/\\|\[|\]|:/, "\\\\&", text)
	gsub(/'/, "'\\''", text)
	return text
}

# action(ARGUMENT): what completes a value
function action(argument)
{
	if (argument ~ /FILE$/)
		return "_files"
	if (argument == "DIR")
		return "_directories"
	if (argument ~ /^[a-z]+(\|[a-z]+)+$/) {
		gsub(/\|/, " ", argument)
		return "(" argument ")"
	}
	if (argument == "OPTIONS" && mounts != "")
		return "_values -s , option" mounts
	return " "
}

# specification(I, COMMAND): option I as _arguments wants it
function specification(i,	count, word, all, value, j)
{
	count = split(names[i], word, " ")
	value = arguments[i]
	for (j = 1; j <= count; j++) {
		all = all (all ? "," : "") word[j]
		# The value follows in the same word or the next, or only behind =
		if (value ~ /^\[/ && word[j] ~ /^--/)
			all = all "=-"
		else if (value != "")
			all = all (word[j] ~ /^--/ ? "=" : "+")
	}
	if (count > 1)
		all = "'(" names[i] ")'{" all "}"
	all = all "'[" escaped(texts[i]) "]"
	if (value ~ /^\[/)
		all = all "::" escaped(substr(value, 2, length(value) - 2)) ": "
	else if (value != "")
		all = all ":" escaped(value) ":" action(value)
	return "\t\t" all "'"
}

function arguments_of(command,	i)
{
	for (i = 1; i <= n; i++)
		if (of[i] == command)
			print specification(i) " \\"
}

BEGIN {
	FS = "\t"
}

$2 == "command" {
	command_names[++c] = $3
	command_texts[c] = $5
}

$2 == "mount" {
	mounts = mounts " \"" $3 ($4 != "" ? "[" $4 "]:" $4 ":" : "") "\""
}

$2 == "option" && !seen[$1 SUBSEP $3]++ {
	of[++n] = $1
	names[n] = $3
	arguments[n] = $4
	texts[n] = $5
}

END {
	# FUSE's own -o, of which only the words are told
	if (mounts != "") {
		of[++n] = ""
		names[n] = "-o"
		arguments[n] = "OPTIONS"
		texts[n] = "options"
	}
	print "#compdef " name
	print "# zsh completion of " name ", made of its --help by scripts/completions"
	print ""
	if (!c) {
		print "_arguments -s -S \\"
		arguments_of("")
		print "\t\t'*:file:_files'"
		exit
	}
	print "local context state state_descr line"
	print "typeset -A opt_args"
	print ""
	print "_arguments -C -s -S -A '-*' \\"
	arguments_of("")
	print "\t\t'1:command:((\\"
	for (i = 1; i <= c; i++)
		print "\t\t\t" command_names[i] "\\:\"" escaped(command_texts[i]) "\"\\"
	print "\t\t))' \\"
	print "\t\t'*::argument:->argument' && return"
	print "[[ $state == argument ]] || return 1"
	print "case $words[1] in"
	for (i = 1; i <= c; i++) {
		print command_names[i] ")"
		print "\t_arguments -s -S \\"
		arguments_of(command_names[i])
		print "\t\t'*:file:_files' ;;"
	}
	print "esac"
}
