"""Builds the wheel with the standard library alone, so that no network is needed.

As a program: build_wheel.py FOLDER. As the backend of pyproject.toml (PEP 517) it serves
pip install and python -m build, too.
"""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIST = "countersign_client"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = re.search(r'^VERSION = "([^"]+)"$', (HERE / "countersign" / "client.py").read_text(), re.M).group(1)
    version = re.sub(r"-(a|b|rc|dev)[a-z]*\.", lambda m: ".dev" if m[1] == "dev" else m[1], version)  # as PEP 440 writes it
    files = {f"countersign/{p.name}": p.read_bytes() for p in sorted((HERE / "countersign").iterdir()) if p.name == "py.typed" or p.suffix == ".py"}
    info = f"{DIST}-{version}.dist-info"
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: countersign-client\nVersion: {version}\nSummary: Hold what an agent is about to do until Countersign approves it.\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text("utf-8")
    ).encode("utf-8")
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: countersign\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_sum(data)},{len(data)}\n" for name, data in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode("utf-8")
    name = f"{DIST}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes each time
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the wheel has all sources")


def _sum(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
