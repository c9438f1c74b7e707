"""How the HTML report looks: on screens light and dark, and on paper. Loads nothing."""

import base64
import hashlib

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --page: #ffffff; --box: #f6f8fa;
 --link: #0b57d0; --mark: #fff3b0; --warn: #8a3b00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9da7b3; --line: #3d444d; --page: #12161c;
 --box: #1b2129; --link: #7ab7ff; --mark: #5c4a00; --warn: #ffb77c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 54rem; background: var(--page); color: var(--ink);
 font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.3; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; }
a { color: var(--link); text-decoration: underline; text-underline-offset: 2px; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9rem; }
.warn { color: var(--warn); font-weight: 600; }
.answer p { font-size: 1.1rem; margin: .4rem 0; }
nav ul { columns: 2; padding-left: 1.2rem; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid var(--line); }
tbody th { font-weight: 500; color: var(--soft); width: 13rem; }
.changes th { width: auto; }
blockquote { margin: .6rem 0; padding: .4rem .9rem; border-left: 3px solid var(--link); background: var(--box); }
.passage, pre { white-space: pre-wrap; background: var(--box); border: 1px solid var(--line); border-radius: 6px;
 padding: .8rem 1rem; margin: .4rem 0; font-size: .92rem; }
pre { font-family: ui-monospace, Consolas, "DejaVu Sans Mono", monospace; font-size: .82rem; }
mark { background: var(--mark); color: inherit; padding: 0 .1em; }
:target { scroll-margin-top: 1rem; }
.passage span { scroll-margin-top: 35vh; }
:target + mark, article:target, tr:target { outline: 2px solid var(--link); outline-offset: 3px; }
article { margin: 1rem 0 1.5rem; }
@media (max-width: 40rem) { nav ul { columns: 1; } tbody th { width: 8rem; } }
@media print { :root { --ink: #000; --soft: #333; --line: #999; --page: #fff; --box: #fff; --link: #000;
 --mark: #eee; --warn: #000; } body { max-width: none; padding: 0; font-size: 10.5pt; } nav { display: none; }
 h2, h3 { break-after: avoid; } article, blockquote, tr { break-inside: avoid; }
 mark { background: #eee; border-bottom: 1.5px solid #000; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
 thead { display: table-header-group; } @page { margin: 18mm; } }
"""


def policy(style: str = STYLE) -> str:
    """What a browser may do with the report: show it, with this one style. No script, no picture, no address."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
