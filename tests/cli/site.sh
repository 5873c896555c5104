#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# site.sh - the documents as a site (`make docs`): it is made without a warning, links lead to
# pages, places in them and files, a link to nothing is an error, each page is in a group, has a
# title, and can be reached from the first one; the manual pages are among them.
set -euo pipefail
# shellcheck source=tests/cli/cases
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

# Each link of a page to another page or file, to a place in one, and each picture, is there.
# All pages are reached from the first by links; the search and the index are the theme's own.
nothing_is_lost()
{
	python3 - site <<'PY'
import html.parser, os, pathlib, sys, urllib.parse
top, seen = pathlib.Path(sys.argv[1]), 0
ids, links = {}, {}

class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id":
                ids[self.page].add(value)
            uri = urllib.parse.urlparse(value or "")
            if key in ("href", "src") and not uri.scheme and not uri.netloc and (uri.path or uri.fragment):
                links[self.page].append((tag, value, uri))

for path in top.rglob("*.html"):
    page = Page()
    page.page = os.path.relpath(path, top)
    ids[page.page], links[page.page] = set(), []
    page.feed(path.read_text())

bad, reached, todo = [], {"index.html"}, ["index.html"]
for page in links:
    for tag, value, uri in links[page]:
        target = os.path.normpath(os.path.join(os.path.dirname(page), uri.path)) if uri.path else page
        place = urllib.parse.unquote(uri.fragment)
        seen += 1
        if not (top / target).exists() or (place and target in ids and place not in ids[target]):
            bad.append(f"{page}: {value}")
while todo:
    page = todo.pop()
    for tag, value, uri in links[page]:
        target = os.path.normpath(os.path.join(os.path.dirname(page), uri.path)) if uri.path else page
        if tag == "a" and target in links and target not in reached:
            reached.add(target)
            todo.append(target)
lost = set(links) - reached - {"genindex.html", "search.html"}
for line in bad + [f"not reached: {page}" for page in sorted(lost)]:
    print("#", line)
sys.exit(bool(bad) or bool(lost) or seen < 500)
PY
}

# The table of contents: the groups in their order, each page in one of them, once, by a title
# that is not the name of its file.
in_groups()
{
	python3 - site <<'PY'
import html.parser, pathlib, re, sys
top = pathlib.Path(sys.argv[1])

class Contents(html.parser.HTMLParser):
    groups, pages, bad, href, text, caption, inside = [], {}, [], None, "", False, 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "div" and "sidebar-tree" in (attrs.get("class") or ""):
            self.inside = 1
        elif tag == "div" and self.inside:
            self.inside += 1
        if self.inside and tag == "p" and "caption" in (attrs.get("class") or ""):
            self.caption, self.text = True, ""
        elif self.inside and tag == "a":
            self.href, self.text = attrs["href"], ""

    def handle_data(self, data):
        self.text += data

    def handle_endtag(self, tag):
        if tag == "div" and self.inside:
            self.inside -= 1
        if tag == "p" and self.caption:
            self.groups.append(self.text)
            self.caption = False
        elif tag == "a" and self.href:
            if self.href in self.pages:
                self.bad.append(f"{self.href}: twice")
            self.pages[self.href], self.href = self.text.strip(), None

contents = Contents()
contents.feed((top / "index.html").read_text())
bad = contents.bad
if contents.groups != ["Use it", "Look it up", "How it works", "Measured"]:
    bad.append(f"groups: {contents.groups}")
if list(contents.pages)[0] != "quickstart.html":
    bad.append(f"first: {list(contents.pages)[0]}")
there = {str(p.relative_to(top)) for p in top.rglob("*.html")} - {"index.html", "genindex.html", "search.html"}
bad += [f"{page}: in no group" for page in sorted(there - set(contents.pages))]
for page, title in contents.pages.items():
    name = page.removesuffix(".html").rsplit("/")[-1]
    if not title or title in (name, name + ".rst", page) or not re.search(r"[A-Z(]", title):
        bad.append(f"{page}: title: {title}")
for line in bad:
    print("#", line)
sys.exit(bool(bad))
PY
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
for page in "$top"/Documentation/man/*; do
	check "it has ${page##*/}" has_manual "$page"
done
check 'links lead somewhere, and to every page' nothing_is_lost
check 'each page is in a group and has a title' in_groups
check 'a manual page that a document names is a link' \
	grep -q '<a class="reference internal" href="man/mkfs.dsfs.8.html">' site/index.html
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
