import pytest

from seasoned.changes.agreement import common_repair
from seasoned.changes.conversions import is_iso_of, iso_date, scale, scale_between
from seasoned.changes.repair import apply_repair, repair_between
from seasoned.changes.wording import sentence_for


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (12.5, 1250, "x100"),
        (64.0, 6400, "x100"),
        (3, 3000, "x1000"),
        (90, 1.5, "/60"),
        (2, 5, None),
        (0, 0, None),
        (True, 100, None),
        ("1", 100, None),
    ],
)
def test_a_change_of_unit_is_seen(old: object, new: object, name: str | None) -> None:
    assert scale_between(old, new) == name


def test_a_scaled_amount_stays_whole_where_it_can() -> None:
    assert scale(18.75, "x100") == 1875
    assert isinstance(scale(18.75, "x100"), int)
    assert scale(0.125, "x10") == 1.25
    assert scale(None, "x10") is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2025/3/4", "2025-03-04"),
        ("25.01.2025", "2025-01-25"),
        ("14-03-2025", "2025-03-14"),
        ("03/14/2025", "2025-03-14"),
        ("5 May 2025", "2025-05-05"),
        ("October 3rd, 2025", "2025-10-03"),
        ("05/05/2025", "2025-05-05"),
        ("05/06/2025", None),
        ("April 2nd", None),
        ("tomorrow", None),
        ("99/99/2025", None),
    ],
)
def test_a_date_is_written_in_iso_form_unless_it_could_be_two(text: str, date: str | None) -> None:
    assert iso_date(text) == date


def test_another_date_is_not_the_iso_form() -> None:
    assert is_iso_of("3 April", "2025-04-03")
    assert not is_iso_of("3 April", "2025-05-03")
    assert not is_iso_of("2025-04-03", "2025-04-03")
    assert not is_iso_of("04/2025", "2025-04-03")


def test_two_dates_agree_and_carry_over() -> None:
    error = "date must be ISO (YYYY-MM-DD)"
    one = repair_between({"date": "03/14/2025"}, {"date": "2025-03-14"}, error)
    two = repair_between({"date": "April 2nd"}, {"date": "2025-04-02"}, error)
    assert one is not None
    assert two is not None
    both = common_repair(one, two)
    assert both is not None
    assert sentence_for(both, "book") == "Pass `date` as a date like 2025-12-31."
    assert apply_repair(both, {"date": "1 Dec 2026"}, error) == {"date": "2026-12-01"}
    assert apply_repair(both, {"date": "01/02/2026"}, error) is None


def test_two_amounts_agree_and_carry_over() -> None:
    one = repair_between({"amount": 12.5}, {"amount": 1250}, "must be cents")
    two = repair_between({"amount": 64.0}, {"amount": 6400}, "must be cents")
    assert one is not None
    assert two is not None
    both = common_repair(one, two)
    assert both is not None
    assert sentence_for(both, "refund") == "Multiply `amount` by 100."
    assert apply_repair(both, {"amount": 7.25}, "must be cents") == {"amount": 725}
