"""What `--json` shows of the graph, and how a triple stands in a line."""

from collections.abc import Mapping
from typing import Any

from seasoned.core.clock import iso
from seasoned.core.triple import Triple
from seasoned.graph.traverse import Edge, Neighbourhood


def triple_line(triple: Triple | Edge) -> str:
    """
    >>> triple_line(Edge("error:bash:3f2a", "causedBy", "tool:bash", 1.0))
    'error:bash:3f2a causedBy tool:bash'
    """
    return f"{triple.subject} {triple.predicate} {triple.object}"


def triple_shape(triple: Triple) -> dict[str, Any]:
    return {
        "subject": triple.subject,
        "predicate": triple.predicate,
        "object": triple.object,
        "weight": triple.weight,
        "source": triple.source,
        "at": iso(triple.at),
    }


def edge_shape(edge: Edge) -> dict[str, Any]:
    return {
        "subject": edge.subject,
        "predicate": edge.predicate,
        "object": edge.object,
        "weight": edge.weight,
    }


def neighbourhood_shape(found: Neighbourhood, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "starts": [{"node": node, "label": labels.get(node)} for node in found.starts],
        "nodes": [
            {
                "node": one.node,
                "steps": one.steps,
                "strength": round(one.strength, 4),
                "label": labels.get(one.node),
            }
            for one in found.near
        ],
        "edges": [edge_shape(edge) for edge in found.edges],
    }
