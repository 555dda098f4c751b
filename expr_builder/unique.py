"""Keeps values of an item unique in its table, by an extra item, a marker, for each value.

Only primary keys are unique in DynamoDB. So each value that must be unique gets a marker, whose key is the value. The
record (the item that has the values) and its markers are written, changed and removed in one transaction. A marker
names its owner and is released only for that owner, so that a stale change never frees somebody else's value.
"""

from __future__ import annotations

from .errors import BuildError, TransactionCanceled, UniqueViolation
from .expressions.attr import Attr
from .expressions.joining import all_of
from .requests.transactions import TransactWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.requests.table import Table
    from expr_builder.requests.writes import Delete, Put, Update, WriteAction
    from expr_builder.sending.answers import Response

    from .errors import Reason
    from .expressions.nodes import Condition

RECORD = "record"
"""The slot of the record itself; the other slots have the names of the fields."""

OWNER = "owner"
"""The attribute of a marker that names its owner."""

_RELEASE = ".release"  # a slot of its own: a release that fails (a stale reading) must not look like a taken value


class Marker:
    """How the marker of one unique field is keyed.

    Args:
        template: The marker's partition key, with one ``{}`` for the value: ``"UNIQ#EMAIL#{}"``. The value belongs in
            the partition key: with a common one, all sign-ups would meet in one hot partition.
        normalize: Turns a value into the form that is compared, such as lower case; without it, the value as it is.
        sort: The marker's sort key, in a table that has one.
        optional: Whether a record may lack the field; it then has no marker.

    Raises:
        BuildError: for a template without exactly one ``{}``.
    """

    __slots__ = ("_prefix", "_suffix", "normalize", "optional", "sort", "template")

    def __init__(
        self,
        template: str,
        *,
        normalize: Callable[[str], str] | None = None,
        sort: str = "LOCK",
        optional: bool = False,
    ) -> None:
        if template.count("{}") != 1:
            raise BuildError(
                "a marker's template has exactly one {} for the value",
                rule="marker-template",
                place="Marker",
                fix='such as "UNIQ#EMAIL#{}"',
            )
        self.template = template
        self.normalize = normalize
        self.sort = sort
        self.optional = optional
        self._prefix, _, self._suffix = template.partition("{}")

    def __repr__(self) -> str:
        return f"Marker({self.template!r}{', optional' if self.optional else ''})"

    @property
    def prefix(self) -> str:
        """The beginning that the keys of all markers of this field share."""
        return self._prefix

    def make_key(self, value: object) -> str:
        """The marker's partition key for ``value``, normalised.

        Raises:
            BuildError: for a value that is not a string, or is empty, also once normalised: a marker of nothing would
                block everybody without a value.
        """
        normal = self.normalize(value) if self.normalize and isinstance(value, str) else value
        if not isinstance(normal, str) or not normal:
            raise BuildError(
                "a unique value is a non-empty string",
                rule="marker-value",
                fix="give the record the value, or declare the Marker optional=True",
            )
        return f"{self._prefix}{normal}{self._suffix}"


class UniqueWrite(TransactWrite):
    """A transaction that knows which of its slots claim a unique value. Made by :class:`Unique`."""

    def __init__(self, *actions: WriteAction, claims: tuple[str, ...], token: str | None) -> None:
        super().__init__(*actions, token=token)
        self._claims = claims

    @property
    def claims(self) -> tuple[str, ...]:
        """The fields whose values this transaction claims: their slots fail if the value is taken."""
        return self._claims

    def _refuse(self, code: str, response: Response, retried: bool) -> TransactionCanceled | None:
        refused = super()._refuse(code, response, retried)
        if refused is None:
            return None
        holders = {field: _read_owner(refused.slots[field]) for field in self._claims if field in refused.failed}
        if not holders:  # the record or a release failed, and no value is taken
            return refused
        return UniqueViolation(refused.slots, holders=holders, explain=refused.explain, retried=retried)


class Unique:
    """Keeps fields of a table's records unique.

    Args:
        table: The table that holds records and markers.
        owner: The attribute of the record that its markers store as their owner; usually its partition key.
        markers: For each unique field a :class:`Marker`.

    Raises:
        BuildError: when no field is declared, or two templates could make one key.

    Example:
        ``Unique(accounts, owner="PK", email=Marker("UNIQ#EMAIL#{}")).create({"PK": "A#1", "SK": "P", "email": e})``
        puts the record and ``{"PK": "UNIQ#EMAIL#…", "SK": "LOCK", "owner": "A#1"}``, both only if they do not exist.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
    """

    def __init__(self, table: Table, /, *, owner: str, **markers: Marker) -> None:
        self.table = table
        self.owner = owner
        self.markers = dict(markers)
        self._check_declaration()

    def __repr__(self) -> str:
        return f"Unique({self.table!r}, {', '.join(f'{field}={marker!r}' for field, marker in self.markers.items())})"

    def create(self, item: Item, *, token: str | None = None, when: Condition | None = None) -> UniqueWrite:
        """Write a new record and one marker for each of its unique fields, each only if it does not exist.

        Args:
            item: The record, with every unique field that is not optional.
            token: See :class:`TransactWrite`.
            when: A further condition on the record's key; it can only be about a missing item.

        Returns:
            A transaction with the slot ``"record"`` and one slot for each field. Sending it raises
            :class:`UniqueViolation` with all taken fields.
        """
        owner = self._find_owner(item, "create")
        guard = self.table.key_schema.absent if when is None else all_of(self.table.key_schema.absent, when)
        actions: list[WriteAction] = [self.table.put(item)._in_slot(RECORD, guard)]
        claims: list[str] = []
        for field in self.markers:
            key = self._derive_key(field, item.get(field))
            if key is not None:
                actions.append(self._claim(field, key, owner))
                claims.append(field)
        return UniqueWrite(*actions, claims=tuple(claims), token=token)

    def change(
        self,
        old: Item,
        /,
        *,
        token: str | None = None,
        when: Condition | None = None,
        set: Mapping[Any, object] | None = None,  # noqa: A002  # the name of the method that it feeds
        update: Update | None = None,
        **fields: object,
    ) -> UniqueWrite:
        """Change unique fields of a record, and swap the markers whose normalised value differs.

        The record must exist and still have the old value of each changed field; a new marker must not exist; an old
        one must belong to this record.

        Args:
            old: The record as it was read: its key, its owner attribute and the old values of the fields.
            token: See :class:`TransactWrite`.
            when: A further condition on the record, such as its version.
            set: Further attributes to set in the same update, as for ``Update.set``.
            update: An update of the same record (``table.update(key)…``) to which the change is added.
            fields: The new values; ``None`` removes an optional field.

        Returns:
            A transaction with the slots ``"record"``, the field's name for each new marker, and ``"<field>.release"``
            for each old one. A value that normalises to the old one changes only the record.
        """
        self._check_fields(fields)
        owner = self._find_owner(old, "change")
        guards: list[Condition | None] = [self.table.key_schema.present]
        own = self.table.update(self._pick_key(old))
        update = own if update is None else self._check_record(own, update)
        swaps: list[WriteAction] = []
        claims: list[str] = []
        for field in self.markers:  # in declared order, whatever that of the arguments: equal changes, equal requests
            if field not in fields:
                continue
            before, after = old.get(field), fields[field]
            # Without this guard, a stale change would leave the marker of a value that was set meanwhile.
            guards.append(Attr(field).not_exists() if before is None else Attr(field).eq(before))
            update = update.remove(field) if after is None else update.set({field: after})
            old_key, new_key = self._derive_key(field, before), self._derive_key(field, after)
            if new_key is not None and new_key != old_key:
                swaps.append(self._claim(field, new_key, owner))
                claims.append(field)
            if old_key is not None and new_key != old_key:
                swaps.append(self._release(field, old_key, owner))
        if set:
            update = update.set(set)
        # _in_slot replaces the condition, so that a given update's own has to be joined.
        record = update._in_slot(RECORD, all_of(*guards, update.condition, when))
        return UniqueWrite(record, *swaps, claims=tuple(claims), token=token)

    def delete(self, item: Item, *, token: str | None = None, when: Condition | None = None) -> UniqueWrite:
        """Delete a record and its markers, each only if this record owns it.

        Args:
            item: The record **as stored** (read it consistently). The markers of its values are released; if a value
                has changed since, the deletion is refused.
            token: See :class:`TransactWrite`.
            when: A further condition on the record.

        Returns:
            A transaction with the slot ``"record"`` and ``"<field>.release"`` for each marker.
        """
        owner = self._find_owner(item, "delete")
        guards: list[Condition | None] = [self.table.key_schema.present]
        releases: list[WriteAction] = []
        for field in self.markers:
            value = item.get(field)
            key = self._derive_key(field, value)
            guards.append(Attr(field).not_exists() if key is None else Attr(field).eq(value))
            if key is not None:
                releases.append(self._release(field, key, owner))
        record = self.table.delete(self._pick_key(item))._in_slot(RECORD, all_of(*guards, when))
        return UniqueWrite(record, *releases, claims=(), token=token)

    # --- The marker's own actions

    def make_marker(self, field: str, value: object, owner: object) -> StoredItem:
        """The whole marker of a field's value: its key and its owner."""
        return {**self.make_marker_key(field, value), OWNER: owner}

    def make_marker_key(self, field: str, value: object) -> StoredItem:
        """The key of the marker of a field's value."""
        try:
            return self._make_key(field, self.markers[field].make_key(value))
        except BuildError as error:
            raise error.within(f"unique field {field}") from None

    def _make_key(self, field: str, key: str) -> StoredItem:
        keys = [key, self.markers[field].sort]
        return dict(zip(self.table.key_schema.types, keys, strict=False))  # a table without a sort key drops it

    def _claim(self, field: str, key: str, owner: object) -> Put:
        marker = self._make_key(field, key)
        marker[OWNER] = owner
        return self.table.put(marker)._in_slot(field, self.table.key_schema.absent)

    def _release(self, field: str, key: str, owner: object) -> Delete:
        return self.table.delete(self._make_key(field, key))._in_slot(field + _RELEASE, Attr(OWNER).eq(owner))

    def _derive_key(self, field: str, value: object) -> str | None:
        marker = self.markers[field]
        if value is None and marker.optional:
            return None
        try:
            return marker.make_key(value)
        except BuildError as error:
            raise error.within(f"unique field {field}") from None

    # --- Checks and helpers

    def _check_record(self, own: Update, given: Update) -> Update:
        if given.target != own.target:
            raise BuildError(
                "the update is of another item",
                rule="marker-update",
                place="Unique.change",
                fix="make it with table.update(key) and the key of the old record",
            )
        return given

    def _pick_key(self, item: Item) -> StoredItem:
        return {name: item[name] for name in self.table.key_schema.types if name in item}

    def _find_owner(self, item: Item, method: str) -> object:
        owner = item.get(self.owner)
        if owner is None or owner == "":  # 0 is an owner
            raise BuildError(
                f"the record has no {self.owner}, which its markers need as their owner",
                rule="marker-owner",
                place=f"Unique.{method}",
                fix="pass the whole record",
            )
        return owner

    def _check_fields(self, fields: Item) -> None:
        unknown = [field for field in fields if field not in self.markers]
        if unknown:
            raise BuildError(
                f"{', '.join(unknown)}: no unique field of that name",
                rule="marker-field",
                place="Unique.change",
                fix=f"declared are {', '.join(self.markers)}; pass other attributes as set={{…}}",
            )

    def _check_declaration(self) -> None:
        if not self.markers:
            raise BuildError(
                "no unique field is declared", rule="marker-field", place="Unique", fix='email=Marker("UNIQ#EMAIL#{}")'
            )
        for field, marker in self.markers.items():
            # The fields become the names of slots beside the record's.
            if field == RECORD or not isinstance(marker, Marker):
                raise BuildError(
                    f"{field} is not a field with a Marker",
                    rule="marker-field",
                    place="Unique",
                    fix=f'name it otherwise than "{RECORD}", and declare it as Marker("…{{}}")',
                )
        # "X#{}" and "X#Y#{}": the value "Y#1" of the first would make the marker of "1" of the second.
        prefixes = [(marker.prefix, field) for field, marker in self.markers.items()]
        for prefix, field in prefixes:
            for other, other_field in prefixes:
                if field != other_field and other.startswith(prefix):
                    raise BuildError(
                        f"a value of {field} could make the marker of a value of {other_field}",
                        rule="marker-template",
                        place="Unique",
                        fix="give the templates prefixes of which none begins another",
                    )


def _read_owner(reason: Reason) -> object:
    return reason.item.get(OWNER) if reason.item is not None else None
