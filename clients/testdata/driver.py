"""Does with the Python client what the Go test says: a JSON command a line in, an answer a line out.

Commands run side by side, each in a thread.
"""

import asyncio
import os
import sys
import threading
import types

import countersign
from countersign import canon, grants
from countersign.langchain import aresume, resume
from countersign.openai_agents import decide

lock = threading.Lock()
clients = {}


def client(c):
    key = (c["url"], c["key"], c.get("wait"), c.get("ca"))
    with lock:
        if key not in clients:
            clients[key] = countersign.Client(c["url"], c["key"], wait_seconds=c.get("wait"), ca=c.get("ca"))
        return clients[key]


def vector(c):
    if "token" not in c:
        return {"canonical": canon.canonical(canon.parse(c["text"]))}
    try:
        try:
            digest = countersign.digest(canon.parse(c["action"]))
        except ValueError:
            return {"result": "action"}
        countersign.verify_grant(c["token"], digest, jwks=c["jwks"], issuer=c["issuer"], tenant=c["tenant"], agent=c["agent"], now=c["now"])
    except countersign.Unproven as e:
        return {"result": e.check}
    return {"result": "good"}


def unsendable(c):
    """What must be refused before sending, and was not."""
    cycle = []
    cycle.append(cycle)
    bad = {"nan": float("nan"), "infinity": float("inf"), "-infinity": float("-inf"), "minus zero": -0.0, "bytes": b"x", "bytearray": bytearray(b"x"),
           "half a pair": "a\ud800", "half a pair as a name": {"\udc00": 1}, "a pair as two halves": "\ud83d\ude00", "a number as a name": {1: 2},
           "null as a name": {None: 1}, "true as a name": {True: 1}, "a set": {1, 2}, "a complex": 1j, "an object": object(), "41 digits": 10**40, "a cycle": cycle}
    taken = []
    for name, value in bad.items():
        for make in (lambda v: v, lambda v: [v], lambda v: {"a": {"b": v}}):
            try:
                countersign.canonical(make(value))
                taken.append(name)
            except ValueError:
                pass
    return {"taken": taken, "tried": len(bad)}


def gate(c):
    ran = []
    gate_it = countersign.gate(name=c["function"], client=client(c), **c.get("options", {}))
    if c.get("mode") == "async":
        async def call(first, *rest, flag=False, **more):
            ran.append([first, list(rest), flag, more])
            if c.get("fails"):
                raise RuntimeError("it broke")
            return "done"

        call.__doc__ = c.get("doc")
        call = gate_it(call)

        async def both():
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.01)
                    ticks += 1
            ticking = asyncio.ensure_future(tick())
            try:
                held = asyncio.ensure_future(call(*c["args"], **c.get("kwargs", {})))
                if c.get("cancel_after"):
                    await asyncio.wait({held}, timeout=c["cancel_after"])
                    held.cancel()
                return await held, ticks
            finally:
                ticking.cancel()
        run = lambda: asyncio.run(both())
    else:
        def call(first, *rest, flag=False, **more):
            ran.append([first, list(rest), flag, more])
            if c.get("fails"):
                raise RuntimeError("it broke")
            return "done"
        call.__doc__ = c.get("doc")
        call = gate_it(call)
        run = lambda: (call(*c["args"], **c.get("kwargs", {})), 0)
    answer = {"ran": ran}
    if c.get("mutate"):  # somebody changes an argument while people read
        inner, send = c["args"][0], client(c)._submit

        def submit_then_change(*args):
            result = send(*args)
            inner["id"] = "usr_2"
            return result
        client(c)._submit = submit_then_change
    try:
        if "session" in c:
            with countersign.session(c["session"]):
                answer["result"], answer["ticks"] = run()
        else:
            answer["result"], answer["ticks"] = run()
    except countersign.Denied as e:
        answer["denied"] = {"status": e.status, "reason": e.reason, "approval": (e.approval or {}).get("id")}
    except BaseException as e:
        answer["raised"] = f"{type(e).__name__}: {e}"
    return answer


def method(c):
    """A gated method of an object, and what cannot be gated."""
    class Shop:
        def __init__(self, name):
            self.name = name

        @countersign.gate(client=client(c), leave_out=["log"])
        def remove(self, user, /, *, log=None):
            """Permanently remove a user."""
            log.append(user)
            return f"{self.name} removed {user}"

        @classmethod
        @countersign.gate(client=client(c))
        def close(cls, user="usr_2"):
            return f"{cls.__name__} closed {user}"

    def generator():
        yield 1

    async def generators():
        yield 1

    refused = 0
    for bad in (lambda: countersign.gate(generator), lambda: countersign.gate(generators), lambda: countersign.gate(leave_out=["x"])(call)):
        try:
            bad()
        except TypeError:
            refused += 1
    log = []
    said = [Shop("Acme").remove("usr_1", log=log), Shop.close(), Shop.remove.__name__, Shop.remove.__doc__]
    return {"said": said + log, "refused": refused}


def call(c):
    """A method of the client."""
    try:
        result = getattr(client(c), c["method"])(*(c.get("args") or []), **(c.get("kwargs") or {}))
    except countersign.Problem as e:
        return {"problem": {"code": e.code, "status": e.status, "detail": e.detail, "instance": e.instance, "errors": e.errors}}
    except (countersign.CountersignError, ValueError, TypeError) as e:
        return {"raised": f"{type(e).__name__}: {e}"}
    return {"result": list(result) if isinstance(result, tuple) else result}


def settings(c):
    """What a client is made of, in each of these environments. It changes that of the process."""
    said = []
    for env in c["cases"]:
        os.environ.update(env)
        try:
            made = countersign.Client()
            said.append({"url": made.url, "tenant": made.tenant, "wait": made.wait_seconds, "shown": repr(made)})
        except countersign.CountersignError as e:
            said.append({"refused": str(e)})
        for name in env:
            del os.environ[name]
    return {"said": said}


def langchain(c):
    interrupts = [types.SimpleNamespace(value=i["value"], id=i["id"]) for i in c["interrupts"]]
    tools = [types.SimpleNamespace(name="delete_user", description="Permanently remove a user.")]
    options = {"client": client(c), "session_id": c.get("session"), "tools": tools}
    result = {"__interrupt__": interrupts}
    return {"resume": asyncio.run(aresume(result, **options)) if c.get("mode") == "async" else resume(result, **options)}


def openai_agents(c):
    state = types.SimpleNamespace(said=[])
    state.approve = lambda item: state.said.append("approved")
    state.reject = lambda item, *, rejection_message=None: state.said.append(rejection_message)
    items = [types.SimpleNamespace(raw_item=raw if c.get("mode") == "dict" else types.SimpleNamespace(**raw)) for raw in c["items"]]
    result = types.SimpleNamespace(interruptions=items, to_state=lambda: state)
    assert asyncio.run(decide(result, client=client(c), session_id=c.get("session"))) is state
    return {"said": state.said}


def answer(line):
    c = canon.parse(line)
    try:
        out = globals()[c["op"]](c)
    except BaseException as e:
        out = {"failed": f"{type(e).__name__}: {e}"}
    with lock:
        print(canon.canonical({"n": c["n"], **out}), flush=True)


threads = []
for line in sys.stdin:
    threads.append(threading.Thread(target=answer, args=(line,)))
    threads[-1].start()
for t in threads:
    t.join()
