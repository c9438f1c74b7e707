"""An app opened to a team: what settings are safe, who may enter, what may be used; signing in at an issuer."""

import base64
import hmac
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from r3con_core.cli.commands import FAILED, OK, main
from r3con_core.corpora import SAMPLES
from r3con_core.errors import CorpusError, EndpointError, ModelFileError, TeamError
from r3con_core.imports import plan_import
from r3con_core.jobs import ModelChoice, RunChoices, check_models
from r3con_core.models import find_model, pull
from r3con_core.team import TEAM_VARIABLE, check_address, check_folder, home_of, load_team
from r3con_core.team.delays import Delays, neighbourhood
from r3con_core.team.oidc import Begun, begin, find_issuer, way_back, way_there
from r3con_core.team.passwords import fits, hash_password, no_password
from r3con_core.team.settings import Oidc, Team
from r3con_core.team.users import check_password, load_users, users_file
from tests.fakes import harbour_project

SAFE = 'url = "https://r3con.example.org"\nproxies = ["127.0.0.1"]\n'


def written(folder: Path, text: str) -> Path:
    file = folder / "team.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "url: Field required"),
        ("url = ", "cannot be read"),
        ('url = "r3con.example.org"', "is no address"),
        ('url = "http://r3con.example.org"\nproxies = ["10.0.0.1"]', "must begin with https"),
        ('url = "http://localhost:8501"\naddress = "0.0.0.0"', "must begin with https"),
        ('url = "https://r3con.example.org"', "Nothing encrypts"),
        ('url = "https://r3con.example.org"\naddress = "0.0.0.0"', "Nothing encrypts"),
        ('url = "https://r3con.example.org"\ncertificate = "/a"', "belong together"),
        ('url = "https://a@r3con.example.org"\nproxies = ["::1"]', "is no address"),
        ('url = "https://r3con.example.org/app"\nproxies = ["::1"]', "must end with the host name"),
        ('url = "https://r3con.example.org:x"\nproxies = ["::1"]', "port"),
        ('url = "https://r3con.example.org"\nproxies = ["*"]', "no IP address"),
        (SAFE + 'password = "x"', "password: Unexpected"),
        (SAFE + 'folders = ["here"]', "absolute"),
        (SAFE + "idle_minutes = 0", "1 or more"),
        (SAFE + '[oidc]\nissuer = "http://id.example.org"\nclient_id = "a"\nallowed = ["@example.org"]', "https"),
        (SAFE + '[oidc]\nissuer = "https://id.example.org"\nclient_id = "a"\nallowed = []', "nobody could enter"),
        (
            SAFE + '[oidc]\nissuer = "https://id.example.org"\nclient_id = "a"\nallowed = ["example.org"]',
            "mail addresses",
        ),
    ],
)
def test_settings_that_are_not_safe_are_refused_with_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TeamError, match=says):
        load_team(written(tmp_path, text))


def test_the_app_is_not_opened_to_nobody_nor_by_a_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("R3CON_HOME", str(tmp_path))
    assert main(["app", "--team", str(tmp_path / "none.toml")]) == FAILED
    assert "cannot be read" in capsys.readouterr().err
    assert main(["app", "--team", str(written(tmp_path, SAFE))]) == FAILED
    assert "there are no users yet" in capsys.readouterr().err


def test_users_are_kept_so_that_only_the_operator_reads_them_and_no_password_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("R3CON_HOME", str(tmp_path))
    monkeypatch.setenv("WORDS", "correct horse battery")
    monkeypatch.setenv("SHORT", "elevenchars")
    assert main(["user", "add", "ann", "--password-env", "WORDS"]) == OK
    assert main(["user", "add", "ann", "--password-env", "SHORT"]) == FAILED
    for name in ("../ann", "Ann", "", "a" * 41, "ann\n"):
        assert main(["user", "add", name, "--password-env", "WORDS"]) == FAILED
    assert main(["user", "add", "bob", "--password-env", "SHORT"]) == FAILED
    assert main(["user", "add", "bob"]) == FAILED  # there is no terminal to ask at
    capsys.readouterr()
    assert main(["user", "list"]) == OK
    assert capsys.readouterr().out == "ann\n"
    file = users_file(tmp_path)
    assert "correct" not in file.read_text("utf-8")
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
    stamp = load_users(tmp_path)["ann"].stamp
    monkeypatch.setenv("WORDS", "another horse battery")
    assert main(["user", "password", "ann", "--password-env", "WORDS"]) == OK
    assert load_users(tmp_path)["ann"].stamp != stamp
    assert check_password(tmp_path, "ann", "correct horse battery") is None
    assert check_password(tmp_path, "ann", "another horse battery") == load_users(tmp_path)["ann"]
    assert main(["user", "remove", "ann"]) == OK
    assert main(["user", "remove", "ann"]) == FAILED
    assert load_users(tmp_path) == {}


def test_a_name_that_nobody_has_costs_as_much_as_one_that_somebody_has() -> None:
    assert (
        no_password().split("$")[:4]
        == hash_password("correct horse battery").split("$")[:4]
        == ["scrypt", "32768", "8", "3"]
    )
    assert not fits("", no_password())


@pytest.mark.parametrize(
    "kept",
    [
        *("", "scrypt$a$b$c$d$e", "scrypt$1048577$8$1$00$00"),
        *(f"scrypt${costs}$00$" + "00" * 32 for costs in ("3$8$1", "-2$8$1")),
    ],
)
def test_no_password_fits_what_is_not_a_hash(kept: str) -> None:
    assert not fits("correct horse battery", kept)


def test_a_damaged_file_of_users_lets_nobody_in(tmp_path: Path) -> None:
    users_file(tmp_path).parent.mkdir()
    for damaged in (
        *("", "[]", '{"ann": {}}', '{"ann": 1}', "\x00", "[" * 100_000),
        *('{"ann": {"password": 5, "stamp": "1"}}', '{"ann": {"password": "", "stamp": null}}'),
    ):
        users_file(tmp_path).write_text(damaged, "utf-8")
        with pytest.raises(TeamError, match="cannot be read"):
            check_password(tmp_path, "ann", "correct horse battery")


def test_waits_double_and_are_forgotten_and_do_not_fall_under_many_at_once() -> None:
    now = [0.0]
    delays = Delays(free=3, longest=60.0, clock=lambda: now[0])
    waits = []
    for _ in range(10):
        delays.failed("ann")
        waits.append(delays.wait("ann"))
    assert waits == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]
    assert delays.wait("bob") == 0
    now[0] = 61.0
    assert delays.wait("ann") == 0
    delays.failed("ann")
    assert delays.wait("ann") == 60
    delays.one_back("ann")
    assert delays.wait("ann") == 60
    delays.right("ann")
    assert delays.wait("ann") == 0


def test_tries_from_all_addresses_that_one_person_has_are_counted_together() -> None:
    assert neighbourhood("2001:db8:0:1::5") == neighbourhood("2001:db8:0:1:ffff::9") != neighbourhood("2001:db8:0:2::5")
    assert neighbourhood("::ffff:192.0.2.7") == neighbourhood("192.0.2.7") != neighbourhood("192.0.2.8")
    assert neighbourhood("testclient") == "testclient"


def test_a_new_user_of_an_old_name_is_told_to_the_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("R3CON_HOME", str(tmp_path))
    monkeypatch.setenv("WORDS", "correct horse battery")
    (tmp_path / "users" / home_of("user ann", "ann")).mkdir(parents=True)
    assert main(["user", "add", "ann", "--password-env", "WORDS"]) == OK
    assert "An earlier ann left projects, which this one gets" in capsys.readouterr().err


def test_people_never_share_a_folder_and_none_leads_out() -> None:
    folders = [home_of(identity, "../../Ann O'Hara@example.org") for identity in ("user a", "user b", "https://id x")]
    assert len(set(folders)) == 3
    assert all(folder.startswith("ann-o-hara-example-org-") and folder.count("/") == 0 for folder in folders)
    assert home_of("x", "Ωμέγα").isascii()


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that a team may read, in an app that is opened to it."""
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "a.txt").write_text("Some words.", "utf-8")
    text = f'{SAFE}folders = ["{allowed.as_posix()}"]\nmodels = ["https://llm.example.org/v1"]\n'
    monkeypatch.setenv(TEAM_VARIABLE, str(written(tmp_path, text)))
    monkeypatch.setenv("R3CON_SHARED", str(tmp_path / "operator"))
    return allowed


def test_a_team_reads_by_path_only_what_its_operator_allows(opened: Path, tmp_path: Path) -> None:
    project = harbour_project(tmp_path / "projects")
    assert plan_import(project, [opened / "a.txt"])
    assert plan_import(project, [opened])
    (tmp_path / "secret.txt").write_text("Secret.", "utf-8")
    (opened / "link").symlink_to(tmp_path)
    for outside in (
        tmp_path / "secret.txt",
        opened / ".." / "secret.txt",
        opened / "link" / "secret.txt",
        opened / "link",
        Path("/etc/passwd"),
        opened.with_name("allowed-not"),
        Path(),
    ):
        with pytest.raises(CorpusError, match="not among the folders"):
            plan_import(project, [opened / "a.txt", outside])
    project.close()


def test_a_team_may_read_the_sample_corpora(opened: Path, tmp_path: Path) -> None:
    project = harbour_project(tmp_path / "projects")
    assert plan_import(project, [SAMPLES / "harbour" / "documents"])
    assert opened.is_dir()
    project.close()


def test_outside_of_a_team_any_path_and_address_may_be_used(tmp_path: Path) -> None:
    check_folder(tmp_path)
    check_address("http://169.254.169.254/v1")


@pytest.mark.parametrize(
    "address",
    [
        *("http://localhost:11434/v1", "http://169.254.169.254/latest", "http://llm.example.org/v1"),
        *("https://llm.example.org:8443/v1", "https://llm.example.org.evil.example/v1", "https://llm.example.org/v2"),
        *(
            "https://llm.example.org@evil.example/v1",
            "https://evil.example#@llm.example.org/v1",
            "https://llm.example.org/v1?a",
        ),
        *("https://llm.example.org\\@evil.example/v1", "https://llm.example.org/v1/../admin", "file:///etc/passwd", ""),
    ],
)
def test_a_team_uses_only_the_model_servers_its_operator_states(opened: Path, address: str) -> None:
    with pytest.raises(EndpointError, match="not among the model servers"):
        check_address(address)
    with pytest.raises(EndpointError):
        check_models(RunChoices(reading=ModelChoice(model="m", base_url=address)), opened)
    check_models(RunChoices(reading=ModelChoice(model="m", base_url="https://LLM.example.org:443/v1/")), opened)


def test_a_team_uses_only_the_model_files_of_its_operator(opened: Path, tmp_path: Path) -> None:
    (opened / "own.gguf").write_bytes(b"GGUF" + b"\0" * 20)
    models = tmp_path / "operator" / "models"
    models.mkdir(parents=True)
    (models / "good.gguf").write_bytes(b"GGUF" + b"\0" * 20)
    (models / "link.gguf").symlink_to(opened / "own.gguf")
    assert find_model(str(models / "good.gguf"), tmp_path) == models / "good.gguf"
    for path in (
        opened / "own.gguf",
        models / "link.gguf",
        models / ".." / ".." / "allowed" / "own.gguf",
        Path("/etc/passwd"),
    ):
        with pytest.raises(ModelFileError, match="operator"):
            find_model(str(path), tmp_path)
    with pytest.raises(ModelFileError, match="fetched by its operator"):
        pull("qwen2.5-coder-1.5b", tmp_path, lambda _done, _total: None)


ISSUER = "https://id.example.org"
TEAM = Team(
    url="https://r3con.example.org",
    proxies=("127.0.0.1",),
    oidc=Oidc(issuer=ISSUER, client_id="r3con", allowed=("@example.org", "guest@elsewhere.org")),
)
ADDRESSES = {
    "authorization_endpoint": f"{ISSUER}/go",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
}


class FakeIssuer:
    """Answers as an issuer does; `token` is what it signs, by default for the one way that was begun."""

    def __init__(self, begun: Begun) -> None:
        from joserfc.jwk import RSAKey

        self.key, self.other = (RSAKey.generate_key(2048, {"kid": "1"}) for _ in range(2))
        self.claims: dict[str, Any] = {
            "iss": ISSUER,
            "aud": "r3con",
            "sub": "42",
            "nonce": begun.nonce,
            "email": "Ann@example.org",
            "email_verified": True,
            "iat": int(time.time()),
            "exp": int(time.time()) + 300,
        }
        self.told: dict[str, Any] = {"issuer": ISSUER, **ADDRESSES}
        self.forms: list[Mapping[str, str]] = []
        self.signed = ""

    def sign(self, *, key: Any = None, **claims: Any) -> None:
        from joserfc import jwt

        kept = {name: value for name, value in {**self.claims, **claims}.items() if value is not None}
        self.signed = jwt.encode({"alg": "RS256", "kid": "1"}, kept, key or self.key, algorithms=["RS256"])

    def ask(self, address: str, form: Mapping[str, str] | None) -> bytes:
        if address == f"{ISSUER}/keys":
            return json.dumps({"keys": [self.key.as_dict(private=False)]}).encode()
        if address == f"{ISSUER}/token":
            assert form is not None
            self.forms.append(form)
            return json.dumps({"id_token": self.signed, "access_token": "unused"}).encode()
        assert address == f"{ISSUER}/.well-known/openid-configuration"
        return json.dumps(self.told).encode()


@pytest.fixture(scope="module")
def issuer() -> FakeIssuer:
    return FakeIssuer(BEGUN)


_HS256 = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"1"}').rstrip(b"=").decode()
BEGUN = begin("/data")
BACK = {"state": BEGUN.state, "code": "c0de", "iss": ISSUER}


def test_a_person_the_issuer_vouches_for_enters(issuer: FakeIssuer) -> None:
    there = way_there(TEAM, find_issuer(TEAM.oidc, issuer.ask), BEGUN)  # type: ignore[arg-type]
    assert there.startswith(
        f"{ISSUER}/go?response_type=code&client_id=r3con&redirect_uri=https%3A%2F%2Fr3con.example.org%2Flogin"
    )
    assert "code_challenge_method=S256" in there
    assert BEGUN.verifier not in there
    issuer.sign()
    person = way_back(TEAM, BEGUN, BACK, "secret", issuer.ask)
    assert (person.name, person.identity) == ("ann@example.org", f"{ISSUER} 42")
    form = issuer.forms[-1]
    assert (form["code"], form["code_verifier"], form["client_secret"]) == ("c0de", BEGUN.verifier, "secret")
    issuer.sign(email="guest@elsewhere.org", aud=["r3con", "other"], azp="r3con")
    assert way_back(TEAM, BEGUN, BACK, "", issuer.ask).name == "guest@elsewhere.org"


@pytest.mark.parametrize(
    "claims",
    [
        *({"iss": other} for other in ("https://evil.example", f"{ISSUER}/", None)),
        *({"aud": other} for other in ("other", ["other"], None, ["r3con", "other"])),
        *({"nonce": other} for other in ("other", "", None)),
        *({"exp": other} for other in (1, None, int(time.time()) - 120)),
        *(
            {"email": other}
            for other in ("ann@evil.example", "ann@example.org.evil.example", "a@b@example.org", "", None, 7)
        ),
        *({"email_verified": other} for other in (False, None, "true")),
        *(
            {"email": other}
            for other in ("ann@sub.example.org", "ann@example.org\r\nX-R3Con-User: bob", "änn@example.org")
        ),
        {"sub": None},
        {"iat": int(time.time()) + 3_600},
    ],
)
def test_what_an_issuer_does_not_vouch_for_does_not_enter(issuer: FakeIssuer, claims: dict[str, Any]) -> None:
    issuer.sign(**claims)
    with pytest.raises(TeamError):
        way_back(TEAM, BEGUN, BACK, "", issuer.ask)


def test_a_token_that_the_issuer_did_not_sign_does_not_enter(issuer: FakeIssuer) -> None:
    issuer.sign(key=issuer.other)
    forged = [issuer.signed]
    issuer.sign()
    header, body, signature = issuer.signed.split(".")
    mac = hmac.new(issuer.key.as_pem(private=False), f"{_HS256}.{body}".encode(), "sha256").digest()
    forged.append(f"{_HS256}.{body}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}")
    forged += [
        f"eyJhbGciOiJub25lIn0.{body}.",
        f"{header}.{body}.",
        f"{header}.{body[:-4]}AAAA.{signature}",
        "",
        "a.b.c",
        "x",
    ]
    for token in forged:
        issuer.signed = token
        with pytest.raises(TeamError, match="could not be verified"):
            way_back(TEAM, BEGUN, BACK, "", issuer.ask)


@pytest.mark.parametrize(
    "told",
    [{"state": "other"}, {"state": ""}, {"code": ""}, {"iss": "https://evil.example"}, {"code": "", "error": "<b>"}],
)
def test_an_answer_to_another_sign_in_does_not_enter(issuer: FakeIssuer, told: dict[str, str]) -> None:
    issuer.sign()
    with pytest.raises(TeamError):
        way_back(TEAM, BEGUN, {**BACK, **told}, "", issuer.ask)


@pytest.mark.parametrize(
    "told",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://id.example.org/token"},
        {"jwks_uri": "file:///etc/x"},
    ],
)
def test_an_issuer_that_is_another_or_does_not_encrypt_is_not_asked(issuer: FakeIssuer, told: dict[str, str]) -> None:
    before = dict(issuer.told)
    issuer.told.update(told)
    with pytest.raises(TeamError):
        find_issuer(TEAM.oidc, issuer.ask)  # type: ignore[arg-type]
    issuer.told = before
