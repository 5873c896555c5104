#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""duel.py ROWS - what tests/bench/duel found, as rows, targets and tables.

ROWS has lines of tests/bench/native/duel-guest:

    row KERNEL duel ROUND STATE PATTERN SUBJECT NAME=VALUE...

where STATE and PATTERN are one field.  Requests are those of the first round, and must be those of
all others, to a thousandth.  A time is the median of its rounds, a ratio that of the rounds' own.
"""
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


def requests(rounds):
    """Requests a file: the least, and what the rounds differ by."""
    counts = [v["requests"] / v["files"] for v in rounds.values()]
    return min(counts), max(counts) - min(counts)


def cpu(rounds):
    return {turn: v["cpu"] / v["files"] / 1e3 for turn, v in rounds.items()}


def ratio(rounds, base):
    """Median of the ratios of rounds that both were measured in, or None."""
    of, to = cpu(rounds), cpu(base)
    both = [of[turn] / to[turn] for turn in of if turn in to]
    return statistics.median(both) if both else None


def by_pattern(found):
    return sorted(found, key=lambda key: (list(dict.fromkeys(p for p, _ in found)).index(key[0]),
                                          list(STATES).index(key[1])))


def print_rows(found):
    for pattern, state in by_pattern(found):
        what = "%s, %s" % (pattern, STATES[state])
        base = found.get((pattern, BASE[0]), {}).get(BASE[1], {})
        for subject, rounds in found[pattern, state].items():
            least, spread = requests(rounds)
            unit = "requests a file"
            if spread > 0.001:
                unit += " (rounds differ)"
            print("row\tduel\t7.2\t%s\t%s\t%.3f\t%s" % (what, subject, least, unit))
            print("row\tduel\t7.2\t%s\t%s\t%.1f\tus of CPU a file" %
                  (what, subject, statistics.median(cpu(rounds).values())))
            if ratio(rounds, base):
                print("row\tduel\t7.2\t%s\t%s\t%.2f\tof the CPU of erofs, stock" %
                      (what, subject, ratio(rounds, base)))


def print_targets(found):
    for (pattern, state), subjects in found.items():
        if "dsfs" in subjects and pattern != "header":
            print("target\tduel\t7.2\t%s, %s: dsfs, requests a file\t%.3f\t<=\t1.000" %
                  (pattern, STATES[state], requests(subjects["dsfs"])[0]))


def print_table(title, found, cell):
    """A line for each subject and state, a column for each pattern."""
    patterns = list(dict.fromkeys(p for p, _ in found))
    lines = [["kernel", "subject"] + patterns]
    for state in STATES:
        subjects = list(dict.fromkeys(s for (_, of), subjects in found.items() if of == state
                                      for s in subjects))
        for subject in subjects:
            cells = [found.get((p, state), {}).get(subject) for p in patterns]
            lines.append([state, subject] +
                         [cell(p, rounds) if rounds else "." for p, rounds in zip(patterns, cells)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print("# " + title)
    for line in lines:
        print("# " + "  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())


def cpu_cell(found, pattern, rounds):
    text = "%.1f" % statistics.median(cpu(rounds).values())
    to_base = ratio(rounds, found.get((pattern, BASE[0]), {}).get(BASE[1], {}))
    return text + (" (%.2f)" % to_base if to_base else "")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = read_rows(sys.argv[1])
    print_rows(found)
    print_targets(found)
    print_table("requests a cold file", found, lambda _, rounds: "%.3f" % requests(rounds)[0])
    print_table("us of CPU a cold file, and its ratio to erofs on the stock kernel in the same round",
                found, lambda pattern, rounds: cpu_cell(found, pattern, rounds))


main()
