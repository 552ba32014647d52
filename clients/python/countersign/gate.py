"""@gate: a function that runs only after its call was approved."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import functools
import inspect
import logging
import threading
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, TypeVar, Union, overload

from .client import Client, Permit
from .errors import CountersignError, Denied

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger("countersign")
_default: Optional[Client] = None
_REPORT_SECONDS = 10  # a report is worth no longer delay of the caller


def default_client() -> Client:
    """The client of the environment's settings, made when it is first needed."""
    global _default
    if _default is None:
        _default = Client()
    return _default


@overload
def gate(fn: F) -> F: ...
@overload
def gate(*, risk_hints: Optional[Dict[str, Any]] = ..., risk: Optional[str] = ..., name: Optional[str] = ..., environment: Optional[str] = ...,
         session_id: Optional[str] = ..., metadata: Optional[Dict[str, Any]] = ..., leave_out: Iterable[str] = ...,
         wait_seconds: Optional[float] = ..., client: Optional[Client] = ...) -> Callable[[F], F]: ...


def gate(fn: Optional[F] = None, *, risk_hints: Optional[Dict[str, Any]] = None, risk: Optional[str] = None, name: Optional[str] = None,
         environment: Optional[str] = None, session_id: Optional[str] = None, metadata: Optional[Dict[str, Any]] = None, leave_out: Iterable[str] = (),
         wait_seconds: Optional[float] = None, client: Optional[Client] = None) -> Union[F, Callable[[F], F]]:
    """Holds each call of a function until it is approved; Denied is raised where it is not.

    What is asked for is the function's name (or name), its docstring and its arguments,
    defaults included. The function is called with a copy of what was asked for, or with the
    arguments that an operator put in their place. How it went is reported.

    risk_hints are what you know about the risk; they can raise the level only. risk is kept
    with the request for rules of your own: the server decides the level. self, cls and the
    arguments in leave_out (connections, contexts) are passed on and not sent, so nobody
    approves them.
    """
    if fn is None:
        return lambda fn: gate(fn, risk_hints=risk_hints, risk=risk, name=name, environment=environment, session_id=session_id, metadata=metadata,
                               leave_out=leave_out, wait_seconds=wait_seconds, client=client)
    if inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        raise TypeError("a generator runs after its call: gate the function that does the work")
    signature, called = inspect.signature(fn), name or getattr(fn, "__name__", None)
    if not called:
        raise TypeError("the function has no name: give one, @gate(name=…)")
    kept = set(leave_out)
    if kept - set(signature.parameters):
        raise TypeError(f"leave_out names what is no parameter: {sorted(kept - set(signature.parameters))}")
    if "." in getattr(fn, "__qualname__", "").rpartition("<locals>.")[2]:  # a method
        kept |= {"self", "cls"} & set(list(signature.parameters)[:1])
    about = {"docstring": inspect.getdoc(fn), "hints": risk_hints, "session_id": session_id,
             "metadata": {**({"risk": risk} if risk else {}), **(metadata or {})} or None}
    about = {member: value for member, value in about.items() if value is not None}

    def prepare(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[inspect.BoundArguments, Dict[str, Any], Client]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        # Copies: what somebody else changes while people read is not what they approve.
        sent = {n: copy.deepcopy(v) for n, v in bound.arguments.items() if n not in kept}
        bound.arguments.update(sent)
        return bound, {"function": called, "arguments": sent, "environment": environment}, client or default_client()

    def settle(bound: inspect.BoundArguments, act: Dict[str, Any], permit: Permit) -> inspect.BoundArguments:
        if permit.act["arguments"] is act["arguments"]:  # nobody put others in their place
            return bound
        approved = permit.act["arguments"]
        if not isinstance(approved, dict) or approved.keys() != act["arguments"].keys():
            raise Denied("edited", "the approved arguments are not those of the function's signature", permit.approval)
        for n, value in approved.items():
            kind = signature.parameters[n].kind
            if kind is inspect.Parameter.VAR_POSITIONAL and not isinstance(value, list) or kind is inspect.Parameter.VAR_KEYWORD and not isinstance(value, dict):
                raise Denied("edited", f"the approved {n} does not fit the function", permit.approval)
            bound.arguments[n] = tuple(value) if kind is inspect.Parameter.VAR_POSITIONAL else value
        return bound

    if inspect.iscoroutinefunction(fn):
        @functools.wraps(fn)
        async def held(*args: Any, **kwargs: Any) -> Any:
            bound, act, c = prepare(args, kwargs)
            permit = await aside(lambda stop: c.authorize(act, about=about, wait_seconds=wait_seconds, stop=stop))
            try:
                bound = settle(bound, act, permit)
                result = await fn(*bound.args, **bound.kwargs)
            except Exception as e:
                failed = f"{type(e).__name__}: {e}"
                await aside(lambda stop: _report(c, permit, "failed", failed))
                raise
            except BaseException as e:  # the task ends: nobody can wait
                threading.Thread(target=_report, args=(c, permit, "failed", type(e).__name__), daemon=True).start()
                raise
            await aside(lambda stop: _report(c, permit, "succeeded", ""))
            return result
    else:
        @functools.wraps(fn)
        def held(*args: Any, **kwargs: Any) -> Any:
            bound, act, c = prepare(args, kwargs)
            permit = c.authorize(act, about=about, wait_seconds=wait_seconds)
            try:
                bound = settle(bound, act, permit)
                result = fn(*bound.args, **bound.kwargs)
            except BaseException as e:
                _report(c, permit, "failed", f"{type(e).__name__}: {e}")
                raise
            _report(c, permit, "succeeded", "")
            return result
    return held  # type: ignore[return-value]


def _report(client: Client, permit: Permit, status: str, detail: str) -> None:
    try:
        client.report(permit.approval, status, detail, wait_seconds=_REPORT_SECONDS)
    except CountersignError as e:  # the action has run: its result counts more than the report
        _log.warning("the result of %s was not reported: %s", permit.approval["id"], e)


async def aside(call: Callable[[threading.Event], Any]) -> Any:
    """Runs a call that blocks in a thread of its own, for as long as somebody awaits it.

    A pool would be full of calls that wait for people. When the task is cancelled the event
    is set, which ends the waiting before anything is spent.
    """
    loop, context, stop = asyncio.get_running_loop(), contextvars.copy_context(), threading.Event()
    future: asyncio.Future = loop.create_future()

    def settle(error: Optional[BaseException], result: Any) -> None:
        if not future.done():
            future.set_result(result) if error is None else future.set_exception(error)

    def work() -> None:
        error, result = None, None
        try:
            result = context.run(call, stop)
        except BaseException as e:
            error = e
        try:
            loop.call_soon_threadsafe(settle, error, result)
        except RuntimeError:  # the loop has ended, and with it whoever waited
            pass

    threading.Thread(target=work, name="countersign", daemon=True).start()
    try:
        return await future
    finally:
        stop.set()
