"""`seasoned chat`: talk to an agent that learns."""

from typing import Annotated

import typer

from seasoned.cli.command import CHECK_FAILED, INTERRUPTED, Options, command
from seasoned.cli.vault_access import unlock
from seasoned.core.errors import BadInput
from seasoned.core.extras import installed, missing_extra

app = typer.Typer()


@command(app, "chat")
def chat(
    options: Options,
    message: Annotated[
        str | None,
        typer.Argument(
            help="Send this and exit; default: start a conversation.", metavar="MESSAGE"
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="e.g. openai:gpt-5.4-mini, ollama:qwen3, local:PATH.gguf; default: agent.model.",
            metavar="PROVIDER:MODEL",
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Continue this session, or name a new one.", metavar="NAME"),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            help="Of files, shell, web, knowledge, schedule; default: agent.tools.",
            metavar="NAMES",
        ),
    ] = None,
    root: Annotated[
        str | None,
        typer.Option(
            help="Folder of files and shell: files cannot leave it, programs start there.",
            metavar="DIR",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="First finish the turn that was cut off.")
    ] = False,
) -> None:
    """Talk to an agent that learns from what it does and from what you say.

    Answers are streamed. You are asked before a dangerous tool runs. Ctrl-C stops an answer and
    counts as disapproval of it; twice in a row, it leaves, as Ctrl-D and /quit do. Paste messages
    of several lines, or type them with a backslash before Enter. /help lists commands: /teach,
    /why, /forget, /lessons, /grants … With --json, prints one event per line.
    """
    if not installed("llm"):
        raise missing_extra("llm", "an agent needs clients for language models")
    from seasoned.cli.chat.conversation import Conversation
    from seasoned.cli.chat.interrupts import Interrupts
    from seasoned.cli.chat.keyboard import TerminalModes, repaired, without_echo
    from seasoned.cli.chat.log_lines import log_lines
    from seasoned.core.ids import new_id

    if message is not None and not message.strip():
        raise BadInput("the message is empty; give one, or none to start a conversation")
    if resume and session is None:
        raise BadInput("--resume needs --session: `seasoned sessions list` shows them")
    unlock()
    name = session or f"chat-{new_id()[:6]}"
    built_in = None if tools is None else [one.strip() for one in tools.split(",") if one.strip()]
    with (
        without_echo(),  # from here on, prompts show what is typed
        log_lines(debug=options.debug),
        Interrupts(TerminalModes().restore) as interrupts,
        options.open(create=True) as s,
        s.agent(model, built_in=built_in, root=root, session=name) as agent,
    ):
        interrupts.started()
        talk = Conversation(s, agent, name, interrupts, as_json=options.json)
        answered = talk.resume() if resume else True
        if message is not None:
            talk.mention_cut_off("--resume")
            answered = talk.say(repaired(message))
        elif talk.is_attended or not resume:
            talk.talk()
            answered = True
        talk.leave()
    if interrupts.closed_by:
        raise typer.Exit(128 + interrupts.closed_by)
    if not answered:
        raise typer.Exit(INTERRUPTED if interrupts.pressed else CHECK_FAILED)
