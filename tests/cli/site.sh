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

# Each link of a page to another page or file, to a place in one, and each picture, is there.  All
# pages are reached from the first by links; the search and the index are the theme's own.  In the
# table of contents the groups are in their order, and each page is in one of them, once, by a
# title that is not the name of its file.
nothing_is_lost()
{
	python3 - site <<'PY'
import html.parser, os, pathlib, re, sys, urllib.parse
top, bad = pathlib.Path(sys.argv[1]), []
OWN = {"genindex.html", "search.html"}

class Page(html.parser.HTMLParser):
    """Ids and links of a page; groups and titles in its side bar, of which the first page counts."""
    def __init__(self, name):
        super().__init__()
        self.name, self.ids, self.links, self.groups, self.titles = name, set(), [], [], []
        self.depth, self.inside, self.text = 0, None, ""
        self.feed((top / name).read_text())

    def handle_starttag(self, tag, attrs):
        attrs = {key: value or "" for key, value in attrs}
        self.ids.add(attrs.get("id"))
        for value in attrs.get("href", ""), attrs.get("src", ""):
            uri = urllib.parse.urlparse(value)
            if not uri.scheme and not uri.netloc and (uri.path or uri.fragment):
                to = os.path.join(os.path.dirname(self.name), uri.path) if uri.path else self.name
                self.links.append((tag, os.path.normpath(to), urllib.parse.unquote(uri.fragment)))
        if tag == "div" and (self.depth or "sidebar-tree" in attrs.get("class", "")):
            self.depth += 1
        if self.depth and (tag == "a" or "caption" in attrs.get("class", "").split()):
            self.inside, self.text = attrs.get("href", ""), ""

    def handle_data(self, data):
        self.text += data

    def handle_endtag(self, tag):
        self.depth -= tag == "div" and self.depth > 0
        if tag in ("a", "p") and self.inside is not None:
            (self.titles if tag == "a" else self.groups).append((self.inside, self.text.strip()))
            self.inside = None

pages = {name: Page(name) for name in (os.path.relpath(p, top) for p in top.rglob("*.html"))}
for name, page in pages.items():
    bad += [f"{name}: link to {to}#{place}" for _, to, place in page.links if not (top / to).exists()
            or place and to in pages and place not in pages[to].ids]
reached = {"index.html"}
while more := {to for name in reached for tag, to, _ in pages[name].links if tag == "a"} & \
        pages.keys() - reached:
    reached |= more
bad += [f"not reached: {name}" for name in pages.keys() - reached - OWN]
contents = pages["index.html"]
listed = [name for name, _ in contents.titles]
if [text for _, text in contents.groups] != ["Use it", "Look it up", "How it works", "Measured"]:
    bad.append(f"groups: {contents.groups}")
if listed[0] != "quickstart.html" or len(listed) != len(set(listed)):
    bad.append(f"contents: {listed}")
bad += [f"{name}: in no group" for name in pages.keys() - set(listed) - OWN - {"index.html"}]
for name, title in contents.titles:
    own = name.removesuffix(".html").rsplit("/")[-1]
    if title in (own, name, own + ".rst") or not re.search(r"[A-Z(]", title):
        bad.append(f"{name}: title: {title}")
for line in bad:
    print("#", line)
sys.exit(bool(bad) or sum(len(page.links) for page in pages.values()) < 500)
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
