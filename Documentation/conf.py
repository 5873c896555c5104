# SPDX-License-Identifier: GPL-2.0
"""The documents as a site, by Sphinx: `make docs`.

The documents are plain reStructuredText, which any viewer shows, with links to files.  So
what Sphinx wants beyond that is made here: a table of contents of all documents, links
between pages instead of files, and copies of the other files that are linked to.  A link to
nothing is a warning, and warnings are errors.
"""
import os
import shutil

from docutils import nodes
from sphinx.util import logging

project = "DSFS"
root_doc = "index"
html_theme = "alabaster"
html_theme_options = {"description": "a read-only file system for data sets",
                      "page_width": "70em"}
html_copy_source = False
html_show_copyright = False

log = logging.getLogger(__name__)
linked = set()


def add_contents(app, docname, source):
    if docname == root_doc:
        pages = sorted(app.env.found_docs - {root_doc})
        source[0] += "\n\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {p}\n" for p in pages)


def page_link(app, docname, target, fragment, node):
    page = target[:-len(".rst")]
    if fragment and fragment not in app.env.get_doctree(page).ids:
        log.warning("no such place: %s#%s", target, fragment, location=node)
    return app.builder.get_relative_uri(docname, page) + (f"#{fragment}" if fragment else "")


def resolve(app, doctree, docname):
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
    app.connect("doctree-resolved", resolve)
    app.connect("build-finished", copy_linked)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
