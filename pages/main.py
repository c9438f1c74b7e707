"""The frame of every page: title, pickers of project and run, navigation."""

from pathlib import Path

import streamlit as st

from pages.widgets import sidebar, state

here = Path(__file__).parent
# A file of ours: a Material icon would be fetched as a picture from fonts.gstatic.com.
icon = str(here / "widgets" / "frontend" / "icon.svg")
st.set_page_config(page_title="R3Con Analyst", page_icon=icon, layout="wide")
known = {name: info for name, info in state.PAGES.items() if (here / info.file).exists()}
page = st.navigation(
    [
        st.Page(
            info.file,
            title=info.title,
            icon=info.icon,
            help=info.help,
            url_path=None if name == "corpus" else name,
            default=name == "corpus",
        )
        for name, info in known.items()
    ],
    position="hidden",
)
sidebar.show(tuple(name for name in known if name != "document"))
page.run()
