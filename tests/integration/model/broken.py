"""Services with one mistake each, such as are made elsewhere: the machine must notice every one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accounts.errors import Taken
from accounts.service import AccountService
from expr_builder import Marker, TransactWrite, Unique
from expr_builder.unique import UniqueWrite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accounts.model import Account
    from expr_builder import TransactionCanceled

__all__ = ["BROKEN"]


class _Broken(AccountService):
    unique: type[Unique] = Unique

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._unique = self.unique(self._table, owner="PK", **self._markers())

    def _markers(self) -> dict[str, Any]:
        return dict(self._unique.markers)


class _Unguarded(Unique):
    """Releases a marker whoever owns it, and changes whatever record is there."""

    def change(self, old: Mapping[str, Any], new: Mapping[str, Any] | None = None, /, **options: Any) -> UniqueWrite:
        guarded = super().change(old, new, **options)
        update = self.table.update({"PK": old["PK"], "SK": old["SK"]})
        record = update.set({**(new or {}), **options["set"]}).if_exists().named("record")
        return _with(guarded, record=record)

    def _release(self, field: str, slot: str, key: str, owner: Any) -> Any:
        return self.table.delete(self.complete_key(field, key)).named(f"{slot}.release")


class _KeepsUsername(Unique):
    """Forgets one of the markers."""

    def delete(self, item: Mapping[str, Any], **options: Any) -> UniqueWrite:
        return _with(super().delete(item, **options), **{"username.release": None})


def _with(write: UniqueWrite, **changes: Any) -> UniqueWrite:
    """A transaction with some of its slots replaced, or left out."""
    actions = {**write.slots, **changes}
    claims = {field: field for field in write.claims}
    return UniqueWrite(*(action for action in actions.values() if action), claims=claims, token=write.token)


class StaleChange(_Broken):
    """Changes what it read a while ago, and frees the marker of then, whoever has it by now."""

    unique = _Unguarded


class ForgottenMarker(_Broken):
    """Deletes the account and leaves its username blocked."""

    unique = _KeepsUsername


class LostUpdate(AccountService):
    """Looks at the version when it reads, not when it writes."""

    def _change(
        self, stored: Mapping[str, Any], changed: Mapping[str, Any], fields: Mapping[str, Any], *rest: Any
    ) -> TransactWrite:
        return self._unique.change(stored, fields, set={"version": changed["version"]})


class CapitalsMatter(_Broken):
    """Takes Ada@example.com for another address than ada@example.com."""

    def _markers(self) -> dict[str, Any]:
        return {field: Marker(marker.template) for field, marker in super()._markers().items()}


class OwnMarkerTaken(AccountService):
    """Does not ask whether it was itself that took the value."""

    def _settle_sign_up(self, refusal: TransactionCanceled, *_: Any) -> Account:
        raise Taken(refusal.failed)


class OneAtATime(AccountService):
    """Names the first taken value alone."""

    def sign_up(self, *arguments: Any, **options: Any) -> Account:
        try:
            return super().sign_up(*arguments, **options)
        except Taken as error:
            raise Taken(error.fields[:1]) from None


class OpenDoor(AccountService):
    """Lets anybody at any account."""

    def _read_own(self, account_id: str, subject: str) -> Any:
        stored = self._read(account_id)
        return super()._read_own(account_id, stored["subject"] if stored else subject)


BROKEN: list[type[AccountService]] = [
    StaleChange,
    ForgottenMarker,
    LostUpdate,
    CapitalsMatter,
    OwnMarkerTaken,
    OneAtATime,
    OpenDoor,
]
