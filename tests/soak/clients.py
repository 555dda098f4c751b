"""Clients that want few values, and behave as clients do: they lose patience, try again, and know only old versions."""

from __future__ import annotations

import http.client
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tests.soak.history import NO_ANSWER, UNSETTLED, Call, History, Kind
from tests.support.http import Api
from tests.support.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.http import Answer
    from tools.tokens import Signer

__all__ = ["Client", "Crowd", "Wallet", "warm_up"]

_GROUP = 4  # clients of one subject
_MOST_ACCOUNTS = 2  # that a subject keeps, so that there are always accounts to change and values to be had
_IMPATIENCE = (0.05, 0.6)  # seconds
_TRIES = 4
_PATIENCE = 30  # seconds; more than a function may take
_STAGGER_SECONDS = 0.2  # between the clients' beginnings, so that not all functions start at the same moment
_WEIGHTS = {Kind.CHANGE: 48, Kind.DELETE: 12, Kind.READ: 10, Kind.REPEAT: 6, Kind.STRANGER: 3}


@dataclass
class Wallet:
    """What the clients of one subject know: accounts, each with a version that it had once, and sign-ups to repeat."""

    subject: str
    versions: dict[str, int] = field(default_factory=dict)
    sign_ups: list[Call] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def learn(self, call: Call) -> None:
        """Keep what an answer tells."""
        with self._lock:
            if call.told is not None and call.kind is not Kind.REPEAT:
                self.versions[call.told["account_id"]] = call.told["version"]
            elif call.account is not None and call.status in {204, 404}:
                self.versions.pop(call.account, None)
            if call.kind is Kind.SIGN_UP and call.done and call.key is not None:
                self.sign_ups.append(call)

    def adopt(self, account: str) -> bool:
        """Get to know an account whose sign-up was never answered; False when it is known already."""
        with self._lock:
            if account in self.versions or any(call.account == account for call in self.sign_ups):
                return False
            self.versions[account] = 1
            return True

    def any_account(self, dice: random.Random) -> tuple[str, int] | None:
        """One of the accounts, and a version of it."""
        with self._lock:
            return dice.choice(list(self.versions.items())) if self.versions else None

    def any_sign_up(self, dice: random.Random) -> Call | None:
        """One of the sign-ups that had a key."""
        with self._lock:
            return dice.choice(self.sign_ups[-3:]) if self.sign_ups else None


@dataclass
class Client:
    """A thread's worth of requests."""

    api: Api
    wallet: Wallet
    strangers: list[Wallet]
    values: int
    dice: random.Random
    history: History

    def run(self, delay: float, over: threading.Event) -> None:
        """Ask for one thing after the other, after a delay, until it is over."""
        over.wait(delay)
        while not over.is_set():
            self._ask(self._choice())

    def _choice(self) -> Kind:
        if len(self.wallet.versions) < self.dice.randint(1, _MOST_ACCOUNTS):
            return Kind.SIGN_UP
        return self.dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]

    def _ask(self, kind: Kind) -> None:
        match kind:
            case Kind.SIGN_UP:
                self._sign_up({"email": self._email(), "username": self._username()})
            case Kind.REPEAT:
                if first := self.wallet.any_sign_up(self.dice):
                    self._repeat(first)
            case Kind.STRANGER:
                if known := self.dice.choice(self.strangers).any_account(self.dice):
                    account = known[0]
                    self._finish(kind, lambda api: api.read(account), account=account)
            case _:
                if known := self.wallet.any_account(self.dice):
                    self._on(kind, *known)

    def _sign_up(self, wanted: dict[str, str]) -> None:
        key, headers = self._key()
        self._finish(Kind.SIGN_UP, lambda api: api.sign_up(**wanted, **headers), wanted=wanted, key=key)

    def _repeat(self, first: Call) -> None:
        self._finish(
            Kind.REPEAT,
            lambda api: api.sign_up(**first.wanted, Idempotency_Key=str(first.key)),
            wanted=first.wanted,
            key=first.key,
            account=first.account,
        )

    def _on(self, kind: Kind, account: str, version: int) -> None:
        if kind is Kind.READ:
            self._finish(kind, lambda api: api.read(account), account=account)
            return
        key, headers = self._key()
        expected = version if self.dice.random() < 0.3 else None
        if expected is not None:
            headers["If_Match"] = f'"{expected}"'
        if kind is Kind.DELETE:
            wanted: dict[str, str] = {}
            send = partial(_delete, account=account, headers=headers)
        else:
            wanted = {"email": self._email()} if self.dice.random() < 0.6 else {"username": self._username()}
            send = partial(_change, account=account, wanted=wanted, headers=headers)
        self._finish(kind, send, account=account, wanted=wanted, key=key, expected=expected)

    def _finish(self, kind: Kind, send: Callable[[Api], Answer], **details: Any) -> None:
        """Send a request, and again while it has no settling answer and the client has patience. What has no key may
        then be done twice, and so each sending counts as a call of its own."""
        call = self._sent(Call(kind, self.wallet.subject, time.monotonic(), 0, NO_ANSWER, **details), send)
        while call.status in UNSETTLED and call.tries < _TRIES and self.dice.random() < 0.8:
            time.sleep(self.dice.uniform(0, 0.2))
            if call.key is None:
                self._keep(call)
                call = replace(call, began=time.monotonic(), unsettled=False, again=True)
            else:
                call = replace(call, tries=call.tries + 1)
            call = self._sent(call, send)
        self._keep(call)

    def _sent(self, call: Call, send: Callable[[Api], Answer]) -> Call:
        impatient = self.dice.random() < 0.12
        api = replace(self.api, timeout=self.dice.uniform(*_IMPATIENCE)) if impatient else self.api
        try:
            answer = send(api)
        except (OSError, http.client.HTTPException):
            return replace(call, ended=time.monotonic(), status=NO_ANSWER, unsettled=True)
        ended = time.monotonic()
        told = answer.json if answer.status in {200, 201} else None
        return replace(
            call,
            ended=ended,
            status=answer.status,
            told=told,
            account=told["account_id"] if told else call.account,
            taken=tuple(error["field"] for error in answer.json["errors"]) if answer.status == 409 else (),
            unsettled=call.unsettled or answer.status in UNSETTLED,
        )

    def _keep(self, call: Call) -> None:
        self.history.record(call)
        if call.kind is not Kind.STRANGER:
            self.wallet.learn(call)

    def _key(self) -> tuple[str | None, dict[str, str]]:
        key = str(uuid4()) if self.dice.random() < 0.5 else None
        return key, {} if key is None else {"Idempotency_Key": key}

    def _email(self) -> str:
        return self._typed(f"person{self.dice.randrange(self.values)}@example.com")

    def _username(self) -> str:
        return self._typed(f"person{self.dice.randrange(self.values)}")

    def _typed(self, value: str) -> str:
        return value.capitalize() if self.dice.random() < 0.3 else value


class Crowd:
    """Clients in groups of one subject, so that their requests for one account meet. All want the same few values.

    Args:
        url: Of the API.
        signer: Whom the API trusts.
        size: How many clients.
        seed: For their choices. (What happens depends on the threads' timing as well.)
    """

    def __init__(self, url: str, signer: Signer, *, size: int, seed: int) -> None:
        self.history = History()
        self.wallets = [Wallet(f"user-{number}") for number in range(max(2, size // _GROUP))]
        self._clients = [
            Client(
                api=Api(url, signer.token(wallet.subject), timeout=_PATIENCE),
                wallet=wallet,
                strangers=[other for other in self.wallets if other is not wallet],
                values=size,
                dice=random.Random(seed * 1000 + number),
                history=self.history,
            )
            for number in range(size)
            for wallet in [self.wallets[number % len(self.wallets)]]
        ]

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """They ask for things, all at the same time, while the block runs."""
        over = threading.Event()
        with ThreadPoolExecutor(len(self._clients)) as pool:
            runs = [
                pool.submit(client.run, number * _STAGGER_SECONDS, over) for number, client in enumerate(self._clients)
            ]
            try:
                yield
            finally:
                over.set()
        for run in runs:
            run.result()


def _change(api: Api, *, account: str, wanted: dict[str, str], headers: dict[str, str]) -> Answer:
    change = api.change_email if "email" in wanted else api.change_username
    return change(account, *wanted.values(), **headers)


def _delete(api: Api, *, account: str, headers: dict[str, str]) -> Answer:
    return api.delete(account, **headers)


def warm_up(url: str, signer: Signer, copies: int) -> None:
    """Let some copies of each function start, before it matters how long they take to answer."""
    api = Api(url, signer.token("nobody"), timeout=2 * _PATIENCE)
    routes: list[Callable[[], Answer]] = [
        lambda: api.sign_up("", ""),
        lambda: api.read("x"),
        lambda: api.change_email("x", ""),
        lambda: api.change_username("x", ""),
        lambda: api.delete("x"),
    ]
    for route in routes:
        at_once([route] * copies)
