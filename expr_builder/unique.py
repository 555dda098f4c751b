"""Keeps values of an item unique in its table, by an extra item, a marker, for each value.

Only primary keys are unique in DynamoDB. So each value that must be unique gets a marker, whose key is the value. The
record (the item that has the values) and its markers are written, changed and removed in one transaction. A marker
names its owner and is released only for that owner, so that a stale change never frees somebody else's value.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from .attribute_values.serializing import to_plain_mapping
from .attribute_values.text import to_text
from .errors import BuildError, TransactionCanceled, UniqueViolation
from .expressions.attr import Attr
from .expressions.joining import all_of, any_of, take_condition
from .expressions.paths import find_clash
from .marker import Marker
from .requests.key_schema import serialize_key
from .requests.table import Table
from .requests.transactions import TransactWrite
from .requests.writes import Update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemsOutputTypeDef

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.paths import Segments
    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.writes import Check, Delete, Put, WriteAction
    from expr_builder.sending.answers import Response

    from .errors import Reason
    from .expressions.nodes import Condition

RECORD = "record"
"""The slot of the record itself; the other slots have the names of the fields."""

OWNER = "owner"
"""The attribute of a marker that names its owner."""

FREE_AT = "free_at"
"""The attribute of a marker that rests: from when, in seconds since 1970, anybody may claim its value."""

_NOT_GIVEN: Any = object()  # None is a value, too
_RELEASE = ".release"  # a slot of its own: a release that fails (a stale reading) must not look like a taken value
_PREVIOUS = ".previous"  # likewise of a marker by a rule that was in force before


class UniqueWrite(TransactWrite):
    """A transaction that knows which of its slots claim a unique value, and which release one.

    Made by :class:`Unique`.
    """

    def __init__(
        self,
        *actions: WriteAction,
        claims: Mapping[str, str],
        token: str | None,
        releases: Mapping[str, tuple[str, Check]] | None = None,
    ) -> None:
        super().__init__(*actions, token=token)
        # For each slot that claims or releases a value the field, and the check that a marker is not this record's.
        self._claims = claims
        self._releases = releases or {}
        self._left: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[str, ...]:
        """The fields whose values this transaction claims: their slots fail if the value is taken."""
        return tuple(dict.fromkeys(self._claims.values()))

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
                unowned = [slot for slot in self._releases if slot in refused.failed]
                if len(unowned) < len(refused.failed) or self._left or not unowned:
                    raise
                self._leave(unowned)

    def _leave(self, slots: list[str]) -> None:
        """Turn these releases into checks. The token of what was cancelled is free again."""
        self._slots.update({slot: self._releases[slot][1] for slot in slots})
        self._left = tuple(dict.fromkeys(self._releases[slot][0] for slot in slots))

    def _refuse(self, code: str, response: Response, retried: bool) -> TransactionCanceled | None:
        refused = super()._refuse(code, response, retried)
        if refused is None:
            return None
        holders: dict[str, object] = {}
        for slot, field in self._claims.items():
            if slot in refused.failed:
                holders.setdefault(field, _read_owner(refused.slots[slot]))
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
        self._names: dict[str, tuple[str, ...]] = {}  # of each field
        self._paths: dict[str, Attr] = {}  # of each name
        self._plain: set[str] = set()  # the fields with one value and one rule, as nearly always
        self._check_fields()
        self._check_templates()
        self.attributes: tuple[str, ...] = tuple(dict.fromkeys(str(path.segments[0]) for path in self._paths.values()))
        """The attributes of a record on whose values, or on something inside them, its markers depend."""

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
        puts: list[Put] = []
        claims: dict[str, str] = {}
        for field, marker in self.markers.items():
            for slot, label, key in self._derive_keys(field, item):
                puts.append(self._claim(field, slot, key, owner))
                claims[slot] = label
            if marker.optional:
                item = self._leave_nulls(field, item)
        record = self.table.put(item)._in_slot(RECORD, guard)
        return UniqueWrite(record, *puts, claims=claims, token=token)

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
        self._check_changes(fields)
        old = _read_record(old, "change")
        owner = self._find_owner(old, "change")
        changes: dict[Segments, object] = {}
        update = own = self.table.update(self._pick_key(old))
        others: list[UpdateAction] = []
        if given.get("update") is not None:
            update = self._check_record(own, given["update"])
            others += update.actions
        for name in (*self._paths, *self.attributes):  # in declared order: equal changes, equal requests
            if name in fields:
                value, path = fields.pop(name), self._paths.get(name, Attr(name))
                changes[path.segments] = value
                update = update.remove(path) if value is None else update.set({path: value})
        guards: dict[str, Condition] = {}
        swaps: list[WriteAction] = []
        claims: dict[str, str] = {}
        releases: dict[str, tuple[str, Check]] = {}
        for field, names in self._names.items():
            if not any(self._is_changed(name, changes) for name in names):
                continue
            # Without these guards, a stale change would leave the marker of a value that was set meanwhile.
            guards.update(self._expect(names, old))
            before, after = self._derive_keys(field, old), self._derive_keys(field, old, changes)
            kept = {key for _, _, key in before} & {key for _, _, key in after}
            for slot, label, key in after:
                if key not in kept:
                    swaps.append(self._claim(field, slot, key, owner))
                    claims[slot] = label
            for slot, label, key in before:
                if key not in kept:
                    swaps.append(self._release(field, slot, key, owner))
                    releases[slot + _RELEASE] = (label, self._check_unowned(field, slot, key, owner))
        if given.get("set"):
            update = update.set(given["set"])
            others += own.set(given["set"]).actions
        self._refuse_marked(others)
        when = _take_guard(given.get("when"), "change")
        # _in_slot replaces the condition, so that a given update's own has to be joined.
        record = update._in_slot(
            RECORD, all_of(self.table.key_schema.present, *guards.values(), update.condition, when)
        )
        return UniqueWrite(record, *swaps, claims=claims, token=given.get("token"), releases=releases)

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
        guards: dict[str, Condition] = {}
        swaps: list[WriteAction] = []
        releases: dict[str, tuple[str, Check]] = {}
        for field, names in self._names.items():
            guards.update(self._expect(names, item))
            for slot, label, key in self._derive_keys(field, item):
                swaps.append(self._release(field, slot, key, owner))
                releases[slot + _RELEASE] = (label, self._check_unowned(field, slot, key, owner))
        guard = all_of(self.table.key_schema.present, *guards.values(), _take_guard(when, "delete"))
        record = self.table.delete(self._pick_key(item))._in_slot(RECORD, guard)
        return UniqueWrite(record, *swaps, claims={}, token=token, releases=releases)

    # --- From a record to its markers

    def list_keys(self, field: str, record: Item) -> tuple[str, ...]:
        """The partition keys of a record's markers for a field, by the rule itself and then by previous ones.

        Returns:
            Each key once; none when the field is optional and the record has no value for it.

        Raises:
            BuildError: for a value that can have no marker.
        """
        return tuple(key for _, _, key in self._derive_keys(field, record))

    def list_current_keys(self, field: str, record: Item) -> tuple[str, ...]:
        """As :meth:`list_keys`, without the keys that only previous rules make."""
        return tuple(key for slot, label, key in self._derive_keys(field, record) if slot == label)

    def read_values(self, field: str, record: Item) -> dict[str, object]:
        """The values of a field's attributes, by the names in its templates; ``None`` for a missing one."""
        return {name: self._read(record, name, None) for name in self._names[field]}

    def expect_values(self, field: str, record: Item) -> list[Condition]:
        """Demand that a record still has these values of a field, or none."""
        return [*self._expect(self._names[field], record).values()]

    def _derive_keys(
        self, field: str, record: Item, changes: Mapping[Segments, object] | None = None
    ) -> list[tuple[str, str, str]]:
        """For each marker of a record's field its slot, what a refusal calls it, and its partition key.

        The slot and the name are the same but for previous rules. Each key comes once: where an earlier rule makes the
        same key, it is one marker.
        """
        marker = self.markers[field]
        try:
            if field in self._plain:
                value = record.get(field) if changes is None else self._read(record, field, changes)
                return [] if value is None and marker.optional else [(field, field, marker.make_key(value))]
            return self._derive_several(field, marker, record, changes)
        except BuildError as error:
            raise error.within(f"unique field {field}") from None

    def _derive_several(
        self, field: str, marker: Marker, record: Item, changes: Mapping[Segments, object] | None
    ) -> list[tuple[str, str, str]]:
        found: dict[str, tuple[str, str, str]] = {}
        for age, rule in enumerate(marker.rules):
            values = [self._read(record, name or field, changes) for name in rule.names]
            # An earlier rule may ask for attributes that the record never had.
            if None in values and (marker.optional or age):
                continue
            own = rule.find_own(field) if marker.each else None
            for label, parts in [(field, values)] if own is None else _list_elements(field, values, own):
                key = rule.make_key(*parts)
                slot = label + (_PREVIOUS + (str(age) if age > 1 else "") if age else "")
                found.setdefault(key, (slot, label, key))
        if not found and not marker.optional:
            rule_values = "element" if marker.each else "value"
            raise BuildError(
                f"the record has no {rule_values} to be unique",
                rule="marker-value",
                fix="give the record the value, or declare the Marker optional=True",
            )
        return [*found.values()]

    def _read(self, record: Item, name: str, changes: Mapping[Segments, object] | None) -> object:
        segments = self._paths[name].segments
        if changes:
            for length in range(1, len(segments) + 1):
                if segments[:length] in changes:
                    return _read_path(changes[segments[:length]], segments[length:])
        return record.get(name) if len(segments) == 1 else _read_path(record, segments)

    def _is_changed(self, name: str, changes: Mapping[Segments, object]) -> bool:
        segments = self._paths[name].segments
        return segments in changes or segments[:1] in changes

    def _expect(self, names: Iterable[str], record: Item) -> dict[str, Condition]:
        return {name: expect_value(self._paths[name], self._read(record, name, None)) for name in names}

    def _leave_nulls(self, field: str, item: Item) -> Item:
        """The item without NULL in an optional field: no key of an index, and a value to whoever looks for none."""
        nulls = [name for name in self._names[field] if name in item and item[name] is None]
        return {name: value for name, value in item.items() if name not in nulls} if nulls else item

    # --- The marker's own actions

    def make_marker(self, field: str, value: object, owner: object) -> StoredItem:
        """The whole marker of a field's value: its key and its owner."""
        return {**self.make_marker_key(field, value), OWNER: owner}

    def make_marker_key(self, field: str, value: object) -> StoredItem:
        """The key of the marker of a field's value; for several attributes, their values in order, or a record.

        Raises:
            BuildError: for an unknown field, or a value that can have no marker.
        """
        if field not in self.markers:
            self._refuse_unknown([field], "Unique")
        marker = self.markers[field]
        values: Iterable[object] = (value,)
        if len(marker.names) > 1:
            named = isinstance(value, Mapping)
            values = self.read_values(field, value).values() if named else value  # type: ignore[arg-type,assignment]
        try:
            return self.complete_key(field, marker.make_key(*values))
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

    def _claim(self, field: str, slot: str, key: str, owner: object) -> Put:
        marker = self.complete_key(field, key)
        marker[OWNER] = owner
        free: Condition = self.table.key_schema.absent
        if self.markers[field].hold_seconds:
            rests = Attr(FREE_AT)
            mine = all_of(Attr(OWNER).eq(owner), rests.exists())
            free = any_of(free, rests.lte(int(time.time())), mine)
        try:
            return self.table.put(marker)._in_slot(slot, free)
        except BuildError as error:  # the value makes the key too long
            raise error.within(f"unique field {field}") from None

    def _release(self, field: str, slot: str, key: str, owner: object) -> Delete | Update:
        marker, mine = self.markers[field], Attr(OWNER).eq(owner)
        try:
            whole = self.complete_key(field, key)
            if marker.hold_seconds:
                rest = self.table.update(whole).set({FREE_AT: int(time.time()) + marker.hold_seconds})
                return rest._in_slot(slot + _RELEASE, mine)
            if marker.previous:  # a record has the markers of those rules only by which it was written
                mine = any_of(self.table.key_schema.absent, mine)
            return self.table.delete(whole)._in_slot(slot + _RELEASE, mine)
        except BuildError as error:
            raise error.within(f"unique field {field}") from None

    def _check_unowned(self, field: str, slot: str, key: str, owner: object) -> Check:
        check = self.table.check(self.complete_key(field, key))
        return check._in_slot(slot + _RELEASE, Attr(OWNER).not_exists() | Attr(OWNER).ne(owner))

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

    def _check_changes(self, fields: Item) -> None:
        unknown = [name for name in fields if name not in self._paths and name not in self.attributes]
        if unknown:
            self._refuse_unknown(unknown, "Unique.change")

    def _refuse_unknown(self, unknown: Iterable[object], place: str) -> NoReturn:
        raise BuildError(
            f"{', '.join(map(str, unknown))}: no unique field of that name",
            rule="marker-field",
            place=place,
            fix=f"declared are {', '.join(self._paths)}; change other attributes with set={{…}}",
        )

    def _refuse_ambiguous(self, given: Iterable[str]) -> None:
        """Refuse parameters that are declared as fields, too: a swallowed value would change nothing."""
        for name in given:
            if name in self._paths or name in self.attributes:
                raise BuildError(
                    f"{name} is a unique field and a parameter of this method",
                    rule="marker-field",
                    place="Unique.change",
                    fix=f'put the field into a mapping: change(record, {{"{name}": …}}); then {name}= is the parameter',
                )

    def _refuse_marked(self, others: Iterable[UpdateAction]) -> None:
        for action in others:
            for name, path in self._paths.items():
                if find_clash(action.path.segments, path.segments):
                    raise BuildError(
                        f"{name} is unique, and an update alone would leave its marker behind",
                        rule="marker-update",
                        place="Unique.change",
                        fix=f'give its whole new value as a field: change(record, {{"{name}": …}})',
                    )

    def _check_fields(self) -> None:
        """Check the fields and their slots, and find the attributes that their templates name."""
        if not self.markers:
            raise BuildError(
                "no unique field is declared", rule="marker-field", place="Unique", fix='email=Marker("UNIQ#EMAIL#{}")'
            )
        slots = {RECORD, *(field + end for field in self.markers for end in (_RELEASE, _PREVIOUS))}
        for field, marker in self.markers.items():
            if not isinstance(marker, Marker):
                raise BuildError(
                    f"{field} is not a field with a Marker",
                    rule="marker-field",
                    place="Unique",
                    fix=f'declare it as {field}=Marker("…{{}}")',
                )
            self.markers[field] = marker = marker.bind(field)
            if field in slots:  # the fields become the names of slots beside these
                raise BuildError(
                    f"{field} is the name of another slot of the transactions",
                    rule="marker-field",
                    place="Unique",
                    fix="rename the attribute",
                )
            names = dict.fromkeys(name or field for rule in marker.rules for name in rule.names)
            self._names[field] = tuple(names)
            if tuple(names) == (field,) and not marker.each and not marker.previous:
                self._plain.add(field)
            for rule in marker.rules:
                for name in rule.names:
                    path = Attr.path(name) if name else Attr(field)
                    if self._paths.setdefault(name or field, path).segments != path.segments:
                        raise BuildError(
                            f"{field} is an attribute here and a path there",
                            rule="marker-template",
                            place="Unique",
                            fix="write {} in the field's own template, and paths only to what is inside a map",
                        )
        rests = any(marker.hold_seconds for marker in self.markers.values())
        for name in (OWNER, FREE_AT) if rests else (OWNER,):
            if name in self.table.key_schema.types:
                raise BuildError(
                    f'"{name}" is a key attribute of the table, and one of markers',
                    rule="marker-owner",
                    place="Unique",
                    fix="keep the markers in a table whose key attributes have other names",
                )

    def _check_templates(self) -> None:
        # "X#{}" and "X#Y#{}": the value "Y#1" of the first would make the marker of "1" of the second.
        rules = [(rule, field) for field, marker in self.markers.items() for rule in marker.rules]
        for rule, field in rules:
            for other, other_field in rules:
                if field == other_field and rule.template == other.template:  # a rule that changed but for its key
                    continue
                if rule is not other and other.prefix.startswith(rule.prefix):
                    raise BuildError(
                        f"a value of {field} could make the marker of a value of {other_field}",
                        rule="marker-template",
                        place="Unique",
                        fix="give the templates prefixes of which none begins another",
                    )
        for rule, field in rules:  # a table of numbers, or another kind of sort key, is found out here
            try:
                serialize_key(self.table.key_schema, self.complete_key(field, rule.template))
            except BuildError as error:
                error.fix = "keep markers in a table whose partition key is text, and give sort= the sort key's type"
                raise error.within(f"unique field {field}") from None


def _read_owner(reason: Reason) -> object:
    return reason.item.get(OWNER) if reason.item is not None else None


def expect_value(attribute: Attr, value: object) -> Condition:
    """Demand that a record still has this value. A missing one and NULL are the same: no value."""
    same = attribute.eq(value)
    return attribute.not_exists() | same if value is None else same


def _read_path(value: object, segments: Segments) -> object:
    """What lies at the path inside a value; ``None`` when nothing does."""
    for segment in segments:
        if isinstance(segment, str):
            value = value.get(segment) if isinstance(value, Mapping) else None
        else:
            value = value[segment] if isinstance(value, list | tuple) and segment < len(value) else None
    return value


def _list_elements(field: str, values: list[object], own: int) -> list[tuple[str, list[object]]]:
    """The values once for each element of one of them, which is a list or set, with a name; a set's by the alphabet."""
    elements = values[own]
    if isinstance(elements, set | frozenset):
        elements = sorted(elements, key=str)
    if not isinstance(elements, list | tuple):
        raise BuildError(
            f"each element has a marker, and the value is a {type(elements).__name__}",
            rule="marker-value",
            fix="store a list or a set of texts, or declare the Marker without each=True",
        )
    before, after = values[:own], values[own + 1 :]
    return [(f"{field}[{position}]", [*before, element, *after]) for position, element in enumerate(elements)]


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
