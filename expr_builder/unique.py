"""Keeps values of an item unique in its table, by an extra item, a marker, for each value.

Only primary keys are unique in DynamoDB. So each value that must be unique gets a marker, whose key is the value. The
record (the item that has the values) and its markers are written, changed and removed in one transaction. A marker
names its owner and is released only for that owner, so that a stale change never frees somebody else's value.
"""

from __future__ import annotations

from collections.abc import Mapping

from .attribute_values.serializing import to_plain_mapping
from .attribute_values.text import to_text
from .errors import BuildError, TransactionCanceled, UniqueViolation
from .expressions.attr import Attr
from .expressions.joining import all_of, take_condition
from .requests.key_schema import serialize_key
from .requests.table import Table
from .requests.transactions import TransactWrite
from .requests.writes import Update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal
    from typing import Any, NoReturn

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemsOutputTypeDef

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.writes import Check, Delete, Put, WriteAction
    from expr_builder.sending.answers import Response

    from .errors import Reason
    from .expressions.nodes import Condition

RECORD = "record"
"""The slot of the record itself; the other slots have the names of the fields."""

OWNER = "owner"
"""The attribute of a marker that names its owner."""

_NOT_GIVEN: Any = object()  # None is a value, too
_RELEASE = ".release"  # a slot of its own: a release that fails (a stale reading) must not look like a taken value


class Marker:
    """How the marker of one unique field is keyed.

    Args:
        template: The marker's partition key, with one ``{}`` for the value: ``"UNIQ#EMAIL#{}"``. The value belongs in
            the partition key: with a common one, all sign-ups would meet in one hot partition.
        normalize: Turns a value into the form that is compared, such as lower case; without it, the value as it is.
        sort: The marker's sort key, in a table that has one.
        optional: Whether a record may lack the field, or have ``None`` (NULL) in it; it then has no marker.

    Raises:
        BuildError: for a template without exactly one ``{}``, or a ``normalize`` that cannot be called.
    """

    __slots__ = ("_prefix", "_suffix", "normalize", "optional", "sort", "template")

    def __init__(
        self,
        template: str,
        *,
        normalize: Callable[[str], str] | None = None,
        sort: str | float | Decimal | bytes = "LOCK",
        optional: bool = False,
    ) -> None:
        if not isinstance(template, str) or template.count("{}") != 1:
            raise BuildError(
                "a marker's template is text with exactly one {} for the value",
                rule="marker-template",
                place="Marker",
                fix='such as "UNIQ#EMAIL#{}"',
            )
        if normalize is not None and not callable(normalize):
            raise BuildError(
                f"normalize is a {type(normalize).__name__}, which cannot be called",
                rule="marker-field",
                place="Marker",
                fix="pass a function of one text that returns one, such as str.lower",
            )
        self.template = to_text(template)
        self.normalize = normalize
        self.sort = to_text(sort) if isinstance(sort, str) else sort
        self.optional = optional
        self._prefix, _, self._suffix = self.template.partition("{}")

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
        # An enumeration's member is the text that is stored of it, not what format() shows.
        normal = _take_text(value)
        if normal is not None and self.normalize is not None:
            normal = _take_text(self.normalize(normal))
        if not normal:
            raise BuildError(
                "a unique value is a non-empty string",
                rule="marker-value",
                fix="give the record the value, or declare the Marker optional=True",
            )
        return f"{self._prefix}{normal}{self._suffix}"


def _take_text(value: object) -> str | None:
    if type(value) is str:
        return value
    return to_text(value) if isinstance(value, str) else None


class UniqueWrite(TransactWrite):
    """A transaction that knows which of its slots claim a unique value, and which release one.

    Made by :class:`Unique`.
    """

    def __init__(
        self,
        *actions: WriteAction,
        claims: tuple[str, ...],
        token: str | None,
        releases: Mapping[str, Check] | None = None,
    ) -> None:
        super().__init__(*actions, token=token)
        self._claims = claims
        # For each field whose marker is released, the check that it is not this record's.
        self._releases = dict(releases or {})
        self._left: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[str, ...]:
        """The fields whose values this transaction claims: their slots fail if the value is taken."""
        return self._claims

    @property
    def left(self) -> tuple[str, ...]:
        """The fields whose old markers :meth:`send` left as they are, since they are missing or another record's.

        Empty as long as nothing was carried out.
        """
        return self._left if self._may_be_done else ()

    def send(
        self,
        client: DynamoDBClient,
        *,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
    ) -> TransactWriteItemsOutputTypeDef:
        """Send the transaction, as :meth:`TransactWrite.send` does, and leave markers that this record does not own.

        Where two records have one value (data from before there were markers, a marker that somebody deleted), only
        one owns its marker. The other can be changed and deleted all the same: when nothing but the release of such
        markers fails, the transaction is sent once more with a check in the release's place: that the marker is not
        this record's. :attr:`left` then names these fields.

        Args:
            client, time_left, max_attempts: See :meth:`TransactWrite.send`.

        Returns:
            The client's answer.

        Raises:
            UniqueViolation: a claimed value is taken; ``.fields`` are all that are.
            TransactionCanceled: refused otherwise, such as by the record's own condition.
            RequestUnfinished, IdempotentParameterMismatch, BuildError: see :meth:`TransactWrite.send`.
        """
        while True:
            try:
                return super().send(client, time_left=time_left, max_attempts=max_attempts)
            except TransactionCanceled as refused:
                unowned = [field for field in self._releases if field + _RELEASE in refused.failed]
                if len(unowned) < len(refused.failed) or self._left or not unowned:
                    raise
                self._leave(unowned)

    def _leave(self, fields: list[str]) -> None:
        """Turn the releases of these fields into checks. The token of what was cancelled is free again."""
        self._slots.update({field + _RELEASE: self._releases[field] for field in fields})
        self._left = tuple(fields)

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
        markers: For each unique field a :class:`Marker`: as a mapping, or as keywords. A field called ``owner`` can
            only be named in the mapping.
        owner: The attribute of the record that its markers store as their owner; usually its partition key.
        fields: See ``markers``.

    Raises:
        BuildError: when no field is declared, two templates could make one key, or a marker's key does not fit the
            table's.

    Example:
        ``Unique(accounts, owner="PK", email=Marker("UNIQ#EMAIL#{}")).create({"PK": "A#1", "SK": "P", "email": e})``
        puts the record and ``{"PK": "UNIQ#EMAIL#…", "SK": "LOCK", "owner": "A#1"}``, both only if they do not exist.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
    """

    def __init__(
        self, table: Table, markers: Mapping[str, Marker] | None = None, /, *, owner: str, **fields: Marker
    ) -> None:
        if not isinstance(table, Table):
            raise BuildError(
                f"a {type(table).__name__} is no Table",
                rule="marker-field",
                place="Unique",
                fix='declare it: Table("accounts", partition_key="PK")',
            )
        if not isinstance(owner, str) or not owner:
            raise BuildError(
                "owner is the name of the attribute that markers remember as their owner",
                rule="marker-owner",
                place="Unique",
                fix='such as owner="PK"; a field of that name goes into a mapping: Unique(table, {"owner": Marker(…)})',
            )
        self.table = table
        self.owner = to_text(owner)
        self._binary = "B" in table.key_schema.types.values()
        self.markers: dict[str, Marker] = _join_fields(markers, fields, "Unique")
        self._check_declaration()

    def __repr__(self) -> str:
        return f"Unique({self.table!r}, {', '.join(f'{field}={marker!r}' for field, marker in self.markers.items())})"

    def create(self, item: Item, *, token: str | None = None, when: Condition | None = None) -> UniqueWrite:
        """Write a new record and one marker for each of its unique fields, each only if it does not exist.

        Args:
            item: The record, with every unique field that is not optional. An optional one that is ``None`` is not
                stored.
            token: See :class:`TransactWrite`.
            when: A further condition on the record's key; it can only be about a missing item.

        Returns:
            A transaction with the slot ``"record"`` and one slot for each field. Sending it raises
            :class:`UniqueViolation` with all taken fields.
        """
        item = _read_record(item, "create")
        owner = self._find_owner(item, "create")
        guard = self.table.key_schema.absent
        if when is not None:
            guard = all_of(guard, _take_guard(when, "create"))
        claims: dict[str, Put] = {}
        for field in self.markers:
            value = item.get(field)
            key = self._derive_key(field, value)
            if key is not None:
                claims[field] = self._claim(field, key, owner)
            elif field in item:  # NULL would be no key of an index, and a value to whoever looks for a missing one
                item = {name: value for name, value in item.items() if name != field}
        record = self.table.put(item)._in_slot(RECORD, guard)
        return UniqueWrite(record, *claims.values(), claims=tuple(claims), token=token)

    def change(
        self,
        old: Item,
        new: Mapping[str, object] | None = None,
        /,
        *,
        token: str | None = _NOT_GIVEN,
        when: Condition | None = _NOT_GIVEN,
        set: Mapping[Any, object] | None = _NOT_GIVEN,  # noqa: A002  # the name of the method that it feeds
        update: Update | None = _NOT_GIVEN,
        **fields: object,
    ) -> UniqueWrite:
        """Change unique fields of a record, and swap the markers whose normalised value differs.

        The record must exist and still have the old value of each changed field; a new marker must not exist; an old
        one must belong to this record.

        Args:
            old: The record as it was read: its key, its owner attribute and the old values of the fields.
            new: The new values by field; ``None`` removes an optional field. A field that is called as one of the
                parameters below can only be named here.
            token: See :class:`TransactWrite`.
            when: A further condition on the record, such as its version.
            set: Further attributes to set in the same update, as for ``Update.set``.
            update: An update of the same record (``table.update(key)…``) to which the change is added.
            fields: New values as keywords.

        Returns:
            A transaction with the slots ``"record"``, the field's name for each new marker, and ``"<field>.release"``
            for each old one. A value that normalises to the old one changes only the record. Sending it leaves an old
            marker that is missing or another record's, see :attr:`UniqueWrite.left`.

        Raises:
            BuildError: for an unknown field, a keyword that is a field and a parameter, an old record without what is
                needed of it, or a unique field in ``set`` or ``update``, which would leave its marker behind.

        Example:
            ``unique.change(account, email=new)`` and ``unique.change(account, {"email": new})`` are the same.
        """
        parameters = {"token": token, "when": when, "set": set, "update": update}
        given: dict[str, Any] = {name: value for name, value in parameters.items() if value is not _NOT_GIVEN}
        if new is None:
            self._refuse_ambiguous(given)
        fields = _join_fields(new, fields, "Unique.change")
        self._check_fields(fields)
        old = _read_record(old, "change")
        owner = self._find_owner(old, "change")
        guards: list[Condition | None] = [self.table.key_schema.present]
        update = own = self.table.update(self._pick_key(old))
        others: list[UpdateAction] = []
        if given.get("update") is not None:
            update = self._check_record(own, given["update"])
            others += update.actions
        swaps: list[WriteAction] = []
        claims: list[str] = []
        releases: dict[str, Check] = {}
        for field in self.markers:  # in declared order, whatever that of the arguments: equal changes, equal requests
            if field not in fields:
                continue
            before, after = old.get(field), fields[field]
            # Without this guard, a stale change would leave the marker of a value that was set meanwhile.
            guards.append(expect_value(field, before))
            update = update.remove(field) if after is None else update.set({field: after})
            old_key, new_key = self._derive_key(field, before), self._derive_key(field, after)
            if new_key is not None and new_key != old_key:
                swaps.append(self._claim(field, new_key, owner))
                claims.append(field)
            if old_key is not None and new_key != old_key:
                swaps.append(self._release(field, old_key, owner))
                releases[field] = self._check_unowned(field, old_key, owner)
        if given.get("set"):
            update = update.set(given["set"])
            others += own.set(given["set"]).actions
        self._refuse_marked(others)
        # _in_slot replaces the condition, so that a given update's own has to be joined.
        record = update._in_slot(RECORD, all_of(*guards, update.condition, _take_guard(given.get("when"), "change")))
        return UniqueWrite(record, *swaps, claims=tuple(claims), token=given.get("token"), releases=releases)

    def delete(self, item: Item, *, token: str | None = None, when: Condition | None = None) -> UniqueWrite:
        """Delete a record and its markers, each only if this record owns it.

        Args:
            item: The record **as stored** (read it consistently). The markers of its values are released; if a value
                has changed since, the deletion is refused.
            token: See :class:`TransactWrite`.
            when: A further condition on the record.

        Returns:
            A transaction with the slot ``"record"`` and ``"<field>.release"`` for each marker. Sending it leaves a
            marker that is missing or another record's, see :attr:`UniqueWrite.left`.
        """
        item = _read_record(item, "delete")
        owner = self._find_owner(item, "delete")
        guards: list[Condition | None] = [self.table.key_schema.present]
        deletes: list[WriteAction] = []
        releases: dict[str, Check] = {}
        for field in self.markers:
            value = item.get(field)
            key = self._derive_key(field, value)
            guards.append(expect_value(field, value))
            if key is not None:
                deletes.append(self._release(field, key, owner))
                releases[field] = self._check_unowned(field, key, owner)
        record = self.table.delete(self._pick_key(item))._in_slot(RECORD, all_of(*guards, _take_guard(when, "delete")))
        return UniqueWrite(record, *deletes, claims=(), token=token, releases=releases)

    # --- The marker's own actions

    def make_marker(self, field: str, value: object, owner: object) -> StoredItem:
        """The whole marker of a field's value: its key and its owner."""
        return {**self.make_marker_key(field, value), OWNER: owner}

    def make_marker_key(self, field: str, value: object) -> StoredItem:
        """The key of the marker of a field's value.

        Raises:
            BuildError: for an unknown field, or a value that can have no marker.
        """
        if field not in self.markers:
            self._refuse_unknown([field], "Unique")
        try:
            return self.complete_key(field, self.markers[field].make_key(value))
        except BuildError as error:
            raise error.within(f"unique field {field}") from None

    def complete_key(self, field: str, key: str) -> StoredItem:
        """The whole key of a field's marker, given what :meth:`Marker.make_key` makes."""
        types = self.table.key_schema.types
        parts: StoredItem = dict(zip(types, (key, self.markers[field].sort), strict=False))  # a sort key if it has one
        if self._binary:
            for name, part in parts.items():
                if types[name] == "B" and isinstance(part, str):
                    parts[name] = part.encode()
        return parts

    def _claim(self, field: str, key: str, owner: object) -> Put:
        marker = self.complete_key(field, key)
        marker[OWNER] = owner
        try:
            return self.table.put(marker)._in_slot(field, self.table.key_schema.absent)
        except BuildError as error:  # the value makes the key too long
            raise error.within(f"unique field {field}") from None

    def _release(self, field: str, key: str, owner: object) -> Delete:
        try:
            return self.table.delete(self.complete_key(field, key))._in_slot(field + _RELEASE, Attr(OWNER).eq(owner))
        except BuildError as error:
            raise error.within(f"unique field {field}") from None

    def _check_unowned(self, field: str, key: str, owner: object) -> Check:
        check = self.table.check(self.complete_key(field, key))
        return check._in_slot(field + _RELEASE, Attr(OWNER).not_exists() | Attr(OWNER).ne(owner))

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
        if not isinstance(given, Update):
            raise BuildError(
                f"a {type(given).__name__} is no update",
                rule="marker-update",
                place="Unique.change",
                fix="make it with table.update(key), or pass the attributes as set={…}",
            )
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
            self._refuse_unknown(unknown, "Unique.change")

    def _refuse_unknown(self, unknown: Iterable[object], place: str) -> NoReturn:
        raise BuildError(
            f"{', '.join(map(str, unknown))}: no unique field of that name",
            rule="marker-field",
            place=place,
            fix=f"declared are {', '.join(self.markers)}; change other attributes with set={{…}}",
        )

    def _refuse_ambiguous(self, given: Iterable[str]) -> None:
        """Refuse parameters that are declared as fields, too: a swallowed value would change nothing."""
        for name in given:
            if name in self.markers:
                raise BuildError(
                    f"{name} is a unique field and a parameter of this method",
                    rule="marker-field",
                    place="Unique.change",
                    fix=f'put the field into a mapping: change(record, {{"{name}": …}}); then {name}= is the parameter',
                )

    def _refuse_marked(self, others: Iterable[UpdateAction]) -> None:
        for action in others:
            if action.path.segments[0] in self.markers:
                field = action.path.segments[0]
                raise BuildError(
                    f"{field} is unique, and an update alone would leave its marker behind",
                    rule="marker-update",
                    place="Unique.change",
                    fix=f'give its whole new value as a field: change(record, {{"{field}": …}})',
                )

    def _check_declaration(self) -> None:
        if not self.markers:
            raise BuildError(
                "no unique field is declared", rule="marker-field", place="Unique", fix='email=Marker("UNIQ#EMAIL#{}")'
            )
        slots = {RECORD, *(field + _RELEASE for field in self.markers)}
        for field, marker in self.markers.items():
            if not isinstance(marker, Marker):
                raise BuildError(
                    f"{field} is not a field with a Marker",
                    rule="marker-field",
                    place="Unique",
                    fix=f'declare it as {field}=Marker("…{{}}")',
                )
            if field in slots:  # the fields become the names of slots beside these
                raise BuildError(
                    f"{field} is the name of another slot of the transactions",
                    rule="marker-field",
                    place="Unique",
                    fix="rename the attribute",
                )
        if OWNER in self.table.key_schema.types:
            raise BuildError(
                f'"{OWNER}" is a key attribute of the table, and where markers name their owner',
                rule="marker-owner",
                place="Unique",
                fix="keep the markers in a table whose key attributes have other names",
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
        for field in self.markers:  # a table of numbers, or another kind of sort key, is found out here
            try:
                serialize_key(self.table.key_schema, self.complete_key(field, self.markers[field].template))
            except BuildError as error:
                error.fix = "keep markers in a table whose partition key is text, and give sort= the sort key's type"
                raise error.within(f"unique field {field}") from None


def _read_owner(reason: Reason) -> object:
    return reason.item.get(OWNER) if reason.item is not None else None


def expect_value(field: str, value: object) -> Condition:
    """Demand that a field of a record has this value still. A missing one and NULL are the same: no value."""
    same = Attr(field).eq(value)
    return Attr(field).not_exists() | same if value is None else same


def _take_guard(when: Condition | None, method: str) -> Condition | None:
    return None if when is None else take_condition(when, of=f"Unique.{method}, when")


def _read_record(record: Item, method: str) -> Item:
    """The record by plain names: what a subclass of ``str`` says of its equality does not count."""
    # type() first: isinstance with an abstract class is slow.
    if type(record) is not dict and not isinstance(record, Mapping):
        raise BuildError(
            f"a record is a mapping, not a {type(record).__name__}",
            rule="item-type",
            place=f"Unique.{method}",
            fix="pass a dictionary of attribute names to values",
        )
    if {*map(type, record)} == {str}:
        return record
    try:
        return to_plain_mapping(record)
    except BuildError as error:
        raise error.within(f"Unique.{method}") from None


def _join_fields(mapping: Mapping[str, Any] | None, keywords: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Fields from a mapping and from keywords, which may not both name one."""
    if mapping is None:
        return dict(keywords)
    try:
        fields = to_plain_mapping(mapping)
    except BuildError as error:
        raise error.within(place) from None
    for field in keywords:
        if field in fields:
            raise BuildError(
                f"{field} is in the mapping and a keyword",
                rule="marker-field",
                place=place,
                fix="name each field once",
            )
    return {**fields, **keywords}
