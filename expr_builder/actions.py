"""A table and the actions on its items.

Actions are immutable: each method returns a new one. They serialise and check what they are given at once, so that
an error points at the line that is wrong, and later changes to a dictionary that was handed in change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from .conditions import Attr, as_condition
from .errors import BuildError
from .limits import (
    MAX_ITEM_BYTES,
    MAX_KEY_NAME_BYTES,
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
    MAX_TABLE_ARN_LENGTH,
    MAX_TABLE_NAME_LENGTH,
)
from .nodes import And, Condition
from .paths import path_text
from .render import Placeholders, render, render_projection, render_update
from .sending import refuse_unsuitable_client, send
from .updates import add_actions, as_path, extended, remove_actions, set_actions, targets
from .values import from_item, item_size, size_of, sized_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, ClassVar, Self, TypeAlias

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from .nodes import Path
    from .updates import Target, UpdateAction
    from .values import AttributeValue

    Item: TypeAlias = Mapping[str, Any]
    """Attribute names to Python values."""
    TypedItem: TypeAlias = dict[str, AttributeValue]
    """Attribute names to AttributeValues."""

__all__ = ["Action", "Check", "Delete", "Get", "KeyedAction", "Put", "Table", "Update", "WriteAction"]

_KEY_TYPES = ("S", "N", "B")


class Table:
    """A table's name and primary key, to make actions of.

    Args:
        name: The table's name, or its ARN.
        partition_key: The name of the partition key; ``("id", "N")`` when it is not a string.
        sort_key: The same for the sort key, if the table has one.
        alias: ``"auto"`` writes names bare where DynamoDB allows it; ``"always"`` aliases every name.

    Raises:
        BuildError: for names that DynamoDB would refuse.

    Example:
        ``Table("accounts", partition_key="PK", sort_key="SK").put({"PK": "A#1", "SK": "P"}).if_not_exists()`` is a Put
        with ``ConditionExpression`` ``attribute_not_exists(PK)``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
    """

    __slots__ = ("_absent", "_always", "_key_types", "_present", "name")

    def __init__(
        self,
        name: str,
        partition_key: str | tuple[str, str],
        sort_key: str | tuple[str, str] | None = None,
        *,
        alias: str = "auto",
    ) -> None:
        _check_table_name(name)
        if alias not in ("auto", "always"):
            raise BuildError("alias is neither 'auto' nor 'always'", rule="table-alias", place=f'table "{name}"')
        keys = [_key_definition(key, name) for key in (partition_key, sort_key) if key is not None]
        if len(keys) == 2 and keys[0][0] == keys[1][0]:
            raise BuildError("both keys have one name", rule="key-definition", place=f'table "{name}"')
        self.name = name
        self._always = alias == "always"
        self._key_types: dict[str, str] = dict(keys)
        first = Attr(keys[0][0])
        self._absent = first.not_exists()
        self._present = first.exists()

    @property
    def partition_key(self) -> str:
        """The partition key's name."""
        return next(iter(self._key_types))

    @property
    def sort_key(self) -> str | None:
        """The sort key's name, or ``None``."""
        names = list(self._key_types)
        return names[1] if len(names) == 2 else None

    @property
    def key_types(self) -> dict[str, str]:
        """The key attributes, partition key first, each with its type: ``{"PK": "S", "SK": "S"}``."""
        return dict(self._key_types)

    @property
    def absent(self) -> Condition:
        """``attribute_not_exists(partition key)``: no item has this key."""
        return self._absent

    @property
    def present(self) -> Condition:
        """``attribute_exists(partition key)``: an item has this key."""
        return self._present

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {', '.join(self._key_types)})"

    def put(self, item: Item) -> Put:
        """Write a whole item, replacing one with the same key: guard it with :meth:`~WriteAction.if_not_exists`.

        Args:
            item: Attribute names to Python values, the key attributes among them; up to 400 KB.

        Raises:
            BuildError: for a value that cannot be stored or a key that is missing, empty, too long or of another type.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Put.html
        """
        return Put(self, item)

    def update(self, key: Item) -> Update:
        """Change attributes of one item; it is **created** when it is missing, unless :meth:`~WriteAction.if_exists`.

        Args:
            key: Exactly the key attributes.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Update.html
        """
        return Update(self, key)

    def delete(self, key: Item) -> Delete:
        """Remove one item; removing a missing one succeeds, unless :meth:`~WriteAction.if_exists`.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Delete.html
        """
        return Delete(self, key)

    def check(self, key: Item) -> Check:
        """Only test a condition, within a transaction.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConditionCheck.html
        """
        return Check(self, key)

    def get(self, key: Item, project: Iterable[Target] | None = None, *, consistent: bool = False) -> Get:
        """Read one item.

        Args:
            key: Exactly the key attributes.
            project: Names or paths to read; everything when left out.
            consistent: Ask for a strongly consistent read.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
        """
        return Get(self, key, project, consistent=consistent)

    # --- what the actions share

    def _typed_key(self, key: Item, operation: str) -> TypedItem:
        place = f'{operation} "{self.name}", Key'
        if not isinstance(key, Mapping):
            raise BuildError(
                f"a key is a mapping, not a {type(key).__name__}",
                rule="key-schema",
                place=place,
                fix=f"{{{', '.join(repr(name) + ': …' for name in self._key_types)}}}",
            )
        for name in key:
            if name not in self._key_types:
                raise BuildError(
                    f"{name} is not a key attribute of the table",
                    rule="key-schema",
                    place=place,
                    fix=f"give exactly {' and '.join(self._key_types)}",
                )
        try:
            typed, _ = sized_item(key)
        except BuildError as error:
            raise error.within(place) from None
        self._check_key(typed, place)
        return typed

    def _check_key(self, typed: TypedItem, place: str) -> None:
        limit = MAX_PARTITION_KEY_BYTES
        for name, key_type in self._key_types.items():
            value = typed.get(name)
            if value is None:
                raise BuildError(
                    f"the key attribute {name} is missing",
                    rule="key-schema",
                    place=place,
                    fix=f"give {' and '.join(self._key_types)}",
                )
            content = value.get(key_type)
            if content is None:
                raise BuildError(
                    f"a value of type {next(iter(value))}, the table's key is of type {key_type}",
                    rule="key-type",
                    place=f"{place}.{name}",
                    fix="convert it, or declare the key's type with the table: (name, type)",
                )
            if key_type != "N":
                if not content:
                    raise BuildError(
                        "a key attribute is empty",
                        rule="key-empty",
                        place=f"{place}.{name}",
                        fix="a key must have a value",
                    )
                if len(content) * 4 > limit and size_of(value) > limit:
                    raise BuildError(
                        f"a key of {size_of(value)} bytes, {limit} are allowed",
                        rule="key-length",
                        place=f"{place}.{name}",
                        fix="shorten it, or use a hash of it",
                    )
            limit = MAX_SORT_KEY_BYTES


class Action:
    """What reads and writes have in common: a table and a slot name."""

    __slots__ = ("_slot", "_table")

    operation: ClassVar[str] = ""
    """Its name within ``TransactItems``: ``"Put"``, ``"Update"``, ``"Delete"``, ``"ConditionCheck"`` or ``"Get"``."""

    _slot: str | None
    _table: Table

    @property
    def table(self) -> Table:
        """The table."""
        return self._table

    @property
    def slot(self) -> str | None:
        """The name given with :meth:`named`."""
        return self._slot

    @property
    def key(self) -> TypedItem:
        """The key of the item that the action addresses, as AttributeValues."""
        raise NotImplementedError

    def named(self, slot: str) -> Self:
        """Name the action's slot in its transaction: a refusal is reported under this name."""
        if not isinstance(slot, str) or not slot:
            raise BuildError("a slot's name is a non-empty string", rule="slot-name", place=self._place)
        return self._replace(_slot=slot)

    @property
    def _place(self) -> str:
        return f'slot "{self._slot}"' if self._slot else f'{self.operation} "{self._table.name}"'

    def _replace(self, **changes: Any) -> Self:
        copy = object.__new__(type(self))
        for slot in self._all_slots():
            setattr(copy, slot, changes[slot] if slot in changes else getattr(self, slot))
        return copy

    @classmethod
    def _all_slots(cls) -> tuple[str, ...]:
        return tuple(slot for kind in cls.__mro__ for slot in getattr(kind, "__slots__", ()))

    def to_transact_item(self) -> dict[str, Any]:
        """The action as one entry of ``TransactItems``, such as ``{"Put": {…}}``."""
        raise NotImplementedError


class WriteAction(Action):
    """An action that can be guarded by a condition."""

    __slots__ = ("_condition", "_return_old", "_returning")

    _condition: Condition | None
    _return_old: bool
    _returning: str | None
    _returnable: ClassVar[tuple[str, ...]] = ("NONE", "ALL_OLD")

    def __init__(self, table: Table) -> None:
        self._table = table
        self._slot = None
        self._condition = None
        self._return_old = False
        self._returning = None

    @property
    def condition(self) -> Condition | None:
        """The whole condition so far."""
        return self._condition

    @property
    def size(self) -> int:
        """Bytes that the action is known to write or address: the item for a Put, else the key and the new values."""
        return item_size(self.key)

    def when(self, condition: Condition) -> Self:
        """Go ahead only when ``condition`` holds; several are joined with AND."""
        checked = as_condition(condition, of=f"{self._place}, when")
        return self._replace(_condition=checked if self._condition is None else And(_parts(self._condition, checked)))

    def if_exists(self) -> Self:
        """Go ahead only when an item with this key exists: ``attribute_exists(PK)``."""
        return self.when(self._table.present)

    def if_not_exists(self) -> Self:
        """Go ahead only when no item with this key exists: ``attribute_not_exists(PK)``."""
        return self.when(self._table.absent)

    def return_old_on_failure(self) -> Self:
        """Have the stored item returned when the condition fails (it is read at no extra cost in write units)."""
        return self._replace(_return_old=True)

    def returning(self, values: str) -> Self:
        """Ask a single-item request for attributes: ``ReturnValues``. Transactions cannot return any.

        Args:
            values: ``"ALL_OLD"`` or ``"NONE"``; for an update also ``"ALL_NEW"``, ``"UPDATED_OLD"``, ``"UPDATED_NEW"``.
        """
        if values not in self._returnable:
            raise BuildError(
                f"{self.operation} cannot return {values}",
                rule="return-values",
                place=self._place,
                fix=f"one of {', '.join(self._returnable) or 'nothing: only its condition is tested'}",
            )
        return self._replace(_returning=values)

    def to_request(self) -> dict[str, Any]:
        """The arguments of the single-item client call, such as ``client.put_item(**action.to_request())``.

        Raises:
            BuildError: when the request as a whole breaks a rule.
        """
        request = self._body()
        if self._returning is not None:
            request["ReturnValues"] = self._returning
        return request

    def to_transact_item(self) -> dict[str, Any]:
        """The action as one entry of ``TransactItems``, such as ``{"Put": {…}}``.

        Raises:
            BuildError: when the action breaks a rule, or asks for values to be returned, which transactions cannot.
        """
        if self._returning is not None:
            raise BuildError(
                "a transaction returns no attributes",
                rule="return-values",
                place=self._place,
                fix="read the item afterwards; return_old_on_failure() shows what refused it",
            )
        return {self.operation: self._body()}

    def _body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"TableName": self._table.name}
        placeholders = Placeholders(always=self._table._always)
        try:
            self._fill(body, placeholders)
            if self._condition is not None:
                body["ConditionExpression"] = render(self._condition, placeholders)
        except BuildError as error:
            raise error.within(self._place) from None
        placeholders.into(body)
        if self._return_old:
            body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return body

    def _fill(self, body: dict[str, Any], placeholders: Placeholders) -> None:
        raise NotImplementedError


class Put(WriteAction):
    """Write a whole item. Made by :meth:`Table.put`."""

    __slots__ = ("_item", "_size")

    operation = "Put"

    def __init__(self, table: Table, item: Item) -> None:
        super().__init__(table)
        if not isinstance(item, Mapping):
            raise BuildError(
                f"an item is a mapping, not a {type(item).__name__}",
                rule="item-type",
                place=f"{self._place}, Item",
                fix="pass a dictionary of attribute names to values",
            )
        try:
            self._item, self._size = sized_item(item)
        except BuildError as error:
            raise error.within(f"{self._place}, Item") from None
        table._check_key(self._item, f"{self._place}, Item")
        if self._size > MAX_ITEM_BYTES:
            raise BuildError(
                f"an item of {self._size} bytes, {MAX_ITEM_BYTES} are allowed",
                rule="item-size",
                place=f"{self._place}, Item",
                fix="keep large values elsewhere (such as S3), or split the item",
            )

    @property
    def item(self) -> TypedItem:
        """The item as AttributeValues."""
        return self._item

    @property
    def key(self) -> TypedItem:
        """The key attributes of the item."""
        return {name: self._item[name] for name in self._table._key_types}

    @property
    def size(self) -> int:
        """The item's size in bytes."""
        return self._size

    def _fill(self, body: dict[str, Any], placeholders: Placeholders) -> None:
        body["Item"] = self._item


class KeyedAction(WriteAction):
    """A write that addresses its item by key."""

    __slots__ = ("_key",)

    def __init__(self, table: Table, key: Item) -> None:
        super().__init__(table)
        self._key = table._typed_key(key, self.operation)

    @property
    def key(self) -> TypedItem:
        """The key."""
        return self._key

    def _fill(self, body: dict[str, Any], placeholders: Placeholders) -> None:
        body["Key"] = self._key


class Update(KeyedAction):
    """Change attributes of one item. Made by :meth:`Table.update`."""

    __slots__ = ("_actions",)

    operation = "Update"
    _returnable = ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")

    def __init__(self, table: Table, key: Item) -> None:
        super().__init__(table, key)
        self._actions: tuple[UpdateAction, ...] = ()

    @property
    def actions(self) -> tuple[UpdateAction, ...]:
        """What is updated, in the order given."""
        return self._actions

    @property
    def size(self) -> int:
        """Bytes of the key and the new values: the item itself may be larger."""
        given = (getattr(action.value, "value", None) for action in self._actions)
        return item_size(self._key) + sum(size_of(value) for value in given if isinstance(value, dict))

    def set(self, *values: Any, **attributes: Any) -> Self:
        """Set attributes: ``set(email=new, version=Attr("version") + 1)`` renders ``SET email = :v0, version = …``.

        Args:
            values: Mappings of names or paths to values, or ``(path, value)`` pairs.
            attributes: Names and values. A value may be computed: ``Attr("n") + 1``,
                ``Attr("roles").append(["admin"])``, ``Attr("views").if_not_exists(0) + 1``. A path goes through maps
                that exist already: DynamoDB creates the last step only.

        Raises:
            BuildError: for a key attribute, a value that cannot be stored, or paths that overlap.
        """
        return self._with("set", lambda: set_actions(targets(values, attributes, "set")))

    def remove(self, *paths: Target) -> Self:
        """Remove attributes, map entries or list elements: ``remove("pending", Attr("tags")[2])``."""
        return self._with("remove", lambda: remove_actions(paths))

    def add(self, *values: Any, **attributes: Any) -> Self:
        """Add to a number (from 0 when missing) or a set (created when missing): ``add(logins=1, tags={"beta"})``."""
        return self._with("add", lambda: add_actions("ADD", targets(values, attributes, "add")))

    def delete(self, *values: Any, **attributes: Any) -> Self:
        """Take elements out of a set: ``delete(tags={"beta"})``. With its last element the attribute disappears."""
        return self._with("delete", lambda: add_actions("DELETE", targets(values, attributes, "delete")))

    def _with(self, method: str, make: Any) -> Self:
        try:
            more: list[UpdateAction] = make()
            for action in more:
                self._refuse_key(action.path)
            return self._replace(_actions=extended(self._actions, more))
        except BuildError as error:
            raise error.within(f"{self._place}, {method}") from None

    def _refuse_key(self, path: Path) -> None:
        if path.segments[0] in self._table._key_types:
            raise BuildError(
                f"{path_text(path.segments)} is part of the key, which an update cannot change",
                rule="update-key",
                fix="put a new item and delete the old one, in one transaction",
            )

    def _fill(self, body: dict[str, Any], placeholders: Placeholders) -> None:
        body["Key"] = self._key
        body["UpdateExpression"] = render_update(self._actions, placeholders)


class Delete(KeyedAction):
    """Remove one item. Made by :meth:`Table.delete`."""

    __slots__ = ()

    operation = "Delete"


class Check(KeyedAction):
    """Test a condition on one item. Made by :meth:`Table.check`; only transactions can hold it."""

    __slots__ = ()

    operation = "ConditionCheck"
    _returnable = ()

    def to_request(self) -> dict[str, Any]:
        """Always refused: there is no single-item call for a check."""
        raise BuildError(
            "a check is only part of a transaction",
            rule="check-alone",
            place=self._place,
            fix="put it into a TransactWrite",
        )

    def _fill(self, body: dict[str, Any], placeholders: Placeholders) -> None:
        if self._condition is None:
            raise BuildError(
                "a check without a condition", rule="check-condition", fix="add when(…), if_exists() or if_not_exists()"
            )
        super()._fill(body, placeholders)


class Get(Action):
    """Read one item. Made by :meth:`Table.get`."""

    __slots__ = ("_consistent", "_key", "_paths")

    operation = "Get"

    def __init__(self, table: Table, key: Item, project: Iterable[Target] | None, *, consistent: bool) -> None:
        self._table = table
        self._slot = None
        self._key = table._typed_key(key, self.operation)
        if isinstance(project, str):
            project = (project,)
        self._paths = tuple(as_path(path, "project") for path in project or ())
        self._consistent = consistent

    @property
    def key(self) -> TypedItem:
        """The key."""
        return self._key

    def to_request(self) -> dict[str, Any]:
        """The arguments of ``client.get_item``."""
        body = self._body()
        if self._consistent:
            body["ConsistentRead"] = True
        return body

    def to_transact_item(self) -> dict[str, Any]:
        """The read as one entry of ``TransactItems``: ``{"Get": {…}}``. Transactional reads are always consistent."""
        return {"Get": self._body()}

    def fetch(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> dict[str, Any] | None:
        """Read the item with ``client.get_item``; throttling and lost answers are retried.

        Returns:
            The item as Python values, or ``None`` when there is none.

        Raises:
            TransactionUnfinished: no answer in the attempts and time allowed.
        """
        refuse_unsuitable_client(client)
        request = self.to_request()
        answer = send(lambda: client.get_item(**request), None, time_left=time_left, max_attempts=max_attempts)
        return from_item(answer["Item"]) if "Item" in answer else None

    def _body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"TableName": self._table.name, "Key": self._key}
        if self._paths:
            placeholders = Placeholders(always=self._table._always)
            body["ProjectionExpression"] = render_projection(self._paths, placeholders)
            placeholders.into(body)
        return body


def _parts(*conditions: Condition) -> tuple[Condition, ...]:
    return tuple(part for one in conditions for part in (one.parts if isinstance(one, And) else (one,)))


def _check_table_name(name: Any) -> None:
    if not isinstance(name, str):
        raise BuildError(f"a table's name is a string, not a {type(name).__name__}", rule="table-name")
    if name.startswith("arn:"):
        valid = len(name) <= MAX_TABLE_ARN_LENGTH and ":table/" in name
    else:
        plain = name.isascii() and name.replace("_", "a").replace(".", "a").replace("-", "a").isalnum()
        valid = plain and len(name) <= MAX_TABLE_NAME_LENGTH
    if not valid:
        raise BuildError(
            "a table's name has 1 to 255 letters, digits, _ . or -",
            rule="table-name",
            fix="or give the table's whole ARN",
        )


def _key_definition(key: Any, table: str) -> tuple[str, str]:
    name, key_type = key if isinstance(key, tuple) and len(key) == 2 else (key, "S")
    valid_name = isinstance(name, str) and 0 < len(name.encode()) <= MAX_KEY_NAME_BYTES
    if not valid_name or key_type not in _KEY_TYPES:
        raise BuildError(
            "a key is a name of 1 to 255 bytes, or (name, type) with type S, N or B",
            rule="key-definition",
            place=f'table "{table}"',
        )
    return name, key_type
