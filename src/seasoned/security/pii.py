"""Takes out what tells who a person is: addresses, phone, card and account numbers."""

import re
from collections import Counter
from collections.abc import Callable

from seasoned.security.postal import STREET, may_have_an_address

EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|%40|\\u0040|&\#64;)[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)
AT = ("@", "%40", "\\u0040", "&#64;")  # as it stands in addresses, in JSON and in HTML
# Digits in groups; what of that is a card, Luhn's check tells.
CARD = re.compile(r"(?<![\w.])(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d|\w)")
IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}")
# Written as phone numbers are: with a plus or 00, with a bracket, or in groups. A bare run of
# digits is as likely an order's number, and groups with dots a version or an address.
PHONE = re.compile(
    r"""(?x) (?<![\w.+-])(?<!\d[ /:])
    (?: (?:\+|00)[1-9]\d{0,2} (?:[ ./-]?\(?\d{1,5}\)?){2,6}
      | \(\d{2,5}\) [ ./-]? \d{2,5} (?:[ ./-]?\d{2,5}){1,3}
      | 0\d{1,4} [ /-] \d{2,8} (?:[ /-]?\d{2,5}){0,4}
      | \d{3}-\d{3}-\d{4} | \d{3}\.\d{3}\.\d{4}
    ) (?![\w]|[.-]\d)
    """
)
Put = Callable[[str, str], str]  # what stands in the place of a kind of thing, and its value
DIGITS = re.compile(r"\d")
LENGTHS = {  # of an account number, by country
    code: length
    for length, codes in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD FK", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE",
        31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for code in codes.split()
}  # fmt: skip


def without_pii(text: str, found: Counter[str] | None = None) -> str:
    """The text with each of them replaced; `found` counts what was.

    >>> without_pii("Ask ana@example.com or +33 1 42 68 53 00; the build took 1234567890 ns.")
    'Ask <email> or <phone>; the build took 1234567890 ns.'
    >>> without_pii("4111 1111 1111 1111, DE89 3704 0044 0532 0130 00")
    '<card>, <iban>'
    >>> without_pii("She lives at 742 Evergreen Terrace, Springfield, IL 62704.")
    'She lives at <address>.'
    """
    counts: Counter[str] = Counter() if found is None else found

    def put(kind: str, value: str) -> str:
        counts[kind] += 1
        return f"<{kind}>"

    return pii_replaced(text, put)


def pii_replaced(text: str, put: Put) -> str:
    """The text with what `put` makes of each of them, from its kind and its value.

    >>> pii_replaced("ana@example.com", lambda kind, value: f"{kind}:{len(value)}")
    'email:15'
    """
    if any(map(text.__contains__, AT)):
        text = EMAIL.sub(_replacing("email", lambda _: True, put), text)
    if not DIGITS.search(text):
        return text
    if may_have_an_address(text):
        text = STREET.sub(lambda match: put("address", match[0]), text)
    text = IBAN.sub(lambda match: _account(match[0], put), text)
    text = CARD.sub(_replacing("card", is_card, put), text)
    return PHONE.sub(_replacing("phone", is_phone, put), text)


def _replacing(name: str, holds: Callable[[str], bool], put: Put) -> Callable[[re.Match[str]], str]:
    return lambda match: put(name, match[0]) if holds(match[0]) else match[0]


def is_card(text: str) -> bool:
    """Whether digits are a card's number: its first digit, and Luhn's check.

    >>> is_card("4111-1111-1111-1111"), is_card("4111-1111-1111-1112")
    (True, False)
    """
    digits = [int(digit) for digit in DIGITS.findall(text)]
    if digits[0] not in (2, 3, 4, 5, 6) or len(set(digits)) == 1:
        return False
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_phone(text: str) -> bool:
    return 7 <= len(DIGITS.findall(text)) <= 15


def is_iban(text: str) -> bool:
    """Whether a text without blanks is an account's number: its length and its check digits.

    >>> is_iban("GB82WEST12345698765432"), is_iban("GB83WEST12345698765432")
    (True, False)
    """
    if len(text) != LENGTHS.get(text[:2].upper()) or not text.isascii():
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def _account(text: str, put: Put) -> str:
    """Only as much as is an account's number: words may stand right behind it."""
    wanted, end = LENGTHS.get(text[:2].upper(), 0), 0
    for place, sign in enumerate(text):
        if sign.isalnum():
            wanted -= 1
        if wanted == 0:
            end = place + 1
            break
    number = text[:end].replace(" ", "").replace("-", "")
    if not end or text[end : end + 1].isalnum() or not is_iban(number):
        return text
    return put("iban", text[:end]) + text[end:]
