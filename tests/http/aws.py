# SPDX-License-Identifier: GPL-2.0
"""Files of the AWS tools, as botocore reads them: the keys that arrive at the server."""
import importlib.util
import json
import os
import random
import signal
import urllib.parse

import cases
import sigv4
from server import FAULTS, Server, answer, says
from world import Environment, error_of, has

COUNT = 3000 if os.environ.get("DSFS_LONG", "0") != "0" else 200
SETTINGS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token",
            "aws_security_token", "region", "output", "credential_process")
ADDRESS, SOURCE = "s3://bucket/set", "backoff=1,retries=0"


def part(world):
    folder = world.work / "aws-files"
    folder.mkdir()
    keys, config = folder / "credentials", folder / "config"
    with Environment(AWS_SHARED_CREDENTIALS_FILE=str(keys), AWS_CONFIG_FILE=str(config),
                     AWS_EC2_METADATA_DISABLED="true"):
        if importlib.util.find_spec("botocore"):
            generated(world, keys, config)
        else:
            cases.skip("botocore", "not installed")
        not_built(world, keys, config)
        made(world, keys, config)


def value(draw, name):
    if name == "region":
        return draw.choice(("eu-x-1", "us-y-2"))
    if name == "credential_process":
        printed = json.dumps({"Version": 1, "AccessKeyId": "PROC", "SecretAccessKey": "of p"})
        return draw.choice((f"echo '{printed}'", "false", "sh -c \"printf '%s' '{}'\""))
    if name == "aws_access_key_id":
        return f"AKID{draw.randrange(10 ** 9)}"
    return "".join(draw.choice("abAB01/+=#;:[]") for _ in range(draw.choice((12, 12, 12, 3000)))).strip() + "x"


def line(draw, name, text, indent):
    name = draw.choice((name, name, name.upper()))
    return indent + name + draw.choice((" = ", "=", ": ", ":", "  =\t")) + text


def section(draw, name, settings):
    """A section, its options indented or not, and what may stand between them"""
    indent = draw.choice(("", "", "  ", "\t"))
    lines = [f"[{name}]" + draw.choice(("", "", " ; junk"))]
    for setting in settings:
        lines += draw.choice(([], [], [""], ["# a = b"], [indent + "  ; c"], ["   "]))
        lines.append(line(draw, setting, value(draw, setting), indent))
    if not draw.randrange(4):
        lines += [indent + "s3 =", indent + "  region = nowhere", "",
                  indent + draw.choice("=" * 20 + ":").join(("  aws_access_key_id ", " NESTED"))]
    if not draw.randrange(60):
        lines.append(draw.choice(("no delimiter", "= no name", lines[-1], "[a", lines[0])))
    return lines


def some(draw, *more):
    """Settings, more often than not those that belong together"""
    settings = list(draw.choice((SETTINGS[:2], SETTINGS[:3], SETTINGS[:1], ()))) + list(more)
    settings += [name for name in SETTINGS if name not in settings and not draw.randrange(6)]
    draw.shuffle(settings)
    return settings


def file(draw, names):
    draw.shuffle(names)
    lines = [] if draw.randrange(30) else ["aws_access_key_id = early"]
    for name in names[:draw.randrange(1, len(names) + 1)]:
        lines += section(draw, name, some(draw))
    return draw.choice(("\n", "\n", "\r\n")).join(lines) + draw.choice(("", "\n"))


def by_botocore(profile):
    import botocore.session
    try:
        session = botocore.session.Session(profile=profile)
        keys = session.get_credentials()
        region = session.get_config_variable("region")
        return keys and (keys.access_key, keys.secret_key, keys.token, region or "us-east-1")
    except Exception:  # of any kind: it takes none of it
        return None


def generated(world, keys, config):
    draw, wrong, right = random.Random(15), [], 0
    server = Server({"/bucket/set": world.bytes})
    for i in range(COUNT):
        keys.write_text(file(draw, ["default", "job", "DEFAULT", " job"]), newline="")
        config.write_text(file(draw, ["default", "profile default", "profile job", "job",
                                      'profile "job"', "profile  'j'ob", "DEFAULT"]), newline="")
        profile = draw.choice((None, "job", "default"))
        variables = draw.choice(([{}] * 8) + [{"AWS_ACCESS_KEY_ID": "ENV"}, {
            "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "of e"}])
        with Environment(**variables):
            wanted = by_botocore(profile)
            server.log.clear()
            server.check = lambda request, wanted=wanted: wanted and sigv4.is_signed(
                request, {wanted[0]: wanted[1:3]}, wanted[3])
            text = error_of(world.open, ADDRESS, f"{SOURCE},s3-endpoint={server.url('')}" +
                            (f",profile={profile}" if profile else ""))
        if (text is None) != bool(wanted) or (not wanted and server.log):
            wrong.append((i, profile, wanted, text, keys.read_text(), config.read_text()))
        right += bool(wanted)
    cases.result(not wrong, f"{COUNT} pairs of files, {right} with keys: those of botocore",
                 len(wrong), *("\n".join(map(str, one)) for one in wrong[:2]))
    cases.result(COUNT / 4 < right < COUNT, "some of both", right)


def not_built(world, keys, config):
    keys.write_text("[job]\naws_access_key_id = A\naws_secret_access_key = b\n")
    for setting in ("role_arn = arn:x\nsource_profile = default", "sso_session = here",
                    "sso_start_url = https://x"):
        config.write_text(f"[profile job]\n{setting}\n")
        world.refused(setting.partition(" ")[0], ADDRESS, "profile job", setting.split(" ")[0],
                      "not built", source=f"{SOURCE},profile=job")
    config.write_text("")
    world.refused("no such profile", ADDRESS, "no profile none", source=f"{SOURCE},profile=none")


def made(world, keys, config):
    """Keys of a program and of STS, which run out and are made again"""
    now = ["ONE"]
    server = Server({"/bucket/set": world.bytes})
    server.fault = lambda request: None if sigv4.is_signed(
        request, {now[0]: ("s3cret", "tok/en")}, "us-east-1") else "expired"
    script, number = keys.with_name("make keys"), keys.with_name("number")
    script.write_text(f"""#!/bin/sh
printf '{{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "s3cret", "SessionToken": "%s"}}' \\
	"$(cat '{number}')" "$1"
""")
    script.chmod(0o755)
    number.write_text("ONE")
    keys.write_text(f"[default]\ncredential_process = '{script}' \"tok/en\"\n")
    source = f"{SOURCE},s3-endpoint={server.url('')}"
    renewed(world, "a program", source, now, number)
    hanging(world, source, now, number, script)
    script.write_text("#!/bin/sh\nexit 3\n")
    world.refused("a program that fails", ADDRESS, "credential_process", "exit 3", source=source)
    keys.unlink()
    web(world, now, source, keys.with_name("token"))


class Interrupted(Exception):
    """Of a signal"""


def interrupt(_number, _frame):
    raise Interrupted


def hanging(world, source, now, number, script):
    """A program that asks somebody who does not answer"""
    now[0] = "THREE"
    number.write_text("THREE")
    image = world.open(ADDRESS, source)
    now[0] = "FOUR"
    script.write_text(f"#!/bin/sh\necho $$ >'{number}'\nkill -ALRM $PPID\nexec sleep 1000\n")
    before, ended = signal.signal(signal.SIGALRM, interrupt), False
    try:
        image.read("large")
    except Interrupted:
        ended = True
    finally:
        signal.signal(signal.SIGALRM, before)
    cases.result(ended and not os.path.exists(f"/proc/{number.read_text().strip()}"),
                 "a program that hangs ends with its reader")


def renewed(world, name, source, now, number):
    image = world.open(ADDRESS, source)
    world.reads(f"keys of {name}", image)
    now[0] = "TWO"
    has(f"{name}: keys that ran out", error_of(image.read, "holes"), "ExpiredToken")
    number.write_text("TWO")
    cases.result(image["holes"] == world.files["holes"], f"{name}: new ones are made")


def web(world, now, source, token):
    """The identity of a pod: its token is sent to STS in the body of a POST, and nowhere else."""
    number = token.with_name("number")
    sts = Server()
    sts.fault = "sts"
    sts.number, sts.seen = number, []
    token.write_text("pod.to/ken\n")
    now[0] = "ONE"
    number.write_text("ONE")
    with Environment(AWS_WEB_IDENTITY_TOKEN_FILE=str(token), AWS_ROLE_ARN="arn:aws:iam::1:role/x",
                     AWS_ENDPOINT_URL_STS=sts.url("/")):
        renewed(world, "STS", source, now, number)
        cases.result(sts.seen and all(
            form == {"Action": ["AssumeRoleWithWebIdentity"], "Version": ["2011-06-15"],
                     "RoleArn": ["arn:aws:iam::1:role/x"], "RoleSessionName": ["dsfs"],
                     "WebIdentityToken": ["pod.to/ken"]} for form in sts.seen), "STS is asked so",
                     sts.seen[:1])
        token.write_text("\n")
        world.refused("no token", ADDRESS, "no token in", str(token), source=source)


def give_keys(server, connection, request):
    server.seen.append(urllib.parse.parse_qs(request.body.decode()))
    return answer(connection, 200, f"""<R><Credentials><AccessKeyId>{server.number.read_text()}
</AccessKeyId><SecretAccessKey>s3cret</SecretAccessKey><SessionToken>tok/en</SessionToken>
</Credentials></R>""".replace("\n", "").encode())


FAULTS.update(sts=give_keys, expired=says(400, b"<Error><Code>ExpiredToken</Code></Error>"))
