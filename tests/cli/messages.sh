#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# messages.sh - troubleshooting.rst has each message of the module, of mount.dsfs and of
# dsfs-fuse, and no other.
set -euo pipefail
. "$(dirname "$0")/cases"

# sources FILE...: the messages in them, with ... for what differs
sources()
{
	python3 - "$@" <<'PY'
import re, sys

# A call, what it is given before its format without a string in it, and the format
CALL = re.compile(r"""\b(?:dsfs_(?:error_limited|info|fc_error|fc_warn)|invalfc?|errorfc?|warnfc?
                      |pr_\w+|msg_error|msg_warn|msg_fail|args_refused)\s*\(
                      (?:[^"();]|\([^()"]*\))*
                      ((?:"(?:[^"\\]|\\.)*"\s*)+)""", re.X)
found = set()
for name in sys.argv[1:]:
    for text in CALL.findall(open(name).read()):
        text = re.sub(r'"\s*"', "", text.strip())[1:-1].replace(r"\n", "")
        text = re.sub(r"%[-0-9.#*]*(?:ll|l|z)?[a-zA-Z]", "...", text.replace("%pV", "..."))
        text = re.sub(r"^dsfs( \(\.\.\.\))?: ", "", text)
        # Words of its own, not only another's
        if re.search("[a-z]{2}", text):
            found.add(text)
print(*sorted(found), sep="\n")
PY
}

described()
{
	sed -n 's/^``\(.*\)``$/\1/p' "$top/Documentation/troubleshooting.rst" | LC_ALL=C sort -u
}

sources "$top"/fs/*.[ch] "$top"/userspace/mount/*.c "$top"/userspace/fuse/*.c |
	LC_ALL=C sort >said
check 'there are messages' test "$(wc -l <said)" -gt 40
check 'troubleshooting.rst has them' diff said <(described)

# Numbers with a noun behind them: one file is not "1 files".  What cannot be one is not told.
# Those of fsck.dsfs and dump.dsfs are theirs.
nouns()
{
	cd "$top" || return 1
	grep -nE '%(ll|z)?u (file|open|path|checksum|read|structure|object|hint|page)s\b' \
		userspace/mounted/*.c userspace/fuse/*.c userspace/mount/*.c mkfs/*.c mkfs/*/*.c mkfs/*/*/*.c |
		grep -v ': the limit is' | as_comments
}
check 'numbers agree with their nouns' test -z "$(nouns)"
finish
