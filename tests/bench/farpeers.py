# SPDX-License-Identifier: GPL-2.0
"""What tests/bench/far.py compares images on a server with: mounts of the same files there.

rclone mounts by http and by S3, s3fs by S3.  A bucket is the same nginx: its listings are
files, which stand where the requests for them lead, so that objects come as fast as all else.
"""
import contextlib
import os
import shutil
import subprocess
import urllib.parse
from pathlib import Path
from xml.sax.saxutils import escape

TOP = Path(__file__).resolve().parents[2]
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n' \
       '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' \
       "<Delimiter>/</Delimiter><IsTruncated>false</IsTruncated>"
ENTRY = "<Contents><Key>{}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>" \
        "<ETag>&quot;{}&quot;</ETag><Size>{}</Size><StorageClass>STANDARD</StorageClass>" \
        "</Contents>\n"
FOLDER = "<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>\n"


def locations(lists):
    """For nginx: a folder that ends in -bucket is one, with its listings in lists."""
    return f"""location ~ ^/([a-z]+-bucket)/?$ {{
			root {lists};
			default_type application/xml;
			try_files /$1/$arg_prefix.xml =404;
		}}
		location ~ ^/[a-z]+-bucket/. {{
			if (-d $request_filename) {{ return 404; }}
		}}"""


def write_list(lists, bucket, prefix, folders, files):
    """The listing of a prefix, in one page; prefixes are asked for with and without %2F."""
    text = HEAD + "".join(ENTRY.format(escape(key), abs(hash(key)), size) for key, size in files) \
        + "".join(FOLDER.format(escape(key)) for key in folders) + "</ListBucketResult>\n"
    plain = f"{lists}/{bucket}/{prefix}.xml"
    os.makedirs(os.path.dirname(plain), exist_ok=True)
    with open(plain, "w", encoding="utf-8") as file:
        file.write(text)
    if prefix:
        os.link(plain, f"{lists}/{bucket}/{urllib.parse.quote(prefix, safe='')}.xml")


def write_lists(lists, bucket, image):
    """Those of all folders of an image, which has one level of them."""
    folders = [f"{entry.name}/" for entry in image.scandir() if entry.is_dir()]
    write_list(lists, bucket, "", folders, [])
    for folder in folders:
        write_list(lists, bucket, folder, [],
                   [(folder + entry.name, entry.stat().st_size)
                    for entry in image.scandir(folder)])


def rclone(base, *more):
    return ["rclone", "mount", f":http,url='{base}/tree':", "--http-no-head", *more]


def rclone_head(base, *more):
    return ["rclone", "mount", f":http,url='{base}/tree':", *more]


def rclone_s3(base, *more, bucket="tree-bucket"):
    return ["rclone", "mount", f":s3,provider=Other,endpoint='{base}':{bucket}", *more]


def s3fs(base, *more):
    return ["s3fs", "tree-bucket", "-f", "-o", f"url={base}", "-o",
            "use_path_request_style,public_bucket=1,ro", *more]


@contextlib.contextmanager
def mounted(where, command):
    """A mount by one of these commands, which run in the foreground."""
    more = {"rclone": ["--read-only", "--config=/dev/null"], "dsfs-fuse": ["-f"]}
    at = 3 if command[0] == "rclone" else 2
    command = [*command[:at], where, *more.get(command[0], ()), *command[at:]]
    if command[0] == "dsfs-fuse":
        command[0] = TOP / "build/dsfs-fuse"
    where.mkdir(exist_ok=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=plain) as daemon:
        try:
            while not os.path.ismount(where):
                if daemon.poll() is not None:
                    raise OSError(f"far: {command[0]} mount ended")
            yield where
        finally:
            subprocess.run(["umount", where], check=False)
            daemon.terminate()


def has_fuse():
    return not os.geteuid() and os.path.exists("/dev/fuse")


def available():
    """The programs of them that are there."""
    return [name for name in ("rclone", "s3fs") if has_fuse() and shutil.which(name)]
