"""The page where people sign in and out: plain HTML without scripts, in which every text is escaped."""

from html import escape
from pathlib import Path
from string import Template
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.responses import HTMLResponse

_HERE = Path(__file__).parent
STYLE = (_HERE / "door.css").read_text("utf-8")
ICON = (_HERE.parent / "widgets" / "frontend" / "icon.svg").read_text("utf-8")
_PAGE = Template((_HERE / "door.html").read_text("utf-8"))
POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing runs on it, and its forms lead nowhere but here."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
"""With no referrer at all, browsers send a form's Origin as null."""


def password_page(token: str, after: str, *, message: str = "", status: int = 200) -> HTMLResponse:
    """The form for name and password."""
    form = f"""<form method="post" action="/login">
<input type="hidden" name="token" value="{escape(token)}">
<input type="hidden" name="after" value="{escape(after)}">
<label>Name <input name="name" autocomplete="username" autocapitalize="none" maxlength="60" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" maxlength="1024" required></label>
<button>Sign in</button>
</form>
<p class="note">Names and passwords are given out by whoever runs this server.</p>"""
    return _page("Sign in", form, message=message, status=status)


def issuer_page(host: str, after: str, *, message: str = "", status: int = 200) -> HTMLResponse:
    """The way to the issuer."""
    address = f"/login/start?{urlencode({'after': after})}"
    form = f"""<p><a class="button" href="{escape(address)}" autofocus>Sign in at {escape(host)}</a></p>
<p class="note">You come back here afterwards. Nothing of your documents is sent there.</p>"""
    return _page("Sign in", form, message=message, status=status)


def leave_page(token: str, name: str) -> HTMLResponse:
    """The question whether to sign out."""
    form = f"""<p>You are signed in as {escape(name)}. Runs at work go on.</p>
<form method="post" action="/logout"><input type="hidden" name="token" value="{escape(token)}">
<button>Sign out</button></form>"""
    return _page("Sign out", form)


def _page(title: str, form: str, *, message: str = "", status: int = 200) -> HTMLResponse:
    alert = f'<p role="alert">{escape(message)}</p>' if message else ""
    return HTMLResponse(_PAGE.substitute(title=title, message=alert, form=form), status, HEADERS)


def safe_after(address: str) -> str:
    """An address of ours to go to after signing in, made anew from its parts; "/" for anything else."""
    if not address.startswith("/") or address.startswith("//") or "\\" in address or not address.isprintable():
        return "/"
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/"
    name = parts.path.strip("/")
    if parts.scheme or parts.netloc or (not name.replace("_", "").isalnum() and name) or not name.isascii():
        return "/"
    if name in ("login", "logout"):
        return "/"
    query = urlencode(parse_qsl(parts.query, keep_blank_values=True)[:20])
    return f"/{name}?{query}" if query else f"/{name}"
