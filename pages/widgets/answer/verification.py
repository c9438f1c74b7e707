"""Whether all that a run shows is still what it rests on, line by line, in a window of its own."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import errors
from pages.widgets.errors import plain
from r3con_core.runs import Run
from r3con_core.store.project import Project
from r3con_core.verify.bundles import NOT_PROVED
from r3con_core.verify.replay import replay_run
from r3con_core.verify.runs import Check, Outcome, verify_run

_SIGNS = {
    Outcome.HOLDS: (":material/check_circle:", "green"),
    Outcome.BROKEN: (":material/cancel:", "red"),
    Outcome.OPEN: (":material/help:", "orange"),
}
_MOST_FAULTS = 20


@st.dialog("Check everything", width="large", icon=":material/verified:")
def show(project: Project, run: Run) -> None:
    """Check it now, and tell what holds, what does not, and what no check can show."""
    st.caption(
        "Every hash is recomputed, every quote looked up, every kept reply read again and the code run again. No model is "
        "asked, nothing is sent, and the run stays as it is."
    )
    with errors.shown(), st.spinner("Checking documents, quotes, calls and code …", show_time=True):
        checks = (*verify_run(project, run.id).checks, *replay_run(project, run.id))
        _tell(checks)
    with st.expander("What no check can show", icon=":material/info:"):
        st.markdown("\n".join(f"- {plain(line)}" for line in NOT_PROVED))


def _tell(checks: Sequence[Check]) -> None:
    counts = {outcome: sum(check.outcome is outcome for check in checks) for outcome in Outcome}
    if counts[Outcome.BROKEN]:
        st.error(f"{counts[Outcome.BROKEN]:,} of {len(checks):,} checks found something that does not hold.")
    elif counts[Outcome.OPEN]:
        st.warning(f"Nothing wrong was found; {counts[Outcome.OPEN]:,} of {len(checks):,} checks could not be made.")
    else:
        st.success(f"All {len(checks):,} checks hold.")
    st.markdown("\n".join(line for check in checks for line in _lines(check)))


def _lines(check: Check) -> list[str]:
    icon, colour = _SIGNS[check.outcome]
    lines = [f"- {icon} :{colour}[**{check.outcome.value}**] {plain(check.what)}"]
    lines += [f"    - {plain(fault)}" for fault in check.faults[:_MOST_FAULTS]]
    if len(check.faults) > _MOST_FAULTS:
        lines.append(f"    - and {len(check.faults) - _MOST_FAULTS:,} more")
    return lines + ([f"    - {plain(check.open)}"] if check.open else [])
