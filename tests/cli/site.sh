#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# site.sh - the documents as a site (`make docs`): it is made without a warning, links lead to
# pages and files, and a link to nothing is an error.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
command -v sphinx-build >/dev/null || { skip 'the site' 'no Sphinx'; finish; exit 0; }

# site DOCUMENTS: in ./site
site()
{
	rm -rf site
	sphinx-build -q -W --keep-going -b html -d doctrees "$1" site
}

# Each link of a page to another page or file, and each picture, is there.
nothing_is_lost()
{
	python3 - site <<'PY'
import html.parser, pathlib, sys, urllib.parse
top, bad, seen = pathlib.Path(sys.argv[1]), [], 0

class Links(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        global seen
        for key, value in attrs:
            uri = urllib.parse.urlparse(value or "")
            if key in ("href", "src") and uri.path and not uri.scheme and not uri.netloc:
                seen += 1
                if not (self.page.parent / uri.path).exists():
                    bad.append(f"{self.page}: {value}")

for page in top.rglob("*.html"):
    links = Links()
    links.page = page
    links.feed(page.read_text())
for lost in bad:
    print("#", lost)
sys.exit(bool(bad) or seen < 500)
PY
}

# with_link TARGET: two documents, with a link from one
with_link()
{
	rm -rf other
	mkdir other
	cp "$top/Documentation/conf.py" other
	printf 'First\n=====\n\nA `link`_.\n\n.. _link: %s\n' "$1" >other/index.rst
	printf 'Second\n======\n\nText.\n' >other/second.rst
	run site other
}

exits 'the site is made' 0 site "$top/Documentation"
check 'without a warning' test ! -s "$err"
for page in "$top"/Documentation/*.rst; do
	name=$(basename "$page" .rst)
	check "it has $name" test -s "site/$name.html"
done
check 'links lead somewhere' nothing_is_lost
check 'files that are linked to are with it' cmp site/testing/rbd.txt "$top/Documentation/testing/rbd.txt"
with_link nowhere.rst
check 'a link to no file is an error' test "$rc" -ne 0
check 'a message names it' grep -q 'no such file: nowhere.rst' "$err"
with_link 'second.rst#third'
check 'a link to no place is an error' test "$rc" -ne 0
with_link 'second.rst#second'
check 'a link to a place is none' test "$rc" -eq 0
check 'and leads to a page' grep -q 'href="second.html#second"' site/index.html
finish
