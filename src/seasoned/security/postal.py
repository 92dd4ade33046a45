"""Recognises postal addresses as they are written in English and the larger languages of Europe.

An address is a street and a number; the place and its code are taken along where they follow. Where
the word for a street has other meanings ("via HTTP 200"), only with a place is it an address.
"""

import re

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
# A place behind it, its code before or after: "10115 Berlin", "Springfield, IL 62704".
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
MARKS = re.compile(
    rf"(?i)\b(?:{ENGLISH}|{ROMANCE}|{UNSURE_ROMANCE}|p\.?\s?o\.?\s?box|postfach)\b"
    rf"|(?:{GERMANIC}|{UNSURE_GERMANIC})(?![a-zäöüß])"
)


def may_have_an_address(text: str) -> bool:
    """Most texts have no word that belongs to one."""
    return MARKS.search(text) is not None
