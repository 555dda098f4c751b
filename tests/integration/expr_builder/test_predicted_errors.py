"""The service's answer to a request with problems: code, status, words and cancellation reasons."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from expr_builder import BuildError, PredictedError, Problem, lint, predict_error
from tests.unit.expr_builder.rule_cases import CASES, KEY, OTHER_KEY, TABLES, keyed, put, transact

if TYPE_CHECKING:
    from tests.unit.expr_builder.rule_cases import Case

CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons"
NONE = {"Code": "None"}
MISMATCH = "The provided key element does not match the schema"


def predict(request: Any, operation: str | None = None) -> PredictedError | None:
    return predict_error(lint(request, operation, TABLES), request, operation)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.operation}-{case.rule}")
def test_one_problem_is_answered_with_its_own_words(case: Case) -> None:
    assert predict(case.good, case.operation) is None
    answer = predict(case.bad, case.operation)
    if case.code == "ParamValidationError":  # the service ignores what it does not know
        assert answer is None
        return
    assert answer is not None
    assert answer.status == 400
    if answer.reasons:
        assert (answer.code, answer.message) == ("TransactionCanceledException", f"{CANCELLED} [ValidationError]")
        assert answer.reasons == ({"Code": "ValidationError", "Message": case.message},)
    else:
        assert (answer.code, answer.message) == (case.code, case.message)


def test_advice_and_what_only_clients_refuse_is_no_error() -> None:
    advised = {"TransactItems": [{"Delete": keyed()}], "Unknown": 1}
    assert predict(advised) is None
    problems = lint({"TransactItems": [{"Delete": keyed()}]}, advice=True)
    assert problems
    assert predict_error(problems, advised) is None
    assert predict({**put(ReturnValues="ALL"), "Unknown": 1}, "PutItem") == predict(put(ReturnValues="ALL"), "PutItem")


# --- Several members out of bounds


FAULTS = {"ReturnValues": "ALL", "ReturnConsumedCapacity": "SOME", "ReturnItemCollectionMetrics": "ALL"}


def list_constraints(request: Any, operation: str) -> list[str]:
    return [
        problem.message.removeprefix("1 validation error detected: ") for problem in lint(request, operation, TABLES)
    ]


def test_put_item_names_every_bad_value_in_one_sentence() -> None:
    words = list_constraints(put(**FAULTS), "PutItem")
    assert len(words) == 3
    answer = predict(put(**FAULTS), "PutItem")
    assert answer == PredictedError("ValidationException", f"3 validation errors detected: {'; '.join(words)}")


def test_update_item_names_the_first_only() -> None:
    request = keyed(UpdateExpression="REMOVE a", **FAULTS)
    answer = predict(request, "UpdateItem")
    assert answer is not None
    assert answer.message == lint(request, "UpdateItem", TABLES)[0].message
    assert answer.message.startswith("1 validation error detected: Value ")


def test_a_bad_table_name_comes_alone() -> None:
    answer = predict(put(TableName="", ReturnValues="ALL", ReturnConsumedCapacity="SOME"), "PutItem")
    assert answer == PredictedError(
        "ValidationException",
        "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1",
    )


def test_a_wrong_json_type_comes_alone_and_before_everything() -> None:
    answer = predict(put(ConditionExpression=1, ReturnValues="ALL"), "PutItem")
    assert answer is not None
    assert (answer.code, answer.message) == ("SerializationException", "NUMBER_VALUE cannot be converted to String")


def test_faults_behind_the_first_stage_are_not_joined() -> None:
    request = put(ReturnValues="ALL", ConditionExpression="a = :v")
    answer = predict(request, "PutItem")
    assert answer is not None
    assert answer.message == lint(request, "PutItem", TABLES)[0].message
    assert "ReturnValues" not in answer.message.partition("Member")[2]


# --- Transactions


GOOD = {"Put": put(Item=OTHER_KEY)}
INCOMPLETE = {"Update": keyed(Key={"PK": KEY["PK"]}, UpdateExpression="REMOVE a")}


def test_a_missing_key_attribute_cancels_the_transaction_at_the_first_failing_action() -> None:
    request = {"TransactItems": [GOOD, INCOMPLETE, {"Delete": keyed(Key={"PK": {"S": "3"}})}]}
    answer = predict(request)
    assert answer == PredictedError(
        "TransactionCanceledException",
        f"{CANCELLED} [None, ValidationError, None]",
        [NONE, {"Code": "ValidationError", "Message": MISMATCH}, NONE],
    )


def test_reading_is_cancelled_likewise() -> None:
    answer = predict({"TransactItems": [{"Get": keyed(Key={"PK": {"N": "1"}, "SK": {"S": "a"}})}]})
    assert answer is not None
    assert (answer.code, answer.reasons) == (
        "TransactionCanceledException",
        ({"Code": "ValidationError", "Message": MISMATCH},),
    )


@pytest.mark.parametrize(
    "action",
    [
        {"Put": put(Item={**KEY, "PK": {"S": ""}})},
        {"Delete": keyed(Key={**KEY, "SK": {"S": ""}})},
        {"Put": put(Item={**KEY, "a": {"S": "x" * 410_000}})},
        {"Put": put(Item=OTHER_KEY)},  # the item of another action
        {"Put": put(ConditionExpression="a =")},
        {"Put": put(Item={**KEY, "a": {"SS": []}})},
    ],
    ids=["empty key", "empty sort key", "too large a put", "one item twice", "syntax", "empty set"],
)
def test_what_needs_no_action_to_be_tried_is_answered_plainly(action: Any) -> None:
    request = {"TransactItems": [GOOD, action]}
    answer = predict(request)
    (problem,) = lint(request, tables=TABLES)
    assert answer == PredictedError("ValidationException", problem.message)


def test_an_update_that_is_too_large_is_the_reason_of_its_action() -> None:
    values = {":a": {"S": "x" * 410_000}}
    request = {
        "TransactItems": [GOOD, {"Update": keyed(UpdateExpression="SET a = :a", ExpressionAttributeValues=values)}]
    }
    answer = predict(request)
    assert answer is not None
    message = "Item size to update has exceeded the maximum allowed size"
    assert answer.reasons == (NONE, {"Code": "ValidationError", "Message": message})


# --- The value


def test_the_answer_is_what_a_client_raises() -> None:
    answer = predict({"TransactItems": [GOOD, INCOMPLETE]})
    assert answer is not None
    error = ClientError(answer.to_response(), "TransactWriteItems")  # type: ignore[arg-type]
    assert error.response["Error"]["Code"] == "TransactionCanceledException"
    assert error.response["CancellationReasons"] == list(answer.reasons)
    assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.parametrize(
    ("request_", "operation", "body"),
    [
        (
            {"TransactItems": [GOOD, INCOMPLETE]},
            "TransactWriteItems",
            {
                "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
                "Message": f"{CANCELLED} [None, ValidationError]",
                "CancellationReasons": [NONE, {"Code": "ValidationError", "Message": MISMATCH}],
            },
        ),
        (
            [],
            "GetItem",
            {
                "__type": "com.amazon.coral.service#SerializationException",
                "Message": "Start of list found where not expected",
            },
        ),
        (
            keyed(Key={"PK": KEY["PK"]}),
            "GetItem",
            {"__type": "com.amazon.coral.validate#ValidationException", "message": MISMATCH},
        ),
    ],
)
def test_the_body_is_that_of_the_http_answer(request_: Any, operation: str, body: dict[str, Any]) -> None:
    answer = predict(request_, operation)
    assert answer is not None
    assert answer.to_body() == body
    assert json.loads(json.dumps(answer.to_body())) == body


def test_an_answer_is_a_plain_value_and_hands_out_copies() -> None:
    answer = predict({"TransactItems": [GOOD, INCOMPLETE]})
    assert answer is not None
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert len({answer, pickle.loads(pickle.dumps(answer))}) == 1
    assert answer != "answer"
    assert repr(answer).startswith("PredictedError('TransactionCanceledException', 'Transaction cancelled")
    assert repr(PredictedError("ValidationException", "x")) == "PredictedError('ValidationException', 'x')"
    answer.to_response()["CancellationReasons"][0]["Code"] = "changed"
    answer.to_body()["CancellationReasons"][0]["Code"] = "changed"
    assert answer.reasons[0] == NONE


def test_without_an_operation_the_request_has_to_tell() -> None:
    request = {"TransactItems": [GOOD, INCOMPLETE]}
    problems = lint(request, tables=TABLES)
    assert predict_error(problems, request) == predict_error(problems, request, "TransactWriteItems")
    with pytest.raises(BuildError, match="cannot be told"):
        predict_error([Problem("", "member-type", "SerializationException", "x", "shape")], [])


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(CASES), st.sampled_from(CASES))
def test_there_is_an_answer_exactly_when_the_service_finds_a_problem(case: Case, other: Case) -> None:
    both = isinstance(case.bad, dict) and isinstance(other.bad, dict)
    request = {**case.bad, **other.bad} if both else case.bad
    problems = lint(request, case.operation, TABLES)
    answer = predict_error(problems, request, case.operation)
    assert (answer is None) == all(problem.stage == "client" for problem in problems)
    if answer is not None:
        assert answer.to_body()["__type"].endswith(f"#{answer.code}")
        assert not answer.reasons or len(answer.reasons) == len(request["TransactItems"])


def test_a_transaction_has_a_reason_for_each_action() -> None:
    request = transact("Update", INCOMPLETE["Update"])
    request["TransactItems"] = [GOOD] + request["TransactItems"]
    answer = predict(request)
    assert answer is not None
    assert len(answer.reasons) == 2
