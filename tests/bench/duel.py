#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""duel.py ROWS - what tests/bench/duel found, as rows, targets and tables.

ROWS has lines of tests/bench/native/duel-guest:

    row KERNEL duel ROUND STATE PATTERN SUBJECT NAME=VALUE...

where STATE and PATTERN are one field.  Requests are the fewest of all rounds; that rounds
differ is said.  A time is the median of its rounds, a ratio that of the rounds' own.
"""
import re
import statistics
import sys

BASE = ("stock", "erofs")
STATES = {
    "stock": "stock kernel",
    "windows": "windows that do not collapse",
    "whole": "files read whole",
}


def read_rows(path):
    """{(pattern, state): {subject: {round: {field: value}}}}, in order."""
    found = {}
    with open(path) as f:
        for line in f:
            _, _, _, turn, what, subject, fields = line.rstrip("\n").split("\t")
            state, pattern = what.split()
            values = dict(kv.split("=") for kv in fields.split())
            of = found.setdefault((pattern, state), {}).setdefault(subject, {})
            of[int(turn)] = {k: int(v, 16 if k == "sum" else 10) for k, v in values.items()}
    return found


def unit_of(pattern):
    """What requests and times of a pattern are told of."""
    return "MiB" if pattern == "large" else "file"


def number_of(pattern, values):
    return values["bytes"] / 2**20 if pattern == "large" else values["files"]


def requests(pattern, rounds):
    """Requests a file: the least, and what the rounds differ by."""
    counts = [v["requests"] / number_of(pattern, v) for v in rounds.values()]
    return min(counts), max(counts) - min(counts)


def cpu(pattern, rounds):
    """Microseconds a file, by round."""
    return {turn: v["cpu"] / number_of(pattern, v) / 1e3 for turn, v in rounds.items()}


def ratio(found, pattern, rounds):
    """Median of the ratios of rounds that both were measured in, or None."""
    base = found.get((pattern, BASE[0]), {}).get(BASE[1], {})
    of, to = cpu(pattern, rounds), cpu(pattern, base)
    both = [of[turn] / to[turn] for turn in of if turn in to]
    return statistics.median(both) if both else None


def in_order(subjects):
    """By name, and numbers in it as numbers."""
    return sorted(subjects, key=lambda s: [int(part) if part.isdigit() else part
                                           for part in re.split(r"(\d+)", s)])


def by_pattern(found):
    return sorted(found, key=lambda key: (list(dict.fromkeys(p for p, _ in found)).index(key[0]),
                                          list(STATES).index(key[1])))


def print_row(what, subject, value, unit):
    print("row\tduel\t7.2\t%s\t%s\t%s\t%s" % (what, subject, value, unit))


def print_rows(found):
    for pattern, state in by_pattern(found):
        what = "%s, %s" % (pattern, STATES[state])
        for subject in in_order(found[pattern, state]):
            rounds = found[pattern, state][subject]
            least, spread = requests(pattern, rounds)
            differ = " (rounds differ)" if spread > 0.001 else ""
            print_row(what, subject, "%.3f" % least, "requests a %s%s" % (unit_of(pattern), differ))
            print_row(what, subject, "%.1f" % statistics.median(cpu(pattern, rounds).values()),
                      "us of CPU a " + unit_of(pattern))
            if ratio(found, pattern, rounds):
                print_row(what, subject, "%.2f" % ratio(found, pattern, rounds),
                          "of the CPU of erofs, stock")


def print_targets(found):
    for (pattern, state), subjects in found.items():
        if "dsfs" in subjects and unit_of(pattern) == "file":
            print("target\tduel\t7.2\t%s, %s: dsfs, requests a file\t%.3f\t<=\t1.000" %
                  (pattern, STATES[state], requests(pattern, subjects["dsfs"])[0]))


def print_table(title, found, cell):
    """A line for each subject and state, a column for each pattern."""
    patterns = list(dict.fromkeys(p for p, _ in found))
    lines = [["kernel", "subject"] + patterns]
    for state in STATES:
        subjects = in_order({s for (_, of), measured in found.items() if of == state
                             for s in measured})
        for subject in subjects:
            cells = [found.get((p, state), {}).get(subject) for p in patterns]
            lines.append([state, subject] +
                         [cell(p, rounds) if rounds else "." for p, rounds in zip(patterns, cells)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print("# " + title)
    for line in lines:
        print("# " + "  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())


def cpu_cell(found, pattern, rounds):
    text = "%.1f" % statistics.median(cpu(pattern, rounds).values())
    to_base = ratio(found, pattern, rounds)
    return text + (" (%.2f)" % to_base if to_base else "")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = read_rows(sys.argv[1])
    print_rows(found)
    print_targets(found)
    print_table("requests a cold file, of large a MiB", found,
                lambda pattern, rounds: "%.3f" % requests(pattern, rounds)[0])
    print_table("us of CPU of the same, and the ratio to erofs on the stock kernel in the same round",
                found, lambda pattern, rounds: cpu_cell(found, pattern, rounds))


main()
