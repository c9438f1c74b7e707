"""Addresses as people paste them, what tokens cost there, the models known by name, and what an import may do."""

import subprocess
import sys
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from r3con_core.errors import EndpointError
from r3con_core.exchange import Usage
from r3con_core.models import (
    DEFAULT_MODEL,
    LOCAL_MODELS,
    Prices,
    cost,
    endpoint_for,
    host_of,
    local_model,
    normalise_url,
    price_of,
    window_of,
)
from r3con_core.models.catalogue import HubFile, WheelParts
from r3con_core.models.transports import hub_url


@pytest.mark.parametrize(
    ("pasted", "address"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        (" https://api.openai.com/v1/ ", "https://api.openai.com/v1"),
        ("api.openai.com", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/models/", "https://api.openai.com/v1"),
        ("openrouter.ai", "https://openrouter.ai/api/v1"),
        ("localhost:11434", "http://localhost:11434/v1"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("192.168.1.20:8000", "http://192.168.1.20:8000/v1"),
        ("gpu-box:8000/v1", "http://gpu-box:8000/v1"),
        ("http://[::1]:8080", "http://[::1]:8080/v1"),
        ("https://models.example/openai/v3", "https://models.example/openai/v3"),
    ],
)
def test_an_address_is_taken_as_pasted(pasted: str, address: str) -> None:
    assert normalise_url(pasted) == address
    assert normalise_url(address) == address


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("", "Give the model's address"),
        ("ftp://models.example", "is not a web address"),
        ("https://two words.example", "is not a web address"),
        ("http://localhost:port/v1", "is not a web address"),
        ("http://localhost:99999/v1", "is not a web address"),
        ("https://me:secret@models.example/v1", "must not hold a key or a password"),
        ("https://models.example/v1?key=sk-1", "must not hold a key or a password"),
    ],
)
def test_what_is_no_address_is_refused(pasted: str, said: str) -> None:
    with pytest.raises(EndpointError, match=said):
        endpoint_for("m", pasted)


@pytest.mark.parametrize(
    "pasted",
    [
        "https://me:hush-hush@models.example/v1",
        "https://:hush-hush@models.example/v1",
        "https://hush-hush@models.example/v1",
        "ftp://me:hush-hush@models.example/v1",
        "https://me:hush-hush@models.example:99999/v1",
        "me:hush-hush@models.example",
        "https://models.example/v1?api_key=hush-hush",
        "https://models.example/v1#hush-hush",
        "https://models.example/v1;key=hush-hush",
        "https://models.example/key=hush-hush/v1",
        "https://me%3Ahush-hush%40models.example/v1",
        "sk-hush-hush-0123456789abcdef",
        "https://models.example/sk-hush-hush-0123456789abcdef/v1",
        "Bearer sk-hush-hush-0123456789abcdef",
    ],
)
def test_an_address_with_a_key_or_a_password_is_refused_without_repeating_it(pasted: str) -> None:
    with pytest.raises(EndpointError) as refused:
        endpoint_for("m", pasted)
    assert str(refused.value) == "The address must not hold a key or a password. Put the key in its own field."
    assert refused.value.__cause__ is refused.value.__context__ is None


def test_a_key_is_not_taken_for_the_name_of_a_model() -> None:
    with pytest.raises(EndpointError) as refused:
        endpoint_for("gsk_0123456789abcdefghij", "https://models.example/v1")
    assert str(refused.value) == "What stands for the model's name looks like a key. Put the key in its own field."
    for name in ("xai-grok-2-1212", "hf-internal/tiny-random-Llama3ForCausalLM", "gpt-5.2-chat-2026-11-30", "sk-2"):
        assert endpoint_for(name, "https://models.example/v1").model == name


def test_a_model_needs_a_name() -> None:
    with pytest.raises(EndpointError, match="Give the name of a model"):
        endpoint_for("  ", "https://models.example/v1")


@pytest.mark.parametrize("workers", [0, -3])
def test_at_least_one_call_must_be_made_at_once(workers: int) -> None:
    with pytest.raises(EndpointError, match=f"Calls at once must be 1 or more, not {workers}."):
        endpoint_for("m", "https://models.example/v1", workers=workers)


@pytest.mark.parametrize(
    ("url", "host", "local"),
    [
        ("http://localhost:8080/v1", "this computer", True),
        ("http://127.0.0.1/v1", "this computer", True),
        ("http://[::1]:1/v1", "this computer", True),
        ("http://192.168.1.20/v1", "192.168.1.20", True),
        ("http://gpu.local/v1", "gpu.local", True),
        ("https://models.example/v1", "models.example", False),
        ("https://localhost.example/v1", "localhost.example", False),
    ],
)
def test_where_text_goes_is_told_by_the_address(url: str, host: str, local: bool) -> None:
    endpoint = endpoint_for("m", url)
    assert (endpoint.host, host_of(url), endpoint.local) == (host, host, local)
    assert endpoint.workers == (4 if local else 16)


def test_what_was_set_comes_before_defaults() -> None:
    endpoint = endpoint_for(" m ", "https://models.example", window=9_000, workers=2, name="Ours")
    assert (endpoint.model, endpoint.window, endpoint.workers, endpoint.name) == ("m", 9_000, 2, "Ours")


def test_prices_come_from_the_endpoint_then_from_the_table() -> None:
    known = endpoint_for("gpt-4o-mini", "https://api.openai.com/v1")
    price = price_of(known)
    assert price is not None
    assert (price.input, price.cached, price.output) == (0.15, 0.075, 0.6)
    assert price.source.startswith("genai-prices ")
    own = Prices(input=1, cached=1, cache_write=1, output=1, source="our contract")
    assert price_of(replace(known, prices=own)) is own
    assert window_of(known) == 128_000


def test_a_local_model_costs_nothing_and_an_unknown_one_has_no_price() -> None:
    free = price_of(endpoint_for("gpt-4o-mini", "http://localhost:8080/v1"))
    assert free is not None
    assert (free.input, free.output) == (0, 0)
    unknown = endpoint_for("no-such-model-1", "https://models.example/v1")
    assert price_of(unknown) is None
    assert window_of(unknown) is None


def test_cached_tokens_are_paid_at_their_own_price() -> None:
    prices = Prices(input=2.0, cached=0.5, cache_write=2.0, output=8.0, source="by hand")
    assert cost(prices, Usage(prompt=1_000_000, cached=600_000, output=250_000)) == 0.8 + 0.3 + 2.0
    assert cost(prices, Usage()) == 0


def test_every_known_model_can_be_fetched_and_checked() -> None:
    assert local_model(DEFAULT_MODEL) is LOCAL_MODELS[0]
    assert local_model(DEFAULT_MODEL.upper()) is LOCAL_MODELS[0]
    assert local_model("unknown") is None
    assert len({model.name for model in LOCAL_MODELS}) == len({model.file for model in LOCAL_MODELS}) == 3
    for model in LOCAL_MODELS:
        assert len(bytes.fromhex(model.sha256)) == 32
        assert model.bytes < model.memory
        assert model.file.endswith(".gguf")
        assert model.note.endswith(".")
        assert model.sources


def test_every_source_of_a_known_model_is_whole() -> None:
    for source in (source for model in LOCAL_MODELS for source in model.sources):
        match source:
            case HubFile():
                assert urlsplit(hub_url(source)).path == f"/{source.repo}/resolve/main/{source.file}"
            case WheelParts():
                packages = {source.package.format(number=n) for n in range(1, source.count + 1)}
                assert len(packages) == source.count
                assert source.member.format(number=1)


WATCH = """
import sys
opened = []
sys.addaudithook(lambda event, _: opened.append(event) if event.startswith(("socket.", "subprocess.")) else None)
import r3con_core.models
heavy = sorted({"openai", "xllamacpp", "httpx2", "genai_prices", "pandas"} & set(sys.modules))
print(opened, heavy)
"""


def test_importing_the_models_opens_no_socket_and_loads_nothing_heavy() -> None:
    ran = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[] []"
