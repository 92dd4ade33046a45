"""The docs page: every operation with its parameters and schemas, and a form to try it.

It is made here, from the OpenAPI document, and needs nothing from elsewhere: it works offline. All
text is escaped; what an operation answers is shown as text by the page's own script.
"""

import json
from collections.abc import Iterator
from html import escape
from typing import Any, cast

from seasoned.server.docs.document import operations

DEEPEST = 4  # levels of schemas that are written out
Document = dict[str, Any]


def docs_page(document: Document) -> str:
    """Write the page of an OpenAPI document."""
    by_tag: dict[str, list[tuple[str, str, Document]]] = {}
    for path, method, operation in operations(document):
        by_tag.setdefault((operation.get("tags") or ["other"])[0], []).append(
            (path, method, operation)
        )
    links = "".join(f'<a href="#{escape(tag)}">{escape(tag)}</a>' for tag in by_tag)
    sections = "".join(
        f'<section id="{escape(tag)}"><h2>{escape(tag)}</h2>'
        + "".join(_operation(document, *one) for one in found)
        + "</section>"
        for tag, found in by_tag.items()
    )
    info = document["info"]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])} API</title>"
        '<link rel="stylesheet" href="/docs/page.css"><script src="/docs/page.js" defer></script>'
        "</head><body>"
        f"<header><h1>{escape(info['title'])} API <small>{escape(info['version'])}</small></h1>"
        f"<p>{escape(info.get('description', ''))}</p>"
        '<p><a href="/openapi.json">openapi.json</a></p>'
        '<form id="caller"><label>token <input name="token" type="password" autocomplete="off">'
        '</label><label>tenant <input name="Tenant"></label>'
        '<label>project <input name="Project"></label><label>user <input name="User"></label>'
        '<label>session <input name="Session"></label></form>'
        f"<nav>{links}</nav></header><main>{sections}</main></body></html>"
    )


def _operation(document: Document, path: str, method: str, operation: Document) -> str:
    name = escape(operation.get("operationId", ""))
    role = operation.get("x-seasoned-role", "")
    body = _body_schema(operation)
    parts = [
        f'<details class="operation" id="{name}"><summary><b class="{method}">{method.upper()}</b> '
        f"<code>{escape(path)}</code> <span>{escape(operation.get('summary', ''))}</span>"
        + (f"<em>{escape(role)}</em>" if role else "")
        + "</summary>",
        f"<p>{escape(operation['description'])}</p>" if operation.get("description") else "",
        f'<form class="try" data-method="{method.upper()}" data-path="{escape(path)}">',
        _parameters(document, operation),
    ]
    if body is not None:
        parts.append(f"<h3>body</h3>{_schema(document, body)}")
        example = json.dumps(_example(document, body), indent=2, ensure_ascii=False)
        parts.append(
            f'<textarea name="body" rows="8" spellcheck="false">{escape(example)}</textarea>'
        )
    parts.append('<button type="submit">Send</button><pre class="answer" hidden></pre></form>')
    parts.append(f"<h3>answers</h3>{_answers(document, operation)}</details>")
    return "".join(parts)


def _parameters(document: Document, operation: Document) -> str:
    given = [_resolved(document, one) for one in operation.get("parameters", ())]
    own = [one for one in given if not one["name"].startswith("X-Seasoned-")]
    if not own:
        return ""
    rows = "".join(
        "<tr><td><label>"
        f"{escape(one['name'])}{' *' if one.get('required') else ''}</label></td>"
        f'<td><input name="{escape(one["name"])}" data-in="{escape(one["in"])}"'
        f"{' required' if one.get('required') else ''}></td>"
        f"<td>{escape(_type(document, one.get('schema', {})))}</td>"
        f"<td>{escape(one.get('description', ''))}</td></tr>"
        for one in own
    )
    return f"<h3>parameters</h3><table>{rows}</table>"


def _answers(document: Document, operation: Document) -> str:
    rows: list[str] = []
    for status, answer in operation.get("responses", {}).items():
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        shown = _schema(document, schema) if schema and status.startswith("2") else ""
        rows.append(
            f"<tr><td>{escape(status)}</td><td>{escape(answer.get('description', ''))}{shown}"
            "</td></tr>"
        )
    return f"<table>{''.join(rows)}</table>"


def _body_schema(operation: Document) -> Document | None:
    content = operation.get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("schema")


def _schema(document: Document, schema: Document, levels: int = DEEPEST) -> str:
    """Write a schema as a list of fields, down to some depth."""
    meant = _object_in(document, schema)
    if meant is None or not levels:
        return f"<code>{escape(_type(document, schema))}</code>"
    required = set(meant.get("required", ()))
    fields = "".join(
        f"<li><code>{escape(name)}{' *' if name in required else ''}</code> "
        f"<i>{escape(_type(document, field))}</i> {escape(field.get('description', ''))}"
        + (_schema(document, field, levels - 1) if _object_in(document, field) else "")
        + "</li>"
        for name, field in meant["properties"].items()
    )
    return f"<ul>{fields}</ul>"


def _object_in(document: Document, schema: Document) -> Document | None:
    """Return the object with fields that a schema means, of which a list or an option consists."""
    meant = _resolved(document, schema)
    if "properties" in meant:
        return meant
    inner = [meant["items"]] if isinstance(meant.get("items"), dict) else meant.get("anyOf", ())
    found = (_object_in(document, one) for one in inner)
    return next((one for one in found if one is not None), None)


def _type(document: Document, schema: Document) -> str:
    """Name the type of a schema in a few words."""
    if "$ref" in schema:
        meant = _resolved(document, schema)
        return _type(document, meant) if "properties" not in meant else _name(schema)
    if "enum" in schema:
        return " | ".join(json.dumps(one, ensure_ascii=False) for one in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(document, one) for one in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_type(document, schema.get('items', {}))}"
    return " ".join([str(schema.get("type", "any")), *_limits(schema)])


def _limits(schema: Document) -> Iterator[str]:
    if "format" in schema:
        yield f"({schema['format']})"
    if "minimum" in schema or "maximum" in schema:
        yield f"{schema.get('minimum', '')}…{schema.get('maximum', '')}"
    if "maxLength" in schema:
        yield f"up to {schema['maxLength']} characters"


def _name(schema: Document) -> str:
    return schema["$ref"].rsplit("/", 1)[-1]


def _resolved(document: Document, schema: Document) -> Document:
    if "$ref" not in schema:
        return schema
    found: Any = document
    for step in schema["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return cast("Document", found)


def _example(document: Document, schema: Document) -> Any:
    """Return a body to begin with: the required fields, empty."""
    meant = _object_in(document, schema)
    if meant is None:
        return {}
    required = meant.get("required") or list(meant["properties"])[:1]
    return {name: _empty(document, meant["properties"][name]) for name in required}


def _empty(document: Document, schema: Document) -> Any:
    meant = _resolved(document, schema)
    if "enum" in meant:
        return meant["enum"][0]
    if meant.get("type") == "array":
        return [_empty(document, meant.get("items", {}))]
    if "properties" in meant:
        return _example(document, meant)
    empties: dict[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False}
    return empties.get(str(meant.get("type")), {} if meant.get("type") == "object" else None)
