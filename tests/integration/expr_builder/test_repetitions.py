"""What may be repeated after a lost answer gives, on a real engine, the same item and the same answer again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from expr_builder import Attr, Table, from_item
from expr_builder.expressions.paths import find_clashing
from expr_builder.expressions.updates import add_actions, remove_actions, set_actions
from expr_builder.requests.single_write import _is_repeatable
from expr_builder.requests.writes import Put
from tests.support.engine_differences import engine_errs, engine_refuses
from tests.support.trees import conditions, items
from tests.support.update_trees import updates

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.writes import WriteAction

TABLE = Table("engine", "PK", "SK")  # as engine_table is called
KEY = {"PK": "repetitions", "SK": "1"}
_bounded = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


n, m, o, row, box, tags = (Attr(name) for name in ("n", "m", "o", "row", "box", "tags"))
ACTIONS = [
    *set_actions([(n, 1), (n, n + 1), (n, m), (m, n), (m, o.if_not_exists(0)), (n, n.if_not_exists(5)), (m, n + m)]),
    *set_actions([(o, o.if_not_exists(n)), (o, m + 1), (o, row.append([1])), (o, Attr("PK").if_not_exists("none"))]),
    *set_actions([(row, row.append([1])), (row[0], n), (row[9], 1), (n, row[0])]),
    *set_actions([(box["k"], box["k"] + 1), (box["x"], n), (box, tags)]),
    *remove_actions([n, m, row[0], box["k"], tags]),
    *add_actions("ADD", [(n, 1), (o, 1), (tags, {"b"}), (o, {"a"}), (row[9], {"a"})]),
    *add_actions("DELETE", [(tags, {"a"}), (tags, {"b", "c"})]),
]
FITTING = {"n": 1, "m": 2, "row": [1, 2], "box": {"k": 1}, "tags": {"a", "b"}}


@st.composite
def _counting(draw: st.DrawFn) -> tuple[dict[str, Any], WriteAction]:
    """An update that reads, counts and copies attributes, most of which have the type that it takes."""
    missing = draw(st.sampled_from(["", "", "", *FITTING]))
    chosen: list[UpdateAction] = []
    for action in draw(st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=3)):
        if find_clashing([one.path.segments for one in (*chosen, action)]) is None:
            chosen.append(action)
    write = TABLE.update(KEY).apply(chosen)
    guard = draw(st.sampled_from([None, None, n == 1, o.not_exists(), m.exists()]))
    return {name: value for name, value in FITTING.items() if name != missing}, write if guard is None else write.when(
        guard
    )


@st.composite
def _any_write(draw: st.DrawFn) -> tuple[dict[str, Any] | None, WriteAction]:
    before = draw(st.none() | items())
    known = [] if before is None else [before]
    kind = draw(st.sampled_from(["update", "put", "delete"]))
    write: WriteAction = TABLE.delete(KEY)
    if kind == "update":
        write = TABLE.update(KEY).apply(draw(updates()))
    elif kind == "put":
        after = draw(items())
        known.append(after)
        write = TABLE.put({**after, **KEY})
    return before, write.when(draw(conditions(known))) if draw(st.booleans()) else write


@st.composite
def _cases(draw: st.DrawFn) -> tuple[dict[str, Any] | None, WriteAction]:
    """What is stored before a write, and the write."""
    before, write = draw(_counting() | _any_write())
    if draw(st.integers(0, 3)) == 0:
        write = write.if_exists()
    new = [values for values in write._returnable if not values.endswith("OLD")]  # the others are never repeated
    return before, write.returning(draw(st.sampled_from([*write._returnable, *new, *new])))


@settings(_bounded, max_examples=200)
@given(case=_cases())
def test_what_may_be_repeated_gives_the_same_item_and_the_same_answer_twice(
    engine_client: DynamoDBClient, engine_table: str, case: tuple[dict[str, Any] | None, WriteAction]
) -> None:
    before, write = case
    if not _is_repeatable(write):
        event("not repeatable")
        return
    if write.condition is not None and write.operation != "Update":
        # Here the condition is judged on what the write itself leaves behind.
        left = write.item if isinstance(write, Put) else {}
        if engine_refuses(write.condition, left) or engine_errs(write.condition, left):
            event("the engine differs")
            return
    if before is None:
        TABLE.delete(KEY).send(engine_client)
    else:
        TABLE.put({**before, **KEY}).send(engine_client)
    try:
        once = _carry_out(engine_client, write)
    except ClientError as error:
        event(error.response["Error"]["Code"])
        return
    event(f"{write.operation} twice, {write._returning}")
    assert _carry_out(engine_client, write) == once


def _carry_out(client: DynamoDBClient, write: WriteAction) -> tuple[Any, Any]:
    """Carry out a write without any repetition: what is returned, and the item then."""
    answer = getattr(client, f"{write.operation.lower()}_item")(**write.to_request())
    return from_item(answer.get("Attributes", {})), TABLE.get(KEY, consistent=True).fetch(client)
