"""`seasoned chat`: talk to an agent that learns."""

import sys
from typing import Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.core.errors import BadInput

app = typer.Typer()


@command(app, "chat")
def chat(
    options: Options,
    message: Annotated[
        str | None,
        typer.Argument(help="Say this, and leave; without it, a conversation.", metavar="MESSAGE"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="As openai:gpt-5.4-mini, ollama:qwen3, local:PATH.gguf; else agent.model.",
            metavar="PROVIDER:MODEL",
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Go on with this session, or give a new one a name.", metavar="NAME"),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            help="Of files, shell, web, knowledge, schedule; else agent.tools.", metavar="NAMES"
        ),
    ] = None,
    root: Annotated[
        str | None,
        typer.Option(help="The folder that files and shell stay in.", metavar="DIR"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish the turn that was cut off, first.")
    ] = False,
) -> None:
    """Talk to an agent that learns from what it does and from what you say.

    Its answer comes as it is made. Before a tool that can do harm runs, you are asked. Ctrl-C
    stops an answer, and is taken as a sign that it was not wanted; Ctrl-D leaves. /help lists
    what else you can say: /teach, /why, /forget, /lessons … With --json, one event a line.
    """
    from seasoned.cli.chatting import Chat
    from seasoned.core.ids import new_id

    if message is not None and not message.strip():
        raise BadInput("the message is empty; say something, or leave it out to talk")
    if resume and session is None:
        raise BadInput("--resume needs --session: `seasoned sessions list` shows them")
    name = session or f"chat-{new_id()[:6]}"
    built_in = None if tools is None else [one.strip() for one in tools.split(",") if one.strip()]
    with options.open() as s, s.agent(model, built_in=built_in, root=root, session=name) as agent:
        talk = Chat(s, agent, name, as_json=options.json)
        answered = talk.resume() if resume else True
        if message is not None:
            answered = talk.say(message)
        elif sys.stdin.isatty() or not resume:
            talk.talk()
        talk.leave()
    if not answered:
        raise typer.Exit(1)
