#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# release.sh - scripts/release in a clone: what is refused leaves nothing, what is made has the
# version everywhere.
set -euo pipefail
. "$(dirname "$0")/cases"

if [ ! -w "$top" ] || [ ! -e "$top/.git" ]; then
	skip 'release' 'no checkout of git here'
	finish
fi
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org RELEASE_CHECK=true
git -c safe.directory="$top/.git" clone -q "$top" clone
cd clone
old=$(scripts/source-archive version)
sed -i '0,/^## .*/s//## 98.7.6, unreleased\n\n- A thing that is\n  new: `a`.\n- Another.\n\n&/' CHANGELOG.md
git commit -qam 'a section'
head=$(git rev-parse HEAD)

unchanged()
{
	[ "$(git rev-parse HEAD)" = "$head" ] && [ -z "$(git status --porcelain)" ] &&
		! git rev-parse -q --verify v98.7.6
}

rows <<'T'
release: no version|2||scripts/release
release: a name|1|x: not a version|scripts/release x
release: an older version|1|0.0.1: not above|scripts/release 0.0.1
release: no section|1|CHANGELOG.md: begins with|scripts/release 98.7.7
release: what is not committed|1|not committed|touch a; scripts/release 98.7.6; s=$?; rm a; test $s -eq 0
release: tests fail|1|tests failed|RELEASE_CHECK=false scripts/release 98.7.6
make release: no version|2|which one?|make release
T
check 'release: nothing is left of it' unchanged
exits 'release' 0 make release VERSION=98.7.6
check 'release: a tag of all that is there' test "$(git rev-parse 'v98.7.6^{commit}')" = "$(git rev-parse HEAD)"
check 'release: committed' test -z "$(git status --porcelain)"
check 'release: the version is everywhere' test -z "$(git grep -lF "$old" -- \
	':!CHANGELOG.md' ':!packaging/debian/changelog' ':!*.symbols' ':!packaging/rpm')"
check 'release: the section has a date' grep -qx "## 98.7.6, $(date -u +%Y)-..-.." CHANGELOG.md
check 'release: items in the changelog of the package' grep -qx '  \* A thing that is new: `a`\.' \
	packaging/debian/changelog
finish
