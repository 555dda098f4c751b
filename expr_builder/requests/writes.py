"""The writes: put, update, delete, and the check that only transactions have.

They are immutable: each method returns a new one. They serialise and check values at once, so that an error points at
the line that is wrong, and a later change to a dictionary that was passed in has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.attribute_values.copying import copy_item
from expr_builder.attribute_values.serializing import serialize_item
from expr_builder.attribute_values.text import to_text
from expr_builder.errors import BuildError
from expr_builder.expressions.joining import take_condition
from expr_builder.expressions.nodes import And, Condition, Literal
from expr_builder.expressions.paths import write_path
from expr_builder.expressions.render import Placeholders, render, render_update
from expr_builder.expressions.updates import (
    add_actions,
    check_actions,
    join_actions,
    read_targets,
    remove_actions,
    set_actions,
)
from expr_builder.limits import MAX_ITEM_BYTES
from expr_builder.sending.blocking import carry_out
from expr_builder.sending.conversation import Patience

from .action import Action
from .key_schema import check_key, make_type_error, refuse_others
from .key_writes import check_index_keys, check_update
from .single_write import converse_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import ClassVar, NoReturn, Self

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import DeleteItemInputTypeDef, PutItemInputTypeDef, UpdateItemInputTypeDef

    from expr_builder.attribute_values.values import Item, StoredItem, TypedItem
    from expr_builder.expressions.nodes import Path
    from expr_builder.expressions.updates import Target, UpdateAction

    from .action import Body
    from .table import Table


class WriteAction(Action):
    """An action that can be guarded by a condition."""

    __slots__ = ("_actions", "_condition", "_content", "_content_size", "_return_old", "_returning")

    _condition: Condition | None
    _part: ClassVar[str] = "Key"  # the name of the content in a request
    _always_rendered: ClassVar[bool] = False  # whether there is an expression beside the condition
    _returnable: ClassVar[tuple[str, ...]] = ("NONE", "ALL_OLD")

    def __init__(self, table: Table, content: Item) -> None:
        self._table = table
        self._slot = None
        self._actions: tuple[UpdateAction, ...] = ()  # of an update
        self._condition = None
        self._return_old = False
        self._returning: str | None = None
        try:
            # type() first: isinstance with an abstract class is slow.
            if type(content) is not dict and not isinstance(content, Mapping):
                raise self._make_type_error(content)
            self._content, self._content_size = serialize_item(content)
            self._target = check_key(table.key_schema, self._content)
            if table._index_checks and self._part == "Item":
                check_index_keys(table._index_checks, self._content)
            if self._content_size > MAX_ITEM_BYTES or self._part == "Key":  # nearly every Put is spared the call
                self._check_content()
        except BuildError as error:
            raise error.within(self._part).within(self._place) from None

    def _copy(self) -> Self:
        # By name: copying is much of the cost of building, and a loop over the slots takes several times as long.
        copy = object.__new__(type(self))
        copy._table = self._table
        copy._target = self._target
        copy._slot = self._slot
        copy._actions = self._actions
        copy._condition = self._condition
        copy._content = self._content
        copy._content_size = self._content_size
        copy._return_old = self._return_old
        copy._returning = self._returning
        return copy

    @property
    def condition(self) -> Condition | None:
        """The whole condition so far."""
        return self._condition

    @property
    def returns_old(self) -> bool:
        """Whether :meth:`return_old_on_failure` was asked for."""
        return self._return_old

    @property
    def size(self) -> int:
        """Bytes that the action is known to write: the item for a Put, else the key and the new values."""
        return self._content_size

    def when(self, condition: Condition) -> Self:
        """Write only if ``condition`` holds; several are joined with AND."""
        checked = take_condition(condition, of=f"{self._place}, when")
        return self._guard(checked)

    def if_exists(self) -> Self:
        """Write only if an item with this key exists: ``attribute_exists(PK)``."""
        return self._guard(self._table.key_schema.present)

    def if_not_exists(self) -> Self:
        """Write only if no item with this key exists: ``attribute_not_exists(PK)``."""
        return self._guard(self._table.key_schema.absent)

    def return_old_on_failure(self) -> Self:
        """Ask for the stored item if the condition fails, which costs nothing extra. :meth:`send` always does."""
        copy = self._copy()
        copy._return_old = True
        return copy

    def returning(self, values: str) -> Self:
        """Ask a single-item request to return attributes: ``ReturnValues``. Transactions cannot return any.

        After a lost answer, :meth:`send` does not repeat a write that returns old attributes: it would get those that
        the write itself has left behind.

        Args:
            values: ``"ALL_OLD"`` or ``"NONE"``; for an update also ``"ALL_NEW"``, ``"UPDATED_OLD"``, ``"UPDATED_NEW"``.
        """
        wanted = to_text(values) if isinstance(values, str) else f"a {type(values).__name__}"
        if wanted not in self._returnable:
            raise BuildError(
                f"{self.operation} cannot return {wanted}",
                rule="return-values",
                place=self._place,
                fix=f"one of {', '.join(self._returnable) or 'nothing: only its condition is tested'}",
            )
        copy = self._copy()
        copy._returning = wanted
        return copy

    def to_request(self) -> Mapping[str, object]:
        """The arguments of the single-item client call, such as ``client.put_item(**action.to_request())``.

        Raises:
            BuildError: when the request as a whole breaks a rule.
        """
        return self._hand_out(self._make_request())

    def to_transact_item(self) -> Body:
        """The action as one entry of ``TransactItems``, such as ``{"Put": {…}}``.

        Raises:
            BuildError: when the action breaks a rule, or asks for values to be returned, which transactions cannot.
        """
        entry = self._make_transact_item()
        self._hand_out(entry[self.operation])
        return entry

    def _make_request(self) -> Body:
        """The request, sharing the action's values: only for sending, which changes nothing."""
        request = self._make_body()
        if self._returning is not None:
            request["ReturnValues"] = self._returning
        return request

    def _hand_out(self, body: Body) -> Body:
        """Make a fresh body the caller's at every depth. The values of its expressions are already: see Literal."""
        body[self._part] = copy_item(self._content)
        return body

    def _make_transact_item(self) -> Body:
        if self._returning is not None:
            raise BuildError(
                "a transaction returns no attributes",
                rule="return-values",
                place=self._place,
                fix="read the item afterwards; return_old_on_failure() shows what refused it",
            )
        return {self.operation: self._make_body()}

    def send(
        self,
        client: DynamoDBClient,
        *,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
        exactly_once: bool = False,
    ) -> StoredItem | None:
        """Carry out this write as a single request; retry what is safe to retry.

        After a lost answer, a write is not repeated if doing it twice differs from doing it once: ``ADD``,
        ``SET n = n + 1``, a condition that its own success makes false; or if the answer would differ, as with
        ``returning("ALL_OLD")`` and ``"UPDATED_OLD"``.

        Args:
            client: ``boto3.client("dynamodb")``; not the client of a resource.
            time_left: Returns the seconds that remain; a retry that has to wait longer is not started.
            max_attempts: How often to send at most.
            exactly_once: Send it as a transaction of one, with a token, which can always be repeated. That costs twice
                the write units, and nothing can be returned.

        Returns:
            The attributes that :meth:`returning` asked for, as Python values; ``None`` when there are none.

        Raises:
            ConditionFailed: the condition was false; ``.item`` is the stored item, ``.explain()`` says why.
            RequestUnfinished: no final answer came; ``.outcome_unknown`` tells whether it may have been carried out.
                To send it again is then to do it again, also with ``exactly_once``: read the item first.
            BuildError: when the request breaks a rule; nothing was sent.

        Example:
            ``table.update(key).add(views=1).returning("UPDATED_NEW").send(client)`` is ``{"views": 8}``.

        See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html
        """
        return carry_out(client, converse_write(self, Patience(time_left, max_attempts), exactly_once=exactly_once))

    def _in_slot(self, slot: str, condition: Condition) -> Self:
        """``named``, ``when`` and ``return_old_on_failure`` with one copy, not three; it replaces the condition."""
        copy = self._copy()
        copy._slot = slot
        copy._condition = condition
        copy._return_old = True
        return copy

    def _guard(self, condition: Condition) -> Self:
        copy = self._copy()
        copy._condition = condition if self._condition is None else And.of(self._condition, condition)
        return copy

    def _make_body(self) -> Body:
        table = self._table
        body = {"TableName": table.name, self._part: self._content}
        # `is`: if_not_exists hands in this very object, and its text was rendered once, for the whole table.
        if self._condition is table.key_schema.absent and table._plain_guard and not self._always_rendered:
            body["ConditionExpression"] = table._plain_guard
        elif self._condition is not None or self._always_rendered:
            self._render_into(body)
        if self._return_old:
            body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return body

    def _render_into(self, body: Body) -> None:
        placeholders = Placeholders(always=self._table._always_alias)
        try:
            self._fill(body, placeholders)
            if self._condition is not None:
                body["ConditionExpression"] = render(self._condition, placeholders)
        except BuildError as error:
            raise error.within(self._place) from None
        placeholders.into(body)

    def _fill(self, body: Body, placeholders: Placeholders) -> None:
        """Add the expression that stands before the condition, if there is one."""

    def _check_content(self) -> None:
        """Refuse content that is sound in itself but does not fit this action."""
        raise NotImplementedError

    def _make_type_error(self, content: object) -> BuildError:
        raise NotImplementedError


class Put(WriteAction):
    """A write of a whole item. Made by :meth:`Table.put`."""

    __slots__ = ()

    operation = "Put"
    _part = "Item"

    if TYPE_CHECKING:  # here and below: each request has a TypedDict of its own, but one method makes them all

        def to_request(self) -> PutItemInputTypeDef:
            """The arguments of the client call."""

    @property
    def item(self) -> TypedItem:
        """The item as AttributeValues: a copy."""
        return copy_item(self._content)

    @property
    def key(self) -> TypedItem:
        """The key attributes of the item, as AttributeValues: a copy."""
        return copy_item({name: self._content[name] for name in self._table.key_schema.types})

    def _check_content(self) -> None:  # called only for an item that is too large
        raise BuildError(
            f"an item of {self._content_size} bytes, {MAX_ITEM_BYTES} are allowed",
            rule="item-size",
            fix="keep large values elsewhere (such as S3), or split the item",
        )

    def _make_type_error(self, content: object) -> BuildError:
        return BuildError(
            f"an item is a mapping, not a {type(content).__name__}",
            rule="item-type",
            fix="pass a dictionary of attribute names to values",
        )


class KeyedAction(WriteAction):
    """A write that addresses its item by key."""

    __slots__ = ()

    @property
    def key(self) -> TypedItem:
        """The key, as AttributeValues: a copy."""
        return copy_item(self._content)

    def _check_content(self) -> None:
        refuse_others(self._table.key_schema, self._content)

    def _make_type_error(self, content: object) -> BuildError:
        return make_type_error(self._table.key_schema, content)


class Update(KeyedAction):
    """A change of attributes of one item. Made by :meth:`Table.update`."""

    __slots__ = ()

    operation = "Update"
    _always_rendered = True
    _returnable = ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")

    if TYPE_CHECKING:

        def to_request(self) -> UpdateItemInputTypeDef:
            """The arguments of the client call."""

    @property
    def actions(self) -> tuple[UpdateAction, ...]:
        """The actions of the update, in the order given."""
        return self._actions

    @property
    def size(self) -> int:
        """Bytes of the key and the new values: the item itself may be larger."""
        given = [action.value.size for action in self._actions if isinstance(action.value, Literal)]
        return self._content_size + sum(given)

    def set(self, /, *values: object, **attributes: object) -> Self:
        """Set attributes: ``set(email=new, version=Attr("version") + 1)`` renders ``SET email = :v0, version = …``.

        Args:
            values: Mappings of names or paths to values, or ``(path, value)`` pairs.
            attributes: Names and values. A value may be computed: ``Attr("n") + 1``,
                ``Attr("roles").append(["admin"])``, ``Attr("views").if_not_exists(0) + 1``. A path goes through maps
                that exist already: DynamoDB creates only the last step.

        Raises:
            BuildError: for a key attribute, a value that cannot be stored, or paths that overlap.
        """
        return self._extend("set", lambda: set_actions(read_targets(values, attributes, "set")))

    def remove(self, *paths: Target) -> Self:
        """Remove attributes, map entries or list elements: ``remove("pending", Attr("tags")[2])``."""
        return self._extend("remove", lambda: remove_actions(paths))

    def add(self, /, *values: object, **attributes: object) -> Self:
        """Add to a number (from 0 when missing) or a set (created when missing): ``add(logins=1, tags={"beta"})``."""
        return self._extend("add", lambda: add_actions("ADD", read_targets(values, attributes, "add")))

    def delete(self, /, *values: object, **attributes: object) -> Self:
        """Remove elements from a set: ``delete(tags={"beta"})``. With its last element the attribute disappears."""
        return self._extend("delete", lambda: add_actions("DELETE", read_targets(values, attributes, "delete")))

    def apply(self, actions: Iterable[UpdateAction]) -> Self:
        """Add actions that ``parse_update`` has read: ``apply(parse_update("SET version = version + 1"))``."""
        return self._extend("apply", lambda: check_actions(actions))

    def _extend(self, method: str, make: Callable[[], list[UpdateAction]]) -> Self:
        try:
            more = make()
            for action in more:
                self._refuse_key(action.path)
            check_update(self._table.key_schema, self._table._index_checks, more)
            copy = self._copy()
            copy._actions = join_actions(self._actions, more)
        except BuildError as error:
            raise error.within(f"{self._place}, {method}") from None
        return copy

    def _refuse_size(self) -> None:
        """Refuse values that no item can hold; those that DELETE removes from a set do not count."""
        stored = (action for action in self._actions if action.keyword != "DELETE")
        size = self._replace(_actions=tuple(stored)).size
        if size > MAX_ITEM_BYTES:
            raise BuildError(
                f"an update to an item of {size} bytes, {MAX_ITEM_BYTES} are allowed",
                rule="item-size",
                place="UpdateExpression",
                fix="keep large values elsewhere (such as S3), or split the item",
            )

    def _refuse_key(self, path: Path) -> None:
        if path.segments[0] in self._table.key_schema.types:
            raise BuildError(
                f"{write_path(path.segments)} is part of the key, which an update cannot change",
                rule="update-key",
                fix="put a new item and delete the old one, in one transaction",
            )

    def _fill(self, body: Body, placeholders: Placeholders) -> None:
        if self.size > MAX_ITEM_BYTES:  # with what DELETE removes: the quick look before the exact one
            self._refuse_size()
        body["UpdateExpression"] = render_update(self._actions, placeholders)


class Delete(KeyedAction):
    """A removal of one item. Made by :meth:`Table.delete`."""

    __slots__ = ()

    operation = "Delete"

    if TYPE_CHECKING:

        def to_request(self) -> DeleteItemInputTypeDef:
            """The arguments of the client call."""


class Check(KeyedAction):
    """A test of a condition on one item, for transactions only. Made by :meth:`Table.check`."""

    __slots__ = ()

    operation = "ConditionCheck"
    _returnable = ()

    if TYPE_CHECKING:

        def to_request(self) -> NoReturn:
            """Always refused: there is no single-item call for a check."""

    def _make_request(self) -> NoReturn:
        raise BuildError(
            "a check is only part of a transaction",
            rule="check-alone",
            place=self._place,
            fix="put it into a TransactWrite",
        )

    def _make_body(self) -> Body:
        if self._condition is None:
            raise BuildError(
                "a check without a condition",
                rule="check-condition",
                place=self._place,
                fix="add when(…), if_exists() or if_not_exists()",
            )
        return super()._make_body()
