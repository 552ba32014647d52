"""Where the server is and who asks: arguments, environment, then a file that only its owner reads."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any, Dict, Optional
from urllib.parse import urlsplit

from .errors import CountersignError

_KEY = re.compile(r"csk_[a-z][a-z0-9-]*_[A-Za-z0-9_-]+")


def load(url: Optional[str], key: Optional[str]) -> Dict[str, Any]:
    """The settings: url, key and, from the file, ca and wait_seconds.

    Arguments come first, then COUNTERSIGN_URL and COUNTERSIGN_KEY, then the file: the one
    that COUNTERSIGN_CONFIG names, or countersign/config.json in ~/.config. It must have
    mode 0600, because it holds a key. It is not read where both arguments are given.
    """
    found: Dict[str, Any] = {} if url and key else _read()
    if found.get("key") and not (key or os.environ.get("COUNTERSIGN_KEY")) and (url or os.environ.get("COUNTERSIGN_URL") or found.get("url")) != found.get("url"):
        raise CountersignError("the address is that of another server than the settings name, and their key is for that server alone; give the key, too")
    found.update({n: v for n, v in (("url", os.environ.get("COUNTERSIGN_URL")), ("key", os.environ.get("COUNTERSIGN_KEY"))) if v})
    found.update({n: v for n, v in (("url", url), ("key", key)) if v})
    for name in ("url", "key"):
        if not isinstance(found.get(name), str) or not found[name]:
            raise CountersignError(f"no {name}: set COUNTERSIGN_{name.upper()}, or write it into ~/.config/countersign/config.json")
    if not _KEY.fullmatch(found["key"]):
        raise CountersignError("the key is not an agent's key: it begins with csk_ and the name of the organisation")
    return found


def _read() -> Dict[str, Any]:
    named = os.environ.get("COUNTERSIGN_CONFIG")
    base = os.environ.get("XDG_CONFIG_HOME", "")
    path = Path(named) if named else (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "countersign" / "config.json"
    try:
        with open(path, "rb") as f:
            mode = stat.S_IMODE(os.fstat(f.fileno()).st_mode)
            if os.name == "posix" and mode & 0o077:
                raise CountersignError(f"{path} can be read by others (mode {mode:04o}): run chmod 600 on it, and make a new key if others did")
            settings = json.loads(f.read().decode("utf-8"))
    except FileNotFoundError:
        if named:
            raise CountersignError(f"COUNTERSIGN_CONFIG names {path}, which is not there") from None
        return {}
    except (OSError, ValueError) as e:
        raise CountersignError(f"{path} cannot be read: {type(e).__name__}") from None  # the text may quote the key
    if not isinstance(settings, dict) or set(settings) - {"url", "key", "ca", "wait_seconds"}:
        raise CountersignError(f"{path} must be a JSON object with url, key and, where needed, ca and wait_seconds, and nothing else")
    return settings


def place(url: str, allow_http: bool = False) -> str:
    """The base URL, checked: whoever answers in the server's place could sign grants."""
    u = urlsplit(url.rstrip("/"))
    try:
        u.port
    except ValueError:
        u = urlsplit("")
    if u.scheme not in ("http", "https") or not u.hostname or u.username or not re.fullmatch(r"(/[A-Za-z0-9][A-Za-z0-9._~-]*)*", u.path) or u.query or u.fragment:
        raise CountersignError("the url is no base URL: write the console's public one, for example https://approvals.example.com")
    if u.scheme == "http" and not allow_http and not loopback(u.hostname):
        raise CountersignError(f"{u.hostname} is asked over http: anybody on the way could approve; use https, or allow_http=True")
    return f"{u.scheme}://{u.netloc.lower()}{u.path}"


def loopback(host: str) -> bool:
    return host in ("localhost", "::1") or re.fullmatch(r"127\.\d+\.\d+\.\d+", host) is not None


def same_place(a: str, b: str) -> bool:
    """Whether two base URLs are one server: the names of this machine are the same place."""
    x, y = urlsplit(a.rstrip("/")), urlsplit(b.rstrip("/"))
    hosts = [":loopback" if loopback(u.hostname or "") else u.hostname for u in (x, y)]
    ports = [u.port or {"http": 80, "https": 443}.get(u.scheme) for u in (x, y)]
    return x.scheme == y.scheme and hosts[0] == hosts[1] and ports[0] == ports[1] and x.path == y.path
