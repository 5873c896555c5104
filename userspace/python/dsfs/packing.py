# SPDX-License-Identifier: GPL-2.0
"""An image that many processes or machines pack: each a part, which dsfs join makes one.

    from dask.distributed import Client
    dsfs.pack("/data/photos", "/mnt/ceph/photos.dsfs", Client("scheduler").get_executor(), 64)

What the executor runs are commands, on machines that have source and target under the same names.
A part that is made twice is the same part, so an engine may try one again.
"""
import json
import os
import shutil
import subprocess
import uuid
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from typing import Any, Callable, List, Optional, Sequence

from .changes import PathArg, _command

_UNIT = 1 << 20


def _mkfs() -> str:
    """mkfs.dsfs of the machine that runs this: the one beside dsfs, or the one of the system."""
    command = shutil.which(_command())
    beside = os.path.join(os.path.dirname(command or ""), "mkfs.dsfs")
    return beside if os.access(beside, os.X_OK) else (
        shutil.which("mkfs.dsfs", path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin")
        or "mkfs.dsfs")


def _run(command: Sequence[str]) -> bytes:
    """Run a command; what it says is the error, if it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        said = os.fsdecode(done.stderr).strip()
        raise OSError(said or f"{command[0]}: exit {done.returncode}")
    return done.stdout


def _plan(arguments: Sequence[str]) -> List[int]:
    """What a share takes at most, and the bytes of an object of the target."""
    plan = json.loads(_run([_mkfs(), "--dry-run", "--json", *arguments]))
    return [plan["image_max_bytes"], plan["object_bytes"]]


def _part(arguments: Sequence[str]) -> None:
    _run([_mkfs(), "--force", "--quiet", *arguments])


def _all(executor: Executor, function: Callable[[Sequence[str]], Any], calls: Sequence[Sequence[str]],
         progress: Optional[Callable[[int, int], object]]) -> List[Any]:
    """The results of calls, in their order; the first error ends those that have not begun."""
    futures = [executor.submit(function, call) for call in calls]
    try:
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            if progress:
                progress(done, len(futures))
        return [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()


def pack(source: PathArg, target: PathArg, executor: Optional[Executor] = None,
         parts: Optional[int] = None, *, room: Optional[int] = None, options: Sequence[str] = (),
         message: Optional[str] = None,
         progress: Optional[Callable[[int, int], object]] = None) -> None:
    """Pack a directory into target, a file or a device, by the workers of an executor.

    Without one it is a pool of processes.  parts is how many shares of the source there are, one a
    processor if it is not given; each has room bytes, or what a plan of it says, for which the
    source is listed once more.  options are those of mkfs.dsfs, for all parts; message is that of
    the image.  progress is called with the number of parts that are done, and of them all.

    OSError has what a command said; what is there then is parts, which the next call overwrites.
    """
    if executor is None:
        with ProcessPoolExecutor(parts) as pool:
            pack(source, target, pool, parts, room=room, options=options, message=message,
                 progress=progress)
        return
    parts = parts or os.cpu_count() or 1
    of, to = os.path.abspath(os.fsdecode(source)), os.path.abspath(os.fsdecode(target))
    shares = [f"{of}@{i}/{parts}" for i in range(1, parts + 1)]
    if room is None:
        plans = _all(executor, _plan, [[*options, "--", to, share] for share in shares], None)
    else:
        plans = [[room, 0]] * parts
    at, places = 0, []
    for most, unit in plans:
        unit = max(unit, _UNIT)
        at = -(-max(at, unit) // unit) * unit
        places.append((at, most))
        at += most
    common = [*options, f"--uuid={uuid.uuid4()}"]
    _all(executor, _part, [[*common, "--", f"{to}@{at}+{most}", share]
                           for (at, most), share in zip(places, shares)], progress)
    _run([_command(), "join", "--quiet", *([f"--message={message}"] if message else []), "--", to,
          *(f"{to}@{at}" for at, _ in places)])
