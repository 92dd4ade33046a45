import logging

import pytest

from seasoned.core.events import Bus, Event, LessonLearned


def test_a_listener_that_fails_is_counted_logged_and_does_not_stop_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bus, heard = Bus(), list[Event]()

    def broken(_: Event) -> None:
        raise RuntimeError("out of order")

    bus.subscribe(LessonLearned, broken)
    bus.subscribe(Event, heard.append)
    with caplog.at_level(logging.ERROR):
        bus.publish(LessonLearned(0, "a", "fix"))
        bus.deliver()
    assert len(heard) == 1
    assert sum(bus.failures.values()) == 1
    assert "out of order" in caplog.text


def test_a_listener_hears_only_what_it_asked_for() -> None:
    bus, heard = Bus(), list[LessonLearned]()
    bus.subscribe(LessonLearned, heard.append)
    bus.publish(Event(0))
    bus.deliver()
    assert heard == []
