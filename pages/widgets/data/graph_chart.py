"""The graph as ECharts draws it: shapes for record types, colours with numbers for communities, one path marked."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from pages.widgets.data.charts import ACCENT
from pages.widgets.data.record_list import short
from r3con_core.views.graph_search import Hop
from r3con_core.views.graphs import Edge, Graph, Node

MOST_NAMED_EDGES = 12
"""Links that have their field's name beside them all the time; with more it shows on pointing."""
MOST_LABELS = 60
"""Things that have their name beside them all the time."""
MOST_FULL_EDGES = 300
"""Links drawn in full; more are drawn thin and pale, or they hide the things."""
MOST_COMMUNITIES = 8
"""With a colour of their own; more colours are not told apart. Every one has its number."""
SHAPES = ("circle", "rect", "triangle", "diamond", "roundRect", "pin")
"""One for each record type, so that colour is not alone in telling them apart."""
WIDTH, HEIGHT = 680, 320
"""Of the drawing within its margins; other windows keep its proportions."""
BY_ORDER = 0.7
"""How far a drawing with few things goes by their order from left to right and from top to bottom."""
_PALE = {"opacity": 0.45, "borderColor": "#808080", "borderWidth": 2, "borderType": "dashed"}
"""How a thing is drawn that is only named; on any ground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a graph is to look."""

    places: Mapping[str, tuple[float, float]]
    communities: Mapping[str, int] = field(default_factory=dict)
    """Their numbers by node; empty: coloured by record type."""
    path: tuple[Hop, ...] = ()
    """To mark."""

    @property
    def marked(self) -> frozenset[str]:
        """The nodes of the path."""
        return frozenset(end for hop in self.path for end in (hop.source, hop.target))


def chart(graph: Graph, look: Look) -> dict[str, object]:
    """The graph as ECharts draws it."""
    types = list(dict.fromkeys(node.type for node in graph.nodes))
    shapes = {name: SHAPES[at % len(SHAPES)] for at, name in enumerate(types)}
    named, legend = _categories(graph, look, shapes)
    degrees, crowded = graph.degrees(), len(graph.nodes) > MOST_LABELS
    spread = spread_out(look.places, evenly=not crowded)
    nodes = [
        {
            "id": node.id,
            "name": _told(node, look),
            "x": spread[node.id][0],
            "y": spread[node.id][1],
            "category": legend.index(named[node.id]),
            "symbol": shapes[node.type],
            "symbolSize": _size(degrees[node.id], crowded=crowded) + (6 if look.communities else 0),
            "itemStyle": _node_style(node, look),
            "label": _label(node, look, crowded=crowded),
        }
        for node in graph.nodes
    ]
    steps = {edge for hop in look.path for edge in hop.edges}
    few, dense = len(graph.edges) <= MOST_NAMED_EDGES, len(graph.edges) > MOST_FULL_EDGES
    return {
        "animation": False,
        "tooltip": {"formatter": "{b}"},
        "legend": {"data": [_legend(name, shapes) for name in legend], "top": 0, "type": "scroll"},
        "series": [
            {
                **_SERIES,
                "lineStyle": {"opacity": 0.22 if dense else 0.7},
                "edgeSymbolSize": 4 if dense else 8,
                "categories": [{"name": name, "symbol": shapes.get(name, "circle")} for name in legend],
                "data": nodes,
                "links": [_link(edge, few=few, dense=dense, path=steps) for edge in graph.edges],
                "label": {"show": not crowded, "position": "bottom", "fontSize": 12},
            }
        ],
    }


_SERIES: dict[str, object] = {
    "type": "graph",
    "layout": "none",
    "preserveAspect": True,
    "top": 50,
    "bottom": 30,
    "left": 70,
    "right": 70,
    "roam": True,
    "selectedMode": "single",
    "edgeSymbol": ["none", "arrow"],
    "emphasis": {"focus": "adjacency", "label": {"show": True}},
    "select": {"itemStyle": {"borderWidth": 4, "borderColor": ACCENT}, "label": {"show": True}},
}


def _categories(graph: Graph, look: Look, shapes: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """What each node is coloured by, and all of that in order."""
    if not look.communities:
        return {node.id: node.type for node in graph.nodes}, list(shapes)
    sizes = Counter(look.communities.values())
    names = {number: f"Group {number} ({sizes[number]:,})" for number in sizes if number <= MOST_COMMUNITIES}
    named = {node.id: names.get(look.communities[node.id], "smaller groups") for node in graph.nodes}
    order = [names[number] for number in sorted(names)]
    return named, order + (["smaller groups"] if "smaller groups" in named.values() else [])


def _legend(name: str, shapes: Mapping[str, str]) -> dict[str, str]:
    return {"name": name, "icon": shapes.get(name, "circle")}


def _told(node: Node, look: Look) -> str:
    group = look.communities.get(node.id)
    return short(node.label, 60) + (f" · group {group}" if group else "")


def _node_style(node: Node, look: Look) -> dict[str, object]:
    if node.id in look.marked:
        return {"borderColor": ACCENT, "borderWidth": 4, "opacity": 1}
    if look.path:
        return {**_PALE, "opacity": 0.25} if node.named_only else {"opacity": 0.25}
    return _PALE if node.named_only else {}


def _label(node: Node, look: Look, *, crowded: bool) -> dict[str, object]:
    """Its name below it; its group's number in it where there is no room for names; always its name on a path."""
    if node.id in look.marked:
        return {"show": True, "formatter": _letters(node.label), "position": "bottom", "fontWeight": "bold"}
    group = look.communities.get(node.id)
    if group and crowded:
        return {"show": True, "formatter": str(group), "position": "inside", "fontSize": 10}
    return {"formatter": _letters(f"{group} · {node.label}" if group else node.label)}


def _letters(label: str) -> str:
    """`label` as a chart writes it: what is in braces would be taken for a name of a value."""
    return short(label, 26).replace("{", "{\u2060")


def spread_out(places: Mapping[str, tuple[float, float]], *, evenly: bool = False) -> dict[str, tuple[float, float]]:
    """Places stretched to the picture's own proportions, which waste no room.

    `evenly`: crowds are drawn apart, and what is far from all else is drawn nearer, so that names have room; who is left
    of or above whom stays.
    """
    across, down = (_stretched(along, evenly=evenly) for along in zip(*places.values(), strict=True))
    return {node: (x * WIDTH, y * HEIGHT) for node, x, y in zip(places, across, down, strict=True)}


def _stretched(along: Sequence[float], *, evenly: bool) -> list[float]:
    """From 0 to 1; evenly: for the larger part by their order."""
    least, most = min(along), max(along)
    shares = [(one - least) / (most - least or 1.0) for one in along]
    if not evenly:
        return shares
    order = sorted(set(along))
    last = max(len(order) - 1, 1)
    return [
        (1 - BY_ORDER) * share + BY_ORDER * order.index(one) / last for share, one in zip(shares, along, strict=True)
    ]


def _link(edge: Edge, *, few: bool, dense: bool, path: Set[Edge]) -> dict[str, object]:
    more = f" ×{len(edge.record_ids)}" if len(edge.record_ids) > 1 else ""
    style: dict[str, object] = {"width": min(1 + len(edge.record_ids) / 2, 2 if dense else 5)}
    if edge in path:
        style = {"width": 5, "color": ACCENT, "opacity": 1}
    elif path:
        style["opacity"] = 0.12
    return {
        "source": edge.source,
        "target": edge.target,
        "name": edge.field,
        "label": {"show": few or edge in path, "formatter": f"{edge.field}{more}", "fontSize": 11},
        "lineStyle": style,
    }


def _size(links: int, *, crowded: bool) -> int:
    return min(7 + links // 3, 15) if crowded else min(14 + 3 * links, 42)
