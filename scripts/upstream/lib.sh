# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by who sources this
#
# What the scripts that make series for the kernel share.
#
# To be sourced after tests/lab/lib.sh, by a script that sets repo, a repository of
# the kernel's files that patches touch, out, where the series goes, and src, the source.

author='DSFS developers <dsfs@example.org>'

git_author()
{
	GIT_AUTHOR_NAME=${author% <*} GIT_AUTHOR_EMAIL=dsfs@example.org \
	GIT_COMMITTER_NAME=${author% <*} GIT_COMMITTER_EMAIL=dsfs@example.org \
		git -C "$repo" -c core.hooksPath=/dev/null -c commit.gpgSign=false \
		-c core.autocrlf=false "$@"
}

# put_cover TEXT: what git left open in the cover letter; the first line is the subject.
put_cover()
{
	local cover=$out/0000-cover-letter.patch

	awk -v text="$1" '
		/\*\*\* SUBJECT HERE/ { getline line <text; sub(/\*\*\* SUBJECT HERE \*\*\*/, line) }
		/\*\*\* BLURB HERE/ {
			getline line <text
			while ((getline line <text) > 0)
				print line
			print "\nThe series is made against the source of " release "."
			next
		}
		{ print }
	' release="${src##*/}" "$cover" >"$cover.new"
	mv "$cover.new" "$cover"
}
