"""Which servers are told what their cache may share, and how they want to be told.

Most find a shared prefix by themselves, and strict ones refuse fields they do not know: only these are told.
- OpenAI routes prompts with one `prompt_cache_key` to one machine; so do Azure OpenAI and Mistral.
- OpenAI's GPT-5.6 and later keep a prefix at marked content parts only, four at most, and bill what they write.
- Anthropic's models do so too, by another name; OpenRouter passes it on. Anthropic's own OpenAI-compatible address
  knows no caching.
Sources: the providers' pages on prompt caching, read in 2026-11, and the types of the package openai 3.57.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from r3con_core.models.endpoint import Endpoint

MOST_MARKS = 4
"""Prefixes one request may have kept; OpenAI and Anthropic agree."""
_LONGEST_LANE = 64
_LANES = re.compile(r"(?:.+\.)?api\.openai\.com|.+\.openai\.azure\.com|api\.mistral\.ai")
_MARKED_OPENAI = re.compile(r"gpt-(?:5\.(?:[6-9]|\d\d)|[6-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """How a server is told where a shared prefix ends."""

    part: Mapping[str, Any]
    """Fields of the content part that ends it."""
    request: Mapping[str, Any] = field(default_factory=dict)
    """Fields of every request, marked or not."""


_ANTHROPIC = Marking(part={"cache_control": {"type": "ephemeral"}})
_OPENAI = Marking(
    part={"prompt_cache_breakpoint": {"mode": "explicit"}}, request={"prompt_cache_options": {"mode": "explicit"}}
)
"""Without `explicit`, the end of each prompt is written at 125 % of the price and never read."""


def marking_of(endpoint: Endpoint) -> Marking | None:
    """How `endpoint` wants shared prefixes marked, or None where it does not."""
    host, model = _host(endpoint), endpoint.model.lower()
    if host == "openrouter.ai":
        return _ANTHROPIC if model.startswith("anthropic/") else None
    return _OPENAI if _is_openai(host) and _MARKED_OPENAI.match(model) else None


def lane_key(endpoint: Endpoint, lane: str) -> str:
    """The key that keeps the prompts of `lane` on one machine of `endpoint`; "" where it takes none."""
    if not lane or not _LANES.fullmatch(_host(endpoint)):
        return ""
    return lane if len(lane) <= _LONGEST_LANE else hashlib.sha256(lane.encode()).hexdigest()[:_LONGEST_LANE]


def _is_openai(host: str) -> bool:
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def _host(endpoint: Endpoint) -> str:
    return (urlsplit(endpoint.base_url).hostname or "").lower()
