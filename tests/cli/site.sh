#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# site.sh - the documents as a site (`make docs`): it is made without a warning, links lead to
# pages, places in them and files, a link to nothing is an error, each page is in a group, has a
# title, and can be reached from the first one; the manual pages are among them.
set -euo pipefail
. "$(dirname "$0")/cases"
for tool in sphinx-build mandoc; do
	command -v "$tool" >/dev/null || { skip 'the site' "no $tool"; finish; exit 0; }
done

# site DOCUMENTS: in ./site
site()
{
	rm -rf site
	"$top/scripts/site" site "$1"
}

# A manual page: sections with what is in its source, and links to others
has_manual()
{
	local page=site/man/${1##*/}.html name=${1##*/}

	grep -q "<h1>${name%.*}(${name##*.})" "$page" && grep -q '<h2>Synopsis' "$page" &&
		grep -qi '<h2>See also' "$page" && grep -qE '<a href="[a-z_.-]+\.[358]\.html"><b>' "$page"
}

# with_link TARGET: two documents, with a link from one
with_link()
{
	rm -rf other
	mkdir other
	cp -r "$top"/Documentation/{conf.py,site} other
	printf 'First\n=====\n\n%s\n\nA `link`_.\n\n.. _link: %s\n.. _second.rst: second.rst\n' \
		"${2-second.rst_}" "$1" >other/index.rst
	printf 'Second\n======\n\nText.\n' >other/second.rst
	run site other
}

exits 'the site is made' 0 site "$top/Documentation"
check 'without a warning' test ! -s "$err"
for page in "$top"/Documentation/*.rst; do
	name=$(basename "$page" .rst)
	check "it has $name" test -s "site/$name.html"
done
for page in "$top"/Documentation/man/*.[3578]; do
	check "it has ${page##*/}" has_manual "$page"
done
exits 'links lead somewhere, and to every page' 0 "$top/tests/tools/links" site
check 'the first page begins with README' grep -q '<h1>DSFS, a file system' site/index.html
check 'a manual page that a document names is a link' \
	grep -q '<a class="reference internal" href="man/mkfs.dsfs.8.html">' site/training.html
check 'a link to a document has its title' grep -q '>Quick start</a>' site/troubleshooting.html
with_link nowhere.rst
check 'a link to no file is an error' test "$rc" -ne 0
check 'a message names it' grep -q 'no such file: nowhere.rst' "$err"
with_link 'second.rst#third'
check 'a link to no place is an error' test "$rc" -ne 0
with_link 'second.rst#second'
check 'a link to a place is none' test "$rc" -eq 0
with_link site/site.css
check 'a file that is linked to is with it' cmp site/site/site.css "$top/Documentation/site/site.css"
with_link second.rst 'No other link.'
check 'a page in no group is an error' test "$rc" -ne 0
check 'a message names it, too' grep -q 'second.rst: in no section' "$err"
with_link 'second.rst#second'
check 'and leads to a page' grep -q 'href="second.html#second"' site/index.html
finish
