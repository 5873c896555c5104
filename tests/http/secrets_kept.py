# SPDX-License-Identifier: GPL-2.0
"""What is secret is in no message, and what is refused is read again."""
import cases
from server import Server
from world import error_of, has


def part(world):
    server = Server({"/set": world.bytes})
    address = server.url("/none?X-Amz-Signature=s3cret").replace("://", "://user:s3cret@")
    for name in "dsfs ls", "dump.dsfs", "fsck.dsfs":
        ended = world.tool(name, address)
        cases.result(ended[0] and "/none" in ended[2] and "s3cret" not in ended[2] and
                     b"s3cret" not in ended[1], f"{name} tells no secret", ended[2])
    text = error_of(world.open, address)
    cases.result("404" in text and "s3cret" not in text, "nor does the library", text)
    address = address.replace("/none", "/set")
    cases.result("s3cret" not in repr(world.open(address)), "nor the name of an image")
    ended = world.tool("fsck.dsfs", "--json", address)
    cases.result(ended[0] == 0 and b"/set" in ended[1] and b"s3cret" not in ended[1],
                 "nor a report", ended[1])
    rotated(world)


def rotated(world):
    """A token that is renewed while a job runs"""
    server = Server({"/set": world.bytes})
    token = ["one"]
    server.check = lambda request: request.headers.get("x-token") == token[0]
    lines = world.work / "token"
    lines.write_text("X-Token: one\n")
    image = world.open(server.url("/set"), f"header-file={lines},backoff=1")
    token[0] = "two"
    before = server.count()
    text = error_of(image.read, "large")
    cases.result(text and "403" in text and server.count() == before + 1,
                 "a token that expired is an error at once", text)
    lines.write_text("X-Token: two\n")
    world.reads("a new one is read from its file", image)
    token[0] = "three"
    lines.write_text("X-Token: three\nX-Oth")
    has("not from a file that is half written", error_of(image.read, "large"), "403")
    lines.write_text("X-Token: three\nX-Other: 1\n")
    world.reads("but when it is whole", image)
