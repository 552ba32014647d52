"""Grants: what an approved action comes with, verified without asking the server (docs/grants.md)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from typing import Any, Dict, Optional

from .canon import parse
from .errors import Unproven

# Ed25519, verification only (RFC 8032 sections 5.1.3 and 5.1.7). It handles public data
# alone, so it need not run in constant time; it takes a few milliseconds.
_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)


def _add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _point(data: bytes):
    """The point that 32 bytes encode, or None."""
    y = int.from_bytes(data, "little") & (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and data[31] >> 7):
        return None
    if x & 1 != data[31] >> 7:
        x = _P - x
    return x, y, 1, x * y % _P


_BASE = _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def ed25519_verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether this is the signature of this message by the private key of this public one."""
    a = _point(key) if len(key) == 32 else None
    if a is None or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= _L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _L
    minus = (_P - a[0], a[1], 1, _P - a[3])
    both = _add(_BASE, minus)
    sum_ = (0, 1, 1, 0)  # [s]B - [h]A, both multiples at once
    for bit in range(252, -1, -1):
        sum_ = _add(sum_, sum_)
        chosen = (None, _BASE, minus, both)[(s >> bit & 1) + 2 * (h >> bit & 1)]
        if chosen:
            sum_ = _add(sum_, chosen)
    inverse = pow(sum_[2], _P - 2, _P)
    x, y = sum_[0] * inverse % _P, sum_[1] * inverse % _P
    return hmac.compare_digest((y | (x & 1) << 255).to_bytes(32, "little"), signature[:32])


def _decode(part: str) -> bytes:
    try:
        raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        raw = b""
    if not raw or base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != part:
        raise Unproven("token", "a part of the grant is not base64url")
    return raw


def _members(raw: bytes, *names: str) -> Dict[str, Any]:
    """A JSON object with exactly these members: one more might be a condition."""
    try:
        members = parse(raw.decode("utf-8"))
    except ValueError as e:
        raise Unproven("token", f"the grant cannot be read: {e}") from None
    if not isinstance(members, dict) or sorted(members) != sorted(names):
        raise Unproven("token", f"the grant must have exactly the members {', '.join(names)}")
    return members


def find_key(jwks: Any, kid: str) -> Optional[bytes]:
    """The Ed25519 key of a JWK set with this id, or None."""
    keys = jwks.get("keys") if isinstance(jwks, dict) else None
    if not isinstance(keys, list):
        raise Unproven("keys", "the keys are not a JWK set")
    for k in keys:
        if isinstance(k, dict) and k.get("kid") == kid and k.get("kty") == "OKP" and k.get("crv") == "Ed25519" and isinstance(k.get("x"), str):
            return _decode(k["x"])
    return None


def key_id(token: str) -> str:
    """The id of the key that signed a grant. Nothing else in it is believed yet."""
    parts = token.split(".") if isinstance(token, str) and len(token) <= 8192 else []
    if len(parts) != 3:
        raise Unproven("token", "the grant does not have three parts")
    header = _members(_decode(parts[0]), "alg", "kid", "typ")
    if header["alg"] != "EdDSA" or header["typ"] != "JWT" or not isinstance(header["kid"], str) or not header["kid"]:
        raise Unproven("token", "the grant is not signed with EdDSA")
    return header["kid"]


def verify_grant(token: str, digest: str, *, jwks: Any, issuer: str, tenant: str, agent: Optional[str] = None,
                 approval: Optional[str] = None, now: Optional[float] = None) -> Dict[str, Any]:
    """The claims of a grant that is good for this digest; Unproven if it is not.

    It does not prove that the grant was not spent before: consume does.
    """
    key = find_key(jwks, key_id(token))
    if key is None:
        raise Unproven("key", "the grant is signed with an unknown key")
    signed, _, signature = token.rpartition(".")
    payload = _decode(signed.partition(".")[2])
    if not ed25519_verify(key, signed.encode("ascii"), _decode(signature)):
        raise Unproven("signature", "the signature of the grant does not fit")
    claims = _members(payload, "iss", "sub", "tenant", "agent", "digest", "exp", "jti")
    if type(claims["exp"]) is not int:
        raise Unproven("token", "exp of the grant is not a number of seconds")
    for check, claim, want in (("issuer", "iss", issuer), ("tenant", "tenant", tenant), ("agent", "agent", agent), ("approval", "sub", approval)):
        if want is not None and claims[claim] != want:
            raise Unproven(check, f"the grant is for {check} {claims[claim]!r}, expected {want!r}")
    if (time.time() if now is None else now) >= claims["exp"]:
        raise Unproven("expired", "the grant has expired by this machine's clock")
    if not hmac.compare_digest(str(claims["digest"]).encode(), digest.encode()):
        raise Unproven("digest", f"the grant is for {claims['digest']}, and {digest} is about to run")
    return claims
