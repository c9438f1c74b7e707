"""Keys stay in their owner's file, and each goes to its own host only."""

import stat
import sys
from pathlib import Path

import pytest

from r3con_core.errors import EndpointError
from r3con_core.models import connect, endpoint_for, find_key, forget_key, keep_key

OPENAI = "https://api.openai.com/v1"


def test_a_kept_key_is_found_for_its_host_until_it_is_forgotten(tmp_path: Path) -> None:
    keep_key("https://models.example/v1", " sk-one \n", tmp_path)
    keep_key("https://other.example/v1", "sk-two", tmp_path)
    assert find_key("https://models.example/another/path", tmp_path, {}) == "sk-one"
    assert find_key("https://other.example/v1", tmp_path, {}) == "sk-two"
    assert find_key("https://third.example/v1", tmp_path, {}) == ""
    forget_key("https://models.example/v1", tmp_path)
    assert find_key("https://models.example/v1", tmp_path, {}) == ""
    assert find_key("https://other.example/v1", tmp_path, {}) == "sk-two"


def test_two_servers_on_one_computer_have_their_own_keys(tmp_path: Path) -> None:
    keep_key("http://localhost:8000/v1", "sk-one", tmp_path)
    keep_key("http://LOCALHOST:1234/v1", "sk-two", tmp_path)
    assert find_key("http://localhost:8000", tmp_path, {}) == "sk-one"
    assert find_key("http://localhost:1234/v1", tmp_path, {}) == "sk-two"
    assert find_key("http://localhost:8080/v1", tmp_path, {}) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_may_read_the_file_of_keys(tmp_path: Path) -> None:
    home = tmp_path / "new"
    for key in ("sk-one", "sk-two"):
        keep_key(OPENAI, key, home)
        (file,) = home.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_environment_comes_before_what_is_kept(tmp_path: Path) -> None:
    keep_key(OPENAI, "sk-kept", tmp_path)
    provider = {"OPENAI_API_KEY": "sk-provider"}
    assert find_key(OPENAI, tmp_path, {}) == "sk-kept"
    assert find_key(OPENAI, tmp_path, provider) == "sk-provider"
    assert find_key(OPENAI, tmp_path, {**provider, "R3CON_API_KEY": "sk-ours"}) == "sk-ours"


def test_a_providers_variable_goes_to_that_provider_only(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "sk-openai", "OPENROUTER_API_KEY": "sk-router"}
    assert find_key("https://openrouter.ai/api/v1", tmp_path, environ) == "sk-router"
    for other in ("https://models.example/v1", "http://localhost:8000/v1", "https://api.openai.com.evil.example/v1"):
        assert find_key(other, tmp_path, environ) == ""


def test_a_key_is_in_no_representation() -> None:
    endpoint = endpoint_for("m", OPENAI)
    model = connect(endpoint, "sk-secret")
    assert "sk-secret" not in repr(model) + repr(endpoint) + str(model)
    model.close()


def test_a_damaged_file_of_keys_is_named(tmp_path: Path) -> None:
    keep_key(OPENAI, "sk-kept", tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text("{", "utf-8")
    with pytest.raises(EndpointError, match=r"keys\.json, cannot be read\. Delete it"):
        find_key(OPENAI, tmp_path, {})


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    home = tmp_path / "file"
    home.write_text("in the way", "utf-8")
    with pytest.raises(EndpointError, match="cannot be kept"):
        keep_key(OPENAI, "sk-kept", home)
