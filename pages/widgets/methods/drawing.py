"""Items as points joined by lines, as ECharts draws them; and the point that is chosen in the picture or from a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets.data.charts import ACCENT, COLOURS
from pages.widgets.data.graph_chart import SHAPES, spread_out
from pages.widgets.data.record_list import short
from pages.widgets.methods.items import Look, label_of, show_item
from r3con_core.traces import Item, Link

MOST_NAMED = 40
"""Points whose names stand beside them all the time."""
MOST_NAMED_LINKS = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is drawn."""

    items: Sequence[Item]
    links: Sequence[Link]
    places: Mapping[str, tuple[float, float]]
    """By the item's id; x to the right, y down."""
    arrows: bool = True
    unnamed: frozenset[str] = frozenset()
    """Ids of those too close together for names beside them."""


def show(picture: Picture, look: Look, *, key: str, height: int = 420) -> None:
    """The picture, what its signs mean, and the item that is chosen."""
    chosen_key = f"{look.key}-{key}-chosen"

    def clicked() -> None:
        for group in st.session_state[drawn_key]["selection"]["selected"]:
            if group["data_type"] == "node" and group["data_indices"]:
                st.session_state[chosen_key] = picture.items[group["data_indices"][0]].id

    drawn_key = f"{look.key}-{key}-{len(picture.items)}-{len(picture.links)}-{look.fact.id if look.fact else ''}"
    st.echarts_chart(
        chart(picture, look),
        key=drawn_key,
        height=height,
        on_select=clicked,
        alt=f"{len(picture.items)} pieces and {len(picture.links)} lines between them; the list below has each",
    )
    st.caption(meanings(picture, look))
    _choose(picture, look, chosen_key)


def meanings(picture: Picture, look: Look) -> str:
    """What the points' looks mean; nothing of what none of them has."""
    told = ["Large and filled: went on. Small and pale: left behind."] if any(i.chosen for i in picture.items) else []
    told += ["With a thick orange ring: holds the fact."] if any(look.holds(item) for item in picture.items) else []
    told += ["With a dashed ring: nothing could be made of it."] if any(item.fault for item in picture.items) else []
    return " ".join(told) or "Point at one to see what it is."


def _choose(picture: Picture, look: Look, key: str) -> None:
    items = {item.id: item for item in picture.items}
    if st.session_state.get(key) not in items:
        st.session_state[key] = None
    chosen = st.selectbox(
        "Read one",
        list(items),
        index=None,
        format_func=lambda item_id: (
            f"{label_of(items[item_id])} ({items[item_id].title})"
            if label_of(items[item_id]) != items[item_id].title
            else items[item_id].title
        ),
        key=key,
        placeholder="Click a point above, or choose it here",
    )
    if chosen:
        show_item(items[chosen], look)


def chart(picture: Picture, look: Look) -> dict[str, object]:
    """The picture as ECharts draws it."""
    kinds = list(dict.fromkeys(item.kind or "piece" for item in picture.items))
    crowded = len(picture.items) > MOST_NAMED
    return {
        "animation": False,
        "color": list(COLOURS),
        "tooltip": {"formatter": "{b}"},
        "legend": {"data": [_legend(kinds, kind) for kind in kinds] if len(kinds) > 1 else [], "top": 0},
        "series": [
            {
                "type": "graph",
                "layout": "none",
                "preserveAspect": True,
                "roam": True,
                "top": 40,
                "bottom": 40,
                "left": 60,
                "right": 60,
                "selectedMode": "single",
                "edgeSymbol": ["none", "arrow" if picture.arrows else "none"],
                "edgeSymbolSize": 6,
                "lineStyle": {"opacity": 0.5 if not crowded else 0.25},
                "emphasis": {"focus": "adjacency", "label": {"show": True}},
                "select": {"itemStyle": {"borderWidth": 4, "borderColor": ACCENT}, "label": {"show": True}},
                "categories": [{"name": kind, "symbol": _shape(kinds, kind)} for kind in kinds],
                "data": _points(picture, look, kinds, crowded=crowded),
                "links": [_link(link, few=len(picture.links) <= MOST_NAMED_LINKS) for link in picture.links],
                "label": {"show": not crowded, "position": "bottom", "fontSize": 12},
            }
        ],
    }


def _points(picture: Picture, look: Look, kinds: Sequence[str], *, crowded: bool) -> list[dict[str, object]]:
    spread = spread_out(picture.places) if picture.items else {}
    any_chosen = any(item.chosen for item in picture.items)
    return [
        {
            "id": item.id,
            "name": short(f"{label_of(item)}: {item.text}" if item.text else item.title, 90),
            "x": spread[item.id][0],
            "y": spread[item.id][1],
            "category": kinds.index(item.kind or "piece"),
            "symbol": _shape(kinds, item.kind or "piece"),
            **_style(item, look, crowded=crowded or item.id in picture.unnamed, any_chosen=any_chosen),
        }
        for item in picture.items
    ]


def _shape(kinds: Sequence[str], kind: str) -> str:
    return SHAPES[kinds.index(kind) % len(SHAPES)]


def _legend(kinds: Sequence[str], kind: str) -> dict[str, str]:
    return {"name": kind, "icon": _shape(kinds, kind)}


def _style(item: Item, look: Look, *, crowded: bool, any_chosen: bool) -> dict[str, object]:
    holds = look.holds(item)
    size = (14 if crowded else 24) if item.chosen or holds else (8 if crowded else 16)
    style: dict[str, object] = {"opacity": 1 if item.chosen or holds or not any_chosen else 0.4}
    if holds:
        style |= {"borderColor": ACCENT, "borderWidth": 4}
    elif item.fault:
        style |= {"borderColor": "#808080", "borderWidth": 2, "borderType": "dashed", "opacity": 0.4}
    label: dict[str, object] = {"formatter": label_of(item, 22).replace("{", "{\u2060")}
    if holds and not crowded:
        label |= {"fontWeight": "bold"}
    elif crowded:
        label |= {"show": False}
    return {"symbolSize": size, "itemStyle": style, "label": label}


def _link(link: Link, *, few: bool) -> dict[str, object]:
    return {
        "source": link.source,
        "target": link.target,
        "name": short(link.label, 40),
        "label": {
            "show": few and bool(link.label),
            "formatter": short(link.label, 24).replace("{", "{\u2060"),
            "fontSize": 11,
        },
        "lineStyle": {"width": min(max(1.0, 2.0 * link.weight), 4.0)},
    }
