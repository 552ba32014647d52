"""The client: submit, wait, verify, consume, report, and all of it at once (authorize)."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import re
import secrets
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple, Union

from . import settings
from .canon import act_of, canonical, digest as act_digest, parse, value_digest
from .errors import CountersignError, Denied, Problem, Unavailable, Unproven
from .grants import find_key, key_id, verify_grant

VERSION = "0.1.0"
# What each method calls; a test compares it with the OpenAPI document.
OPERATIONS = {
    "submit": "POST /api/v1/approvals", "get": "GET /api/v1/approvals/{id}", "consume": "POST /api/v1/approvals/{id}/consume",
    "report": "POST /api/v1/approvals/{id}/result", "cancel": "POST /api/v1/approvals/{id}/cancel",
    "answer": "POST /api/v1/approvals/{id}/answers",
    "assess": "POST /api/v1/assessments", "agent": "GET /api/v1/agent",
}
# What an action may have besides the members that its digest covers.
ABOUT = ("docstring", "justification", "hints", "metadata", "session_id", "tool_call_id", "lifecycle_point")
OF_SUBMISSION = ("expires_in_seconds", "revises", "attach", "client")

_STATUSES = ("pending", "approved", "blocked", "denied", "changes_requested", "expired", "cancelled")
_AGAIN = ("already-consumed", "grant-expired", "stricter-now")  # nothing was run: the act is submitted anew
_LONGEST_WAIT = 50  # seconds: the server answers by then, whatever is asked for
_ID = re.compile(r"apr_[0-9a-f]{32}")
_MAX_ANSWER = 8 << 20
_MOST_EDITED = 100  # edited approvals that wait for their call
_KEYS_AGE = 15 * 60  # seconds, as docs/grants.md says

Approval = Dict[str, Any]
_session: ContextVar[Optional[str]] = ContextVar("countersign_session", default=None)
_PROCESS = "py-" + secrets.token_hex(8)


@contextmanager
def session(name: str) -> Iterator[None]:
    """Calls in this block belong to the session of this name; else they belong to the process.

    It follows tasks as contextvars do.
    """
    token = _session.set(name)
    try:
        yield
    finally:
        _session.reset(token)


class Permit(NamedTuple):
    """Leave to run act, once, now. Report the result to approval["id"]."""

    approval: Approval
    act: Dict[str, Any]


class _Lost(Exception):
    """No usable answer to one request: it may or may not have been done."""

    def __init__(self, why: str, after: Optional[float] = None):
        super().__init__(why)
        self.after = after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Client:
    """A client of one server with one agent's key. Safe for threads.

    wait_seconds is its patience, for people and for a server that is away; ca is a file
    with the certificates to trust; jwks pins the keys of grants, which are else fetched
    from the server and kept for 15 minutes.
    """

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None, *, ca: Optional[str] = None, wait_seconds: Optional[float] = None,
                 jwks: Optional[Dict[str, Any]] = None, allow_http: bool = False):
        known = settings.load(url, key)
        self.url = settings.place(known["url"], allow_http)
        self.tenant = known["key"].split("_")[1]
        patience = known.get("wait_seconds", 3600) if wait_seconds is None else wait_seconds
        if isinstance(patience, bool) or not isinstance(patience, (int, float)) or not 0 <= patience < 1e9:
            raise CountersignError("wait_seconds is not a number of seconds")
        self.wait_seconds = float(patience)
        self._key = known["key"]
        self._jwks, self._pinned, self._fetched = jwks, jwks is not None, 0.0
        self._edited: Dict[Tuple[str, str], Approval] = {}
        self._trail = ""  # the newest signed head of the server's audit trail: a server that was set back hears of it
        handlers: list = [_NoRedirects, urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca or known.get("ca")))]
        if settings.loopback(urllib.parse.urlsplit(self.url).hostname or ""):
            handlers.append(urllib.request.ProxyHandler({}))  # a proxy would be asked for its own loopback
        self._opener = urllib.request.build_opener(*handlers)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # The operations, in the order in which they are used.

    def submit(self, function: Optional[str] = None, arguments: Any = None, *, consume: bool = False,
               idempotency_key: Optional[str] = None, **members: Any) -> Approval:
        """Submits an action; the answer is the approval, often still pending.

        members are those of the API: docstring, hints, session_id, attach, and so on. With
        consume the grant of what the policy approves at once is spent in the same call.
        """
        return self._submit(_action(function, arguments, members), consume, idempotency_key or _nonce(), self._deadline(None), None)[0]

    def wait(self, approval: Union[str, Approval], *, wait_seconds: Optional[float] = None) -> Approval:
        """Waits until the status is final, through restarts of the server; resumes with an id alone.

        The approval is still pending where the patience ends first.
        """
        return self._wait(_id(approval), self._deadline(wait_seconds), None)

    def get(self, approval: Union[str, Approval]) -> Approval:
        """The approval as it is now."""
        return self._ask("GET", f"/api/v1/approvals/{_id(approval)}", self._deadline(None), good=_is_approval)[1]

    def verify(self, approval: Approval, act: Dict[str, Any], *, wait_seconds: Optional[float] = None) -> Tuple[Dict[str, Any], str]:
        """What to run of an approved approval of this act, and the digest to consume.

        That is act itself, or what an operator made of its arguments, or act without the
        secrets in it. Unproven says why a yes does not hold: run nothing.
        """
        own = act_digest(act)
        decision, grant = approval.get("decision"), None
        if isinstance(decision, dict):
            grant = decision.get("grant")
        if approval.get("status") != "approved" or not isinstance(grant, str):
            raise Unproven("approval", "it is not approved, or has no grant")
        if approval.get("digest") != own:
            raise Unproven("digest", f"the answer is about {approval.get('digest')}, not about {own}")
        run, spend, effective = act_of(act), own, decision.get("effective")
        if effective is not None:
            edited = act_of(effective) if isinstance(effective, dict) else {}
            if canonical({**edited, "arguments": None}) != canonical({**run, "arguments": None}):
                raise Unproven("digest", "more than the arguments was changed")
            assessment = approval.get("assessment")
            if isinstance(assessment, dict) and assessment.get("rewrites") is True:
                if not _only_masked(run, edited):
                    raise Unproven("digest", "more than secrets was taken out")
            else:
                spend = act_digest(edited)
            run = edited
        if decision.get("digest") not in (None, spend):
            raise Unproven("digest", f"{decision.get('digest')} is to be consumed, and {spend} would run")
        claims = verify_grant(grant, spend, jwks=self._keys(key_id(grant), self._deadline(wait_seconds)), issuer=None, tenant=self.tenant, approval=_id(approval))
        if not settings.same_place(str(claims["iss"]), self.url):
            raise Unproven("issuer", f"the grant is of {claims['iss']}, and {self.url} was asked: set the url to the server's public one")
        return run, spend

    def consume(self, approval: Union[str, Approval], digest: str, *, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Spends the grant, right before the action, for the digest that verify gave.

        It returns only where the action may run. Unproven is raised where the answer repeats
        an earlier one: the action may have run already.
        """
        return self._consume(_id(approval), digest, idempotency_key or _nonce(), self._deadline(None), None, False)

    def report(self, approval: Union[str, Approval], status: str, detail: str = "", *, wait_seconds: Optional[float] = None) -> Approval:
        """Says how the action went: succeeded or failed. The server masks secrets in the detail."""
        detail = detail.encode("utf-8", "replace")[:4096].decode("utf-8", "ignore")
        body = {"status": status, "detail": detail}
        return self._ask("POST", f"/api/v1/approvals/{_id(approval)}/result", self._deadline(wait_seconds), body=body)[1]

    def answer(self, approval: Union[str, Approval], question: str, text: str) -> Approval:
        """Answers one of the questions of a pending approval, once, by its id."""
        return self._ask("POST", f"/api/v1/approvals/{_id(approval)}/answers", self._deadline(None), body={"question": question, "text": text})[1]

    def cancel(self, approval: Union[str, Approval]) -> Approval:
        """Takes a pending approval back."""
        return self._ask("POST", f"/api/v1/approvals/{_id(approval)}/cancel", self._deadline(None), body={})[1]

    def assess(self, function: Optional[str] = None, arguments: Any = None, **members: Any) -> Dict[str, Any]:
        """A dry run: how the action would be treated. The key needs the scope assess."""
        return self._ask("POST", "/api/v1/assessments", self._deadline(None), body=_action(function, arguments, members))[1]

    def agent(self) -> Dict[str, Any]:
        """Who this key is: name, tenant, scopes, workspace, environment, server_version, last_canary."""
        return self._ask("GET", "/api/v1/agent", self._deadline(None))[1]

    def authorize(self, act: Dict[str, Any], *, about: Optional[Dict[str, Any]] = None, edits: bool = True,
                  wait_seconds: Optional[float] = None, stop: Optional[threading.Event] = None) -> Permit:
        """From the question to the spent grant; Denied where the action must not run.

        about has what the digest does not cover (docstring, hints, session_id, tool_call_id,
        metadata, justification). Where the caller cannot run other arguments than its own,
        edits is False: an edited approval is then Denied with status edited, and spent by the
        same call once it comes with the edited arguments. stop ends the waiting.
        """
        own, body = act_digest(act), {**act_of(act), **(about or {})}
        body.setdefault("session_id", _session.get() or _PROCESS)
        body.update(attach=True, client={"name": "countersign-python", "version": VERSION})
        deadline, approval = self._deadline(wait_seconds), None
        try:
            for _ in range(3):
                approval, spent, lost, key = self._edited.pop((body["session_id"], own), None), False, False, _nonce()
                run, spend = act_of(act), own
                if approval is None:  # else an operator wrote exactly this act, and its grant is unspent
                    approval, spent, lost = self._submit(body, True, key, deadline, stop)
                    if approval["status"] == "pending":
                        approval = self._wait(_id(approval), deadline, stop)
                    if approval["status"] != "approved":
                        raise Denied(approval["status"], _reason(approval), approval)
                    run, spend = self.verify(approval, act, wait_seconds=deadline - time.monotonic())
                    if not edits and value_digest(run) != own:
                        if spend != own:
                            self._edited[(body["session_id"], spend)] = approval
                            if len(self._edited) > _MOST_EDITED:
                                self._edited.pop(next(iter(self._edited)), None)
                        raise Denied("edited", "It was approved with other arguments. Call it again with exactly these: " + canonical(run.get("arguments")), approval)
                try:
                    if not spent:
                        self._consume(_id(approval), spend, key, deadline, stop, lost)
                    return Permit(approval, run)
                except Problem as e:
                    if e.code not in _AGAIN:
                        raise
            raise Unproven("approval", "its grant was spent by somebody else, three times")
        except Denied:
            raise
        except Problem as e:
            raise Denied(e.code, e.detail, approval) from e
        except Unproven as e:
            raise Denied("unproven", str(e), approval) from e
        except CountersignError as e:
            raise Denied("unavailable", str(e), approval) from e

    # One request, and the rules for another.

    def _submit(self, body: Dict[str, Any], consume: bool, key: str, deadline: float, stop: Optional[threading.Event]) -> Tuple[Approval, bool, bool]:
        """The approval; whether this very request spent its grant; whether an answer was lost before.

        It does not wait, so nobody else can have spent what a new approval (201) says is spent.
        """
        path = "/api/v1/approvals" + ("?consume=true" if consume else "")
        status, answer, lost = self._ask("POST", path, deadline, body=body, key=key, good=_is_approval, stop=stop)
        execution = answer.get("execution")
        spent = consume and status == 201 and isinstance(execution, dict) and execution.get("state") == "consumed" and execution.get("status") is None
        return answer, spent, lost

    def _wait(self, approval_id: str, deadline: float, stop: Optional[threading.Event]) -> Approval:
        while True:
            n = max(0, min(_LONGEST_WAIT, int(deadline - time.monotonic()) - 1))
            _, answer, _ = self._ask("GET", f"/api/v1/approvals/{approval_id}" + (f"?wait={n}" if n else ""), deadline, held=n, good=_is_approval, stop=stop)
            if answer["id"] != approval_id:
                raise Unproven("approval", "the answer is about another approval")
            left = deadline - time.monotonic()
            if answer["status"] != "pending" or left <= 0:
                return answer
            if n == 0:
                _pause(min(left, 0.5), stop)

    def _consume(self, approval_id: str, digest: str, key: str, deadline: float, stop: Optional[threading.Event], lost: bool) -> Dict[str, Any]:
        """lost is whether an answer to a submission with this key was: then it may have spent the grant."""
        _, answer, again = self._ask("POST", f"/api/v1/approvals/{approval_id}/consume", deadline, body={"digest": digest}, key=key, good=_is_spending, stop=stop)
        if answer["status"] != "consumed" or (answer["replayed"] and not lost and not again):
            raise Unproven("replayed", "the grant was not spent by this call: the action may have run already")
        return answer

    def _keys(self, kid: str, deadline: float) -> Any:
        """The JWK set: the pinned one, or that of the server, at most 15 minutes old."""
        now = time.monotonic()
        known = self._jwks is not None and find_key(self._jwks, kid) is not None
        if not self._pinned and not (known and now - self._fetched < _KEYS_AGE):
            try:
                self._jwks = self._ask("GET", "/.well-known/jwks.json", min(now + 5, deadline) if known else deadline, good=lambda a: isinstance(a.get("keys"), list))[1]
                self._fetched = now
            except CountersignError as e:
                if not known or now - self._fetched > 3600 - _KEYS_AGE:
                    raise Unproven("keys", f"the keys of grants cannot be had: {e}") from None
        return self._jwks

    def _deadline(self, wait_seconds: Optional[float]) -> float:
        return time.monotonic() + (self.wait_seconds if wait_seconds is None else wait_seconds)

    def _ask(self, method: str, path: str, deadline: float, *, body: Optional[Dict[str, Any]] = None, key: Optional[str] = None, held: int = 0,
             good: Callable[[Dict[str, Any]], bool] = lambda answer: True, stop: Optional[threading.Event] = None) -> Tuple[int, Dict[str, Any], bool]:
        """Asks until there is a usable answer or the patience ends; and whether an answer was lost before."""
        data = None if body is None else canonical(body).encode("utf-8")
        attempt = 0
        while True:
            if stop is not None and stop.is_set():
                raise Unavailable("nobody waits for the answer any more")
            left = deadline - time.monotonic()
            try:
                status, answer = self._once(method, path, data, key, held + 10 if held else min(30, max(left, 2)))
                if not good(answer):
                    raise _Lost("the answer is not the API's")
                return status, answer, attempt > 0
            except _Lost as e:
                pause = min(0.25 * 2**attempt, 10) * (1 + secrets.randbelow(100) / 400) if e.after is None else e.after
                left = deadline - time.monotonic()
                if pause >= left:
                    raise Unavailable(f"{self.url} gave no usable answer: {e}") from None
                attempt += 1
                _pause(pause, stop)

    def _once(self, method: str, path: str, data: Optional[bytes], key: Optional[str], seconds: float) -> Tuple[int, Dict[str, Any]]:
        """One request. _Lost is worth another; a Problem is an answer."""
        request = urllib.request.Request(self.url + path, data=data, method=method, headers={
            "Authorization": "Bearer " + self._key, "Content-Type": "application/json", "Accept": "application/json",
            "User-Agent": "countersign-python/" + VERSION, **({"Idempotency-Key": key} if key else {}),
            **({"Countersign-Checkpoint": self._trail} if self._trail else {}),
        })
        end = time.monotonic() + seconds
        try:
            try:
                response = self._opener.open(request, timeout=seconds)
            except urllib.error.HTTPError as e:
                response = e
            with response:
                raw = b""
                while True:  # piece by piece, so that an answer that drips ends in time
                    piece = response.read1(65536)
                    raw += piece
                    if not piece:
                        break
                    if len(raw) > _MAX_ANSWER or time.monotonic() > end:
                        raise _Lost("the answer does not end")
                status, headers = response.status, response.headers
        except (OSError, http.client.HTTPException) as e:  # URLError, time-outs and TLS are OSErrors
            if isinstance(getattr(e, "reason", None), ssl.SSLCertVerificationError):  # it will not hold later, either
                raise Unavailable(f"the certificate of {self.url} isn't good: {e.reason}") from None
            raise _Lost(f"{type(e).__name__}: {getattr(e, 'reason', None) or e}") from None
        head = headers.get("Countersign-Checkpoint", "")
        if _reach(head) > _reach(self._trail):
            self._trail = head
        if headers.get("Content-Length", str(len(raw))) != str(len(raw)):
            raise _Lost("the answer was cut off")
        if 300 <= status < 400:
            raise Problem("redirect", status, f"{self.url} redirects to another place, which is not followed: set the url to the server's public one")
        try:
            answer = parse(raw.decode("utf-8"))
        except ValueError:
            answer = None
        if status in (200, 201):
            if not isinstance(answer, dict):
                raise _Lost(f"the answer ({status}) is not the API's")
            return status, answer
        document = answer if isinstance(answer, dict) else {}
        code = str(document.get("type", "")).rpartition("urn:countersign:problem:")[2] or f"http-{status}"
        detail = str(document.get("detail") or document.get("title") or f"the server answered {status}")
        if status < 400 or status >= 500 or status == 429 or code == "in-progress":
            after = headers.get("Retry-After", "")
            raise _Lost(detail, float(after) if re.fullmatch(r"\d{1,5}", after) else None)
        raise Problem(code, status, detail, document)


def _action(function: Optional[str], arguments: Any, members: Dict[str, Any]) -> Dict[str, Any]:
    for name in members:
        if name not in ABOUT + OF_SUBMISSION + ("code", "action_type", "environment", "content"):
            raise TypeError(f"an action has no member {name!r}")
    return {name: value for name, value in {"function": function, "arguments": arguments, **members}.items() if value is not None}


def _reach(head: str) -> Tuple[int, int]:
    """How far a signed head of an audit trail goes: the restores of the trail, and its events."""
    try:
        lines = base64.b64decode(head, validate=True).decode("utf-8").split("\n")
        return next((int(line[6:]) for line in lines if line.startswith("epoch ")), 0), int(lines[1])
    except (ValueError, IndexError):
        return -1, -1


def _id(approval: Union[str, Approval]) -> str:
    text = approval.get("id") if isinstance(approval, dict) else approval
    if not isinstance(text, str) or not _ID.fullmatch(text):
        raise ValueError("that is not the id of an approval")
    return text


def _is_approval(a: Dict[str, Any]) -> bool:
    """An answer with a member missing or of another type is not a yes, and not a no."""
    return isinstance(a.get("id"), str) and _ID.fullmatch(a["id"]) is not None and a.get("status") in _STATUSES and isinstance(a.get("digest"), str)


def _is_spending(a: Dict[str, Any]) -> bool:
    return isinstance(a.get("status"), str) and isinstance(a.get("replayed"), bool)


def _reason(approval: Approval) -> str:
    if approval["status"] == "pending":
        return f"nobody decided in time; it stays open at {approval.get('console_url')}, and the same call goes on with it"
    decision = approval.get("decision")
    return str(decision.get("reason") or "") if isinstance(decision, dict) else ""


def _only_masked(own: Any, masked: Any) -> bool:
    """Whether masked is own with [REDACTED:…] in place of parts of its texts, and nothing else."""
    if isinstance(own, str) and isinstance(masked, str):
        parts = re.split(r"\[REDACTED:[^\]]*\]", masked)
        return re.fullmatch(".*".join(map(re.escape, parts)), own, re.DOTALL) is not None
    if isinstance(own, (list, tuple)) and isinstance(masked, list):
        return len(own) == len(masked) and all(map(_only_masked, own, masked))
    if isinstance(own, dict) and isinstance(masked, dict):
        return own.keys() == masked.keys() and all(_only_masked(own[name], masked[name]) for name in own)
    return canonical(own) == canonical(masked)


def _nonce() -> str:
    """An idempotency key that nobody else has: only what this call sent has it."""
    return "py-" + hashlib.sha256((_PROCESS + secrets.token_hex(16)).encode()).hexdigest()[:40]


def _pause(seconds: float, stop: Optional[threading.Event]) -> None:
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)
