# SPDX-License-Identifier: GPL-2.0
#
# The lines of a usage text that tell options or commands, as a table:
#
#	COMMAND		of which it is, from the caller; empty for the tool itself
#	KIND		option, mount (behind -o) or command
#	NAMES		with blanks between them
#	ARGUMENT	the word that stands for it; [WORD] if it may be left out
#	TEXT		of the first line
#
# An option is told in a line that is indented and begins with it; what stands behind two
# blanks, or behind a word that is no option and no name of a value, is text.

function tell(kind, names, argument, text)
{
	sub(/^ +/, "", text)
	sub(/^ /, "", names)
	printf "%s\t%s\t%s\t%s\t%s\n", command, kind, names, argument, text
}

BEGIN {
	long_option = "^--[a-z][-a-z]*"
}

# What stands behind them is typed, and tells nothing new.
/^Examples:$/ {
	exit
}

# The title of a group of commands
/^[A-Z][a-z ]+:$/ {
	commands = 1
	next
}

commands && /^  [a-z]+ / {
	word = $1
	text = $0
	sub(/^ +[a-z]+ +/, "", text)
	tell("command", word, "", text)
	next
}

/^$/ {
	commands = 0
}

# -o NAME=VALUE, OTHER=VALUE  text
/^ +-o [a-z_]+/ {
	rest = $0
	sub(/^ +-o /, "", rest)
	while (match(rest, /^[a-z_]+(=[^ ,]+)?/)) {
		word = substr(rest, 1, RLENGTH)
		rest = substr(rest, RLENGTH + 1)
		value = ""
		if (index(word, "=")) {
			value = substr(word, index(word, "=") + 1)
			sub(/=.*/, "", word)
		}
		names[++n] = word
		values[n] = value
		if (!sub(/^, /, "", rest))
			break
	}
	for (i = 1; i <= n; i++)
		tell("mount", names[i], values[i], rest)
	n = 0
	next
}

# Not the second line of a text that has an option
/^  (    )?-/ {
	rest = $0
	sub(/^ +/, "", rest)
	all = argument = ""
	for (;;) {
		if (match(rest, long_option)) {
			all = all " " substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
			if (match(rest, /^\[=[^ \]]+\]/)) {
				argument = "[" substr(rest, 3, RLENGTH - 3) "]"
				rest = substr(rest, RLENGTH + 1)
			} else if (match(rest, /^=[^ ]+/)) {
				argument = substr(rest, 2, RLENGTH - 1)
				rest = substr(rest, RLENGTH + 1)
			}
		} else if (match(rest, /^-[A-Za-z0-9]/)) {
			all = all " " substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
			if (match(rest, /^ [A-Z]+ /)) {
				argument = substr(rest, 2, RLENGTH - 2)
				rest = substr(rest, RLENGTH)
			}
		}
		if (!sub(/^, /, "", rest))
			break
	}
	tell("option", all, argument, rest)
}
