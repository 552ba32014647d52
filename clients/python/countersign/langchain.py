"""LangChain's HumanInTheLoopMiddleware (Python): its interrupts are decided in the console.

    result = agent.invoke({"messages": [...]}, config)
    while result.get("__interrupt__"):
        result = agent.invoke(Command(resume=resume(result, session_id=thread)), config)

Approved calls run with the arguments that were approved, edited ones included; of denied
ones the model reads why. The middleware does not tell how a call went, so nothing is
reported: gate the tool's function where that matters. Tried against recorded payloads.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional

from .client import Client
from .errors import Denied
from .gate import aside, default_client


def decide(request: Dict[str, Any], *, client: Optional[Client] = None, session_id: Optional[str] = None, wait_seconds: Optional[float] = None,
           tools: Iterable[Any] = (), stop: Any = None) -> Dict[str, List[Dict[str, Any]]]:
    """The answer to one interrupt's value: a decision for each of its action_requests, in order.

    Pass the agent's tools, so that people read what each of them does.
    """
    says = {t.name: t.description for t in tools}
    allowed = {c["action_name"]: c["allowed_decisions"] for c in request.get("review_configs", [])}
    decisions: List[Dict[str, Any]] = []
    for action in request["action_requests"]:
        name, may = action["name"], allowed.get(action["name"], ["approve", "edit", "reject"])
        about = {"docstring": says.get(name), "session_id": session_id}
        act = {"function": name, "arguments": action["args"]}
        try:
            if "approve" not in may:
                raise Denied("unproven", f"{name} may not be approved here")
            permit = (client or default_client()).authorize(
                act, about={k: v for k, v in about.items() if v is not None}, edits="edit" in may, wait_seconds=wait_seconds, stop=stop)
        except Denied as e:
            decisions.append({"type": "reject", "message": str(e)})
            continue
        except ValueError as e:  # it cannot be sent, so nobody can approve it
            decisions.append({"type": "reject", "message": f"not sent: {e}"})
            continue
        if permit.act["arguments"] is act["arguments"]:
            decisions.append({"type": "approve"})
        else:
            decisions.append({"type": "edit", "edited_action": {"name": name, "args": permit.act["arguments"]}})
    return {"decisions": decisions}


def resume(result: Dict[str, Any], **options: Any) -> Dict[str, Any]:
    """What Command(resume=…) takes, for all interrupts of a result. options are those of decide."""
    interrupts = result["__interrupt__"]
    if len(interrupts) == 1:
        return decide(interrupts[0].value, **options)
    return {i.id: decide(i.value, **options) for i in interrupts}


async def aresume(result: Dict[str, Any], **options: Any) -> Dict[str, Any]:
    """resume for asyncio: the loop goes on while people read."""
    return await aside(lambda stop: resume(result, stop=stop, **options))
