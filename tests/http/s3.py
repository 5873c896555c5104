# SPDX-License-Identifier: GPL-2.0
"""S3: signatures checked by code written apart, and keys as the AWS tools take them."""
import os
import subprocess

import cases
import sigv4
from server import Server
from world import BUILD, QUICK, TOP, error_of, has

KEYS = {"AKID": ("s3cret/+", None), "TEMP": ("other", "session/token==")}
REGION = "eu-test-1"
# As it is signed; the key has what must be encoded and what must not
KEY = "a b/c+d/\u00e9&=~(1)/set.dsfs"
PATH = "/bucket/a%20b/c%2Bd/%C3%A9%26%3D~%281%29/set.dsfs"


def part(world):
    server = Server({PATH: world.bytes})
    server.check = lambda request: sigv4.is_signed(request, KEYS, REGION)
    source = f"{QUICK},s3-endpoint={server.url('')},s3-region={REGION}"
    with Environment():
        environment(world, server, source)
        files(world, server, source)
        refused(world, server, source)
        starved(world, source)
        anonymous(world, server, source)


class Environment:
    """What is set inside is gone behind it."""

    def __enter__(self):
        self.before = dict(os.environ)

    def __exit__(self, *_error):
        os.environ.clear()
        os.environ.update(self.before)


def is_read(world, source, key=KEY):
    return world.open(f"s3://bucket/{key}", source)["large"] == world.files["large"]


def environment(world, server, source):
    os.environ.update(AWS_ACCESS_KEY_ID="AKID", AWS_SECRET_ACCESS_KEY="s3cret/+")
    cases.result(is_read(world, source), "keys of the environment sign")
    os.environ.update(AWS_ACCESS_KEY_ID="TEMP", AWS_SECRET_ACCESS_KEY="other",
                      AWS_SESSION_TOKEN="session/token==")
    cases.result(is_read(world, source), "and those of a session")
    os.environ.update(AWS_ENDPOINT_URL=server.url(""), AWS_REGION=REGION)
    cases.result(is_read(world, QUICK), "server and region of the environment")
    ended = world.tool("dump.dsfs", "--cat=/large", f"s3://bucket/{KEY}", source=QUICK)
    cases.result(ended[0] == 0 and ended[1] == world.files["large"], "dump.dsfs, too", ended[2])
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]


def files(world, server, source):
    folder = world.work / ".aws"
    folder.mkdir()
    (folder / "credentials").write_text(
        "# of a test\n[default]\naws_access_key_id=AKID\naws_secret_access_key = s3cret/+\n"
        "[job]\naws_access_key_id = TEMP\naws_secret_access_key = other\n"
        "aws_session_token = session/token==\n")
    (folder / "config").write_text(
        f"[profile job]\nregion = {REGION}\nendpoint_url = {server.url('')}\ns3 =\n"
        "  region = nowhere\n[default]\nregion = nowhere\n")
    cases.result(is_read(world, source), "keys of ~/.aws/credentials")
    cases.result(is_read(world, f"{QUICK},profile=job"), "all of a profile")
    os.environ["AWS_PROFILE"] = "job"
    cases.result(is_read(world, QUICK), "of the one that the environment names")
    del os.environ["AWS_PROFILE"]
    image = world.open(f"s3://bucket/{KEY}", f"{QUICK},profile=job")
    KEYS["NEW"] = ("newer", None)
    del KEYS["TEMP"]
    (folder / "credentials").write_text(
        "[job]\naws_access_key_id = NEW\naws_secret_access_key = newer\n")
    cases.result(image["large"] == world.files["large"], "keys that were renewed in their file")


def refused(world, server, source):
    os.environ.update(AWS_ACCESS_KEY_ID="AKID", AWS_SECRET_ACCESS_KEY="wr0ng")
    before = server.count()
    text = error_of(world.open, f"s3://bucket/{KEY}", source)
    has(f"a wrong key: {text}", text, "403", "SignatureDoesNotMatch", "bucket")
    cases.result("wr0ng" not in text and server.count() == before + 1, "is refused at once")
    del os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
    (world.work / ".aws/credentials").unlink()
    has("no keys", error_of(world.open, f"s3://bucket/{KEY}", source), "no keys", "anonymous")
    for address in "s3://bucket", "s3:///key", "s3://bucket/", "s3://buc ket/key":
        has(f"{address} is no address", error_of(world.open, address, source + ",anonymous"),
            "s3://bucket/key")


def anonymous(world, server, source):
    server.check = lambda request: "authorization" not in request.headers
    cases.result(is_read(world, source + ",anonymous"), "anonymous: nothing is signed")


def starved(world, source):
    """Allocations fail: without a copy of its endpoint, a request would go to AWS, with keys."""
    faults, count = BUILD / "tests/faults.so", world.work / "allocations"
    subprocess.run(["make", "-s", faults.relative_to(TOP)], cwd=TOP, check=True)
    folder = world.work / ".aws"
    folder.mkdir(exist_ok=True)
    (folder / "credentials").write_text(
        "".join(f"[{name}]\naws_access_key_id = AKID\naws_secret_access_key = s3cret/+\n"
                for name in ("job", "keys")))
    endpoint = dict(pair.split("=") for pair in source.split(","))["s3-endpoint"]
    (folder / "config").write_text(
        f"[profile job]\nregion = {REGION}\nendpoint_url = {endpoint}\n")

    def run(n, options):
        return world.tool("dump.dsfs", f"s3://bucket/{KEY}", source=f"{options},retries=0",
                          env={**os.environ, "LD_PRELOAD": str(faults), "FAULT_COUNT": str(count),
                               "FAULT": f"alloc:{n}:12"})

    whole = run(10 ** 9, f"{QUICK},profile=job")
    total = int(count.read_text())
    # Options are copied first; the files are read after libcurl was loaded.
    plan = [(n, f"{source},profile=keys") for n in range(1, 30)]
    plan += [(n, f"{QUICK},profile=job") for n in range(total - 500, total - 150)]
    wrong = [(n, text) for n, options in plan for code, out, text in [run(n, options)]
             if "amazonaws" in text or "403" in text or (not code and out != whole[1])]
    cases.result(whole[0] == 0 and not wrong, "without memory, no other server and no other keys",
                 whole[2], *wrong[:5])
