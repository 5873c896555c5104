# SPDX-License-Identifier: GPL-2.0
"""
cases.py - the harness of all tests written in Python: lines "ok - NAME" and
"not ok - NAME", which tests/check counts, and comments, which begin with #.

A program finds it by
    sys.path.insert(0, str(TOP / "tests/harness"))
"""
import sys

PREFIX = ""         # stands in front of a case's name
TOLD = 0
FAILED = 0


def prefix(text):
    """Names of all cases from here on: "TEXT: NAME"."""
    global PREFIX
    PREFIX = f"{text}: "


def comment(text):
    for line in str(text).splitlines() or [""]:
        print("#", line.encode("utf-8", "backslashreplace").decode())


def result(good, name, *notes):
    """One case; @notes are told if it failed.  Returns @good."""
    global TOLD, FAILED
    TOLD += 1
    FAILED += not good
    for note in notes if not good else ():
        comment(note)
    print(f"{'ok' if good else 'not ok'} - {PREFIX}{name}", flush=True)
    return good


def skip(name, why):
    """A case that cannot be tried here."""
    global TOLD
    TOLD += 1
    print(f"ok - {PREFIX}{name} # skip: {why}", flush=True)


def status():
    """The exit status of a program: 0 if cases were told and none failed."""
    if not TOLD:
        result(False, "there is a case")
    return 1 if FAILED else 0


def finish():
    """The end of a program that tells cases."""
    sys.exit(status())
