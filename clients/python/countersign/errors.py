"""What can go wrong. Every one of them means: do not run the action."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class CountersignError(Exception):
    """Anything that this package raises, but for what cannot be sent (ValueError)."""


class Denied(CountersignError):
    """The action was not approved, or nobody could say that it was.

    status is that of the approval (denied, blocked, changes_requested, expired,
    cancelled; pending when the patience ended first), ``unproven`` for a yes that does
    not hold, ``unavailable`` for no usable answer, or the code of a problem. reason is
    for people and for the model. approval is the last answer, where there was one.
    """

    def __init__(self, status: str, reason: str, approval: Optional[Dict[str, Any]] = None):
        super().__init__(f"{status}: {reason}" if reason else status)
        self.status, self.reason, self.approval = status, reason, approval


class Problem(CountersignError):
    """A refusal of the server (RFC 9457). code is the end of its type; see docs/problems.md."""

    def __init__(self, code: str, status: int, detail: str, document: Optional[Dict[str, Any]] = None):
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code, self.status, self.detail = code, status, detail
        self.document: Dict[str, Any] = document or {}
        self.instance: Optional[str] = self.document.get("instance")
        self.errors: List[Dict[str, Any]] = self.document.get("errors") or []


class Unavailable(CountersignError):
    """No usable answer came until the patience ended."""


class Unproven(CountersignError):
    """A yes that does not hold: another act, a grant that does not verify, a replay.

    check names what failed: token, keys, key, signature, issuer, tenant, agent,
    approval, expired, action, digest or replayed.
    """

    def __init__(self, check: str, message: str):
        super().__init__(message)
        self.check = check
