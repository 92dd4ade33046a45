"""Personal data: replaced in exports; ordinary numbers stay."""

import string
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.security.pii import is_card, is_iban, without_pii

TAKEN = [
    ("write to ana.lopez+work@mail.example.co.uk.", "write to <email>."),
    ("<ana@example.com>", "<<email>>"),
    ("José: josé@exämple.de", "José: <email>"),
    ("call +33 1 42 68 53 00 now", "call <phone> now"),
    ("call +1 (415) 555-0132.", "call <phone>."),
    ("call 0049 30 1234567", "call <phone>"),
    ("(415) 555-0132", "<phone>"),
    ("415-555-0132", "<phone>"),
    ("030 / 1234567 is busy", "030 / 1234567 is busy"),
    ("030/1234567 is busy", "<phone> is busy"),
    ("01 42 68 53 00", "<phone>"),
    ("card 4111111111111111, thanks", "card <card>, thanks"),
    ("card 5500-0000-0000-0004", "card <card>"),
    ("amex 3782 822463 10005", "amex <card>"),
    ("pay GB82 WEST 1234 5698 7654 32 TODAY", "pay <iban> TODAY"),
    ("pay de89370400440532013000", "pay <iban>"),
    ("NL91ABNA0417164300.", "<iban>."),
    ("I live at 221B Baker Street, London NW1 6XE.", "I live at <address>."),
    ("ship to 742 Evergreen Terrace, Springfield, IL 62704", "ship to <address>"),
    ("350 Fifth Avenue, Suite 3300, please", "<address>, please"),
    ("Apt 4, 17 Elm Road", "<address>"),
    ("P.O. Box 1234", "<address>"),
    ("Musterstraße 12, 10115 Berlin", "<address>"),
    ("Karl-Marx-Allee 33 und Lange Straße 5a", "<address> und <address>"),
    ("12 rue de la Paix, 75002 Paris", "<address>"),
    ("Calle de Alcalá 48, 28014 Madrid", "<address>"),
    ("Via Roma 12, 00184 Roma", "<address>"),
    ("Prinsengracht 263, 1016 GV Amsterdam", "<address>"),
    ("Nørregade 7, 1165 København", "<address>"),
    ("card 4111111111111111 of 10 Downing Street", "card <card> of <address>"),
    ("my SSN is 219-09-9999.", "my SSN is <ssn>."),
    ("social security number: 219099999", "social security number: <ssn>"),
    ("login from 203.0.113.7:4022 refused", "login from <ip>:4022 refused"),
    ("http://10.1.2.3/x and 2001:db8::8a2e:370:7334", "http://<ip>/x and <ip>"),
]
LEFT = [
    "version 10.15.7 of 2025-03-07 09:00:00",
    "commit 4111111111111112 and order 1234567890123",
    "127.0.0.1:8080, 0.0.0.0 and ::1 with mask 255.255.255.0",
    "app 1.2.3.4.5, version 1.2.3.4, lib==1.2.3.4, v10.0.0.1",
    "10:20:30, std::vector, a::b, 00:1A:2B:3C:4D:5E",
    "666-12-3456, 901-12-3456, 123-45-67890, order 123-45-678",
    "it took 1234567890 ns, or 1,234,567 of 9,999,999 rows",
    "user@localhost and @decorator",
    "1794767368173397704",
    "2025-03-07T09:00:00+00:00",
    "GB00 WEST 1234 5698 7654 32",
    "0x4111111111111111",
    "f(1, 2) = 3 - 4 + 5",
    "pages 100-200, 300-400",
    "0000 0000 0000 0000",
    "via HTTP 200, or via Postgres 16",
    "Error 404 Not Found. Close the file",
    "String 5, Spring 6, during 2024, Decade 3, Renegade 2",
    "place 4 items in row 7, this way 3 times",
    "3 Tests failed. Drive on",
    "Monitoring 24 hours on Main Street",
]


@pytest.mark.parametrize(("text", "clean"), TAKEN)
def test_what_is_personal_is_replaced(text: str, clean: str) -> None:
    assert without_pii(text) == clean


@pytest.mark.parametrize("text", LEFT)
def test_ordinary_numbers_stay(text: str) -> None:
    assert without_pii(text) == text


def test_what_was_replaced_is_counted() -> None:
    found: Counter[str] = Counter()
    without_pii("a@b.co, c@d.co, 4111111111111111", found)
    assert found == {"email": 2, "card": 1}


@given(st.text())
def test_to_do_it_twice_changes_nothing_more(text: str) -> None:
    once = without_pii(text)
    assert without_pii(once) == once


@given(st.text(alphabet=string.digits + " -.@+()/aB", max_size=200))
def test_any_mixture_of_digits_is_taken(text: str) -> None:
    once = without_pii(text)
    assert without_pii(once) == once


@given(st.integers(min_value=10**14, max_value=10**15 - 1))
def test_of_ten_numbers_one_is_a_card(number: int) -> None:
    body = f"4{number}"
    assert sum(is_card(f"{body[:-1]}{last}") for last in range(10)) == 1


def test_a_long_text_takes_no_longer_than_its_length() -> None:
    for piece in ("a", "1", "1 ", "a.", "(1", "+1", "DE89", "0-", "a@", "@a.", "1-1"):
        text = piece * (200_000 // len(piece))
        began = time.perf_counter()
        without_pii(text)
        assert time.perf_counter() - began < 3, piece


def test_a_text_that_is_no_iban_is_not_taken_for_one() -> None:
    assert not is_iban("")
    assert not is_iban("ZZ82WEST12345698765432")
