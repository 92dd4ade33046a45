"""Simulated tools with quirks that their descriptions do not mention.

Each tool takes the right arguments only. What it says about others is enough to recover. `tasks`
are worded differently each time, one for each session; `note` is what a careful colleague would
have written into the tool's description; `cue` is a pattern of the words from which a reader can
tell the quirk, for the scripted model.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
Args = Mapping[str, Any]


@dataclass(frozen=True)
class Task:
    words: str
    right: Args
    naive: Args  # what a reader does who does not know the quirk


@dataclass(frozen=True)
class SimulatedTool:
    name: str
    description: str
    properties: Mapping[str, Any]
    error: str  # may name the wrong value as {value}
    note: str
    cue: str
    tasks: Sequence[Task]
    quirk: str = ""  # the parameter that the quirk is about
    required: Sequence[str] = ()  # default: all

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required or self.properties),
            "additionalProperties": False,
        }

    @property
    def line(self) -> str:
        """Describe the tool as its call looks, and what it is for."""
        takes = ", ".join(self.properties)
        return f"{self.name}({takes}): {self.description}"

    def call(self, args: Args, task: Task) -> str | None:
        """Return the error of a call; None if it works."""
        for name, right in task.right.items():
            if name != self.quirk and not _names(args.get(name), right):
                return f"there is no {name} {args.get(name)!r}; take it from the request"
        given, right = args.get(self.quirk), task.right[self.quirk]
        if _same(given, right):
            return None
        if all(isinstance(one, dict) for one in (given, right)):
            return f"there is no such {self.quirk}; take its values from the request"
        return self.error.replace("{value}", str(given))


def _same(given: Any, right: Any) -> bool:
    """Tell whether two arguments are the same; a time may have seconds."""
    if isinstance(given, str) and isinstance(right, str):
        return re.sub(r"(T\d\d:\d\d):00(?=Z|$)", r"\1", given.strip().rstrip(".")) == right
    if isinstance(given, int | float) and isinstance(right, int | float):
        return abs(given - right) < 1e-9
    return given == right


def _names(given: Any, right: Any) -> bool:
    """Tell whether an argument without a quirk names the right thing, in whichever words."""
    if isinstance(given, str) and isinstance(right, str):
        return right.casefold() in given.casefold()
    return _same(given, right)


def _dates() -> SimulatedTool:
    cases = (
        ("Book the room Atlas for 3 March 2027.", "Atlas", "03.03.2027", "2027-03-03"),
        ("We need Borealis on the 14th of June 2027.", "Borealis", "14.06.2027", "2027-06-14"),
        ("Reserve Cedar for us, December 1st 2027.", "Cedar", "01.12.2027", "2027-12-01"),
        ("Is Dune free? Then take it for 22 April 2027.", "Dune", "22.04.2027", "2027-04-22"),
        ("Put us into Ember on August 9, 2027.", "Ember", "09.08.2027", "2027-08-09"),
        ("For 30 October 2027 get me the room Fjord.", "Fjord", "30.10.2027", "2027-10-30"),
    )
    return SimulatedTool(
        "book_room",
        "Book a meeting room for a day.",
        {"room": TEXT, "date": TEXT},
        "date '{value}' cannot be read; write dates as DD.MM.YYYY, like 31.01.2025",
        "Write `date` as DD.MM.YYYY, like 31.01.2025.",
        r"DD\.MM\.YYYY",
        [
            Task(words, {"room": room, "date": date}, {"room": room, "date": iso})
            for words, room, date, iso in cases
        ],
        "date",
    )


def _prefixed_ids() -> SimulatedTool:
    cases = (
        ("Where is order 71904?", "71904"),
        ("The customer asks about number 22817, her order.", "22817"),
        ("Look up what happened to order no. 30562.", "30562"),
        ("Show me 48815, an order from last week.", "48815"),
        ("Has the order 90127 left the house?", "90127"),
        ("I want to see order number 66340.", "66340"),
    )
    return SimulatedTool(
        "get_order",
        "Look up an order of the shop.",
        {"order_id": TEXT},
        "no order '{value}': put ord_ before the number",
        "Put `ord_` before the number in `order_id`.",
        r"ord_",
        [Task(words, {"order_id": f"ord_{n}"}, {"order_id": n}) for words, n in cases],
        "order_id",
    )


def _cents() -> SimulatedTool:
    cases = (
        ("Pay 12.50 euros on invoice A17.", "A17", 12.5),
        ("Invoice B04 is due: 89.90 EUR.", "B04", 89.9),
        ("Please settle C33, it is 7.25 euros.", "C33", 7.25),
        ("Transfer 140.10 euros for invoice D58.", "D58", 140.1),
        ("We owe 23.75 euros, invoice E21. Pay it.", "E21", 23.75),
        ("Invoice F90 over 61.40 euros has to be paid.", "F90", 61.4),
    )
    return SimulatedTool(
        "pay_invoice",
        "Pay an invoice.",
        {"invoice": TEXT, "amount": NUMBER},
        "amount {value} is wrong: give it in cents, as a whole number",
        "Give `amount` in cents: multiply euros by 100.",
        r"\bcents\b|by 100",
        [
            Task(
                words,
                {"invoice": name, "amount": round(euros * 100)},
                {"invoice": name, "amount": euros},
            )
            for words, name, euros in cases
        ],
        "amount",
    )


def _grams() -> SimulatedTool:
    cases = (
        ("Send the parcel of 2.4 kg to Lyon.", "Lyon", 2.4),
        ("A package for Porto, it weighs 1.1 kg.", "Porto", 1.1),
        ("Ship 3.5 kilograms to Ghent.", "Ghent", 3.5),
        ("The box of 0.8 kg goes to Turin.", "Turin", 0.8),
        ("Mail these books to Graz, 4.2 kg in all.", "Graz", 4.2),
        ("Please dispatch 5.6 kg to Malmo.", "Malmo", 5.6),
    )
    return SimulatedTool(
        "ship_parcel",
        "Order a pick-up of a parcel.",
        {"city": TEXT, "weight": NUMBER},
        "weight {value} refused: weight is in grams, not kilograms",
        "Give `weight` in grams: multiply kilograms by 1000.",
        r"\bgrams\b|by 1000",
        [
            Task(words, {"city": city, "weight": round(kg * 1000)}, {"city": city, "weight": kg})
            for words, city, kg in cases
        ],
        "weight",
    )


def _roles() -> SimulatedTool:
    cases = (
        ("Make kim an editor.", "kim", "editor"),
        ("The user lee shall be able to view things only: viewer.", "lee", "viewer"),
        ("Give noa the role of an admin.", "noa", "admin"),
        ("From today pat is editor.", "pat", "editor"),
        ("sam becomes viewer.", "sam", "viewer"),
        ("We hired tex as admin of the site, set that up.", "tex", "admin"),
    )
    return SimulatedTool(
        "set_role",
        "Change the role of a user.",
        {"user": TEXT, "role": TEXT},
        "unknown role '{value}'; roles are ROLE_ADMIN, ROLE_EDITOR and ROLE_VIEWER",
        "`role` is ROLE_ADMIN, ROLE_EDITOR or ROLE_VIEWER.",
        r"ROLE_",
        [
            Task(
                words, {"user": user, "role": f"ROLE_{role.upper()}"}, {"user": user, "role": role}
            )
            for words, user, role in cases
        ],
        "role",
    )


def _zones() -> SimulatedTool:
    cases = (
        ("Wake me at 06:30 in Berlin.", "06:30", "Berlin", "Europe/Berlin"),
        ("Alarm at 07:15 please, I am in Tokyo.", "07:15", "Tokyo", "Asia/Tokyo"),
        ("I must be up by 05:45, Rome time.", "05:45", "Rome", "Europe/Rome"),
        ("Ring at 08:00 in Madrid.", "08:00", "Madrid", "Europe/Madrid"),
        ("Set the clock to ring 09:20 in Cairo.", "09:20", "Cairo", "Africa/Cairo"),
        ("Tomorrow 04:50, Dubai, wake me up.", "04:50", "Dubai", "Asia/Dubai"),
    )
    return SimulatedTool(
        "set_alarm",
        "Set an alarm in a time zone.",
        {"time": TEXT, "zone": TEXT},
        "zone '{value}' unknown: write continent and city, like Europe/Oslo",
        "Write `zone` as continent and city, like Europe/Oslo.",
        r"continent",
        [
            Task(words, {"time": time, "zone": zone}, {"time": time, "zone": city})
            for words, time, city, zone in cases
        ],
        "zone",
    )


def _currency() -> SimulatedTool:
    cases = (
        ("What is 20 USD worth?", 20, "USD"),
        ("Convert 35 EUR for me.", 35, "EUR"),
        ("How much would 500 JPY be?", 500, "JPY"),
        ("I have 75 GBP, change them.", 75, "GBP"),
        ("Exchange 60 CHF.", 60, "CHF"),
        ("Tell me what 90 SEK are.", 90, "SEK"),
    )
    return SimulatedTool(
        "convert_money",
        "Convert an amount into our currency.",
        {"amount": NUMBER, "currency": TEXT},
        "currency '{value}' unknown: put iso: before the code, like iso:NOK",
        "In `currency`, put iso: before the code, like iso:NOK.",
        r"iso:",
        [
            Task(
                words,
                {"amount": amount, "currency": f"iso:{code}"},
                {"amount": amount, "currency": code},
            )
            for words, amount, code in cases
        ],
        "currency",
    )


def _yes_and_no() -> SimulatedTool:
    cases = (
        ("Subscribe ana@example.com, with the weekly digest.", "ana@example.com", "yes"),
        ("bo@example.com wants the letter, but no weekly digest.", "bo@example.com", "no"),
        ("Add cy@example.com and send the weekly digest too.", "cy@example.com", "yes"),
        ("New reader: di@example.com, weekly digest included.", "di@example.com", "yes"),
        ("Put ed@example.com on the list, not weekly.", "ed@example.com", "no"),
        ("fay@example.com signs up, weekly digest wanted.", "fay@example.com", "yes"),
    )
    return SimulatedTool(
        "subscribe",
        "Subscribe somebody to the newsletter; weekly adds the digest.",
        {"email": TEXT, "weekly": {"type": ["boolean", "string"]}},
        "weekly is {value}, but it must be the word yes or no",
        '`weekly` is the word "yes" or "no", not true or false.',
        r"\byes\b.*\bno\b",
        [
            Task(words, {"email": mail, "weekly": said}, {"email": mail, "weekly": said == "yes"})
            for words, mail, said in cases
        ],
        "weekly",
    )


def _nested() -> SimulatedTool:
    cases = (
        ("Save Ida's phone: country 49, number 301234.", "Ida", "49", "301234"),
        ("Jon can be reached under country 33, number 145678.", "Jon", "33", "145678"),
        ("Kay's phone has country 47 and number 229911.", "Kay", "47", "229911"),
        ("Note for Lou: country 39, number 066540.", "Lou", "39", "066540"),
        ("Mia has a new phone, country 43, number 158800.", "Mia", "43", "158800"),
        ("Add Ned, country 41, number 446655.", "Ned", "41", "446655"),
    )
    return SimulatedTool(
        "add_contact",
        "Add a person's phone to the address book.",
        {
            "name": TEXT,
            "phone": {
                "anyOf": [
                    TEXT,
                    {
                        "type": "object",
                        "properties": {"country": TEXT, "number": TEXT},
                        "required": ["country", "number"],
                        "additionalProperties": False,
                    },
                ]
            },
        },
        "phone must be an object with country and number, not '{value}'",
        '`phone` is an object: {"country": …, "number": …}.',
        r"phone.*\bobject\b",
        [
            Task(
                words,
                {"name": name, "phone": {"country": country, "number": number}},
                {"name": name, "phone": f"+{country}{number}"},
            )
            for words, name, country, number in cases
        ],
        "phone",
    )


def _utc() -> SimulatedTool:
    cases = (
        ("Log the meeting Budget, it began 2027-03-01 at 09:00.", "Budget", "2027-03-01T09:00"),
        ("Retro started on 2027-04-12 at 14:30, log it.", "Retro", "2027-04-12T14:30"),
        ("Meeting Hiring: 2027-05-20, 11:15.", "Hiring", "2027-05-20T11:15"),
        ("Enter Review, 2027-06-03 at 16:00.", "Review", "2027-06-03T16:00"),
        ("On 2027-07-08 at 10:45 we had Sales. Log that.", "Sales", "2027-07-08T10:45"),
        ("Log Kickoff of 2027-09-30, 13:20.", "Kickoff", "2027-09-30T13:20"),
    )
    return SimulatedTool(
        "log_meeting",
        "Log when a meeting began.",
        {"title": TEXT, "start": TEXT},
        "start '{value}' is not a UTC time; it looks like 2025-01-31T08:15Z",
        "Write `start` in UTC with Z at the end, like 2025-01-31T08:15Z.",
        r"\bUTC\b|\bZ\b|:15Z|`Z`",
        [
            Task(words, {"title": name, "start": f"{at}Z"}, {"title": name, "start": at})
            for words, name, at in cases
        ],
        "start",
    )


def _languages() -> SimulatedTool:
    cases = (
        ("Say 'good morning' in German.", "good morning", "deu", "de"),
        ("What is 'thank you' in French?", "thank you", "fra", "fr"),
        ("'see you soon', in Spanish please.", "see you soon", "spa", "es"),
        ("Put 'no smoking' into Italian.", "no smoking", "ita", "it"),
        ("I need 'open window' in Polish.", "open window", "pol", "pl"),
        ("How do you say 'red apple' in Swedish?", "red apple", "swe", "sv"),
    )
    return SimulatedTool(
        "translate",
        "Translate a text.",
        {"text": TEXT, "language": TEXT},
        "language '{value}' unknown: use the three-letter ISO 639-2 code, like dan for Danish",
        "`language` is a three-letter ISO 639-2 code, like dan for Danish.",
        r"three-letter|639-2",
        [
            Task(words, {"text": text, "language": three}, {"text": text, "language": two})
            for words, text, three, two in cases
        ],
        "language",
    )


def _priority() -> SimulatedTool:
    cases = (
        ("Ticket 17 is urgent.", 17, "P1", "urgent"),
        ("Set ticket 23 to low priority.", 23, "P4", "low"),
        ("High priority for ticket 31, please.", 31, "P2", "high"),
        ("Make 42 a ticket of normal priority.", 42, "P3", "normal"),
        ("Ticket 55 can wait: low.", 55, "P4", "low"),
        ("Everything burns, ticket 68 is urgent!", 68, "P1", "urgent"),
    )
    return SimulatedTool(
        "set_priority",
        "Set the priority of a ticket.",
        {"ticket": {"type": "integer"}, "priority": TEXT},
        "priority '{value}' unknown; use P1 (urgent), P2 (high), P3 (normal) or P4 (low)",
        "`priority` is P1 (urgent), P2 (high), P3 (normal) or P4 (low).",
        r"P1",
        [
            Task(words, {"ticket": n, "priority": code}, {"ticket": n, "priority": word})
            for words, n, code, word in cases
        ],
        "priority",
    )


def _phone_digits() -> SimulatedTool:
    cases = (
        ("Find the customer with phone +49 30 12345.", "+493012345", "+49 30 12345"),
        ("Who calls from +33 1 45678?", "+33145678", "+33 1 45678"),
        ("Look for +47 22 9911.", "+47229911", "+47 22 9911"),
        ("Whose number is +39 06 6540?", "+39066540", "+39 06 6540"),
        ("The caller had +43 1 58800, find her.", "+43158800", "+43 1 58800"),
        ("Search +41 44 66550.", "+414466550", "+41 44 66550"),
    )
    return SimulatedTool(
        "find_customer",
        "Find a customer.",
        {"phone": TEXT},
        "phone '{value}' refused: leave out the spaces",
        "Write `phone` without spaces.",
        r"spaces",
        [Task(words, {"phone": right}, {"phone": naive}) for words, right, naive in cases],
        "phone",
    )


def _pixels() -> SimulatedTool:
    cases = (
        ("Make cat.png 640 wide.", "cat.png", "640"),
        ("dog.png should have a width of 800.", "dog.png", "800"),
        ("Resize elk.png to 1024.", "elk.png", "1024"),
        ("Bring fox.png down to 320 in width.", "fox.png", "320"),
        ("I want gnu.png at 1280.", "gnu.png", "1280"),
        ("hen.png, width 512.", "hen.png", "512"),
    )
    return SimulatedTool(
        "resize_image",
        "Resize a picture.",
        {"file": TEXT, "width": TEXT},
        "width '{value}' has no unit: write px behind the number",
        "Write px behind the number in `width`, like 200px.",
        r"\bpx\b|`px`|\d+px",
        [
            Task(words, {"file": file, "width": f"{n}px"}, {"file": file, "width": n})
            for words, file, n in cases
        ],
        "width",
    )


def _paths() -> SimulatedTool:
    cases = (
        ("Back up reports/2027.", "reports/2027"),
        ("Make a copy of the folder photos/summer.", "photos/summer"),
        ("Save letters/march for later.", "letters/march"),
        ("We need a backup of data/sales.", "data/sales"),
        ("Please back up music/live too.", "music/live"),
        ("Keep a copy of plans/garden.", "plans/garden"),
    )
    return SimulatedTool(
        "backup",
        "Back up a folder.",
        {"folder": TEXT},
        "folder '{value}' not found: folders begin with /srv/shared/",
        "Put /srv/shared/ before `folder`.",
        r"/srv/shared/",
        [Task(words, {"folder": f"/srv/shared/{f}"}, {"folder": f}) for words, f in cases],
        "folder",
    )


def _sender() -> SimulatedTool:
    cases = (
        ("Text +4930111 that we are closed.", "+4930111", "we are closed"),
        ("Send 'on my way' to +4930222.", "+4930222", "on my way"),
        ("+4930333 should read: table is ready", "+4930333", "table is ready"),
        ("Write +4930444 a message: call me back", "+4930444", "call me back"),
        ("Let +4930555 know: parcel arrived", "+4930555", "parcel arrived"),
        ("Message for +4930666: see you at nine", "+4930666", "see you at nine"),
    )
    return SimulatedTool(
        "send_sms",
        "Send a text message.",
        {"to": TEXT, "text": TEXT, "sender": TEXT},
        "missing or unknown sender '{value}': sender must be ACME",
        "`sender` must be ACME.",
        r"ACME",
        [
            Task(
                words,
                {"to": to, "text": text, "sender": "ACME"},
                {"to": to, "text": text},
            )
            for words, to, text in cases
        ],
        "sender",
        ("to", "text"),
    )


TOOLS: tuple[SimulatedTool, ...] = (
    _dates(),
    _prefixed_ids(),
    _cents(),
    _grams(),
    _roles(),
    _zones(),
    _currency(),
    _yes_and_no(),
    _nested(),
    _utc(),
    _languages(),
    _priority(),
    _phone_digits(),
    _pixels(),
    _paths(),
    _sender(),
)
