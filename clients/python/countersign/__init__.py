"""Countersign: hold what an agent is about to do until it is approved."""

from .canon import act_of, canonical, digest, parse
from .client import VERSION as __version__, Approval, Client, Permit, session
from .errors import CountersignError, Denied, Problem, Unavailable, Unproven
from .gate import default_client, gate
from .grants import verify_grant

__all__ = [
    "Approval", "Client", "CountersignError", "Denied", "Permit", "Problem", "Unavailable", "Unproven",
    "act_of", "canonical", "default_client", "digest", "gate", "parse", "session", "verify_grant",
]
