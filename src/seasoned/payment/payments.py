"""Decide on a payment, reserve it, sign it, and note what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from seasoned.core.clock import DAY, MINUTE, SECOND
from seasoned.core.errors import BadInput, NotAllowed, Unreachable
from seasoned.core.ids import new_id
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.db.unit import Change, Unit
from seasoned.payment.chain import Chain
from seasoned.payment.demand import Demand
from seasoned.payment.ledger_store import LedgerStore, Payment, State
from seasoned.payment.networks import Network, dollars
from seasoned.payment.settlement import settled
from seasoned.payment.signing import Wallet

RESERVED_FOR = 10 * MINUTE  # then a reservation that nobody signed is void
ASKED_FOR = 7 * DAY  # how far back the chain is asked about payments in doubt

Confirm = Callable[[Demand, str], Awaitable[None]]  # with a warning; raises if the person says no


@dataclass(frozen=True, slots=True)
class PaymentLimits:
    """In atomic units."""

    most: int
    daily: int
    ask_above: int


class Payments:
    def __init__(
        self,
        unit: Unit,
        network: Network,
        limits: PaymentLimits,
        wallet: Callable[[], Wallet],
        chain: Chain | None = None,
    ) -> None:
        self.unit = unit
        self.network = network
        self.limits = limits
        self.store = LedgerStore()
        self.chain = chain
        self._wallet = wallet
        self._opened: Wallet | None = None

    @property
    def wallet(self) -> Wallet:
        if self._opened is None:
            self._opened = self._wallet()
        return self._opened

    async def pay(
        self, demand: Demand, url: str, request: str, turn: str, confirm: Confirm
    ) -> Payment:
        """Return a signed payment: an earlier one of the same request, or else a new one."""
        found = await self._look(demand, request, turn)
        if found is None:
            doubt = await self._doubt(request)
            if doubt or demand.amount >= self.limits.ask_above:
                await confirm(demand, doubt)
            wallet = self.wallet  # before the reservation: a bad key reserves nothing
            found = await self._reserve(demand, url, request, turn)
            if found.state == "reserved":
                return await self._sign(found, demand, wallet)
        if found.state == "reserved":
            raise Unreachable(f"{url} is being paid for already; try again in a moment")
        self._check_same(found, demand)
        return found

    async def finish(self, payment: Payment, header: str, problem: str = "") -> Payment:
        """Note the answer to a paid request; without proof it is unknown who has the money."""
        args = (header, payment.network, payment.amount, self.wallet.address)
        transaction, doubt = settled(*args)
        state: State = "settled" if transaction else "unknown"
        error = problem if transaction else "; ".join(part for part in (problem, doubt) if part)

        async def work(change: Change) -> Payment:
            await self.store.finish(change, payment.id, state, transaction, error, change.at)
            now = await self.store.get(change, payment.id)
            change.record(f"payment.{now.state}", payment.id, {"transaction": now.transaction})
            return now

        return await self.unit.run(self.unit.change(work))

    async def reconcile(self) -> Sequence[Payment]:
        """Ask the chain about payments in doubt; return those that it told something of."""
        if self.chain is None:
            return ()
        found: list[Payment] = []
        for one in await self._in_doubt(""):
            used = await wait_for(run_in_thread(self.chain.used, one), 60)
            if used is not None:
                found.append(await self._resolved(one, used=used))
        return found

    async def spent_today(self) -> int:
        async def read() -> int:
            async with self.unit.read() as tx:
                return await self.store.spent(tx, self.network.id, self.unit.now() // DAY)

        return await self.unit.run(read())

    async def list(self, most: int) -> Sequence[Payment]:
        """Return payments, newest first."""

        async def read() -> Sequence[Payment]:
            async with self.unit.read() as tx:
                return await self.store.list(tx, most)

        return await self.unit.run(read())

    async def get(self, name: str) -> Payment:
        async def read() -> Payment:
            async with self.unit.read() as tx:
                return await self.store.get(tx, name)

        return await self.unit.run(read())

    async def _look(self, demand: Demand, request: str, turn: str) -> Payment | None:
        """Find an earlier payment, or check the limits before anybody is asked."""

        async def read() -> tuple[Payment | None, int]:
            now = self.unit.now()
            async with self.unit.read() as tx:
                found = await self.store.earlier(tx, request, turn, now)
                return found, await self.store.spent(tx, self.network.id, now // DAY)

        found, spent = await self.unit.run(read())
        if found is None:
            if spent + demand.amount > self.limits.daily and await self.reconcile():
                spent = await self.spent_today()
            self._check_limits(demand, spent)
        return found

    async def _in_doubt(self, request: str) -> Sequence[Payment]:
        async def read() -> Sequence[Payment]:
            now = self.unit.now()
            since = now - (DAY if request else ASKED_FOR)
            async with self.unit.read() as tx:
                return await self.store.in_doubt(tx, since, now, request)

        return await self.unit.run(read())

    async def _doubt(self, request: str) -> str:
        """Warn of an earlier payment for the same request that may have been taken."""
        if await self._in_doubt(request):
            await self.reconcile()
        left = await self._in_doubt(request)
        if not left:
            return ""
        return f"payment {left[-1].id} for the same page may have been taken; this is a second one"

    async def _resolved(self, payment: Payment, *, used: bool) -> Payment:
        state: State = "settled" if used else "expired"
        told = "the chain says that it was used" if used else "the chain says that it was not used"

        async def work(change: Change) -> Payment:
            await self.store.finish(change, payment.id, state, "", told, change.at)
            now = await self.store.get(change, payment.id)
            change.record(f"payment.{now.state}", payment.id, {"told_by": "chain"})
            return now

        return await self.unit.run(self.unit.change(work))

    async def _reserve(self, demand: Demand, url: str, request: str, turn: str) -> Payment:
        async def work(change: Change) -> Payment:
            await self.store.lock(change)
            await self.store.expire(change, change.at)
            found = await self.store.earlier(change, request, turn, change.at)
            if found is not None:
                # Another call reserved it meanwhile; "signed" here sends its payload again.
                if found.state == "reserved":
                    raise Unreachable(f"{url} is being paid for already; try again in a moment")
                return found
            day = change.at // DAY
            self._check_limits(demand, await self.store.spent(change, self.network.id, day))
            made = Payment(
                *(new_id(), request, turn, "reserved", self.network.id, self.network.asset),
                *(demand.amount, demand.pay_to, demand.host, url, demand.version, "", "", ""),
                *(day, change.at, change.at + RESERVED_FOR, change.at),
            )
            await self.store.add(change, made)
            detail = {"amount": made.amount, "network": made.network, "host": made.host}
            change.record("payment.reserved", made.id, {**detail, "to": made.pay_to})
            return made

        return await self.unit.run(self.unit.change(work))

    async def _sign(self, payment: Payment, demand: Demand, wallet: Wallet) -> Payment:
        try:
            header, until = wallet.sign(demand)
        except Exception as error:  # noqa: BLE001 - its message may hold what was signed
            await self._fail(payment, f"it could not be signed ({type(error).__name__})")
            raise BadInput(
                f"the payment to {demand.host} could not be signed ({type(error).__name__}); "
                "nothing was paid"
            ) from None

        async def work(change: Change) -> bool:
            until_at = until * SECOND
            done = await self.store.sign(change, payment.id, header, until_at, change.at)
            if done:
                change.record("payment.signed", payment.id, {"until": until})
            return done

        if not await self.unit.run(self.unit.change(work)):
            raise Unreachable("the reservation ran out before it was signed; nothing was paid")
        return replace(payment, state="signed", header=header, expires_at=until * SECOND)

    async def _fail(self, payment: Payment, error: str) -> None:
        async def work(change: Change) -> None:
            await self.store.finish(change, payment.id, "failed", "", error, change.at)
            change.record("payment.failed", payment.id, {"error": error})

        await self.unit.run(self.unit.change(work))

    def _check_limits(self, demand: Demand, spent: int) -> None:
        price = f"{demand.host} asks for {dollars(demand.amount)} USD"
        if demand.amount > self.limits.most:
            raise NotAllowed(
                f"{price}; payment.mostUsd allows {dollars(self.limits.most)} a payment. "
                "Nothing was paid"
            )
        if spent + demand.amount > self.limits.daily:
            raise NotAllowed(
                f"{price}, but {dollars(spent)} of today's {dollars(self.limits.daily)} "
                "(payment.dailyUsd) are spent or pending. Nothing was paid"
            )

    def _check_same(self, payment: Payment, demand: Demand) -> None:
        paid = (payment.network, payment.amount, payment.pay_to.lower(), payment.version)
        if paid != (demand.network.id, demand.amount, demand.pay_to.lower(), demand.version):
            raise NotAllowed(
                f"payment {payment.id} for this request is {payment.state} and the seller now asks "
                "for something else; it is not paid again. `seasoned payments show "
                f"{payment.id}` tells more"
            )
