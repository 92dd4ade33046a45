"""`seasoned payments …`: what the agent paid for pages of the web."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.show.render import emit, note, say, table
from seasoned.core.clock import iso
from seasoned.core.errors import ConfigError

if TYPE_CHECKING:
    from seasoned.payment.ledger_store import Payment

app = typer.Typer(no_args_is_help=True, help="See what the agent paid for, and what it may pay.")


@command(app, "status")
def status(options: Options) -> None:
    """Show whether payments are on, on which network, and what is left of today's limit."""
    from seasoned.payment.networks import dollars

    with options.open() as s:
        app_, given = s.inner.app, s.inner.app.config.settings.payment
        payments = app_.payments
        spent = app_.db.run(payments.spent_today())
    network, limits = payments.network, payments.limits
    shape: dict[str, Any] = {
        "enabled": given.enabled,
        "network": network.id,
        "test_network": network.test,
        "has_key": bool(given.key),
        "most_usd": dollars(limits.most),
        "daily_usd": dollars(limits.daily),
        "ask_above_usd": dollars(limits.ask_above),
        "spent_today_usd": dollars(spent),
        "left_today_usd": dollars(max(0, limits.daily - spent)),
    }
    if options.json:
        emit(shape)
        return
    kind = "a test network" if network.test else "REAL MONEY"
    say(f"payments are {'on' if given.enabled else 'off (payment.enabled)'}")
    say(f"network: {network.name} ({network.id}), {kind}")
    say(f"key: {'set' if given.key else 'not set (payment.key)'}")
    say(
        f"limits: ${shape['most_usd']} a payment, ${shape['daily_usd']} a day; "
        f"asks from ${shape['ask_above_usd']}"
    )
    say(f"today (UTC): ${shape['spent_today_usd']} spent, ${shape['left_today_usd']} left")


@command(app, "list")
def list_payments(options: Options, limit: Limit = 50) -> None:
    """List payments, newest first."""
    from seasoned.payment.networks import dollars

    with options.open() as s:
        found = s.inner.app.db.run(s.inner.app.payments.list(limit))
        is_on = s.inner.app.config.settings.payment.enabled
    if options.json:
        emit([_shape(one) for one in found])
    elif found:
        rows = [
            [one.id, iso(one.reserved_at), f"${dollars(one.amount)}", one.state, one.host]
            for one in found
        ]
        say(table(["id", "at", "amount", "state", "host"], rows))
    else:
        off = "" if is_on else "; payments are off, and docs/payments.md says how to switch them on"
        note(f"nothing was paid{off}")


@command(app, "check")
def check(options: Options) -> None:
    """Ask the chain (payment.rpcUrl) what became of payments without proof of settlement."""
    with options.open() as s:
        payments = s.inner.app.payments
        if payments.chain is None:
            raise ConfigError("payment.rpcUrl is not set; it is the address of a node of the chain")
        found = s.inner.app.db.run(payments.reconcile())
    if options.json:
        emit([_shape(one) for one in found])
        return
    for one in found:
        say(f"{one.id}: {one.state}, {one.error}")
    if not found:
        note("the chain told nothing new; a payment is asked about once its authorisation ran out")


@command(app, "show")
def show(
    options: Options,
    name: Annotated[str, typer.Argument(help="Id of the payment.", metavar="PAYMENT")],
) -> None:
    """Show one payment: what for, to whom, and what came of it."""
    with options.open() as s:
        found = s.inner.app.db.run(s.inner.app.payments.get(name))
    shape = _shape(found)
    if options.json:
        emit(shape)
    else:
        for key, value in shape.items():
            if value not in ("", None):
                say(f"{key.replace('_', ' ')}: {value}")


def _shape(payment: "Payment") -> dict[str, Any]:
    from seasoned.payment.networks import dollars

    return {
        "id": payment.id,
        "state": payment.state,
        "amount_usd": dollars(payment.amount),
        "url": payment.url,
        "host": payment.host,
        "pay_to": payment.pay_to,
        "network": payment.network,
        "at": iso(payment.reserved_at),
        "expires_at": iso(payment.expires_at),
        "transaction": payment.transaction or None,
        "error": payment.error or None,
    }
