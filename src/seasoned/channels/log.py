"""Writes notices into the log."""

import logging

from seasoned.channels.notifier import Notice
from seasoned.core.text import one_line

log = logging.getLogger("seasoned.notice")


class LogNotifier:
    """One line a notice; what it is about goes along as `extra`."""

    def notify(self, notice: Notice) -> None:
        log.info(
            "%s: %s (%s): %s",
            notice.kind,
            one_line(notice.title),
            notice.lesson,
            one_line(notice.text, 400),
            extra={"notice_kind": notice.kind, "lesson": notice.lesson},
        )
