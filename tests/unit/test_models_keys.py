"""Keys come from the session, the environment or the system's keyring, and each goes to its own place only."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from r3con_core.errors import EndpointError
from r3con_core.models import (
    Sources,
    connect,
    endpoint_for,
    find_key,
    find_keys,
    forget_key,
    host_and_port,
    keep_key,
    key_among,
)
from r3con_core.models.keyrings import Keyring, NoKeyring, choose_keyring, find_keyring, keyring_finding
from r3con_core.models.keys import Origin, fault_of, is_ambiguous, may_have_key, retire_old_file
from tests.keyring_double import Kept, keyring_of

OPENAI, MODELS, OTHER = "https://api.openai.com/v1", "https://models.example/v1", "https://other.example/v1"
NONE = NoKeyring(why="There is none here.")


@pytest.fixture
def kept() -> Kept:
    return Kept()


def sources(home: Path, keyring: Keyring | NoKeyring = NONE, environ: Mapping[str, str] | None = None) -> Sources:
    return Sources(home=home, environ=environ or {}, keyring=lambda: keyring)


def letters(urls: tuple[str, ...], where: Sources) -> dict[str, str]:
    return {place: key.letters for place, key in find_keys(urls, where).items()}


def test_a_remembered_key_is_found_for_its_host_until_it_is_forgotten(tmp_path: Path, kept: Kept) -> None:
    where = sources(tmp_path, keyring_of(kept))
    keep_key(MODELS, " sk-one \n", where)
    keep_key(OTHER, "sk-two", where)
    (found,) = find_keys(("https://models.example/another/path",), where).values()
    assert (found.letters, found.origin) == ("sk-one", Origin.KEYRING)
    assert letters((MODELS, OTHER, "https://third.example/v1"), where) == {
        "models.example": "sk-one",
        "other.example": "sk-two",
    }
    forget_key(MODELS, where)
    assert letters((MODELS, OTHER), where) == {"other.example": "sk-two"}
    assert list(tmp_path.iterdir()) == []


def test_the_keys_of_one_home_are_not_those_of_another(tmp_path: Path, kept: Kept) -> None:
    keep_key(MODELS, "sk-one", sources(tmp_path / "mine", keyring_of(kept)))
    assert letters((MODELS,), sources(tmp_path / "yours", keyring_of(kept))) == {}


def test_two_servers_on_one_computer_have_their_own_keys(tmp_path: Path) -> None:
    where = Sources(home=tmp_path, typed={"localhost:8000": "sk-one", "localhost:1234": "sk-two"}, environ={})
    assert letters(("http://localhost:8000/v1", "http://LOCALHOST:1234/v1", "http://localhost:8080/v1"), where) == {
        "localhost:8000": "sk-one",
        "localhost:1234": "sk-two",
    }


def test_what_is_typed_comes_first_then_the_environment_then_the_keyring(tmp_path: Path, kept: Kept) -> None:
    keyring = keyring_of(kept)
    keep_key(OPENAI, "sk-kept", sources(tmp_path, keyring))
    environ = {"OPENAI_API_KEY": "sk-provider"}
    assert letters((OPENAI,), sources(tmp_path, keyring)) == {"api.openai.com": "sk-kept"}
    assert letters((OPENAI,), sources(tmp_path, keyring, environ)) == {"api.openai.com": "sk-provider"}
    environ["R3CON_API_KEY"] = "sk-ours"
    assert letters((OPENAI,), sources(tmp_path, keyring, environ)) == {"api.openai.com": "sk-ours"}
    where = Sources(home=tmp_path, typed={"api.openai.com": "sk-typed"}, environ=environ, keyring=lambda: keyring)
    (found,) = find_keys((OPENAI,), where).values()
    assert (found.letters, found.origin, found.variable) == ("sk-typed", Origin.TYPED, "")


@pytest.mark.parametrize(
    ("url", "variable"),
    [
        ("https://api.openai.com:443/v1", "OPENAI_API_KEY"),
        ("https://eu.api.openai.com/v1", "OPENAI_API_KEY"),
        ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        ("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        ("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        ("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        ("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        ("https://mine.openai.azure.com/openai/v1", "AZURE_OPENAI_API_KEY"),
    ],
)
def test_a_providers_variable_goes_to_that_providers_host(tmp_path: Path, url: str, variable: str) -> None:
    environ = {name: f"of-{name}" for name in ALL} | {"AZURE_OPENAI_ENDPOINT": "https://Mine.openai.azure.com/"}
    (found,) = find_keys((url,), sources(tmp_path, environ=environ)).values()
    assert (found.letters, found.origin, found.variable) == (f"of-{variable}", Origin.ENVIRONMENT, variable)


ALL = (
    *("ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_KEY"),
    *("OPENROUTER_API_KEY", "TOGETHER_API_KEY"),
)


@pytest.mark.parametrize(
    "stranger",
    [
        MODELS,
        "http://localhost:8000/v1",
        "https://api.openai.com.evil.example/v1",
        "https://evil-api.openai.com/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com./v1",
        "http://api.openai.com/v1",
        "https://yours.openai.azure.com/openai/v1",
        "https://openai.azure.com/openai/v1",
    ],
)
def test_a_providers_variable_goes_to_nobody_else(tmp_path: Path, stranger: str) -> None:
    environ = {name: f"of-{name}" for name in ALL} | {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com"}
    assert find_key(stranger, tmp_path, environ) == ""


def test_our_own_variable_goes_to_the_only_address_of_a_run_or_to_the_one_that_is_named(tmp_path: Path) -> None:
    environ = {"R3CON_API_KEY": "sk-ours"}
    assert letters((MODELS, "https://models.example/v2"), sources(tmp_path, environ=environ)) == {
        "models.example": "sk-ours"
    }
    assert letters((MODELS, OTHER), sources(tmp_path, environ=environ)) == {}
    assert (is_ambiguous((MODELS, OTHER), environ), is_ambiguous((MODELS,), environ)) == (True, False)
    environ["R3CON_API_KEY_HOST"] = "https://other.example/v1"
    assert letters((MODELS, OTHER), sources(tmp_path, environ=environ)) == {"other.example": "sk-ours"}
    assert letters((MODELS,), sources(tmp_path, environ=environ)) == {}
    assert not is_ambiguous((MODELS, OTHER), environ)


def test_in_the_app_of_a_team_our_own_variable_goes_to_the_named_host_alone(tmp_path: Path) -> None:
    environ = {"R3CON_API_KEY": "sk-ours", "R3CON_SHARED": "1"}
    assert letters(("https://thief.example/v1",), sources(tmp_path, environ=environ)) == {}
    environ["R3CON_API_KEY_HOST"] = "models.example"
    assert letters(("https://thief.example/v1",), sources(tmp_path, environ=environ)) == {}
    assert letters((MODELS,), sources(tmp_path, environ=environ)) == {"models.example": "sk-ours"}


def test_no_key_travels_unencrypted_over_networks_of_others(tmp_path: Path) -> None:
    where = Sources(
        home=tmp_path, typed={"models.example": "sk-typed"}, environ={"R3CON_API_KEY": "sk-ours"}, keyring=lambda: NONE
    )
    assert letters(("http://models.example/v1",), where) == {}
    assert [may_have_key(url) for url in ("http://models.example/v1", "http://gpu.local:8000/v1", MODELS)] == [
        False,
        True,
        True,
    ]


def test_a_key_for_an_encrypted_address_is_not_sent_to_the_same_host_unencrypted() -> None:
    keys = {"api.openai.com": "sk-kept"}
    assert key_among(keys, "https://api.openai.com/v1") == "sk-kept"
    assert key_among(keys, "http://api.openai.com/v1") == ""


def test_a_key_is_in_no_representation(tmp_path: Path, kept: Kept) -> None:
    endpoint = endpoint_for("m", OPENAI)
    model = connect(endpoint, "sk-secret")
    where = Sources(
        home=tmp_path,
        typed={"a": "sk-secret"},
        environ={"R3CON_API_KEY": "sk-secret"},
        keyring=lambda: keyring_of(kept),
    )
    found = find_keys((OPENAI,), where)
    shown = (repr(each) for each in (model, endpoint, where, found, keyring_of(kept)))
    assert "sk-secret" not in "".join(shown) + str(model)
    model.close()


@pytest.mark.parametrize(
    "module",
    ["keyring.backends.fail", "keyring.backends.null", "keyrings.alt.file", "keyrings.cryptfile.cryptfile", "mine"],
)
def test_what_is_no_keyring_of_the_system_does_not_count_as_one(module: str) -> None:
    found = choose_keyring([type("Keyring", (Kept,), {"__module__": module})()])
    assert isinstance(found, NoKeyring)
    assert found.why.startswith("This computer has no keyring that is unlocked with you")


def test_of_several_keyrings_the_systems_own_is_taken() -> None:
    plain, own = (type("Keyring", (Kept,), {"__module__": module})() for module in ("keyrings.alt.file", SECRETS))
    found = choose_keyring([plain, own])
    assert isinstance(found, Keyring)
    assert found.backend is own


SECRETS = "keyring.backends.SecretService"


def test_without_a_keyring_a_key_cannot_be_remembered_and_the_reason_is_told(tmp_path: Path) -> None:
    with pytest.raises(EndpointError, match=r"The key cannot be remembered\. There is none here\."):
        keep_key(OPENAI, "sk-kept", sources(tmp_path))
    assert isinstance(find_keyring(), NoKeyring)  # the tests' own is a null one, wherever they run
    well, told = keyring_finding()
    assert (well, told.startswith("Keys come from the environment or are typed; they cannot be")) == (True, True)


def test_a_keyring_that_stays_locked_is_asked_once_and_tells_no_key(tmp_path: Path, kept: Kept) -> None:
    kept.locked = True
    where = sources(tmp_path, keyring_of(kept))
    assert [letters((MODELS,), where), letters((MODELS,), where)] == [{}, {}]
    assert kept.asked == 1
    with pytest.raises(EndpointError) as refused:
        keep_key(MODELS, "sk-secret", where)
    assert str(refused.value).startswith("This computer's keyring refused (PermissionError). Unlock it and try again")


def test_a_keyring_that_loses_the_key_is_found_out(tmp_path: Path, kept: Kept) -> None:
    kept.forgets = True
    with pytest.raises(EndpointError, match="The key was not kept"):
        keep_key(MODELS, "sk-secret", sources(tmp_path, keyring_of(kept)))


def test_keys_of_the_old_file_move_to_the_keyring_and_the_file_goes(tmp_path: Path, kept: Kept) -> None:
    where = sources(tmp_path, keyring_of(kept))
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"models.example": "sk-one", "localhost:8000": "sk-two"}), "utf-8")
    assert retire_old_file(where) == f"The keys in {file} were moved to KWallet, and the file was deleted."
    assert list(tmp_path.iterdir()) == []
    assert letters((MODELS, "http://localhost:8000/v1"), where) == {
        "models.example": "sk-one",
        "localhost:8000": "sk-two",
    }
    assert retire_old_file(where) == ""


def test_without_a_keyring_the_old_file_is_not_used_and_what_to_do_is_told(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"models.example": "sk-one"}), "utf-8")
    told = retire_old_file(sources(tmp_path))
    assert told.startswith(f"Keys are no longer kept in files, so those in {file} are not used. Set R3CON_API_KEY, or ")
    assert "delete that file" in told
    assert told.endswith("There is none here.")
    assert "sk-one" not in told
    assert letters((MODELS,), sources(tmp_path)) == {}


@pytest.mark.parametrize("text", ["{", '{"models.example": 3', "\x00"])
def test_an_old_file_that_cannot_be_read_is_named(tmp_path: Path, kept: Kept, text: str) -> None:
    (tmp_path / "keys.json").write_text(text, "utf-8")
    assert "could not be moved to KWallet" in retire_old_file(sources(tmp_path, keyring_of(kept)))


def test_an_old_file_stays_while_the_keyring_is_locked(tmp_path: Path, kept: Kept) -> None:
    kept.locked = True
    (tmp_path / "keys.json").write_text(json.dumps({"models.example": "sk-one"}), "utf-8")
    assert "could not be moved to KWallet" in retire_old_file(sources(tmp_path, keyring_of(kept)))
    assert (tmp_path / "keys.json").exists()


@pytest.mark.parametrize("letters_", ["sk two", "sk-schlüssel", "sk\x00", "sk-a\nb"])
def test_what_cannot_be_a_key_is_told_without_its_letters(letters_: str) -> None:
    assert fault_of(letters_) == "The key holds blanks or letters that no key has. Copy it again, whole."
    assert fault_of("sk-one") == ""


def test_a_place_is_a_host_and_its_port_where_that_is_not_the_usual_one() -> None:
    urls = (
        "https://A.example:443/v1",
        "http://a.example:80",
        "a.example",
        "http://a.example:443",
        "https://a.example:80",
    )
    assert [host_and_port(url) for url in urls] == [
        "a.example",
        "a.example",
        "a.example",
        "a.example:443",
        "a.example:80",
    ]
