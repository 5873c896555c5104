# SPDX-License-Identifier: GPL-2.0
"""What the programs of this tier share, on top of the harness: runs of the tools with one
call made to fail (faults.c), and the sweep over all such calls.

A sweep's cases are thousands and all alike, so each sweep is one line; what
failed is said in comments.  Without DSFS_LONG=1 an even sample of the calls is
taken, and always the first and the last ones.
"""
import atexit
import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, TOP + "/tests/harness")
import cases

BIN = os.environ.get("DSFS_BUILD", TOP + "/build")
MKFS, FSCK, DUMP = (f"{BIN}/{t}.dsfs" for t in ("mkfs", "fsck", "dump"))
DSFS = f"{BIN}/dsfs"
FAULTS = TOP + "/build/tests/faults.so"
LONG = os.environ.get("DSFS_LONG") == "1"
SLOTS = (1024, 1024 + 65536)
CHANGES = "write,sync"
ALL = "write,sync,read,open,attr,list"

done = 0
kills = 0
# In the background of a shell they are ignored, and programs leave it at that.
for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def result(name, bad):
    """One case; @bad are the reasons why it failed."""
    cases.result(not bad, name, *(ascii(text) for text in bad[:8]))


def main(test):
    """A whole program: @test of a folder that goes away."""
    work = tempfile.mkdtemp(prefix="dsfs-robust-")
    try:
        test(work)
    finally:
        # shutil.rmtree() is not for trees that are closed
        run(["chmod", "-R", "u+rwx", work])
        run(["rm", "-rf", work])
    print(f"# {done} runs of a tool, {kills} of them killed")
    cases.finish()


def run(cmd, fault=None, count=None, command=None, env=None, **more):
    """Run @cmd, with @fault if there is one: (status, stdout, stderr)."""
    global done, kills
    done += 1
    if fault and ":kill" in fault:
        kills += 1
    e = dict(os.environ, LC_ALL="C", **(env or {}))
    if fault:
        e.update(LD_PRELOAD=FAULTS, FAULT=fault)
        if cmd[0] == DSFS and cmd[1] in ("add", "compact", "edit", "update"):
            e["FAULT_IN"] = f"dsfs {cmd[1]}"
        if count:
            e["FAULT_COUNT"] = count
        if command:
            e["FAULT_RUN"] = command
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    p = subprocess.run(cmd, env=e, timeout=60, check=False, **more)
    return p.returncode, p.stdout, p.stderr


def calls(cmd, kinds, **more):
    """How many calls of these kinds a good run makes."""
    with tempfile.NamedTemporaryFile() as f:
        status, _, err = run(cmd, f"{kinds}:999999999:5", count=f.name, **more)
        if status:
            raise RuntimeError(f"{cmd}: {status}: {err}")
        return int(f.read())


def sample(total, most, always=True):
    """Numbers of calls: half of @most, with DSFS_LONG=1 @most, or if @always all of them."""
    if not LONG:
        most //= 2
    if (LONG and always) or total <= most:
        return range(1, total + 1)
    ends = most // 4
    step = (total - ends) / (most - ends)
    some = {1 + int(i * step) for i in range(most - ends)}
    return sorted(some | set(range(total - ends + 1, total + 1)))


def action_name(action):
    return action if isinstance(action, str) else errno.errorcode[action]


def sweep(name, cmd, kinds, action, most, judge, before=lambda: None, tail="", env=None):
    """Run @cmd, after @before(), with a call of @kinds tampered with by @action: with each call of
    a sample.  @judge(status, err) says what is bad.  Returns the exit statuses that there were."""
    before()
    total = calls(cmd, kinds, env=env)
    bad, runs, ends = [], 0, set()
    for n in sample(total, most):
        before()
        status, _, err = run(cmd, f"{kinds}:{n}{tail}:{action}", env=env)
        bad += [f"call {n}: {b}" for b in judge(status, err)]
        ends.add(status)
        runs += 1
    result(f"{name} ({runs} of {total} calls)", bad)
    return ends


def read(path):
    with open(path, "rb") as f:
        return f.read()


def plain(text):
    """Whether what a tool wrote is safe to show on a terminal."""
    s = text.decode("utf-8", "replace")
    return all(c == "\n" or (c >= " " and not "\x7f" <= c <= "\x9f"
                             and c != "\ufffd") for c in s)


def message(tool, err):
    """Why @err is no message of @tool; None: it is one."""
    lines = err.decode("utf-8", "replace").splitlines()
    if not lines:
        return "no message"
    for line in lines:
        if not line.startswith(tool + ": "):
            return "not a message: " + line
    return None if plain(err) else "control characters"


def make_tree(top):
    os.makedirs(top + "/a/b")
    for i in range(60):
        with open(f"{top}/a/b/{i}", "w", encoding="ascii") as f:
            f.write(f"{i}\n" * (i * 13))
    with open(top + "/large", "wb") as f:
        for i in range(9 << 10):
            f.write(b"%1024d" % i)
    shutil.copy(top + "/large", top + "/same")
    os.link(top + "/a/b/7", top + "/a/link")
    os.symlink("b/8", top + "/a/symlink")


def loop_device(path):
    """A loop device of a new file, until the end."""
    with open(path, "wb") as f:
        f.truncate(32 << 20)
    status, out, err = run(["losetup", "--show", "-f", path])
    if status:
        raise OSError(err)
    atexit.register(run, ["losetup", "-d", out.strip()])
    return out.decode().strip()
