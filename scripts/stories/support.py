"""Sessions of a support desk that books tables and looks after orders."""

# ruff: noqa: E501 -- what people and tools said is one string each, however long

import json

from stories.steps import RNG, Step, Story, bot, no, ok, user

GUESTS = [
    "Ada Quist",
    "Bo Lindqvist",
    "Chidi Obi",
    "Dana Petrov",
    "Emre Kaya",
    "Fay Wong",
    "Gus Moreno",
    "Hana Sato",
    "Ivo Brandt",
    "Jun Park",
    "Kim Oyelaran",
    "Lea Fontaine",
]


def problem(code: str, message: str) -> str:
    return json.dumps({"error": {"code": code, "message": message}})


def find_guest(name: str) -> Step:
    found = {
        "customer": f"cus_{RNG.randrange(16**10):010x}",
        "name": name,
        "tier": RNG.choice(["basic", "plus"]),
    }
    return ok("find_customer", found, name=name)


def booking(table: str, wrong: str, right: str, party: int) -> list[Step]:
    told = problem("invalid_date", f"date must be ISO 8601 (YYYY-MM-DD), got '{wrong}'")
    done = {"booking": f"bk_{RNG.randrange(16**8):08x}", "status": "confirmed"}
    return [
        no("create_booking", told, restaurant=table, date=wrong, party=party),
        ok("create_booking", done, restaurant=table, date=right, party=party),
    ]


def refund(order: str, wrong: float, why: str) -> list[Step]:
    told = problem("invalid_amount", f"amount must be an integer number of cents, got {wrong}")
    done = {
        "refund": f"re_{RNG.randrange(16**8):08x}",
        "amount": round(wrong * 100),
        "status": "pending",
    }
    return [
        no("refund_payment", told, order_id=order, amount=wrong, reason=why),
        ok("refund_payment", done, order_id=order, amount=round(wrong * 100), reason=why),
    ]


def order(number: int, state: str, direct: bool = False) -> list[Step]:
    found = {
        "id": f"ord_{number}",
        "state": state,
        "carrier": RNG.choice(["acme-post", "bluebird"]),
    }
    got = ok("get_order", found, order_id=f"ord_{number}")
    told = problem("invalid_id", f"order id must start with 'ord_', got '{number}'")
    return [got] if direct else [no("get_order", told, order_id=str(number)), got]


def invoice(customer: str, cents: int, currency: str) -> list[Step]:
    told = problem("missing_field", "missing required field: currency")
    done = {"invoice": f"inv_{RNG.randrange(16**8):08x}", "total": cents, "currency": currency}
    return [
        no("create_invoice", told, customer=customer, total=cents),
        ok("create_invoice", done, customer=customer, total=cents, currency=currency),
    ]


def mail(to: str, subject: str, limited: int = 0) -> list[Step]:
    sent = ok("send_email", {"queued": True}, to=to, subject=subject)
    told = problem("rate_limited", f"429 Too Many Requests: retry after {limited} s")
    return [no("send_email", told, to=to, subject=subject), sent] if limited else [sent]


def support() -> list[Story]:
    guest = iter(RNG.sample(GUESTS, len(GUESTS)))
    return [
        Story(
            "desk",
            "2025-01-14T09:00:00",
            [
                user("Hi, a table for four at Lantern House on March 14th please"),
                find_guest(next(guest)),
                ok(
                    "list_slots",
                    {"slots": ["18:30", "19:00", "21:15"]},
                    restaurant="lantern-house",
                    day="friday",
                ),
                *booking("lantern-house", "03/14/2025", "2025-03-14", 4),
                *mail("guest1@example.com", "Your table on 14 March"),
                bot("Booked: Lantern House, 14 March, four people. A confirmation is on its way."),
            ],
        ),
        Story(
            "desk",
            "2025-01-15T11:20:00",
            [
                user("My order 48213 never arrived"),
                find_guest(next(guest)),
                *order(48213, "lost"),
                ok(
                    "track_parcel",
                    {"events": ["accepted", "in transit"], "last_seen": "hub 7"},
                    carrier="bluebird",
                    code="BB48213X",
                ),
                bot("I'm sorry, it seems lost. I can refund it."),
                user("yes please, it was 49.90"),
                *refund("ord_48213", 49.9, "lost in transit"),
                *mail("guest2@example.com", "Your refund", 20),
            ],
        ),
        Story(
            "desk",
            "2025-01-17T10:05:00",
            [
                user("Could you invoice us for the tasting menu? 320 euros, to the company"),
                find_guest(next(guest)),
                *invoice("cus_77ab01", 32000, "EUR"),
                *mail("books@example.com", "Invoice for your tasting menu"),
                user("thanks, and we'd like the same table again on the 2nd of April, six people"),
                *booking("copper-spoon", "April 2nd", "2025-04-02", 6),
            ],
        ),
        Story(
            "desk",
            "2025-01-20T15:40:00",
            [
                user("where's order 50077?"),
                *order(50077, "out for delivery"),
                ok(
                    "track_parcel",
                    {"events": ["out for delivery"], "last_seen": "van 12"},
                    carrier="acme-post",
                    code="AP50077",
                ),
                bot("It is on the van and should be with you today."),
                user("great. and 50078?"),
                *order(50078, "packed", direct=True),
                bot("That one is packed and leaves tonight."),
            ],
        ),
        Story(
            "desk",
            "2025-01-22T13:12:00",
            [
                user("I was charged twice, 12.50 each"),
                find_guest(next(guest)),
                *order(51344, "delivered"),
                ok(
                    "list_payments",
                    {"payments": [{"amount": 1250}, {"amount": 1250}]},
                    order_id="ord_51344",
                ),
                *refund("ord_51344", 12.5, "charged twice"),
                bot("The second charge of 12.50 is being refunded."),
                user("you wrote 'pending', when will I see it?"),
                bot("Usually within three working days."),
            ],
        ),
        Story(
            "desk",
            "2025-01-24T18:01:00",
            [
                user("Table for two tomorrow at Copper Spoon"),
                find_guest(next(guest)),
                ok("list_slots", {"slots": []}, restaurant="copper-spoon", day="saturday"),
                bot("Copper Spoon is full tomorrow. Lantern House still has 19:00."),
                user("ok that then"),
                *booking("lantern-house", "25.01.2025", "2025-01-25", 2),
                *mail("guest3@example.com", "Your table tomorrow", 30),
            ],
        ),
        Story(
            "desk",
            "2025-01-28T09:31:00",
            [
                user("we need an invoice over 89 pounds for order 52900"),
                find_guest(next(guest)),
                *order(52900, "delivered", direct=True),
                *invoice("cus_10cc4e", 8900, "GBP"),
                *mail("accounts@example.com", "Invoice for order 52900"),
            ],
        ),
        Story(
            "desk",
            "2025-01-30T16:48:00",
            [
                user("Gift card doesn't work: GC-11-ZETA"),
                find_guest(next(guest)),
                no(
                    "redeem_gift_card",
                    problem("unavailable", "503 gift card service is unavailable"),
                    code="GC-11-ZETA",
                ),
                no(
                    "redeem_gift_card",
                    problem("unavailable", "503 gift card service is unavailable"),
                    code="GC-11-ZETA",
                ),
                bot(
                    "The gift card service is down at the moment. I've noted your code and will write to you."
                ),
                *mail("guest4@example.com", "Your gift card"),
            ],
        ),
        Story(
            "desk",
            "2025-02-03T12:22:00",
            [
                user(
                    "cancel my booking for the 9th and book the 16th instead, same place, 3 people"
                ),
                find_guest(next(guest)),
                ok(
                    "list_bookings",
                    {"bookings": [{"id": "bk_91aa20fe", "date": "2025-02-09"}]},
                    customer="cus_5d2f90",
                ),
                ok("cancel_booking", {"status": "cancelled"}, booking="bk_91aa20fe"),
                *booking("harbour-room", "16 Feb 2025", "2025-02-16", 3),
                bot("Done: you're now booked for Sunday 16 February."),
            ],
        ),
        Story(
            "desk",
            "2025-02-06T10:10:00",
            [
                user("the soup bowl from order 53118 came broken, 18.75 back please"),
                *order(53118, "delivered"),
                *refund("ord_53118", 18.75, "arrived broken"),
                find_guest(next(guest)),
                *mail("guest5@example.com", "Your refund"),
                user("no, I said bowl AND plate, 31.20 together"),
                ok(
                    "refund_payment",
                    {"refund": "re_0aa41b77", "amount": 1245, "status": "pending"},
                    order_id="ord_53118",
                    amount=1245,
                    reason="arrived broken",
                ),
                bot("I've refunded the missing 12.45 for the plate."),
            ],
        ),
        Story(
            "desk",
            "2025-02-11T14:55:00",
            [
                user("Please bill cus_e09b7d 1,200 dollars for the spring event"),
                *invoice("cus_e09b7d", 120000, "USD"),
                *mail("events@example.com", "Invoice for the spring event", 15),
                user("and reserve the harbour room for it, may 3rd, 24 people"),
                *booking("harbour-room", "05/03/2025", "2025-05-03", 24),
                no(
                    "notify_kitchen",
                    problem("timeout", "504 gateway timed out after 10 s"),
                    booking="spring event",
                    guests=24,
                ),
                ok("notify_kitchen", {"ack": True}, booking="spring event", guests=24),
            ],
        ),
        Story(
            "desk",
            "2025-02-14T17:17:00",
            [
                user("54020 arrived, but it's the wrong colour"),
                *order(54020, "delivered"),
                find_guest(next(guest)),
                ok(
                    "create_return",
                    {"return": "ret_44", "label": "https://returns.example.com/ret_44"},
                    order_id="ord_54020",
                    reason="wrong colour",
                ),
                *mail("guest6@example.com", "Your return label"),
                *invoice("cus_b41c77", 0, "EUR"),
                *refund("ord_54020", 64.0, "wrong colour"),
            ],
        ),
        Story(
            "desk",
            "2025-02-18T12:00:00",
            [
                user("are you open on Easter Monday?"),
                ok("opening_hours", {"open": "12:00", "close": "22:00"}, restaurant="harbour-room"),
                bot("Yes, from noon to ten in the evening."),
                user("and do you do gluten free?"),
                ok(
                    "search_menu",
                    {"dishes": ["risotto", "trout", "beet tartare"]},
                    diet="gluten-free",
                ),
                bot("We do: risotto, trout and beet tartare, among others."),
            ],
        ),
    ]
