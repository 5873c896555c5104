#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# stat.sh - dsfs stat and dsfs top: what they make of a sysfs of ours.
set -euo pipefail
. "$(dirname "$0")/cases"
abi=$top/Documentation/ABI/testing/sysfs-fs-dsfs
docs=$top/Documentation/monitoring
board=$docs/grafana.json
page=$top/Documentation/monitoring.rst

mapfile -t described < <(sed -n 's|^What:[[:space:]]*/sys/fs/dsfs/<disk>/||p' "$abi")

# fake DEVICE NUMBER UUID LABEL FIRST: a mount whose figures are FIRST, FIRST + 1, ...
fake()
{
	local dir=sys/fs/dsfs/$1 n=$5 file

	mkdir -p "$dir/stats" sys/dev/block
	for file in "${described[@]}"; do
		echo $((n++)) >"$dir/$file"
	done
	echo "$3" >"$dir/uuid"
	echo "$4" >"$dir/label"
	echo 3 >"$dir/generation"
	ln -s "../../devices/block/$1" "sys/dev/block/$2"
}

strange=$'a "b\\c\xff'
fake vdb 254:16 5f8bfc1e-41c0-4c5f-8a5c-111111111111 imagenet 9007199254740993
fake loop0 7:0 5f8bfc1e-41c0-4c5f-8a5c-222222222222 "$strange" 1000
cat >mountinfo <<'T'
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 254:16 / /data ro,relatime shared:2 - dsfs /dev/vdb ro
31 22 254:16 / /mnt/my\040\134data ro,relatime - dsfs /dev/vdb ro
32 22 0:40 / /tmp rw - tmpfs tmpfs rw
T
here=(--sysfs=sys --mountinfo=mountinfo)

# json_says EXPRESSION: of the mounts m, by device, which stdout tells of
json_says()
{
	holds "(lambda m: $1)({x['device']: x for x in d['mounts']})"
}

# Each figure of each file of the ABI is there, under its name, exactly.
json_has_all()
{
	python3 - "$out" "${described[@]}" <<'PY'
import json, sys
for m in json.load(open(sys.argv[1]))["mounts"]:
    for file in sys.argv[2:]:
        *group, name = file.split("/")
        with open(f"sys/fs/dsfs/{m['device']}/{file}", errors="surrogateescape") as f:
            said = f.read().rstrip("\n")
        assert str((m[group[0]] if group else m)[name]) == said, (file, said)
PY
}

# prometheus_says: reads it as Prometheus does, as strictly; leaves "name labels value".
prometheus_parses()
{
	python3 - "$out" >samples <<'PY'
import re, sys
name = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
label = name + r'="(?:[^"\\\n]|\\[\\n"])*"'
sample = re.compile(rf"({name})\{{({label}(?:,{label})*)\}} ([0-9]+)$")
types, helps, closed, now, seen = {}, {}, set(), None, set()
text = open(sys.argv[1], encoding="utf-8").read()
assert not text or text.endswith("\n")
for line in text.splitlines():
    if m := re.fullmatch(rf"# HELP ({name}) (.+)", line):
        assert m[1] not in helps, line
        helps[m[1]] = m[2]
        closed.add(now)
        now = m[1]
    elif m := re.fullmatch(rf"# TYPE ({name}) (counter|gauge)", line):
        assert m[1] == now and m[1] not in types, line
        types[m[1]] = m[2]
        assert m[1].endswith("_total") == (m[2] == "counter"), line
    else:
        m = sample.fullmatch(line)
        assert m and m[1] == now and now in types and now not in closed, line
        assert (m[1], m[2]) not in seen, line
        seen.add((m[1], m[2]))
        labels = dict(re.findall(rf'({name})="((?:[^"\\]|\\.)*)"', m[2]))
        assert {"device", "uuid", "mountpoint"} <= labels.keys(), line
        print(m[1], m[2], m[3])
PY
}

# The metrics that Prometheus gets
metrics()
{
	sed -n 's/^# TYPE \(dsfs_[a-z_]*\) .*/\1/p' "$1" | sort
}

# A line of the table each
documented()
{
	sed -n 's/^``\(dsfs_[a-z_]*\)``.*/\1/p' "$page" | sort
}

# Rules that Prometheus takes, as far as it can be said without it; the page has them all.
alarms_are_good()
{
	python3 - "$1" "$2" "$page" <<'PY'
import re, sys, yaml
there, names = set(open(sys.argv[2]).read().split()), []
for group in yaml.safe_load(open(sys.argv[1]))["groups"]:
    for rule in group["rules"]:
        assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}, rule
        metrics = set(re.findall(r"dsfs_[a-z_]+", rule["expr"]))
        assert metrics and metrics <= there, rule
        names.append((rule["alert"], rule["labels"]["severity"]))
told = re.findall(r"^``(Dsfs\w+)`` +(\w+)", open(sys.argv[3]).read(), re.M)
assert names == told, (names, told)
PY
}

# Both units, with the program where it is now
units_are_good()
{
	sed "s,/usr/sbin/dsfs,$dsfs," "$docs/dsfs-stat.service" >dsfs-stat.service
	cp "$docs/dsfs-stat.timer" .
	run systemd-analyze verify --man=no ./dsfs-stat.service ./dsfs-stat.timer
	[ "$rc" -eq 0 ] && [ ! -s "$err" ] && grep -q "$dsfs stat" dsfs-stat.service
}

# What the service does
unit_runs()
{
	run sh -c "$(sed -n "s,^ExecStart=/usr/sbin/dsfs,$dsfs,p" "$docs/dsfs-stat.service" |
		sed "s,--output=[^ ]*,${here[*]},")"
	[ "$rc" -eq 0 ] && cmp -s "$out" new.prom
}

# A board whose queries name metrics that are there, and all of them.
board_is_good()
{
	holds "set(re.findall('dsfs_[a-z_]+', ' '.join(t['expr'] for p in d['panels'] for t in
		p.get('targets', [])))) == set(open('$1').read().split())" "$board" &&
		holds "len({p['id'] for p in d['panels']}) == len(d['panels']) and
			all(p['title'] and p['description'] for p in d['panels'] if p['type'] != 'row')" "$board"
}

# The files that the module shows: those in its arrays of attributes and of counters
shown_by_module()
{
	sed -n 's/^\t&dsfs_attr_\(.*\)\.attr,$/\1/p
		s|^\tDSFS_SYSFS_COUNT(.*, \([a-z_]*\)),$|stats/\1|p' "$top/fs/sysfs.c" | sort
}

# Columns of dsfs top that its manual page explains, in order
explained_columns()
{
	sed -n '/^\.SH DESCRIPTION/,/^\.SH OPTIONS/{/^\.TP/{n;p}}' "$top/Documentation/man/dsfs-top.8" |
		grep -oE '[a-zA-Z]+/(s|op)|errors'
}

# The mounts of $work/long: vdb at places with long names, each figure 19 digits long
large=3000000000000000000
many_names()
{
	local n

	printf '22 1 254:16 / /data/%s ro - dsfs /dev/vdb ro\n' "$(printf 'näme%.0s' {1..13})" \
		"$(printf 'n%.0s' {1..300})" "$(printf 'long/%.0s' {1..30})" >long
	for ((n = 0; n < 9; n++)); do
		echo "22 1 254:16 / /mnt/place-$n ro - dsfs /dev/vdb ro"
	done >>long
	for n in "${described[@]}"; do
		[[ $n == uuid || $n == label ]] || echo $large >"sys/fs/dsfs/vdb/$n"
	done
	printf 'ü%.0s' {1..32} >sys/fs/dsfs/vdb/label
}

# fits: no line of standard output has more than 80 columns, but one that is a long name
fits()
{
	[ -s "$out" ] && ! LC_ALL=C.UTF-8 grep -E '.{81}' "$out" | grep -vE '^ *\/data[^ ]*,?$'
}

check 'the ABI has the files of the module' \
	diff <(shown_by_module) <(printf '%s\n' "${described[@]}" | sort)
says 'no such sysfs' 1 'mountinfo/fs/dsfs: Not a directory' "$dsfs" stat --sysfs=mountinfo
exits 'a sysfs without dsfs' 0 "$dsfs" stat --sysfs=. --mountinfo=missing
check 'is no mount' test ! -s "$out"
says 'no mountinfo' 1 'missing: No such file' "$dsfs" stat --sysfs=sys --mountinfo=missing

exits 'text' 0 "$dsfs" stat "${here[@]}"
check 'text: a mount and its places' grep -qF 'vdb on /data, /mnt/my \134data' "$out"
check 'text: no control leaves a label' grep -qF 'label a "b\134c\377' "$out"
check 'text: requests a file' grep -qx '    a file opened: 5.010' <(
	for file in stats/requests_{whole,ahead,page,direct,metadata}; do
		echo 1002 >"sys/fs/dsfs/loop0/$file"
	done
	echo 1000 >sys/fs/dsfs/loop0/stats/opens
	"$dsfs" stat "${here[@]}" loop0)

exits 'JSON' 0 "$dsfs" stat "${here[@]}" --json
check 'JSON: all figures' json_has_all
check 'JSON: mount points' json_says \
	'[m[d]["mountpoints"] for d in ("vdb", "loop0")] == [["/data", "/mnt/my \\data"], []]'
check 'JSON: any label' json_says 'm["loop0"]["label"] == "a \"b\\c\udcff"'
exits 'one by its mount point' 0 "$dsfs" stat "${here[@]}" --json '/mnt/my \data'
check 'is that' json_says 'list(m) == ["vdb"]'
exits 'one by its name, twice' 0 "$dsfs" stat "${here[@]}" --json loop0 loop0
check 'is that, once' holds '[m["device"] for m in d["mounts"]] == ["loop0"]'
says 'another file system' 1 "$work: not on a mounted dsfs" "$dsfs" stat "${here[@]}" "$work"
says 'nothing there' 1 'nowhere: No such file' "$dsfs" stat "${here[@]}" vdb nowhere

exits 'Prometheus' 0 "$dsfs" stat "${here[@]}" --prometheus
check 'Prometheus: the format' prometheus_parses
check 'Prometheus: a figure by kind' grep -qF "dsfs_requests_total device=\"vdb\",uuid=\"$(
	cat sys/fs/dsfs/vdb/uuid)\",mountpoint=\"/data\",kind=\"ahead\" $(
	cat sys/fs/dsfs/vdb/stats/requests_ahead)" samples
check 'Prometheus: any label' grep -qF 'label="a \"b\\134c\\377"' samples
check 'Prometheus: a number for each file that has one' test "$(grep -vc _info samples)" = \
	$((2 * (${#described[@]} - 3)))
# shellcheck disable=SC2094 # a function and a file
metrics "$out" >metrics
check 'Prometheus: the page has every metric, and no other' diff metrics <(documented)
check 'the Grafana board is of these metrics' board_is_good metrics

exits 'to a file' 0 "$dsfs" stat "${here[@]}" --prometheus -o new.prom
check 'that is the same' diff new.prom <("$dsfs" stat "${here[@]}" --prometheus)
check 'and for everybody' test "$(stat -c %a new.prom)" = 644
check 'which the service does' unit_runs
check 'systemd takes the units' units_are_good
check 'the alarms are of these metrics' alarms_are_good "$docs/alerts.yml" metrics
check 'nothing else is left' test "$(echo new.prom*)" = new.prom
says 'a file that cannot be' 1 'no/where: No such file' "$dsfs" stat "${here[@]}" -o no/where
exits 'a full disk' 1 eval 'dsfs stat "${here[@]}" --json >/dev/full'

# An older module does not count.
rm -r sys/fs/dsfs/loop0/stats
exits 'an older module' 0 "$dsfs" stat "${here[@]}" loop0
check 'says so' grep -q 'older than this program' "$out"
exits 'and JSON of it' 0 "$dsfs" stat "${here[@]}" --json loop0
check 'has no such figures' json_says 'm["loop0"]["stats"] == {} and "io_errors" in m["loop0"]'
echo nonsense >sys/fs/dsfs/loop0/io_errors
says 'a figure that is none' 1 'io_errors: not a number: nonsense' "$dsfs" stat "${here[@]}" loop0
rm -r sys/fs/dsfs/loop0

# feed VALUE...: looks at the files of ${fed[@]}, in the order in which they are read, see these.
# They are pipes; who opens the next one has closed the last, so that nobody gets what is for
# another look.
fed=(opens requests_whole)
feed()
{
	local stats=sys/fs/dsfs/vdb/stats n=0 value

	rm -f "${fed[@]/#/$stats/}"
	mkfifo "${fed[@]/#/$stats/}"
	for value; do
		echo "$value" >"$stats/${fed[n++ % ${#fed[@]}]}"
	done &
	feeder=$!
}

# Should somebody not have looked
unfeed()
{
	kill $feeder 2>/dev/null || true
	wait
}

exits 'top: nothing moves' 0 "$dsfs" top -b -d 0.01 -n 2 "${here[@]}"
check 'top: the manual page has every column, and no other' diff <(explained_columns) \
	<(sed -n '1{s/^DEVICE *//; s/  */\n/gp}' "$out"; printf '%s\n' admit/s trans/s lost/s)
check 'top: two tables' test "$(grep -c '^DEVICE' "$out")" = 2
check 'top: no rate' test "$(awk '$1 == "vdb" { print $2, $4, $6 }' "$out" | sort -u)" = '0 0 -'
feed 100 1000 300 1500
exits 'top: opens and requests' 0 "$dsfs" top -b -d 0.01 -n 1 "${here[@]}"
unfeed
check 'top: their ratio, and where it is mounted' test "$(
	awk '$1 == "vdb" { print $6; getline; print $1 }' "$out")" = $'2.500\n/data'
feed 100 10 99 20
exits 'top: mounted anew meanwhile' 0 "$dsfs" top -b -d 0.01 -n 1 "${here[@]}"
unfeed
check 'top: has no rate yet' test "$(grep -c ^vdb "$out")" = 0

# On a terminal, up to ^C
on_terminal()
{
	run python3 - "$dsfs" top -d 0.01 "${here[@]}" <<'PY'
import os, pty, signal, sys
pid, ours = pty.fork()
if not pid:
    # Shells have it ignored in the background, and dsfs leaves it so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while said.count(b"^C ends") < 2:
    said += os.read(ours, 65536)
os.write(ours, b"\x03")
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGINT
assert b"\x1b[H" in said and b"vdb" in said, said
PY
	[ "$rc" -eq 0 ]
}

for file in opens requests_whole; do
	rm "sys/fs/dsfs/vdb/stats/$file"
	echo 5 >"sys/fs/dsfs/vdb/stats/$file"
done
check 'top: on a terminal' on_terminal

# What people read fits 80 columns, and the longest bar is full.
many_names
exits 'text of large figures' 0 "$dsfs" stat --sysfs=sys --mountinfo=long
check 'text: fits 80 columns' fits
check 'text: five full bars' test "$(grep -c '[^#] \{2\}#\{28\}$' "$out")" = 5
check 'text: no mount point is cut' test "$(grep -o '/[^, ]*' "$out" | LC_ALL=C sort)" = \
	"$(cut -d' ' -f5 long | LC_ALL=C sort)"
# colours HOW...: dsfs stat on a terminal says so
colours()
{
	[ "$(env "${@:2}" python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
		"$dsfs" stat --sysfs=sys --mountinfo=long </dev/null | grep -c $'\033\\[32m#')" = "$1" ]
}
check 'a terminal has green bars' colours 5 -u NO_COLOR TERM=xterm
check 'not where none are wanted' colours 0 NO_COLOR=1 TERM=xterm
check 'not a dumb one' colours 0 -u NO_COLOR TERM=dumb

mapfile -t fed < <(sed -n 's|.*"stats/\([a-z_]*\)".*|\1|p' "$top/userspace/mounted/figures.c")
feed "${fed[@]/*/0}" "${fed[@]/*/$large}"
exits 'top of large figures' 0 "$dsfs" top -b -d 0.01 -n 1 --sysfs=sys --mountinfo=long
unfeed
check 'top: fits 80 columns' fits
check 'top: a full bar' grep -qE '^vdb .{59}  #{15}$' "$out"
check 'top: the end of a name' grep -qE '^  \.\.\.n{75}$|^  /data/(näme)+$' "$out"
check 'top: the epoch cache' grep -qE '^  epoch cache: [0-9]+[PEZ] admit/s, ' "$out"

finish
