"""JSON as the server reads it: RFC 8785 text, digests, and a reader that loses no digit."""

from __future__ import annotations

import hashlib
import json
import math
import re
from decimal import Decimal
from typing import Any, Dict, List, Tuple

COVERED = ("function", "arguments", "code", "action_type", "environment", "content")
MAX_DEPTH = 64
_MAX_INTEGER = 10**40


def canonical(value: Any) -> str:
    """The RFC 8785 text of a value, with all digits of integers that no double holds.

    ValueError says what cannot be sent: NaN, infinities, minus zero, integers of more
    than 40 digits, halves of surrogate pairs, names that are not text, and anything
    that is not JSON (bytes, sets, dates, objects): make text or numbers of it first.
    """
    out: List[str] = []
    _write(value, out, "", 0)
    return "".join(out)


def _write(value: Any, out: List[str], at: str, depth: int) -> None:
    if value is None or value is True or value is False:
        out.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, str):
        out.append(_text(value, at))
    elif isinstance(value, int):
        out.append(_integer(int(value), at))
    elif isinstance(value, float):
        out.append(_double(float(value), at))
    elif isinstance(value, (list, tuple, dict)) and depth >= MAX_DEPTH:
        raise ValueError(f"{at or 'the value'}: more than {MAX_DEPTH} levels cannot be sent")
    elif isinstance(value, (list, tuple)):
        out.append("[")
        for i, element in enumerate(value):
            out.append("," if i else "")
            _write(element, out, f"{at}/{i}", depth + 1)
        out.append("]")
    elif isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise ValueError(f"{at or 'the value'}: the name {name!r} is not text")
        texts = {name: _text(name, at) for name in value}  # before sorting: it refuses lone surrogates
        out.append("{")
        for i, name in enumerate(sorted(value, key=lambda n: n.encode("utf-16-be"))):
            out.append(("," if i else "") + texts[name] + ":")
            _write(value[name], out, f"{at}/{name}", depth + 1)
        out.append("}")
    else:
        raise ValueError(f"{at or 'the value'}: {type(value).__name__} is not JSON; send text, numbers, lists or dicts")


def _text(s: str, at: str) -> str:
    try:
        s.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{at or 'the value'}: text with half a surrogate pair cannot be sent") from None
    return json.dumps(str.__str__(s), ensure_ascii=False)


def _integer(n: int, at: str) -> str:
    if abs(n) >= _MAX_INTEGER:
        raise ValueError(f"{at or 'the value'}: integers of more than 40 digits cannot be sent; send text")
    text = str(n)
    if len(text) > 21:  # shorter ones have the same form in RFC 8785, or no double denotes them
        short = _double(float(n), at)
        if Decimal(short) == n:
            return short
    return text


def _double(f: float, at: str) -> str:
    """A double as ECMAScript prints it (RFC 8785 section 3.2.2.3)."""
    if not math.isfinite(f):
        raise ValueError(f"{at or 'the value'}: {f} is not JSON")
    if f == 0:
        if math.copysign(1, f) < 0:
            raise ValueError(f"{at or 'the value'}: minus zero loses its sign; send 0")
        return "0"
    mantissa, _, exponent = float.__repr__(abs(f)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) - (len(whole + fraction) - len(digits)) + int(exponent or 0)  # 0.digits * 10^point
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        whole = digits[:point].ljust(point, "0")
        text = whole + ("." + digits[point:] if len(digits) > point else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+d}"
    return "-" + text if f < 0 else text


def parse(text: str) -> Any:
    """Reads JSON strictly: no name twice, no number that would change.

    Integers beyond 2^53 are int with all digits, also those written like 1e+21.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_read_integer, parse_float=_read_number, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the JSON is nested too deep") from None


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member name comes twice")
    return members


def _refuse(text: str) -> Any:
    raise ValueError(f"{text:.40} is not JSON")


def _read_integer(text: str) -> int:
    if text == "-0" or len(text) > 41:
        _refuse(text)
    return int(text)


def _read_number(text: str) -> Any:
    value = float(text)
    if value == 0 and not re.search("[-1-9]", text.lower().partition("e")[0]):
        return 0
    if value == 0 or Decimal(_double(value, "")) != Decimal(text):
        raise ValueError(f"{text:.40} loses precision as a double, or its sign")
    if abs(value) >= _MAX_INTEGER:
        raise ValueError(f"{text:.40} is an integer of more than 40 digits")
    return int(Decimal(text)) if abs(value) >= 2**53 else value


def value_digest(value: Any) -> str:
    """sha256: and the SHA-256 of the RFC 8785 text of any value."""
    return "sha256:" + hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def digest(act: Dict[str, Any]) -> str:
    """The digest of an act: what a grant binds and consume names.

    act has only the members that a digest covers (COVERED); None is the same as
    absent. Any other member is a ValueError: nobody approves it.
    """
    if not isinstance(act, dict):
        raise ValueError("an act is a dict")
    for name in act:
        if name not in COVERED:
            raise ValueError(f"the digest does not cover {name!r}; pass only {', '.join(COVERED)}")
    there = act_of(act)
    if not there:
        raise ValueError("the act has no members, so there is nothing to run")
    return value_digest(there)


def act_of(action: Dict[str, Any]) -> Dict[str, Any]:
    """The part of a whole action that a digest covers: what to run of decision.effective."""
    return {name: action[name] for name in COVERED if action.get(name) is not None}
