"""The graph of a run as GraphML, which Gephi, yEd, Cytoscape and networkx open."""

import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from r3con_core.overlay import data_of
from r3con_core.records import StructuredData
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.views.graphs import Graph, build_graph, relation_types

if TYPE_CHECKING:
    import networkx as nx

_NO_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Letters that no XML file may hold, and the carriage return, which readers turn into another one."""


def export_graphml(project: Project, run_id: str) -> bytes:
    """The run's graph of the records that count, relations drawn as links; an empty one before there are records."""
    data = data_of(project, run_id)
    if data is None:
        return graphml(Graph(nodes=(), edges=()), None, {})
    numbers = {document_id: at for at, document_id in enumerate(load_run(project, run_id).document_ids, start=1)}
    counting = replace(data, records=tuple(record for record in data.records if record.counts))
    graph = build_graph(counting, frozenset(relation_types(data.schema)))
    return graphml(graph, data, numbers)


def graphml(graph: Graph, data: StructuredData | None, numbers: dict[str, int]) -> bytes:
    """A graph as a GraphML file in UTF-8; `data` has its records, `numbers` are those of the documents."""
    import networkx as nx

    writer = nx.readwrite.graphml.GraphMLWriter(encoding="utf-8")
    writer.add_graph_element(as_networkx(graph, data, numbers))
    out = io.BytesIO()
    writer.dump(out)
    return out.getvalue()


def as_networkx(graph: Graph, data: StructuredData | None, numbers: dict[str, int]) -> "nx.MultiDiGraph":
    """The same for networkx. Nodes are "n1", "n2"...; labels, types, records, documents are their attributes.

    Letters that XML cannot hold are replaced, in names and elsewhere.
    """
    import networkx as nx

    made = nx.MultiDiGraph()
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes, start=1)}
    for node in graph.nodes:
        told = {"label": _clean(node.label), "type": node.type, **_basis(node.record_ids, data, numbers)}
        made.add_node(names[node.id], **told)
    for number, edge in enumerate(graph.edges, start=1):
        told = {"label": edge.field, **_basis(edge.record_ids, data, numbers)}
        made.add_edge(names[edge.source], names[edge.target], key=f"e{number}", **told)
    return made


def _basis(record_ids: tuple[str, ...], data: StructuredData | None, numbers: dict[str, int]) -> dict[str, object]:
    """What a node or edge rests on: labels of records, numbers of their documents, both separated by blanks."""
    if data is None:
        return {"records": "", "documents": "", "record_count": 0}
    documents = sorted({numbers[data.get(record_id).document_id] for record_id in record_ids})
    return {
        "records": " ".join(map(data.label, record_ids)),
        "documents": " ".join(map(str, documents)),
        "record_count": len(record_ids),
    }


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text.replace("\r", " "))
