#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# gpu.sh - tests/bench/gpu/run works where there is no GPU: with a stub, small.
set -euo pipefail
. "$(dirname "$0")/cases"

works 'with a stub' "$top/tests/bench/gpu/run" --stub --files 40 --batch 4 --seconds 0.1 --workers 2 --out out.json
# feeds NAME...: these were fed, and all but a mount, for which there may be no device
feeds()
{
	python3 - <<'PY'
import json
d = json.load(open("out.json"))
fed = [f["feed"] for f in d["feeds"] if f["samples_per_second"] > 0]
assert [f for f in fed if f != "fuse"] == ["tree", "image", "http ahead", "http", "shards", "none"], fed
assert all(0 <= f["waits"] <= 1 for f in d["feeds"])
read = [r["reader"] for r in d["threads"] if r["files_per_second"] > 0]
assert [r for r in read if r != "dsfs-fuse"] == ["libdsfs", "http"], read
assert ("fuse" in fed) == ("dsfs-fuse" in read)
assert "NOT a GPU" in d["device"] and d["cpu"] and d["commit"]
PY
}
check 'each feed has its figures, and the stub is named' feeds
check 'nothing stays mounted' not grep -q dsfs-gpu- /proc/mounts
finish
