"""SQL for the next page of a list: the rows that follow a place in its order.

A page is found by the values that its list is sorted by, not by an offset: rows that are added or
removed meanwhile neither repeat nor hide others, and the last page costs as much as the first.
"""

from seasoned.core.errors import BadInput

Place = tuple[int | float | str, ...]
"""Where a thing stands in a list: the values that the list is sorted by."""


def following(order: str, after: Place | None) -> tuple[str, Place]:
    """Return the condition for what follows a place in an ORDER BY, and its values.

    >>> following("l.created_at DESC, l.id", (7, "k3"))
    ('(l.created_at < ? OR (l.created_at = ? AND (l.id > ?)))', (7, 7, 'k3'))
    >>> following("name", None)
    ('1 = 1', ())
    """
    if after is None:
        return "1 = 1", ()
    columns = [term.strip() for term in order.split(",")]
    if len(columns) != len(after):
        raise BadInput(f"a place in this list has {len(columns)} values, not {len(after)}")
    condition, values = "", ()
    for term, value in reversed(list(zip(columns, after, strict=True))):
        column, _, way = term.partition(" ")
        sign = "<" if way == "DESC" else ">"
        if condition:
            condition = f"({column} {sign} ? OR ({column} = ? AND {condition}))"
            values = (value, value, *values)
        else:
            condition, values = f"({column} {sign} ?)", (value,)
    return condition, values
