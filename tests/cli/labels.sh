#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# labels.sh - what dsfs_id prints of a label is what libblkid encodes, and what udev makes of
# the lines is the label, whatever its bytes are.
set -euo pipefail
. "$(dirname "$0")/cases"

mkdir tree
python3 - "$bin" <<'PY' || failed=1
import ctypes
import re
import subprocess
import sys

BIN = sys.argv[1]
BLKID = ctypes.CDLL("libblkid.so.1")
LABELS = [
    b"plain", b" lead", b"trail ", b"a  b", b"tab\tx", b"a\nID_FS_TYPE=ext4", b"\\" * 64,
    b" " * 63, b'"quoted"', b"'quoted'", b'"open', b"'", b"\xc3\xa4" * 32, b"\xff\xfe" * 32,
    b"/" * 64, b"../up", b"$(x)", b"%s", b"#c", b"a=b", b"\x1b[31mred", b"\x7f\x01",
    b"\xc2\x9b31m",
]


def encoded(how, text):
    buf = ctypes.create_string_buffer(4096)
    assert not getattr(BLKID, how)(text, buf, ctypes.c_size_t(len(buf)))
    return buf.value


def imported(line):
    """As IMPORT{program} of udev reads a line."""
    key, _, value = line.partition(b"=")
    if value[:1] in (b'"', b"'"):
        assert len(value) > 1 and value[-1:] == value[:1], line
        value = value[1:-1]
    return key, value


def safe(label):
    """blkid_safe_string(), and no controls."""
    text = encoded("blkid_safe_string", label)
    return re.sub(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]",
                  lambda m: b"_" * len(m[0]), text)


bad = 0
for label in LABELS:
    subprocess.run([BIN + "/mkfs.dsfs", "-q", "-f", "-L", label, "image", "tree"], check=True)
    text = subprocess.run([BIN + "/dsfs_id", "image"], stdout=subprocess.PIPE,
                          check=True).stdout
    have = dict(imported(line) for line in text.splitlines())
    want = {b"ID_FS_TYPE": b"dsfs", b"ID_FS_LABEL": safe(label),
            b"ID_FS_LABEL_ENC": encoded("blkid_encode_string", label)}
    good = all(have.get(key) == value for key, value in want.items()) and \
        not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]",
                      re.sub(rb"(?m)^ID_FS_LABEL_ENC=.*", b"", text))
    if not good:
        print("#", label, have)
    print(f"{'ok' if good else 'not ok'} - the label {ascii(label)}")
    bad += not good
sys.exit(bad != 0)
PY
told=1	# those above
finish
