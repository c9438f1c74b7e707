"""The app: `streamlit run app.py`. Screens are in pages/, which start at pages/main.py.

It is an `st.App` and not a script, because beside a folder called pages/ a script would be passed over by the first
deep link after a start, and because the app has routes and headers of its own.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import streamlit as st  # noqa: E402 - the folder must be importable first
from starlette.middleware import Middleware  # noqa: E402

from pages.api import ROUTES  # noqa: E402
from pages.entry import gate_of  # noqa: E402
from pages.guard import Guard, check_privacy  # noqa: E402
from pages.widgets.errors import show_uncaught  # noqa: E402
from r3con_core import egress  # noqa: E402
from r3con_core.processes import close_to_others  # noqa: E402
from r3con_core.scrubbing import guard_tracebacks  # noqa: E402
from r3con_core.team import team_here  # noqa: E402

egress.install()
close_to_others()
guard_tracebacks()
team = team_here()
check_privacy(st.get_option, team, os.environ)

app = st.App(
    HERE / "pages" / "main.py",
    routes=ROUTES,
    middleware=[Middleware(Guard, team=team), *gate_of(team)],
    on_script_error=show_uncaught,
)
