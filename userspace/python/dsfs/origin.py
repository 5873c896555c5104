# SPDX-License-Identifier: GPL-2.0
"""Addresses of images on servers: what is one, and how it is called in messages."""
import errno
import os
import re
from typing import Tuple, Union

from .filesystem import PathArg

_FAR = re.compile(r"(https?|s3|oci)://", re.IGNORECASE)
# A digest behind the path of an image
_DIGEST = re.compile(r"(.*)@((?:sha256|dsfs1-data|dsfs1-full):[^/@]*)", re.DOTALL)


def is_far(path: PathArg) -> bool:
    """Whether it is an address, and no path."""
    return bool(_FAR.match(os.fsdecode(path)))


def split(path: PathArg, source: str) -> Tuple[PathArg, str]:
    """A path without the digest behind it, and with that the options; libdsfs does so itself
    of an address."""
    match = _DIGEST.fullmatch(os.fsdecode(path))
    if not match or is_far(path) or os.path.exists(path):
        return path, source
    # It must not become another option.
    if "," in match[2]:
        raise OSError(errno.EINVAL, f"@{match[2]:.90}: not sha256: and 64 hexadecimal digits", path)
    bare = os.fsencode(match[1]) if isinstance(os.fspath(path), bytes) else match[1]
    return bare, f"{source},digest={match[2]}"


def name(address: Union[str, bytes]) -> str:
    """An address as messages show it: without what is secret."""
    text = os.fsdecode(address)
    if text[:2].lower() == "s3":
        return text
    digest = _DIGEST.fullmatch(text)
    scheme, _, rest = (digest[1] if digest else text).partition("://")
    authority = re.match("[^/?#]*", rest)[0]  # type: ignore[index]
    path = rest[len(authority):]
    _user, at, host = authority.rpartition("@")
    # As authority.c has it: here it is not clear where a password ends.
    if "@" in path and (at or ":" in re.sub(r"^\[.*\]", "", host)):
        return f"{scheme}://..."
    return f"{scheme}://{host}{re.split('[?#]', path)[0]}"
