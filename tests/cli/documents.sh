#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# documents.sh - what a reader copies from the documents: systemd units, Kubernetes
# manifests, examples of mkfs.dsfs(8).  No unit and no manifest is started; systemd and a
# YAML parser say whether they are what they claim to be.  Commands are tests/pages/run's.
set -euo pipefail
. "$(dirname "$0")/cases"
docs=$top/Documentation

# literal_blocks DOCUMENT: each block that is indented behind "::" or a code directive,
# in a file of its own, named by its language.
literal_blocks()
{
	python3 - "$docs/$1.rst" "$1" <<'PY'
import re, sys, textwrap
text = open(sys.argv[1]).read()
blocks = re.findall(r"^(?:\.\. code:: (\w+)|.*::)\n\n((?:(?: +.*)?\n)+)", text, re.M)
for n, (language, block) in enumerate(blocks):
    with open(f"{sys.argv[2]}.{n}.{language or 'text'}", "w") as out:
        out.write(textwrap.dedent(block).strip() + "\n")
PY
}

# Not only what systemd refuses: it also tells of keys that it ignores.
unit_is_good()
{
	run systemd-analyze verify "./$1"
	[ "$rc" -eq 0 ] && [ ! -s "$err" ]
}

# What Kubernetes would refuse, as far as it can be seen without one.  The scripts of a
# manifest are left in files.
manifest_is_good()
{
	run python3 - "$1" <<'PY'
import sys, yaml

VERSIONS = {"DaemonSet": "apps/v1", "StorageClass": "storage.k8s.io/v1", "Pod": "v1",
            "PersistentVolume": "v1", "PersistentVolumeClaim": "v1"}
SOURCES = {"local", "csi", "hostPath", "nfs"}
by_name = {}

def look_at_pod(spec):
    volumes = {v["name"] for v in spec.get("volumes", [])}
    for c in spec.get("initContainers", []) + spec["containers"]:
        assert c["name"] and c["image"], c
        for m in c.get("volumeMounts", []):
            assert m["name"] in volumes and m["mountPath"].startswith("/"), m
        for i, script in enumerate(c.get("args", [])):
            with open(f"{sys.argv[1]}.{c['name']}.{i}.script", "w") as out:
                out.write(script)

for doc in yaml.safe_load_all(open(sys.argv[1])):
    if "kind" not in doc:       # a part of one
        assert doc.keys() <= {"volumes"}, doc
        continue
    assert doc["apiVersion"] == VERSIONS[doc["kind"]] and doc["metadata"]["name"], doc
    spec = doc.get("spec", {})
    by_name[doc["kind"], doc["metadata"]["name"]] = doc
    if doc["kind"] == "StorageClass":
        assert doc["provisioner"], doc
    if doc["kind"] == "PersistentVolume":
        assert spec["capacity"]["storage"] and spec["accessModes"] == ["ReadOnlyMany"], spec
        (source,) = SOURCES & spec.keys()
        if "fsType" in spec[source]:
            assert spec[source]["fsType"] == "dsfs" and "ro" in spec["mountOptions"], spec
        assert source != "local" or spec["nodeAffinity"]["required"], spec
    if doc["kind"] == "PersistentVolumeClaim":
        assert spec["resources"]["requests"]["storage"], spec
        volume = next(v["spec"] for (kind, _), v in by_name.items() if kind == "PersistentVolume")
        for key in "accessModes", "storageClassName":
            assert spec[key] == volume[key], key
    if doc["kind"] == "Pod":
        look_at_pod(spec)
        for v in spec.get("volumes", []):
            if "persistentVolumeClaim" in v:
                name = v["persistentVolumeClaim"]["claimName"]
                assert ("PersistentVolumeClaim", name) in by_name, name
    if doc["kind"] == "DaemonSet":
        labels = spec["template"]["metadata"]["labels"]
        assert spec["selector"]["matchLabels"].items() <= labels.items(), labels
        look_at_pod(spec["template"]["spec"])
PY
	[ "$rc" -eq 0 ]
}

literal_blocks cluster
check 'cluster.rst tells the name of a unit' \
	grep -qF packaging/systemd/data-imagenet.mounts-1.mount "$docs/cluster.rst"
# Those that packages bring; the name of one is that of its directory.
for unit in "$top"/packaging/systemd/*.*mount; do
	cp "$unit" .
done
for unit in "$top"/packaging/systemd/*.*mount; do
	name=${unit##*/}
	check "systemd takes $name" unit_is_good "$name"
	check "$name is of its directory" [ "$name" = \
		"$(systemd-escape --path --suffix="${name##*.}" "$(sed -n 's/^Where=//p' "$unit")")" ]
done

# What follows a switch, done to the files that the node was set up with.
mkdir -p etc/ceph
grep -h '^datasets/.*id=' cluster.*.text >etc/ceph/rbdmap
grep -h '^/dev/rbd/.*dsfs' cluster.*.text >etc/fstab
{
	echo 'readlink() { echo /data/imagenet.mounts/2; }'
	sed "s,/etc/,$PWD/etc/,g" "$(grep -l '^sed .*/etc/fstab' cluster.*.text)"
} >after-switch
exits 'what to change after a switch' 0 sh after-switch
check 'the snapshot that is mapped' grep -qx 'datasets/imagenet@v2  id=.*' etc/ceph/rbdmap
check 'what is mounted' grep -qxE \
	'/dev/rbd/datasets/imagenet@v2 +/data/imagenet.mounts/2 +dsfs +ro,nosuid,nodev,noauto +0 0' etc/fstab

# Who copies a mount gets no set-id programs and devices of others.
recipes()
{
	grep -rIhE "$1" "$top"/README.md "$docs" "$top"/packaging "$top"/userspace/switch
}

for form in '(^|[^`])mount -t (fuse\.)?dsfs' '^ *[^ ]+ +/[^ ]+ +(fuse\.)?dsfs(-fuse)? ' ' *Options[=:]' fstype=; do
	recipes "$form" | grep -vE 'nosuid, ?nodev|\[-o|"\$options"' >unsafe || true
	check "recipes of a mount: $form: nosuid,nodev" same_file /dev/null unsafe
	check "recipes of a mount: $form: there are some" grep -q . <(recipes "$form")
done

# here COMMANDS: as they are in a document, with paths of this directory.
here()
{
	sed -e "s,/tmp/,$PWD/,g" -e "s,/srv/imagenet\\|/data/imagenet/train,$PWD/set,g" \
		-e "s,/mnt/archives,$PWD/archives,g" "$1"
}

mkdir -p set/raw set/sub 'set/with blank' archives
for i in {1..9}; do
	head -c $((9000 - 900 * i)) /dev/urandom >"set/sub/$i"
done
echo index >set/sub/last.idx
echo raw >set/raw/x
echo gone >set/sub/x.tmp
echo odd >'set/with blank/back\slash'
: >set/nothing
tar -C set -cf archives/train.tar .
tar -C set -rf archives/train.tar ./sub/1

# The examples of mkfs.dsfs(8), but for those of devices.
sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$docs/man/mkfs.dsfs.8" |
	sed -n '/^\.nf/,/^\.fi/{/^\./d; /\/dev\/rbd/d; s/\\-/-/g; s/\\e/\\/g; p}' >examples
{
	echo 'rclone() { gzip -c train-0.tar; }'
	echo 'jq() { python3 -c "import json, sys; print(json.load(sys.stdin)[sys.argv[1][1:]])" "$1"; }'
	here examples
} >script
rm -rf here
mkdir here
echo '{"path":"/x","source":"train.tar"}' >here/list
cp archives/train.tar here/train-0.tar
zstd -q archives/train.tar -o here/train-1.tar.zst
exits 'the examples of mkfs.dsfs(8)' 0 \
	env -C here PATH="$bin:$PATH" bash -e -o pipefail "$PWD/script"
check 'they say sizes' test "$(grep -cx '[0-9]*' "$out")" = 2

# names IMAGE: of its files and directories
names()
{
	dsfs ls -R "here/$1"
}

check '--exclude leaves out what it says' test \
	"$(diff <(names train.img) <(names clean.img) | sed -n 's/^< //p' | tr '\n' ' ')" = \
	'/raw /raw/x /sub/x.tmp '
check '-e @FILE does, too' cmp <(names clean.img) <(names rules.img)
check '--order: a file of its own is first' test \
	"$(data_of here/ordered.img /sub/last.idx)" -lt "$(data_of here/ordered.img /raw/x)"
check '--order: then the smallest' test \
	"$(data_of here/ordered.img /sub/9)" -lt "$(data_of here/ordered.img /sub/1)"
SOURCE_DATE_EPOCH=1700000000 mkfs.dsfs -q again.img set
check 'SOURCE_DATE_EPOCH: the same bytes' cmp here/same.img again.img
dsfs extract here/tar.img archived >/dev/null
check 'the files of a tar archive' diff -r set archived
check 'and from a pipe' test "$(dsfs digest here/piped.img)" = \
	"$(dsfs digest here/tar.img)"

# sysfs_files: those that dsfs.5.rst describes
sysfs_files()
{
	sed -n '/^Files in sysfs/,/^Memory/s/^``\([a-z_]*\)\(``\|\/``\)  .*/\1/p' "$docs/man/dsfs.5.rst"
}

# and those that the module has
module_files()
{
	{
		sed -n '/^static struct attribute \*dsfs_attrs/,/^}/s/.*dsfs_attr_\([a-z_]*\)\.attr.*/\1/p' \
			"$top/fs/sysfs.c"
		echo stats
	}
}

check 'dsfs.5.rst has the files in sysfs' same_file <(module_files) <(sysfs_files)

cp "$docs"/kubernetes/*.yaml .
for manifest in *.yaml; do
	check "a manifest: $manifest" manifest_is_good "$manifest"
done
for script in *.script; do
	exits "a script in it: $script" 0 sh -n "$script"
done
check 'the module of this version' \
	test "$(grep -oE '[0-9]+\.[0-9]+\.[0-9]+' dsfs-node.yaml | sort -u)" = \
	"$(sed -n 's/^VERSION[^0-9]*//p' "$top/Makefile")"
finish
