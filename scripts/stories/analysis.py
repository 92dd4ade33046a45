"""Sessions of an analyst who asks a database."""

# ruff: noqa: E501 -- what people and tools said is one string each, however long

from collections.abc import Sequence
from typing import Any

from stories.steps import RNG, Step, Story, bot, no, ok, user


def sql(query: str, *rows: Sequence[Any]) -> Step:
    return ok("run_sql", {"rows": [list(row) for row in rows], "count": len(rows)}, query=query)


def sql_no(query: str, error: str) -> Step:
    return no("run_sql", error, query=query)


def absent(table: str) -> str:
    return f'UndefinedTable: relation "{table}" does not exist'


def ambiguous(column: str) -> str:
    return f'AmbiguousColumn: column reference "{column}" is ambiguous'


def ungrouped(column: str) -> str:
    return f'GroupingError: column "{column}" must appear in the GROUP BY clause or be used in an aggregate function'


WRONG_TIME = "UndefinedFunction: operator does not exist: timestamp with time zone >= integer"
TABLES = ok(
    "list_tables", ["sales.orders", "sales.customers", "sales.refunds", "ops.shipments"], schema="*"
)
ASIDE = [
    TABLES,
    ok(
        "describe_table",
        {"id": "bigint", "customer_id": "bigint", "created_at": "timestamptz", "total": "int"},
        table="sales.orders",
    ),
    ok(
        "describe_table",
        {"id": "bigint", "name": "text", "country": "text"},
        table="sales.customers",
    ),
    ok("save_chart", {"path": "charts/out.png"}, kind="bar", title="Orders per country"),
    ok("export_csv", {"rows": 120, "errors": 0}, name="report.csv"),
    sql("select 1", [1]),
    sql("select count(*) from ops.shipments where state = 'error'", [3]),
    sql("select max(created_at) from sales.orders", ["2025-02-28T23:58:11Z"]),
]


def aside(count: int) -> list[Step]:
    return RNG.sample(ASIDE, count)


def analysis() -> list[Story]:
    return [
        Story(
            "nightly-1",
            "2025-02-01T02:00:00",
            [
                user("orders per country for January"),
                *aside(3),
                sql_no("select count(*) from orders", absent("orders")),
                sql("select count(*) from sales.orders", [18233]),
                sql_no(
                    "select country, count(*) from sales.orders o join sales.customers c on c.id = o.customer_id where id > 0 group by country",
                    ambiguous("id"),
                ),
                sql(
                    "select country, count(*) from sales.orders o join sales.customers c on c.id = o.customer_id where o.id > 0 group by country",
                    ["NO", 211],
                    ["SE", 187],
                ),
                *aside(3),
            ],
        ),
        Story(
            "nightly-2",
            "2025-02-02T02:00:00",
            [
                sql_no("select * from refunds limit 5", absent("refunds")),
                sql("select * from sales.refunds limit 5", [1, 4990], [2, 1250]),
                *aside(4),
                sql_no(
                    "select c.country, c.name, sum(o.total) from sales.orders o join sales.customers c on c.id = o.customer_id group by c.country",
                    ungrouped("c.name"),
                ),
                sql(
                    "select c.country, c.name, sum(o.total) from sales.orders o join sales.customers c on c.id = o.customer_id group by c.country, c.name",
                    ["NO", "Fjord Kitchen", 81200],
                ),
            ],
        ),
        Story(
            "adhoc-7f",
            "2025-02-05T13:30:00",
            [
                user("how many orders since new year?"),
                sql_no(
                    "select count(*) from sales.orders where created_at >= 1735689600", WRONG_TIME
                ),
                sql(
                    "select count(*) from sales.orders where created_at >= to_timestamp(1735689600)",
                    [20114],
                ),
                bot("20,114."),
                user("and how many of them shipped?"),
                sql_no("select count(*) from shipments where state = 'sent'", absent("shipments")),
                TABLES,
                sql("select count(*) from ops.shipments where state = 'sent'", [19870]),
                bot("19,870 of them."),
            ],
        ),
        Story(
            "nightly-3",
            "2025-02-08T02:00:00",
            [
                *aside(4),
                sql_no(
                    "select created_at, name from sales.orders o join sales.customers c on c.id = o.customer_id order by created_at desc limit 3",
                    ambiguous("created_at"),
                ),
                sql(
                    "select o.created_at, name from sales.orders o join sales.customers c on c.id = o.customer_id order by o.created_at desc limit 3",
                    ["2025-02-07T22:10:00Z", "Bo"],
                ),
                no(
                    "export_csv",
                    "TimeoutError: export took longer than 60 s",
                    name="orders-2025-02-07.csv",
                ),
                ok("export_csv", {"rows": 402, "errors": 0}, name="orders-2025-02-07.csv"),
                *aside(3),
            ],
        ),
        Story(
            "nightly-4",
            "2025-02-09T02:00:00",
            [
                sql_no("select avg(total) from orders where total > 0", absent("orders")),
                sql("select avg(total) from sales.orders where total > 0", [4312.7]),
                *aside(3),
                sql_no(
                    "select country, state, count(*) from ops.shipments group by country",
                    ungrouped("shipments.state"),
                ),
                sql(
                    "select country, state, count(*) from ops.shipments group by country, state",
                    ["NO", "sent", 80],
                    ["NO", "error", 1],
                ),
                *aside(2),
            ],
        ),
        Story(
            "adhoc-a2",
            "2025-02-12T09:41:00",
            [
                user("refunds since the 1st of February, by customer"),
                sql_no(
                    "select customer_id, count(*) from sales.refunds where created_at >= 1738368000 group by customer_id",
                    WRONG_TIME,
                ),
                sql(
                    "select customer_id, count(*) from sales.refunds where created_at >= to_timestamp(1738368000) group by customer_id",
                    [881, 2],
                    [902, 1],
                ),
                sql_no(
                    "select id, name from sales.refunds r join sales.customers c on c.id = r.customer_id",
                    ambiguous("id"),
                ),
                sql(
                    "select c.id, name from sales.refunds r join sales.customers c on c.id = r.customer_id",
                    [881, "Chidi"],
                    [902, "Lea"],
                ),
                user("that's the customers. I asked for names AND amounts"),
                sql(
                    "select name, sum(amount) from sales.refunds r join sales.customers c on c.id = r.customer_id group by name",
                    ["Chidi", 6240],
                    ["Lea", 1250],
                ),
            ],
        ),
        Story(
            "nightly-5",
            "2025-02-15T02:00:00",
            [
                *aside(4),
                sql_no("select distinct country from customers", absent("customers")),
                sql("select distinct country from sales.customers", ["NO"], ["SE"], ["GB"]),
                no(
                    "save_chart",
                    "PermissionError: [Errno 13] Permission denied: '/srv/charts/2025-02-14.png'",
                    kind="line",
                    title="Week 7",
                ),
                no(
                    "save_chart",
                    "PermissionError: [Errno 13] Permission denied: '/srv/charts/2025-02-14.png'",
                    kind="line",
                    title="Week 7",
                ),
                *aside(2),
            ],
        ),
        Story(
            "adhoc-c9",
            "2025-02-19T15:15:00",
            [
                user("top 5 customers of the last 30 days"),
                *aside(3),
                sql_no(
                    "select name, sum(total) from sales.orders o join sales.customers c on c.id = o.customer_id where o.created_at >= 1737244800 group by name order by 2 desc limit 5",
                    WRONG_TIME,
                ),
                sql(
                    "select name, sum(total) from sales.orders o join sales.customers c on c.id = o.customer_id where o.created_at >= to_timestamp(1737244800) group by name order by 2 desc limit 5",
                    ["Fjord Kitchen", 99120],
                    ["Dana", 71200],
                ),
                no(
                    "run_sql",
                    "refused: the analyst's role may not change data",
                    query="delete from sales.orders where total = 0",
                ),
                bot("I can't remove the empty orders: this role is read-only."),
                user("right, never delete from here, just list them"),
                sql("select id from sales.orders where total = 0", [55012], [55140]),
            ],
        ),
        Story(
            "nightly-6",
            "2025-02-22T02:00:00",
            [
                *aside(3),
                sql_no(
                    "select o.day, o.total, count(*) from sales.daily_orders o group by o.day",
                    ungrouped("o.total"),
                ),
                sql(
                    "select o.day, o.total, count(*) from sales.daily_orders o group by o.day, o.total",
                    ["2025-02-21", 312000, 402],
                ),
                sql_no(
                    "select state, total from sales.orders o join ops.shipments s on s.order_id = o.id where state = 'error'",
                    ambiguous("state"),
                ),
                sql(
                    "select s.state, total from sales.orders o join ops.shipments s on s.order_id = o.id where s.state = 'error'",
                    ["error", 4200],
                ),
                *aside(4),
            ],
        ),
        Story(
            "nightly-7",
            "2025-02-23T02:00:00",
            [
                *aside(5),
                sql(
                    "select country, count(*) from sales.customers group by country",
                    ["NO", 311],
                    ["SE", 290],
                    ["GB", 84],
                ),
                ok("export_csv", {"rows": 3, "errors": 0}, name="customers-by-country.csv"),
            ],
        ),
    ]
