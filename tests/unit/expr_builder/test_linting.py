"""Lint: each rule for each operation, the order of problems, and whatever JSON there is."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import expr_builder
from expr_builder import Attr, BuildError, Key, Problem, Table, TransactGet, TransactWrite, lint
from expr_builder.linting import OPERATIONS
from expr_builder.rules import RULES
from tests.support.trees import conditions, items, paths, values
from tests.support.update_trees import updates
from tests.unit.expr_builder.rule_cases import (
    CASES,
    KEY,
    OTHER_KEY,
    TABLES,
    Case,
    keyed,
    put,
    query,
    transact,
)

if TYPE_CHECKING:
    from expr_builder import Condition
    from expr_builder.expressions.updates import UpdateAction

ROOT = Path(__file__).parents[3]
LINT_RULES = {rule.id for rule in RULES.values() if rule.operation and not rule.advised}


def case_id(case: Case) -> str:
    return f"{case.operation}-{case.rule}-{case.pointer[:60]}"


@pytest.mark.parametrize("tables", [None, "t", ["t"], Table("t", "PK"), 5])
def test_what_is_no_collection_of_tables_is_refused(tables: Any) -> None:
    with pytest.raises(BuildError) as caught:
        lint({"TableName": "t"}, "Scan", tables)
    assert (caught.value.place, caught.value.message) == ("tables", "tables is a collection of Table")


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_request_that_keeps_the_rule_has_no_problem(case: Case) -> None:
    assert lint(case.good, case.operation, TABLES) == []


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_request_that_breaks_the_rule_has_this_problem_only(case: Case) -> None:
    (problem,) = lint(case.bad, case.operation, TABLES)
    assert problem == Problem(case.pointer, case.rule, case.code, case.message, problem.stage)


def test_every_rule_of_lint_has_a_case_and_every_case_a_rule() -> None:
    assert {case.rule for case in CASES} == LINT_RULES


# --- The function


def test_the_name_lint_is_the_function_whatever_was_imported_before() -> None:
    programs = [
        "import expr_builder.linting; from expr_builder import lint; print(callable(lint))",
        "from expr_builder import lint; import expr_builder.linting as l; print(callable(lint) and lint is not l)",
    ]
    for program in programs:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
        assert done.stdout == "True\n"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("expr_builder.lint")


def test_an_unknown_operation_is_named() -> None:
    with pytest.raises(BuildError) as caught:
        lint({}, operation="PutItems")
    assert caught.value.rule == "operation"
    assert "PutItem" in caught.value.fix


def test_a_problem_is_a_plain_value() -> None:
    problem = lint({"TransactItems": []})[0]
    assert problem.to_dict() == {
        "pointer": "/TransactItems",
        "rule": "transaction-count",
        "code": "ValidationException",
        "message": "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1",
        "stage": "shape",
    }
    assert repr(problem).startswith("Problem('/TransactItems', 'transaction-count', 'ValidationException', ")
    assert {problem, lint({"TransactItems": []})[0]} == {problem}
    assert problem != "problem"
    assert pickle.loads(pickle.dumps(problem)) == copy.copy(problem) == problem


def test_linting_changes_nothing_in_the_request() -> None:
    for case in CASES[::7]:
        before = copy.deepcopy(case.bad)
        lint(case.bad, case.operation, TABLES)
        assert case.bad == before


def test_pointers_escape_what_has_a_meaning_in_them() -> None:
    assert [problem.pointer for problem in lint(put(Item={**KEY, "a/b~c": {}}), "PutItem")] == ["/Item/a~1b~0c"]


def test_a_problem_says_at_which_stage_the_service_finds_it() -> None:
    request = {
        "TransactItems": [
            {
                "Update": keyed(
                    UpdateExpression="SET PK = :a, status = :a",
                    ExpressionAttributeValues={":a": {"NULL": False}},
                    ReturnValues="NONE",
                )
            },
            {"Delete": keyed()},
        ],
        "ClientRequestToken": "",
    }
    assert [(problem.rule, problem.stage) for problem in lint(request, tables=TABLES)] == [
        ("return-values", "client"),
        ("token-length", "shape"),
        ("null-true", "values"),
        ("reserved-word", "expressions"),
        ("transaction-same-item", "table"),
        ("update-key", "table"),
    ]


# --- Many problems at once, the first of them first


def test_twelve_faults_of_one_request_are_twelve_problems_with_their_places() -> None:
    request = {
        "TransactItems": [
            {"Put": {"TableName": "acc ounts", "Item": {**KEY, "tags": {"SS": ["a", "a"]}, "n": {"N": "1e200"}}}},
            {"Put": {"TableName": "t", "Item": OTHER_KEY, "ConditionExpression": "status = :v"}},
            {
                "Update": {
                    "TableName": "accounts",
                    "Key": OTHER_KEY,
                    "UpdateExpression": "SET a = :a, a.b = :a, PK = :a",
                    "ExpressionAttributeValues": {":a": {"S": "x"}, ":unused": {"S": "x"}},
                    "ReturnValues": "ALL_NEW",
                }
            },
            {"Delete": {"TableName": "accounts", "Key": {"PK": {"S": "x"}}, "ConditionExpression": "a = = b"}},
            {"ConditionCheck": {"TableName": "accounts", "Key": OTHER_KEY, "ConditionExpression": "((a = b))"}},
        ],
        "ClientRequestToken": "t" * 37,
    }
    found = [(problem.pointer, problem.rule) for problem in lint(request, tables=TABLES)]
    assert found == [
        ("/TransactItems/2/Update/ReturnValues", "return-values"),
        ("/TransactItems/0/Put/TableName", "table-name"),
        ("/ClientRequestToken", "token-length"),
        ("/TransactItems/0/Put/Item/tags/SS", "set-duplicate"),
        ("/TransactItems/0/Put/Item/n/N", "number-range"),
        ("/TransactItems/1/Put/ConditionExpression", "reserved-word"),
        ("/TransactItems/1/Put/ConditionExpression", "placeholder-undefined"),
        ("/TransactItems/2/Update/UpdateExpression", "update-overlap"),
        ("/TransactItems/2/Update/ExpressionAttributeValues/:unused", "placeholder-unused"),
        ("/TransactItems/3/Delete/ConditionExpression", "syntax"),
        ("/TransactItems/4/ConditionCheck/ConditionExpression", "parentheses"),
        ("/TransactItems/4/ConditionCheck", "transaction-same-item"),
        ("/TransactItems/2/Update/UpdateExpression", "update-key"),
        ("/TransactItems/3/Delete/Key", "key-schema"),
    ]


def rules(request: Any, operation: str = "TransactWriteItems", tables: Any = ()) -> list[str]:
    return [problem.rule for problem in lint(request, operation, tables)]


def test_the_faults_of_one_expression_come_in_the_services_order() -> None:
    text = "a < :flag AND a = a AND size(b) AND foo(c) AND #n = status AND ((b = c)) AND contains(a)"
    condition = put(ConditionExpression=text, ExpressionAttributeValues={":flag": {"BOOL": True}})
    assert rules(condition, "PutItem") == [
        "parentheses",
        "function-name",
        "function-place",
        "reserved-word",
        "operand-type",
        "operand-distinct",
        "placeholder-undefined",
        "function-operands",
    ]
    update = keyed(UpdateExpression="SET a = foo(:w), a.b = status SET b = c ADD c :s, d :s")
    update["ExpressionAttributeValues"] = {":s": {"S": "x"}}
    assert rules(update, "UpdateItem") == [
        "reserved-word",
        "function-name",
        "update-clause",
        "placeholder-undefined",
        "update-overlap",
        "update-operand",
    ]


def test_a_syntax_error_comes_before_what_was_found_on_the_way_to_it() -> None:
    request = put(
        ConditionExpression="status = :a AND #n = = :b", ExpressionAttributeValues={":a": {"S": "x"}, ":b": {}}
    )
    assert rules(request, "PutItem") == ["attribute-value", "syntax", "reserved-word", "placeholder-undefined"]


def test_placeholders_after_a_syntax_error_count_as_used() -> None:
    request = put(ConditionExpression="a = = :a", ExpressionAttributeValues={":a": {"S": "x"}})
    assert rules(request, "PutItem") == ["syntax"]


def test_all_unused_placeholders_are_in_one_message_each_at_its_place() -> None:
    request = put(
        ConditionExpression="a = :a",
        ExpressionAttributeValues={":a": {"S": "x"}, ":b": {"S": "x"}, ":c": {"S": "x"}},
    )
    words = (
        "1 validation error detected: Value provided in ExpressionAttributeValues unused in expressions: keys: {:b, :c}"
    )
    assert [(problem.pointer, problem.message) for problem in lint(request, "PutItem")] == [
        ("/ExpressionAttributeValues/:b", words),
        ("/ExpressionAttributeValues/:c", words),
    ]


def test_a_faulty_value_is_reported_once_and_not_again_where_it_is_used() -> None:
    request = put(
        ConditionExpression="a < :v AND begins_with(:v, :v) AND a BETWEEN :v AND :v AND a IN (:v)",
        ExpressionAttributeValues={":v": {"N": "x"}},
    )
    assert rules(request, "PutItem") == ["number-finite"]


def test_the_first_of_several_deep_steps_is_reported() -> None:
    assert rules(put(ConditionExpression=f"a{'.b' * 40} = c"), "PutItem") == ["path-depth"]


def test_a_missing_expression_is_not_reported_as_unused_placeholders() -> None:
    empty = put(ConditionExpression=" ", ExpressionAttributeValues={":a": {"S": "x"}})
    assert rules(empty, "PutItem") == ["expression-empty"]
    number = put(ConditionExpression=5, ExpressionAttributeNames={"#n": "n"})
    assert rules(number, "PutItem") == ["member-type"]


def test_unusable_maps_do_not_make_their_placeholders_undefined() -> None:
    request = put(ConditionExpression="#n = :v", ExpressionAttributeNames=5, ExpressionAttributeValues=[])
    assert rules(request, "PutItem") == ["member-type", "member-type"]


def test_what_the_service_takes_is_no_problem_although_the_builder_refuses_it() -> None:
    request = put(
        ConditionExpression="size(a) = :s AND :s = :s AND size(b) = size(b) AND size(:s) < c",
        ExpressionAttributeValues={":s": {"S": "x"}},
    )
    assert lint(request, "PutItem") == []


def test_a_function_with_a_fault_of_its_own_is_reported_once() -> None:
    assert rules(put(ConditionExpression="foo(a) = b"), "PutItem") == ["function-name"]
    assert rules(put(ConditionExpression="a = size(b, c)"), "PutItem") == ["function-operands"]
    assert rules(put(ConditionExpression="a = contains(b, c)"), "PutItem") == ["function-place"]


def test_maps_count_as_levels_as_lists_do() -> None:
    deep: Any = {"S": "x"}
    for _ in range(32):
        deep = {"M": {"a": deep}}
    assert lint(put(Item={**KEY, "a": deep}), "PutItem") == []
    assert rules(put(Item={**KEY, "a": {"M": {"a": deep}}}), "PutItem") == ["value-depth"]


def test_entries_that_are_no_objects_are_reported_for_their_shape() -> None:
    assert rules({"RequestItems": {"accounts": ["x", {"DeleteRequest": "x"}]}}, "BatchWriteItem") == ["member-type"] * 2
    assert rules({"RequestItems": {"accounts": "x"}}, "BatchGetItem") == ["member-type"]
    assert rules({"RequestItems": {"accounts": {"Keys": ["x", KEY]}}}, "BatchGetItem") == ["member-type"]
    assert rules({"TransactItems": ["x", {"Put": "x"}]}) == ["member-type"] * 2


def test_null_members_count_as_absent() -> None:
    assert lint(put(ConditionExpression=None, ExpressionAttributeValues=None), "PutItem") == []


def test_binary_values_may_be_bytes_as_a_client_takes_them() -> None:
    request = put(
        Item={**KEY, "b": {"B": b"x"}, "s": {"BS": [b"x", "eA=="]}},
    )
    assert rules(request, "PutItem") == ["set-duplicate"]
    assert lint(put(Item={**KEY, "b": {"B": b"x"}}), "PutItem") == []


# --- Without declared tables


def test_keys_in_the_request_tell_which_attributes_of_a_put_are_its_key() -> None:
    request = {
        "TransactItems": [
            {"Put": put(Item={**KEY, "a": {"S": "x"}})},
            {"Delete": keyed()},
            {"Put": put(Item={"PK": {"S": "x"}})},
        ]
    }
    assert [problem.pointer for problem in lint(request)] == ["/TransactItems/1/Delete"]


def test_without_any_key_two_equal_puts_are_on_one_item() -> None:
    item = {"id": {"N": "1"}, "tags": {"L": [{"S": "x"}]}, "map": {"M": {"a": {"BOOL": True}}}}
    same = {**item, "id": {"N": "1.0"}}
    request = {"TransactItems": [{"Put": put(Item=item)}, {"Put": put(Item=same)}, {"Put": put(Item={})}]}
    assert rules(request) == ["transaction-same-item"]


def test_a_key_alone_shows_what_no_table_has() -> None:
    for key, rule in (
        ({}, "key-schema"),
        ({**KEY, "third": {"S": "x"}}, "key-schema"),
        ({"id": {"BOOL": True}}, "key-type"),
        ({"id": {"B": ""}}, "key-empty"),
        ({"id": {"S": "x" * 2049}}, "key-length"),
        ({"id": {"S": 5}}, "attribute-value"),
    ):
        assert rules(keyed(Key=key), "DeleteItem") == [rule]


def test_either_attribute_of_an_undeclared_key_may_be_the_partition_key() -> None:
    for name in ("PK", "SK"):
        longest, longer = ({**KEY, name: {"S": "x" * size}} for size in (2048, 2049))
        assert lint(keyed(Key=longest), "DeleteItem") == []
        assert rules(keyed(Key=longer), "DeleteItem") == ["key-length"]


def test_each_declared_key_attribute_has_a_limit_of_its_own() -> None:
    longest = {"PK": {"S": "x" * 2048}, "SK": {"S": "x" * 1024}}
    for request, operation in ((keyed(Key=longest), "DeleteItem"), (put(Item=longest), "PutItem")):
        assert lint(request, operation, TABLES) == []
    for name in longest:
        longer = {**longest, name: {"S": longest[name]["S"] + "x"}}
        assert rules(keyed(Key=longer), "DeleteItem", TABLES) == ["key-length"]
        assert rules(put(Item=longer), "PutItem", TABLES) == ["key-length"]


def test_an_update_shows_the_names_of_its_own_key() -> None:
    assert rules(keyed(UpdateExpression="REMOVE PK.a, b"), "UpdateItem") == ["update-key"]
    assert rules({"TableName": "t", "UpdateExpression": "REMOVE PK"}, "UpdateItem") == ["member-missing"]


def test_a_query_of_an_unknown_table_needs_an_equality_and_keeps_its_keys_out_of_the_filter() -> None:
    assert lint(query(), "Query") == []
    assert rules(query(KeyConditionExpression="PK > :pk"), "Query") == ["key-condition"]
    three = query(KeyConditionExpression="a = :pk AND b = :pk AND c = :pk")
    assert rules(three, "Query") == ["key-condition"]
    assert lint({**three, "IndexName": "ByThree"}, "Query") == []
    assert rules(query(FilterExpression="PK = :pk"), "Query") == ["filter-key"]


def test_an_index_of_which_nothing_is_known_is_taken_as_it_is() -> None:
    plain = [Table("accounts", "PK", "SK")]
    request = query(IndexName="ByEmail", KeyConditionExpression="email = :pk", ConsistentRead=True)
    assert lint(request, "Query", plain) == []
    assert rules({**request, "IndexName": 5}, "Query", TABLES) == ["member-type"]


def test_sort_keys_of_an_index_are_used_from_the_left_all_but_the_last_with_an_equality() -> None:
    by_place = expr_builder.Index(["country", "city"], ["street", "house"])
    tables = [Table("accounts", "PK", indexes={"ByPlace": by_place})]

    def found(text: str) -> list[str]:
        request = query(IndexName="ByPlace", KeyConditionExpression=f"country = :pk AND city = :pk{text}")
        return [problem.message for problem in lint(request, "Query", tables)]

    assert found(" AND street = :pk AND house > :pk") == []
    assert found(" AND begins_with(street, :pk)") == []
    gap = (
        "RANGE key attributes street must have equality conditions specified in the query because a condition is "
        "present on key attribute house"
    )
    assert found(" AND house = :pk") == [gap]
    assert found(" AND street > :pk AND house = :pk") == [gap]


def test_a_transaction_of_tables_given_by_name_and_by_arn_knows_them_as_one() -> None:
    arn = "arn:aws:dynamodb:us-east-1:111122223333:table/accounts"
    request = transact("Delete", keyed(TableName=arn, Key={"PK": {"S": "x"}}))
    assert rules(request, tables=TABLES) == ["key-schema"]


# --- What the builder makes is sound

table = TABLES[0]
PK = {"PK": "ACCT#1", "SK": "PROFILE"}
generous = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@generous
@given(conditions(), items())
def test_lint_has_nothing_to_say_about_built_writes(condition: Condition, item: dict[str, Any]) -> None:
    write = table.put({**item, **PK}).when(condition)
    delete = table.delete({**PK, "SK": "OTHER"}).when(condition)
    assert lint(write.to_request(), "PutItem", TABLES) == []
    assert lint(delete.to_request(), "DeleteItem", TABLES) == []
    transaction = TransactWrite(write.return_old_on_failure(), delete, token="t")
    assert lint(transaction.to_request(), "TransactWriteItems", TABLES) == []
    assert lint(json.loads(transaction.to_json()), "TransactWriteItems", TABLES) == []


@generous
@given(updates(), conditions())
def test_lint_has_nothing_to_say_about_built_updates(actions: tuple[UpdateAction, ...], condition: Condition) -> None:
    update = table.update(PK)._replace(_actions=actions).when(condition)
    assert lint(update.to_request(), "UpdateItem", TABLES) == []
    assert lint(TransactWrite(update).to_request(), "TransactWriteItems", TABLES) == []


@generous
@given(paths(), conditions())
def test_lint_has_nothing_to_say_about_built_reads(path: Attr, condition: Condition) -> None:
    get = table.get(PK, project=[path])
    assert lint(get.to_request(), "GetItem", TABLES) == []
    assert lint(TransactGet(get).to_request(), "TransactGetItems", TABLES) == []
    query = table.query(Key("PK").eq("x") & Key("SK").between("a", "b")).filter(condition).project(path)
    assert lint(query.to_request(), "Query", TABLES) == []
    assert lint(table.scan().filter(condition).segment(0, 2).to_request(), "Scan", TABLES) == []


@given(values())
def test_lint_has_nothing_to_say_about_any_value(value: Any) -> None:
    assert lint(table.put({**PK, "value": value}).to_request(), "PutItem", TABLES) == []


def test_lint_has_nothing_to_say_about_built_batches() -> None:
    keys = [{"PK": f"ACCT#{number}", "SK": "PROFILE"} for number in range(130)]
    writes = expr_builder.BatchWrite(*(table.put({**key, "tags": {"a", "b"}}) for key in keys)).to_requests()
    reads = expr_builder.BatchGet(*(table.get(key, project=["PK", "SK", "status"]) for key in keys)).to_requests()
    assert (len(writes), len(reads)) == (6, 2)
    assert [lint(request, "BatchWriteItem", TABLES) for request in writes] == [[]] * 6
    assert [lint(request, "BatchGetItem", TABLES) for request in reads] == [[]] * 2


# --- Whatever JSON there is


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_WORDS = """
    TableName Key Item Keys PK S N B SS NS BS M L BOOL NULL #n :v a.b TransactItems RequestItems Put Update Delete Get
    ConditionCheck PutRequest DeleteRequest ConditionExpression UpdateExpression KeyConditionExpression
    FilterExpression ProjectionExpression ExpressionAttributeNames ExpressionAttributeValues ExclusiveStartKey
    IndexName Limit Select Segment TotalSegments ConsistentRead AttributesToGet Expected KeyConditions
""".split()  # noqa: SIM905
_JSON = st.recursive(
    _SCALARS | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS) | st.text(max_size=3), inner),
    max_leaves=20,
)


@settings(deadline=None)
@given(_JSON, st.sampled_from(OPERATIONS))
def test_any_json_is_a_list_of_problems(request: Any, operation: str) -> None:
    assert_problems(lint(request, operation, TABLES))
    assert_problems(lint(request, operation))


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(CASES), st.data())
def test_any_request_with_a_part_replaced_is_a_list_of_problems(case: Case, data: st.DataObject) -> None:
    request = copy.deepcopy(case.good)
    container, key = data.draw(st.sampled_from(list(parts_of({"": request}))))
    container[key] = data.draw(_JSON)
    assert_problems(lint(request, case.operation, TABLES))
    assert_problems(lint(request, case.operation))


def parts_of(value: Any) -> Any:
    """Every place in a JSON value, as a container and a name or index in it."""
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from parts_of(value[key])


def assert_problems(problems: list[Problem]) -> None:
    for problem in problems:
        assert problem.rule in LINT_RULES
        assert problem.code in ("ValidationException", "SerializationException", "ParamValidationError")
        assert problem.message
        assert problem.pointer == "" or problem.pointer.startswith("/")


def test_nothing_is_too_deep() -> None:
    deep: Any = {"S": "x"}
    for _ in range(5000):
        deep = {"L": [deep]}
    assert rules(put(Item={**KEY, "a": deep}), "PutItem") == ["value-depth"]
    for text in ("(" * 4000 + "a = b", "NOT (" * 800 + "a = b" + ")" * 800, "(" * 2000 + "a = b" + ")" * 2000):
        assert rules(put(ConditionExpression=text), "PutItem")
    assert rules(keyed(UpdateExpression="SET a = " + "list_append(" * 300), "UpdateItem") == ["syntax"]


def test_objects_that_no_json_has_are_problems_too() -> None:
    assert rules({1: 2}, "PutItem") == ["member-type"]
    assert rules(put(Item={**KEY, 5: {"S": "x"}}), "PutItem") == ["member-type"]
    assert rules(put(Item={**KEY, "a": {"L": (object(),)}}), "PutItem") == ["attribute-value"]


# --- From the field


def test_bare_reserved_words_are_found() -> None:
    assert rules(keyed(UpdateExpression="SET #s = state", ExpressionAttributeNames={"#s": "s"}), "UpdateItem") == [
        "reserved-word"
    ]
    values = {":now": {"N": "1"}}
    request = put(ConditionExpression="attribute_not_exists(ttl) or ttl < :now", ExpressionAttributeValues=values)
    assert rules(request, "PutItem") == ["reserved-word"]


def test_a_placeholder_with_a_dash_is_found() -> None:
    request = put(ConditionExpression="attribute_exists(#a-b)", ExpressionAttributeNames={"#a-b": "a-b"})
    assert rules(request, "PutItem") == ["placeholder-syntax", "syntax", "placeholder-undefined"]


def test_a_placeholder_that_is_the_beginning_of_another_is_its_own() -> None:
    text = " OR ".join(f"contains(tags, :v{number})" for number in range(11))
    values = {f":v{number}": {"S": "x"} for number in range(10)}
    (problem,) = lint(put(ConditionExpression=text, ExpressionAttributeValues=values), "PutItem")
    assert problem.message.endswith("not defined; attribute value: :v10")


def test_a_value_that_no_expression_uses_is_found() -> None:
    request = put(
        ConditionExpression="attribute_not_exists(version)", ExpressionAttributeValues={":expected": {"N": "0"}}
    )
    assert rules(request, "PutItem") == ["placeholder-unused"]


def test_an_empty_and_a_repeated_clause_are_found() -> None:
    assert rules(keyed(UpdateExpression="SET REMOVE a"), "UpdateItem") == ["syntax"]
    assert rules(keyed(UpdateExpression="REMOVE l[0] REMOVE p"), "UpdateItem") == ["update-clause"]


def test_only_parentheses_directly_in_parentheses_are_found() -> None:
    assert rules(put(ConditionExpression="x = y AND ((a = b OR c = d))"), "PutItem") == ["parentheses"]
    assert lint(put(ConditionExpression="a = x OR (b = y AND c = z)"), "PutItem") == []


def test_return_values_in_a_transaction_are_found() -> None:
    request = transact("Update", keyed(UpdateExpression="REMOVE a", ReturnValues="ALL_NEW"))
    assert rules(request) == ["return-values"]


def test_two_actions_on_one_item_are_found_however_it_is_written() -> None:
    number = [Table("t", ("id", "N"))]
    request = {
        "TransactItems": [
            {"Put": {"TableName": "t", "Item": {"id": {"N": "1"}}}},
            {"Delete": {"TableName": "arn:aws:dynamodb:eu-west-1:1:table/t", "Key": {"id": {"N": "1.0"}}}},
        ]
    }
    assert rules(request, tables=number) == ["transaction-same-item"]


def test_a_transaction_has_up_to_a_hundred_actions() -> None:
    def deletes(count: int) -> dict[str, Any]:
        return {"TransactItems": [{"Delete": keyed(Key={"id": {"N": str(number)}})} for number in range(count)]}

    assert lint(deletes(26)) == []
    assert lint(deletes(100)) == []
    assert rules(deletes(101)) == ["transaction-count"]
    assert rules(deletes(0)) == ["transaction-count"]


def test_what_emulators_let_pass_is_found() -> None:
    request = {
        "TransactItems": [
            {
                "Update": keyed(
                    UpdateExpression="SET a = :a, b = :b",
                    ConditionExpression="c BETWEEN :five AND :four",
                    ExpressionAttributeValues={
                        ":a": {"NS": ["1", "1.0"]},
                        ":b": {"N": "1" * 39},
                        ":five": {"N": "5"},
                        ":four": {"N": "4"},
                    },
                    ReturnValuesOnConditionCheckFailure="ALL_NEW",
                )
            }
        ],
        "ClientRequestToken": "t" * 37,
    }
    assert rules(request) == ["return-values", "token-length", "set-duplicate", "number-precision", "between-order"]
