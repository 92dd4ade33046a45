"""Ask the person at the terminal whether a tool may run, showing exactly what would run."""

import os
import shutil
import sys
import time
from collections.abc import Callable

import typer

from seasoned.cli.chat.call_box import call_lines, shortened_lines
from seasoned.cli.chat.keyboard import Keyboard, with_echo
from seasoned.cli.show.render import note
from seasoned.tools.calls import escape_invisible
from seasoned.tools.run import ApprovalDecision, ApprovalRequest

AROUND = 6  # lines of the screen that the question needs beside the call
LEAST_LINES = 10
SETTLE_SECONDS = 0.3  # for fingers that were typing something else
ANSWERS = {"y": "yes", "yes": "yes", "a": "always", "always": "always", "s": "show", "n": "no"}


async def nobody_to_ask(request: ApprovalRequest) -> ApprovalDecision:
    """Deny a call where no person can be asked."""
    return ApprovalDecision("deny", "nobody is at the terminal", by_user=False)


def ask_person(
    request: ApprovalRequest, keyboard: Keyboard, is_wanted: Callable[[], bool]
) -> ApprovalDecision | None:
    """Ask; any answer but yes and always denies the call and is passed on as the reason.

    None if the question was withdrawn: nobody answered in time, or the turn was stopped.
    """
    width, height = _screen_size()
    whole = call_lines(request.params, width)
    where = [f"  in {escape_invisible(request.folder)}"] if request.folder else []
    shown = shortened_lines(whole, max(height - AROUND, LEAST_LINES))
    note(f"{request.tool} asks for your approval ({request.reason}):")
    note("\n".join([*shown, *where]))
    while is_wanted():
        time.sleep(SETTLE_SECONDS)
        keyboard.set_aside()
        with with_echo():
            typer.echo(_choices(request, can_show=shown != whole), nl=False, err=True)
            line = keyboard.answer(is_wanted)
        if line is None:
            note("")
            return None if not is_wanted() else _closed()
        answer = line.strip()
        kind = ANSWERS.get(answer.lower(), "")
        if kind == "show" and shown != whole:
            note("\n".join(whole))
            shown = whole
        elif kind == "yes":
            return ApprovalDecision("allow")
        elif kind == "always" and request.can_always:
            note(_granted(request))
            return ApprovalDecision("always")
        elif answer:
            return ApprovalDecision("deny", "" if answer.lower() in ("n", "no") else answer)
    return None


def _screen_size() -> os.terminal_size:
    """Return the size of the screen that shows the question."""
    try:
        return os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError):  # the terminal does not say
        return shutil.get_terminal_size()


def _granted(request: ApprovalRequest) -> str:
    where = " in this folder" if request.folder else ""
    return (
        f"{request.tool} with exactly these parameters{where} is allowed from now on, in all your "
        "sessions; /grants lists what is, and takes it back."
    )


def _choices(request: ApprovalRequest, *, can_show: bool) -> str:
    here = " here" if request.folder else ""
    choices = [
        *("[y]es", "[n]o"),
        *([f"[a]lways this exact call{here}"] if request.can_always else []),
        *(["[s]how all of it"] if can_show else []),
    ]
    within = f"within {request.timeout_seconds:g} s"
    return f"Allow it? {', '.join(choices)}, or say why not ({within}): "


def _closed() -> ApprovalDecision:
    return ApprovalDecision("deny", "the terminal was closed", by_user=False)
