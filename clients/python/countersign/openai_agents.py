"""OpenAI Agents (Python): tools with needs_approval=True are decided in the console.

    result = await Runner.run(agent, "…")
    while result.interruptions:
        result = await Runner.run(agent, await decide(result))

A tool runs with the model's own arguments there. So an edited approval is a rejection that
tells the model which arguments to call with; that call is approved already. The result of a
tool is not reported: gate its function where that matters. Tried against recorded payloads.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional

from .canon import parse
from .client import Client
from .errors import Denied
from .gate import aside, default_client


async def decide(result: Any, *, client: Optional[Client] = None, session_id: Optional[str] = None, wait_seconds: Optional[float] = None,
                 tools: Iterable[Any] = ()) -> Any:
    """The state of a run with a decision for each interruption; run the agent with it.

    Pass the agent's tools, so that people read what each of them does.
    """
    state, says = result.to_state(), {t.name: getattr(t, "description", None) for t in tools}
    for item in result.interruptions:
        raw, name = item.raw_item, _of(item.raw_item, "name")
        about = {"docstring": says.get(name), "tool_call_id": _of(raw, "call_id"), "session_id": session_id}
        try:
            if not isinstance(name, str) or not isinstance(_of(raw, "arguments"), str):
                raise ValueError("it is not the call of a function")
            act = {"function": name, "arguments": parse(_of(raw, "arguments") or "{}")}
            c = client or default_client()
            await aside(lambda stop: c.authorize(act, about={k: v for k, v in about.items() if v}, edits=False, wait_seconds=wait_seconds, stop=stop))
        except Denied as e:
            state.reject(item, rejection_message=str(e))
        except ValueError as e:  # it cannot be sent, so nobody can approve it
            state.reject(item, rejection_message=f"not sent: {e}")
        else:
            state.approve(item)
    return state


def _of(raw: Any, name: str) -> Any:
    return raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)
