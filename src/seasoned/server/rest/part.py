"""The REST part of the server: the routes of all resources."""

from starlette.routing import BaseRoute

from seasoned.server.gateway import Gateway
from seasoned.server.rest import (
    adaptation,
    corrections,
    errors,
    examples,
    feedback,
    graph,
    jobs,
    knowledge,
    learning,
    lessons,
    memory,
    overview,
    review,
    rules,
    sessions,
    skills,
)

RESOURCES = (
    learning,
    lessons,
    rules,
    review,
    corrections,
    errors,
    examples,
    feedback,
    adaptation,
    skills,
    knowledge,
    sessions,
    memory,
    graph,
    jobs,
    overview,
)


def routes(gateway: Gateway) -> list[BaseRoute]:
    return [route for part in RESOURCES for route in part.resource.routes]
