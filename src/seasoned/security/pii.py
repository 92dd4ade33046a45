"""Replace personal data in texts: e-mail, postal and IP addresses, and numbers of phones, cards,
bank accounts and social security.
"""

import ipaddress
import re
from collections import Counter
from collections.abc import Callable

EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|%40|\\u0040|&\#64;)[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)
AT = ("@", "%40", "\\u0040", "&#64;")  # in plain text, URLs, JSON and HTML
# Digits in groups; Luhn's check decides which are cards.
CARD = re.compile(r"(?<![\w.])(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d|\w)")
IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}")
# Written like a phone number: with a plus or 00, with a bracket, or in groups. A bare run of
# digits may be an order's number, and groups with dots a version or an IP address.
PHONE = re.compile(
    r"""(?x) (?<![\w.+-])(?<!\d[ /:])
    (?: (?:\+|00)[1-9]\d{0,2} (?:[ ./-]?\(?\d{1,5}\)?){2,6}
      | \(\d{2,5}\) [ ./-]? \d{2,5} (?:[ ./-]?\d{2,5}){1,3}
      | 0\d{1,4} [ /-] \d{2,8} (?:[ /-]?\d{2,5}){0,4}
      | \d{3}-\d{3}-\d{4} | \d{3}\.\d{3}\.\d{4}
    ) (?![\w]|[.-]\d)
    """
)
# The numbers of the USA; some were never issued.
SSN = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-]|\.\d)")
SSN_NAMED = re.compile(
    r"(?i)(\b(?:ssn|social security(?: (?:number|no\.?))?)\b[\s:=#is-]{1,6})"
    r"(?!000|666|9)\d{9}(?!\d)"
)
IPV4 = re.compile(
    r"(?<![\w.=/+-])(?<!(?i:version)[ :])(?:\d{1,3}\.){3}\d{1,3}(?![\w+-]|\.\d)"
    r"|(?<=//)(?:\d{1,3}\.){3}\d{1,3}(?![\w.+-])"
)
IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:]|\.\d)")
Put = Callable[[str, str], str]  # the replacement for a kind of thing and its value
DIGITS = re.compile(r"\d")
IBAN_LENGTHS = {  # by country
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
    """Replace personal data by its kind; `found` counts the replacements.

    >>> without_pii("Ask ana@example.com or +33 1 42 68 53 00; the build took 1234567890 ns.")
    'Ask <email> or <phone>; the build took 1234567890 ns.'
    >>> without_pii("4111 1111 1111 1111, DE89 3704 0044 0532 0130 00")
    '<card>, <iban>'
    >>> without_pii("SSN 219-09-9999 from 203.0.113.7, version 1.2.3.4")
    'SSN <ssn> from <ip>, version 1.2.3.4'
    >>> without_pii("She lives at 742 Evergreen Terrace, Springfield, IL 62704.")
    'She lives at <address>.'
    """
    counts: Counter[str] = Counter() if found is None else found

    def put(kind: str, value: str) -> str:
        counts[kind] += 1
        return f"<{kind}>"

    return replace_pii(text, put)


def replace_pii(text: str, put: Put) -> str:
    """Replace personal data by what `put` returns for its kind and value.

    >>> replace_pii("ana@example.com", lambda kind, value: f"{kind}:{len(value)}")
    'email:15'
    """
    if any(map(text.__contains__, AT)):
        text = EMAIL.sub(_replacing("email", lambda _: True, put), text)
    if not DIGITS.search(text):
        return text
    if may_have_an_address(text):
        text = STREET.sub(lambda match: put("address", match[0]), text)
    text = SSN.sub(lambda match: put("ssn", match[0]), text)
    text = SSN_NAMED.sub(lambda match: match[1] + put("ssn", match[0][len(match[1]) :]), text)
    text = IPV4.sub(_replacing("ip", is_address_of_a_host, put), text)
    if text.count(":") > 1:
        text = IPV6.sub(_replacing("ip", is_address_of_a_host, put), text)
    text = IBAN.sub(lambda match: _account(match[0], put), text)
    text = CARD.sub(_replacing("card", is_card, put), text)
    return PHONE.sub(_replacing("phone", is_phone, put), text)


def _replacing(name: str, holds: Callable[[str], bool], put: Put) -> Callable[[re.Match[str]], str]:
    return lambda match: put(name, match[0]) if holds(match[0]) else match[0]


def is_address_of_a_host(text: str) -> bool:
    """Whether a text is the IP address of some machine: not of this one, and no mask.

    >>> is_address_of_a_host("203.0.113.7"), is_address_of_a_host("2001:db8::7")
    (True, True)
    >>> is_address_of_a_host("127.0.0.1"), is_address_of_a_host("255.255.255.0")
    (False, False)
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.version == 6 and len(DIGITS.findall(text)) < 2:
        return False  # a name in code, such as ab::cd
    return not (address.is_loopback or address.is_unspecified or text.startswith(("255.", "0.")))


def is_card(text: str) -> bool:
    """Whether digits are a card number, by the first digit and Luhn's check.

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
    """Whether a text without blanks is an account number, by its length and check digits.

    >>> is_iban("GB82WEST12345698765432"), is_iban("GB83WEST12345698765432")
    (True, False)
    """
    if len(text) != IBAN_LENGTHS.get(text[:2].upper()) or not text.isascii():
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def _account(text: str, put: Put) -> str:
    """Replace only the account number: words may follow directly."""
    wanted, end = IBAN_LENGTHS.get(text[:2].upper(), 0), 0
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


# Postal addresses, as written in English and the larger languages of Europe: a street and a number,
# with the place and its code if they follow. If the word for a street has other meanings ("via
# HTTP 200"), only a place makes it an address.

CAPITAL = r"[^\W\d_a-zßàáâäæçèéêëìíîïñòóôöøùúûüœ]"
NAME = rf"{CAPITAL}[\w'’-]{{1,30}}|{CAPITAL}\.?"
NAMES = rf"(?:{NAME})(?:[ ](?:{NAME})){{0,3}}"
NUMBER = r"\d{1,5}(?:[-/]\d{1,4})?(?:[ ]?[a-zA-Z](?!\w))?"
OF = r"(?:(?:de|du|des|del|della|dei|degli|da|do|dos|das|la|le|les|el|los|las)[ ]|[dl]['’]){0,3}"
ENGLISH = (
    "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Sq|Terrace"
    "|Highway|Hwy|Parkway|Pkwy|Crescent|Close|Quay|Place|Pl|Way"
)
GERMANIC = (
    r"stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|damm|ufer|straat|laan|plein|gracht|gatan|v[äa]gen"
)
UNSURE_GERMANIC = "ring|vej|gade|kade|gata|veien"
ROMANCE = (
    "rue|avenue|boulevard|chemin|all[ée]e|impasse|quai|calle|avenida|plaza|paseo|carrer|viale"
    "|piazza|corso|rua|travessa|praça"
)
UNSURE_ROMANCE = "via|place|cours|largo"
FLAT = "Flat|Apt|Apartment|Unit|Suite|Floor"
UNIT = rf"(?:,?[ ](?:(?:{FLAT})\.?|\#)[ ]?\w{{1,5}}(?!\w))?"
# A place after it, with its code before or after: "10115 Berlin", "Springfield, IL 62704".
TOWN = rf"{NAMES}(?:,[ ][A-Z]{{2}})?"
CODE = r"(?:[A-Z]{1,2}-)?\d{4,5}(?:-\d{3,4})?|[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2}|\d{4}[ ][A-Z]{2}"
PLACE = rf"(?:,?\s{{1,2}}(?:(?:{CODE})[ ]{TOWN}|{TOWN},?[ ](?:{CODE}))(?!\w))"


def _germanic(kinds: str) -> str:
    """Lange Straße 5, Hauptstraße 7a."""
    return (
        rf"(?:{NAME})(?:[ -](?:{NAME})){{0,2}}?(?:[ -](?i:{kinds})|(?<=\w)(?:{kinds}))[ ]{NUMBER}"
    )


def _romance(kinds: str) -> str:
    """12 rue de la Paix; Calle de Alcalá, 48."""
    named = rf"(?i:{kinds})[ ]{OF}{NAMES}(?:[ ]{OF}{NAMES}){{0,2}}"
    return rf"{NUMBER}(?:[ ]?(?:bis|ter))?,?[ ]{named}|{named},?[ ](?:n[.º°]?[ ]?)?{NUMBER}"


STREET = re.compile(
    rf"""(?x) (?<![\w.,/-])
    (?: (?: (?:(?:{FLAT})\.?[ ]\w{{1,5}},?[ ])?{NUMBER}[ ]{NAMES}[ ](?:{ENGLISH})(?!\w)\.?{UNIT}
          | {_germanic(GERMANIC)}
          | {_romance(ROMANCE)}
          | (?i:P\.?[ ]?O\.?[ ]?Box|Postfach)[ ]\d[\d ]{{0,8}}(?<=\d)
        ) {PLACE}?
      | (?: {_germanic(UNSURE_GERMANIC)} | {_romance(UNSURE_ROMANCE)} ) {PLACE}
    ) (?!\w)
    """
)
ADDRESS_MARKS = re.compile(
    rf"(?i)\b(?:{ENGLISH}|{ROMANCE}|{UNSURE_ROMANCE}|p\.?\s?o\.?\s?box|postfach)\b"
    rf"|(?:{GERMANIC}|{UNSURE_GERMANIC})(?![a-zäöüß])"
)


def may_have_an_address(text: str) -> bool:
    """Rule out most texts quickly: they have no word of an address."""
    return ADDRESS_MARKS.search(text) is not None
