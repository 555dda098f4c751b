"""The machine: any sequence of operations, faults and interruptions, on the real service and on the model at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, MultipleResults, RuleBasedStateMachine, consumes, multiple, precondition, rule

from accounts.errors import Busy, KeyReused, NotFound, Stale, Taken
from accounts.identity import normalize_email, normalize_username
from accounts.model import ChangeEmail, ChangeUsername
from accounts.model import SignUp as SignUpRequest
from accounts.service import AccountService
from tests.integration.model.line import Fault, Line
from tests.integration.model.world import Answer, Change, Delete, Operation, Read, SignUp, World
from tests.support.cloud import dynamodb
from tests.support.store import Store
from tests.support.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from accounts.model import Account
    from tools.local_cloud import LocalCloud

__all__ = ["AccountsMachine"]

SUBJECTS = st.sampled_from(["alice", "bruno"])
EMAILS = st.sampled_from(["ada@example.com", "Ada@example.com", "bob@example.com", "eve@example.com"])
USERNAMES = st.sampled_from(["ada", "Ada", "bob", "eve"])
VALUES = EMAILS.map(lambda email: ("email", email)) | USERNAMES.map(lambda username: ("username", username))
KEYS = st.sampled_from([None, None, "k1", "k2"])
EXPECTED = st.sampled_from([None, None, 1, 2, 3])
FAULTS = st.lists(st.sampled_from(Fault), max_size=3)
ATTEMPTS = st.integers(1, 2)

_BUSY: Answer = ("busy",)


class AccountsMachine(RuleBasedStateMachine):
    """A store of its own for each sequence.

    Interruptions are steps: they wait for the next operation, so that a failing sequence reads as a story. After each
    operation the answer must be the model's, and the store must hold exactly the model's accounts with their markers.
    What somebody else does in the middle of an operation may come before it or after it. With no time to retry, or when
    a read is lost, the service may say that it is busy; whether the operation was done then is read from the store.
    """

    cloud: LocalCloud
    service_class: type[AccountService] = AccountService
    accounts = Bundle("accounts")

    def __init__(self) -> None:
        super().__init__()
        self._clients = [dynamodb(self.cloud), dynamodb(self.cloud)]
        disturbed, direct = [client.__enter__() for client in self._clients]
        self.store = Store(direct, f"model-{uuid4()}")
        create_table(direct, self.store.table)
        self.line = Line(disturbed)
        self.service = self._service(disturbed)
        self.rival_service = self._service(direct)
        self.world = World()
        self.now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        self.ids: dict[str, str] = {}
        self.subjects: dict[str, str] = {}
        self.gone: list[str] = []
        self.rival: Operation | None = None
        self.hurried = False

    def teardown(self) -> None:
        for client in self._clients:
            client.__exit__(None, None, None)

    def _service(self, client: Any) -> AccountService:
        return self.service_class(client, self.store.table, clock=self._clock, sleep=lambda _: None)

    def _clock(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now

    # --- what happens in the middle of the next operation

    @rule(what=st.sampled_from(["a read is lost", "there is no time to retry"]))
    def next_time(self, what: str) -> None:
        self.line.lost_reads = int(what == "a read is lost")
        self.hurried = what == "there is no time to retry"

    @rule(target=accounts, subject=SUBJECTS, email=EMAILS, username=USERNAMES, attempt=ATTEMPTS)
    def meanwhile_somebody_signs_up(self, subject: str, email: str, username: str, attempt: int) -> str:
        account = self._named(subject)
        self._meanwhile(SignUp(account, subject, email, username), attempt)
        return account

    @rule(account=accounts, value=VALUES, attempt=ATTEMPTS)
    def meanwhile_its_owner_changes(self, account: str, value: tuple[str, str], attempt: int) -> None:
        self._meanwhile(Change(account, self.subjects[account], *value), attempt)

    @rule(account=accounts, attempt=ATTEMPTS)
    def meanwhile_its_owner_deletes(self, account: str, attempt: int) -> None:
        self._meanwhile(Delete(account, self.subjects[account]), attempt)

    # --- operations

    @rule(target=accounts, subject=SUBJECTS, email=EMAILS, username=USERNAMES, key=KEYS, faults=FAULTS)
    def sign_up(
        self, subject: str, email: str, username: str, key: str | None, faults: list[Fault]
    ) -> str | MultipleResults[str]:
        account = self._named(subject, key)
        self._do(SignUp(account, subject, email, username, key), faults)
        if account not in self.world.accounts:
            return multiple()
        if account in self.gone:
            self.gone.remove(account)
        return account

    @rule(account=accounts, email=EMAILS, expected=EXPECTED, key=KEYS, faults=FAULTS)
    def change_email(
        self, account: str, email: str, expected: int | None, key: str | None, faults: list[Fault]
    ) -> None:
        self._do(Change(account, self.subjects[account], "email", email, expected, key), faults)

    @rule(account=accounts, username=USERNAMES, expected=EXPECTED, key=KEYS, faults=FAULTS)
    def change_username(
        self, account: str, username: str, expected: int | None, key: str | None, faults: list[Fault]
    ) -> None:
        self._do(Change(account, self.subjects[account], "username", username, expected, key), faults)

    @rule(account=accounts, value=VALUES, other=VALUES, expected=EXPECTED, faults=FAULTS)
    def change_twice_at_once(
        self, account: str, value: tuple[str, str], other: tuple[str, str], expected: int | None, faults: list[Fault]
    ) -> None:
        self._meanwhile(Change(account, self.subjects[account], *other), 1)
        self._do(Change(account, self.subjects[account], *value, expected), faults)

    @rule(target=accounts, account=consumes(accounts), expected=EXPECTED, key=KEYS, faults=FAULTS)
    def delete(
        self, account: str, expected: int | None, key: str | None, faults: list[Fault]
    ) -> str | MultipleResults[str]:
        self._do(Delete(account, self.subjects[account], expected, key), faults)
        if account in self.world.accounts:
            return account
        self.gone.append(account)
        return multiple()

    @rule(account=accounts)
    def read(self, account: str) -> None:
        self._do(Read(account, self.subjects[account]))

    @rule(account=accounts, value=VALUES, key=KEYS, what=st.sampled_from(["read", "change", "delete"]))
    def a_stranger_tries(self, account: str, value: tuple[str, str], key: str | None, what: str) -> None:
        self._do(_asked(what, account, "mallory", value, key))

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), value=VALUES, key=KEYS, what=st.sampled_from(["read", "change", "delete"]))
    def its_owner_comes_late(self, data: st.DataObject, value: tuple[str, str], key: str | None, what: str) -> None:
        account = data.draw(st.sampled_from(self.gone), "deleted account")
        self._do(_asked(what, account, self.subjects[account], value, key))

    @rule()
    def ten_minutes_pass(self) -> None:
        """DynamoDB forgets the tokens of transactions."""
        self.line.forget_tokens()
        self.world = self.world.without_tokens()

    # --- doing them, and comparing

    def _do(self, operation: Operation, faults: Sequence[Fault] = ()) -> None:
        self.line.faults = list(faults)
        rival, self.rival = self.rival, None
        disturbed = self.hurried or self.line.lost_reads > 0
        told: list[Answer] = []
        if rival is not None:
            self.line.rival = lambda: told.append(self._perform(self.rival_service, rival))
        answer = self._perform(self.service, operation, in_time=not self.hurried)
        self.line.clear()
        self.hurried = False
        if rival is not None and not told:  # the operation had nothing to write
            told.append(self._perform(self.rival_service, rival))
        self._settle(answer, told, _outcomes(self.world, operation, rival, disturbed=disturbed))

    def _settle(self, answer: Answer, told: list[Answer], outcomes: list[tuple[Answer, list[Answer], World]]) -> None:
        stored = self._stored()
        possible = [world for expected, *others, world in _flat(outcomes) if (expected, others) == (answer, told)]
        for world in possible:
            self._learn_ids(world, stored)
            if stored == self._shown(world):
                self.world = world
                return
        raise AssertionError(
            f"answered {answer} {told}\nallowed  {[outcome[:2] for outcome in outcomes]}\n"
            f"stored   {stored}\nexpected {[self._shown(world) for world in possible]}"
        )

    def _perform(self, service: AccountService, operation: Operation, *, in_time: bool = True) -> Answer:
        time_left = None if in_time else lambda: 0.0
        try:
            match operation:
                case SignUp():
                    request = SignUpRequest(email=operation.email, username=operation.username)
                    return _shown(
                        service.sign_up(request, subject=operation.subject, key=operation.key, time_left=time_left)
                    )
                case Change():
                    return _shown(
                        service.change(
                            self._id(operation.account),
                            (ChangeEmail if operation.field == "email" else ChangeUsername)(
                                **{operation.field: operation.value}
                            ),
                            subject=operation.subject,
                            expected=_versions(operation.expected),
                            key=operation.key,
                            time_left=time_left,
                        )
                    )
                case Delete():
                    service.delete(
                        self._id(operation.account),
                        subject=operation.subject,
                        expected=_versions(operation.expected),
                        key=operation.key,
                        time_left=time_left,
                    )
                    return ("done",)
                case Read():
                    return _shown(service.get(self._id(operation.account), subject=operation.subject))
        except Taken as error:
            return "taken", error.fields
        except (NotFound, Stale, KeyReused, Busy) as error:
            return (_WORDS[type(error)],)

    def _stored(self) -> dict[str, Any]:
        """What the table holds: accounts as their owners see them, and whom each marker names."""
        items = self.store.items()
        return {
            item["PK"]: item["owner"]
            if item["SK"] == "LOCK"
            else (item["subject"], item["email"], item["username"], item["version"])
            for item in items
        }

    def _shown(self, world: World) -> dict[str, Any]:
        """What the table must hold for the model's world to be true."""
        shown: dict[str, Any] = {}
        for name, account in world.accounts.items():
            owner = f"ACCT#{self._id(name)}"
            shown[owner] = (account.subject, account.email, account.username, account.version)
            shown[f"UNIQ#EMAIL#{normalize_email(account.email)}"] = owner
            shown[f"UNIQ#HANDLE#{normalize_username(account.username)}"] = owner
        return shown

    def _learn_ids(self, world: World, stored: dict[str, Any]) -> None:
        """The ids of new accounts, told apart by their e-mails."""
        for name, account in world.accounts.items():
            if name not in self.ids:
                owner = stored.get(f"UNIQ#EMAIL#{normalize_email(account.email)}", "").removeprefix("ACCT#")
                if owner and owner not in self.ids.values():
                    self.ids[name] = owner

    def _id(self, account: str) -> str:
        return self.ids.get(account) or str(UUID(int=0))

    def _named(self, subject: str, key: str | None = None) -> str:
        """The name of the account of a sign-up. A key leads to the same account each time."""
        name = f"account {len(self.subjects) + 1}" if key is None else f"{subject}'s {key}"
        self.subjects[name] = subject
        return name

    def _meanwhile(self, operation: Operation, attempt: int) -> None:
        self.rival = operation
        self.line.rival_at = attempt


_WORDS = {NotFound: "not found", Stale: "stale", KeyReused: "key reused", Busy: "busy"}


def _outcomes(
    world: World, operation: Operation, rival: Operation | None, *, disturbed: bool
) -> list[tuple[Answer, list[Answer], World]]:
    """All that may come of an operation: its answer, the answer to the rival, and the world afterwards."""
    answer, after = world.after(operation)
    if rival is None:
        alone: list[tuple[Answer, list[Answer], World]] = [(answer, [], after)]
        return [*alone, (_BUSY, [], world), (_BUSY, [], after)] if disturbed else alone
    rival_first, between = world.after(rival)
    second, both = between.after(operation)
    rival_second, other = after.after(rival)
    outcomes = [(second, [rival_first], both), (answer, [rival_second], other)]
    if isinstance(operation, Delete) and isinstance(rival, Delete) and answer == rival_first == ("done",):
        outcomes.append((("done",), [("done",)], both))  # two who wanted the same at the same time
    if disturbed:
        outcomes += [(_BUSY, [rival_first], between), (_BUSY, [rival_first], both), (_BUSY, [rival_second], other)]
    return outcomes


def _flat(outcomes: list[tuple[Answer, list[Answer], World]]) -> Iterator[list[Any]]:
    for answer, others, world in outcomes:
        yield [answer, *others, world]


def _asked(what: str, account: str, subject: str, value: tuple[str, str], key: str | None) -> Operation:
    match what:
        case "read":
            return Read(account, subject)
        case "change":
            return Change(account, subject, *value, None, key)
        case _:
            return Delete(account, subject, None, key)


def _shown(account: Account) -> Answer:
    return "account", account.email, account.username, account.version


def _versions(expected: int | None) -> frozenset[int] | None:
    return None if expected is None else frozenset({expected})
