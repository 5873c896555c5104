# SPDX-License-Identifier: GPL-2.0
"""S3: signatures checked by code written apart, and keys as the AWS tools take them."""
import os
import subprocess

import cases
import sigv4
from server import Server
from world import BUILD, QUICK, TOP, Environment, error_of, has

LONG = os.environ.get("DSFS_LONG", "0") != "0"
KEYS = {"AKID": ("s3cret/+", None), "TEMP": ("other", "session/token==")}
REGION = "eu-test-1"
# As it is signed; the key has what must be encoded and what must not
ADDRESS = "s3://bucket/a b/c+d/\u00e9&=~(1)/set.dsfs"
PATH = "/bucket/a%20b/c%2Bd/%C3%A9%26%3D~%281%29/set.dsfs"


def part(world):
    server = Server({PATH: world.bytes})
    server.check = lambda request: sigv4.is_signed(request, KEYS, REGION)
    source = f"{QUICK},s3-endpoint={server.url('')},s3-region={REGION}"
    environment(world, server, source)
    files(world, server)
    refused(world, server, source)
    starved(world, source)
    server.check = lambda request: "authorization" not in request.headers
    world.reads("anonymous: nothing is signed", ADDRESS, source + ",anonymous")


def environment(world, server, source):
    with Environment(AWS_ACCESS_KEY_ID="AKID", AWS_SECRET_ACCESS_KEY="s3cret/+"):
        world.reads("keys of the environment sign", ADDRESS, source)
    with Environment(AWS_ACCESS_KEY_ID="TEMP", AWS_SECRET_ACCESS_KEY="other",
                     AWS_SESSION_TOKEN="session/token=="):
        world.reads("and those of a session", ADDRESS, source)
        os.environ.update(AWS_ENDPOINT_URL=server.url(""), AWS_REGION=REGION)
        world.reads("server and region of the environment", ADDRESS)
        ended = world.tool("dsfs cat", ADDRESS, "/large", source=QUICK)
        cases.result(ended[0] == 0 and ended[1] == world.files["large"], "dsfs cat, too",
                     ended[2])


def files(world, server):
    folder = world.work / ".aws"
    folder.mkdir()
    (folder / "credentials").write_text(
        "[job]\naws_access_key_id = TEMP\naws_secret_access_key = other\n"
        "aws_session_token = session/token==\n")
    (folder / "config").write_text(
        f"[profile job]\nregion = {REGION}\nendpoint_url = {server.url('')}\ns3 =\n"
        "  region = nowhere\n[default]\nregion = nowhere\n")
    world.reads("all of a profile", ADDRESS, f"{QUICK},profile=job")
    image = world.open(ADDRESS, f"{QUICK},profile=job")
    KEYS["NEW"] = ("newer", None)
    del KEYS["TEMP"]
    (folder / "credentials").write_text(
        "[job]\naws_access_key_id = NEW\naws_secret_access_key = newer\n")
    world.reads("keys that were renewed in their file", image)


def refused(world, server, source):
    before = server.count()
    with Environment(AWS_ACCESS_KEY_ID="AKID", AWS_SECRET_ACCESS_KEY="wr0ng"):
        text = error_of(world.open, ADDRESS, source)
    has(f"a wrong key: {text}", text, "403", "SignatureDoesNotMatch", "bucket")
    cases.result("wr0ng" not in text and server.count() == before + 1, "is refused at once")
    (world.work / ".aws/credentials").unlink()
    world.refused("no keys", ADDRESS, "no keys", "anonymous", source=source)
    for address in "s3://bucket", "s3:///key", "s3://bucket/", "s3://buc ket/key":
        world.refused(f"{address} is no address", address, "s3://bucket/key",
                      source=source + ",anonymous")


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
        return world.tool("dump.dsfs", ADDRESS, source=f"{options},retries=0",
                          env={**os.environ, "LD_PRELOAD": str(faults), "FAULT_COUNT": str(count),
                               "FAULT": f"alloc:{n}:12"})

    whole = run(10 ** 9, f"{QUICK},profile=job")
    total = int(count.read_text())
    # Options are copied first; the files are read after libcurl was loaded.
    first, last = (620, 270) if LONG else (460, 350)
    plan = [(n, f"{source},profile=keys") for n in range(1, 30 if LONG else 16)]
    plan += [(n, f"{QUICK},profile=job") for n in range(total - first, total - last)]
    ends = [(n, *run(n, options)) for n, options in plan]
    wrong = [(n, text) for n, code, out, text in ends
             if "amazonaws" in text or "403" in text or (not code and out != whole[1])]
    cases.result(whole[0] == 0 and not wrong, "without memory, no other server and no other keys",
                 whole[2], *wrong[:5])
    starved = sum("open: Cannot allocate memory" in text for _n, _code, _out, text in ends)
    cases.result(starved > 40, f"{starved} allocations of these were those of files and options")
