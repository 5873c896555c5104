# SPDX-License-Identifier: GPL-2.0
"""The documents as a site, by Sphinx: `make docs`.

The documents are plain reStructuredText, which any viewer shows, with links to files.  So
what Sphinx wants beyond that is made here: a table of contents, by the sections of index.rst,
links between pages instead of files, by their titles, and copies of the other files that are
linked to.  A page in no section, and a link to nothing, is a warning, and warnings are errors.
"""
import os
import re
import shutil

from docutils import nodes
from sphinx.util import logging

project = "DSFS"
root_doc = "index"
html_theme = "furo"
html_title = "DSFS"
html_static_path = ["site"]
html_css_files = ["site.css"]
# Blocks are commands and output of many programs: guesses colour them wrongly.
highlight_language = "none"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False

log = logging.getLogger(__name__)
linked = set()


def sections(text):
    """The headings of the index, the pages that each has links to, and what it says."""
    parts = re.split(r"^(.+)\n===+$", text.split("\n.. _", 1)[0], flags=re.M)
    for heading, body in zip(parts[1::2], parts[2::2]):
        yield heading, re.findall(r"`?([\w./-]+)\.rst`?_", body), body


def add_contents(app, docname, source):
    if docname != root_doc:
        return
    # The manual pages are below the page that lists them.
    left = sorted(page for page in app.env.found_docs - {root_doc}
                  if not page.startswith("man/") or page == "man/index")
    trees = ""
    for heading, pages, body in sections(source[0]):
        pages = [page for page in pages if page in left]
        if "manual pages" in body:
            pages += [page for page in left if page == "man/index"]
        left = [page for page in left if page not in pages]
        trees += toctree(heading, pages) if pages else ""
    source[0] += trees
    for page in left:
        log.warning("%s.rst: in no section", page, location=root_doc)


def toctree(caption, pages):
    return (f"\n\n.. toctree::\n   :hidden:\n   :caption: {caption}\n\n" +
            "".join(f"   {page}\n" for page in pages))


def drop_contents(app, doctree):
    """The theme shows the sections of a page beside it."""
    for node in list(doctree.findall(nodes.topic)):
        if "contents" in node["classes"]:
            node.parent.remove(node)
    for title in doctree.findall(nodes.title):
        title.attributes.pop("refid", None)     # which led back to it


def page_link(app, docname, target, fragment, node):
    page = target[:-len(".rst")]
    if fragment and fragment not in app.env.get_doctree(page).ids:
        log.warning("no such place: %s#%s", target, fragment, location=node)
    if node.astext() in (target, os.path.basename(target)):
        node.children = [nodes.inline("", app.env.titles[page].astext())]
    return app.builder.get_relative_uri(docname, page) + (f"#{fragment}" if fragment else "")


def link_manual(app, doctree, docname):
    """Where a manual page is named, a link to it."""
    for node in list(doctree.findall(nodes.literal)):
        match = re.fullmatch(r"([\w.-]+)\((\d)\)", node.astext())
        page = match and f"man/{match[1]}.{match[2]}"
        if page in app.env.found_docs and not isinstance(node.parent, nodes.reference):
            node.replace_self(nodes.reference("", "", node.deepcopy(), internal=True,
                                              refuri=app.builder.get_relative_uri(docname, page)))


def resolve(app, doctree, docname):
    link_manual(app, doctree, docname)
    for node in doctree.findall(nodes.reference):
        path, _, fragment = node.get("refuri", "").partition("#")
        if node.get("internal") or not path or ":" in path:
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(docname), path))
        if target.endswith(".rst") and target[:-len(".rst")] in app.env.found_docs:
            node["refuri"] = page_link(app, docname, target, fragment, node)
        elif os.path.isfile(os.path.join(app.srcdir, target)):
            linked.add(target)
        else:
            log.warning("no such file: %s", path, location=node)


def copy_linked(app, error):
    for target in sorted(linked if not error else ()):
        to = os.path.join(app.outdir, target)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copyfile(os.path.join(app.srcdir, target), to)


def setup(app):
    app.connect("source-read", add_contents)
    app.connect("doctree-read", drop_contents)
    app.connect("doctree-resolved", resolve)
    app.connect("build-finished", copy_linked)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
