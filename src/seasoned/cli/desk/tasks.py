"""What the agents of the demonstration do all day: requests, calls that go wrong, and repairs.

All of it is made up. No task holds a lesson: those are learned from the calls, as everywhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

Params = Mapping[str, Any]
GUESTS = ("Okafor", "Lindqvist", "Moreau", "Tanaka", "Haddad", "Silva", "Novak", "Fischer")
SERVICES = ("checkout", "search", "mailer", "stock", "ledger")
FIRST_DAY = date(2027, 3, 1)  # of the bookings


@dataclass(frozen=True, slots=True)
class Task:
    """A request, the call that a beginner makes, its error, and the call that works."""

    request: str
    tool: str
    wrong: Params
    error: str
    right: Params
    result: Any
    reply: str
    milliseconds: float = 60


def table(random: Random) -> Task:
    day = FIRST_DAY + timedelta(days=random.randrange(90))
    said, guests, name = f"{day:%d %B %Y}", random.randrange(2, 9), random.choice(GUESTS)
    return Task(
        f"Please book a table for {guests} on {said}, in the name of {name}.",
        "book_table",
        {"day": said, "guests": guests, "name": name},
        "day must be YYYY-MM-DD, e.g. 2027-01-31",
        {"day": day.isoformat(), "guests": guests, "name": name},
        {"booked": True, "table": random.randrange(1, 30)},
        f"Done: a table for {guests} on {said}, in the name of {name}.",
        45,
    )


def order(random: Random) -> Task:
    number = random.randrange(60_000, 99_999)
    return Task(
        f"Where is order {number}?",
        "get_order",
        {"order_id": str(number)},
        f"invalid_id: order id must start with 'ord_', got '{number}'",
        {"order_id": f"ord_{number}"},
        {"id": f"ord_{number}", "state": "on its way"},
        f"Order {number} is on its way and should arrive on Thursday.",
        30,
    )


def ticket(random: Random) -> Task:
    service = random.choice(SERVICES)
    return Task(
        f"Open an urgent ticket: {service} answers slowly.",
        "create_ticket",
        {"title": f"{service} answers slowly", "priority": "high"},
        "400: priority must be one of P1, P2, P3, P4",
        {"title": f"{service} answers slowly", "priority": "P1"},
        {"ticket": f"OPS-{random.randrange(1000, 9999)}"},
        f"I opened a ticket for {service}, with the highest priority.",
        120,
    )


def deployment(random: Random) -> Task:
    service = random.choice(SERVICES)
    return Task(
        f"Deploy {service} to staging.",
        "deploy",
        {"service": service, "stage": "staging"},
        "deploy: region is required",
        {"service": service, "stage": "staging", "region": "eu-west"},
        "deployed",
        f"{service} runs on staging now.",
        900,
    )


def report(random: Random) -> Task:
    relation = random.choice(("returns", "refunds", "parcels", "invoices"))
    query = f"select count(*) from {{}} where day >= '2027-03-{random.randrange(1, 29):02}'"
    return Task(
        f"How many {relation} did we have this month?",
        "run_sql",
        {"query": query.format(relation)},
        f'UndefinedTable: relation "{relation}" does not exist',
        {"query": query.format(f"sales.{relation}")},
        [{"count": random.randrange(20, 900)}],
        f"There were {random.randrange(20, 900)} {relation} this month.",
        210,
    )


def sync(random: Random) -> Task:
    parcel = random.randrange(100, 999)
    return Task(
        f"Send parcel {parcel} on its way.",
        "sync_parcel",
        {"parcel": parcel},
        f"no free lane for parcel {parcel}",
        {"parcel": parcel, "lane": random.choice(("slow", "fast"))},
        "sent",
        f"Parcel {parcel} is on its way.",
    )


def restart(random: Random) -> Task:
    service = random.choice(SERVICES)
    return Task(
        f"Restart {service} on the old server.",
        "shell",
        {"command": f"systemctl restart {service}"},
        f"Exit code 1\nFailed to restart {service}.service: Interactive authentication required.",
        {"command": f"sudo systemctl restart {service}"},
        "",
        f"{service} was restarted.",
        300,
    )


def invoice(random: Random) -> Task:
    name, amount = random.choice(GUESTS), random.randrange(40, 900)
    return Task(
        f"Send {name} an invoice over {amount} euros.",
        "send_invoice",
        {"customer": name, "amount": amount},
        "422: field `currency` is missing",
        {"customer": name, "amount": amount, "currency": "EUR"},
        {"sent": True},
        f"The invoice over {amount} euros went out to {name}.",
        160,
    )


Maker = Callable[[Random], Task]

# With the day from which on the agents have the tool: a new one is misused at first.
OFTEN: tuple[tuple[int, Maker], ...] = (
    *((0, table), (0, order), (3, report), (9, ticket), (17, deployment), (25, invoice)),
)
SELDOM: tuple[tuple[int, Maker], ...] = ((2, sync), (12, restart))

# Failures that teach no fix: the world is down, a test of the work fails, nothing is there.
OTHER_FAILURES: tuple[tuple[str, Params, str], ...] = (
    ("fetch", {"url": "https://weather.example/lisbon"}, "HTTP 503 Service Unavailable"),
    (
        "shell",
        {"command": "pytest -q"},
        "Exit code 1\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed in 0.21s",
    ),
    ("shell", {"command": "grep -rn oldName src"}, "Exit code 1"),
    ("fetch", {"url": "https://news.example/latest"}, "HTTP 504 Gateway Timeout"),
)

# Calls that work and teach nothing, so that no tool only fails.
ROUTINE: tuple[tuple[str, Params, str], ...] = (
    ("fetch", {"url": "https://weather.example/porto"}, "18 degrees, some clouds"),
    ("shell", {"command": "git status --short"}, "M src/cart.py"),
    ("shell", {"command": "pytest -q"}, "41 passed in 1.9s"),
)

# Remarks of people on a reply; most become rules.
REMARKS = (  # what people say once: the agent keeps to it from then on
    "That is too long. Always keep your answers under three sentences.",
    "No, always write dates as 31.12.2027.",
    "Please always answer customers in their own language.",
    "No, never promise a delivery date.",
    "Wrong: always give prices in euros.",
    "We use yarn, not npm.",
    "Please always name the order that you talk about.",
    "No, never close a ticket without asking the customer.",
)
THANKS = (
    "Thanks, perfect.",
    "Great, thank you!",
    "Good. That was quick.",
    "And what else is open?",
)
# A long talk, for the memory of sessions.
PLANNING = (
    (
        "Let us plan May. I prefer short meetings, and I want the figures before them.",
        "Noted. I will send you the figures the evening before.",
    ),
    (
        "We decided to open the new branch in Porto on 2 May, not in April.",
        "Then I move the opening to 2 May. I will tell the warehouse today.",
    ),
    (
        "Ben is responsible for the stock there. My deadline for the price list is 20 April.",
        "I will remind you of the price list on 18 April.",
    ),
    (
        "Remember that Porto is closed on Mondays. What do we still need?",
        "We still need a sign, a lease and two people for the counter. Who signs the lease?",
    ),
    (
        "I sign it myself. I work from Lisbon until Thursday.",
        "Good. I will prepare the lease for Friday.",
    ),
)
ASIDES = (
    "I'm Ana, I run the restaurant in Lisbon, and I prefer the tables by the window.",
    "Remember that our fiscal year begins in July.",
    "We decided to close the shop on Mondays from April on.",
    "My team is six people; Ben answers for the stock service.",
)
