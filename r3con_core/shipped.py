"""Where the parts of this product lie that are not the core: the app, its settings, the sample corpora."""

from pathlib import Path


def shipped(name: str) -> Path:
    """`name` beside the core: in the folder that an installed copy has for it, else in the checkout."""
    root = Path(__file__).parents[1]
    installed = root / "r3con_app"
    return (installed if installed.is_dir() else root) / name
