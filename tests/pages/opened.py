"""Opens pages of the app for tests, as a link would."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.widgets import state

MAIN = str(Path(__file__).parents[2] / "pages" / "main.py")


def open_page(page: str = "corpus", **params: str) -> AppTest:
    """The page as a link with these query parameters opens it."""
    at = AppTest.from_file(MAIN, default_timeout=20)
    for name, value in params.items():
        at.query_params[name] = value
    at.run()
    if page != "corpus":
        at.switch_page(state.PAGES[page].file).run()
    assert not at.exception
    return at


def click(at: AppTest, label: str) -> AppTest:
    """The page after the one button of that label was pressed."""
    (button,) = [button for button in at.button if button.label == label]
    button.click().run()
    assert not at.exception
    return at
