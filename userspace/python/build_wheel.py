# SPDX-License-Identifier: GPL-2.0
"""
The wheel of this folder, made with what Python itself has, so that pip asks no index for tools
(PEP 517; pyproject.toml names it).  What it says of the package stands in pyproject.toml.
"""
import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def project():
    """Values of pyproject.toml that are text in a line; older Pythons have no tomllib."""
    text = (HERE / "pyproject.toml").read_text()
    values = dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.M))
    values["classifiers"] = re.findall(r'"(\w[^"]* :: [^"]*)"', text)
    values["license"] = re.search(r'license = \{ text = "(.*?)"', text)[1]
    return values


def metadata(of):
    heads = [("Metadata-Version", "2.1"), ("Name", of["name"]), ("Version", of["version"]),
             ("Summary", of["description"]), ("License", of["license"]),
             ("Requires-Python", of["requires-python"]),
             *(("Classifier", name) for name in of["classifiers"]),
             ("Description-Content-Type", "text/x-rst")]
    return "".join(f"{key}: {value}\n" for key, value in heads) + "\n" + \
        (HERE / of["readme"]).read_text()


def members(of, info):
    """Names in the wheel, and their bytes"""
    for path in sorted((HERE / of["name"]).glob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"{of['name']}/{path.name}", path.read_bytes()
    yield f"{info}/METADATA", metadata(of).encode()
    yield f"{info}/WHEEL", (b"Wheel-Version: 1.0\nGenerator: dsfs\nRoot-Is-Purelib: true\n"
                            b"Tag: py3-none-any\n")
    yield f"{info}/entry_points.txt", f"[fsspec.specs]\ndsfs = {of['dsfs']}\n".encode()


def build_wheel(folder, config_settings=None, metadata_directory=None):
    """As pip calls it; the same files make the same bytes."""
    of = project()
    info = f"{of['name']}-{of['version']}.dist-info"
    name = f"{of['name']}-{of['version']}-py3-none-any.whl"
    record = ""
    with zipfile.ZipFile(Path(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in members(of, info):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            wheel.writestr(entry(path), data)
        wheel.writestr(entry(f"{info}/RECORD"), f"{record}{info}/RECORD,,\n")
    return name


def entry(path):
    item = zipfile.ZipInfo(path)
    item.external_attr = 0o100644 << 16
    item.compress_type = zipfile.ZIP_DEFLATED
    return item
