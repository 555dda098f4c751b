"""Where a function or a route has to appear. Both are read from the template, so one that was added is asked for in
every place, by a sentence that names the file to edit.

The last tests prove the demands themselves, with templates that have something more, or lack something.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.events import expectations, read_event
from tests.support.template import ROOT, Route, Template, actions_of, function_folder, functions, routes, template
from tools import openapi

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    Demand: TypeAlias = Callable[[Template], Iterator[str]]

READ, ADD, CHANGE, REMOVE = (f"dynamodb:{name}Item" for name in ("Get", "Put", "Update", "Delete"))
CHECK = "dynamodb:ConditionCheckItem"
PERMISSIONS = {
    "SignupFunction": {READ, ADD},
    "GetAccountFunction": {READ},
    "ChangeEmailFunction": {READ, ADD, CHANGE, REMOVE, CHECK},
    "ChangeUsernameFunction": {READ, ADD, CHANGE, REMOVE, CHECK},
    "DeleteAccountFunction": {READ, REMOVE, CHECK},
    "AuthorizeFunction": set(),
    "AuditMarkersFunction": {"dynamodb:Scan", "dynamodb:BatchGetItem", READ},
}
"""What each function's own requests need, as IAM names it: it asks for the right to each member of a transaction."""

EXPECTED = expectations()
DEPLOYED_RIGHTS = "tests/deployed/test_least_privilege.py"
HERE = "tests/template/test_functions.py"


def text_of(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def row_of(name: str, table: str) -> str:
    """The row of a Markdown table in which a name stands."""
    return next((line for line in text_of(table).splitlines() if line.startswith("|") and f"`{name}`" in line), "")


def without_route(of: Template) -> set[str]:
    return set(functions(of)) - {route.function for route in routes(of)}


# --- the demands: each yields a sentence for everything that is missing


def demand_code(of: Template) -> Iterator[str]:
    for name in functions(of):
        folder = function_folder(name, of)
        if not (folder / "app.py").is_file():
            yield f"{name} has no code: write {folder.relative_to(ROOT)}/app.py with a handler"


def demand_events(of: Template) -> Iterator[str]:
    add = "add events/<function>-<status>-<what>.json and its entry in events/expectations.json"
    for route in routes(of):
        answered = {EXPECTED[name].status or 0 for name in EXPECTED if leads_to(route, name)}
        for status in sorted(statuses_of(route, of) - answered):
            yield f"{route} ({route.function}) has no event that is answered with {status}: {add}"
        if not any(200 <= status < 300 for status in answered):
            yield f"{route} ({route.function}) has no event that succeeds: {add}"


def leads_to(route: Route, name: str) -> bool:
    event = json.loads(read_event(name)) if EXPECTED[name].function == route.function else {}
    return (event.get("httpMethod"), event.get("resource")) == (route.method, route.path)


def statuses_of(route: Route, of: Template) -> set[int]:
    """What the function itself answers, as openapi.json documents it. 403 and 429 are API Gateway's, and no event makes
    the store fail."""
    auth = of["Resources"]["AccountsApi"]["Properties"]["Auth"]
    statuses = {401} if auth.get("DefaultAuthorizer") else set()
    if operation := openapi.OPERATIONS.get(route.function):
        statuses |= {*operation.success, *operation.problems}
        if operation.headers or operation.body:
            statuses.add(400)
    return statuses


def demand_events_without_http(of: Template) -> Iterator[str]:
    authorizers = of["Resources"]["AccountsApi"]["Properties"]["Auth"]["Authorizers"].values()
    arns = [authorizer["FunctionArn"]["!GetAtt"] for authorizer in authorizers]
    for name in sorted(without_route(of)):
        expected = [one for one in EXPECTED.values() if one.function == name]
        if not any(one.result is not None for one in expected):
            yield f"{name} has no event with a result: add one to events/ and its entry to events/expectations.json"
        if f"{name}.Arn" in arns and not any(one.error for one in expected):
            yield f"{name} has no event that it refuses: add one to events/ and its entry to events/expectations.json"


def demand_alarm(of: Template) -> Iterator[str]:
    alarms = [one["Properties"] for one in of["Resources"].values() if one["Type"] == "AWS::CloudWatch::Alarm"]
    metrics = [metric.get("MetricStat", {}) for alarm in alarms for metric in alarm.get("Metrics", [])]
    errors = [one["Metric"] for one in metrics if one.get("Metric", {}).get("MetricName") == "Errors"]
    watched = [metric["Dimensions"] for metric in errors]
    for name in functions(of):
        if [{"Name": "FunctionName", "Value": {"!Ref": name}}] not in watched:
            yield f"No alarm counts the errors of {name}: add a metric to FunctionErrorAlarm in template.yaml"


def demand_least_privilege(of: Template) -> Iterator[str]:
    for name, properties in functions(of).items():
        if name not in PERMISSIONS:
            yield f"Nobody said what {name} has to do in the table: add it to PERMISSIONS in {HERE}"
            continue
        granted = actions_of(name, of)
        for action in sorted(granted - PERMISSIONS[name]):
            yield f"{name} may do {action} and does not need it: take it from its Policies in template.yaml"
        for action in sorted(PERMISSIONS[name] - granted):
            yield f"{name} needs {action} and may not do it: add it to its Policies in template.yaml"
        for policy in properties.get("Policies", []):
            for statement in policy["Statement"]:
                if (statement["Effect"], statement["Resource"]) != ("Allow", {"!GetAtt": "AccountsTable.Arn"}):
                    yield f"{name} has a statement for more than the table: mend its Policies in template.yaml"


def demand_proof_of_least_privilege(of: Template) -> Iterator[str]:
    proven = text_of(DEPLOYED_RIGHTS)
    for name in {route.function for route in routes(of)}:
        for action in sorted(actions_of(name, of)):
            if f'("{name}", "{action}",' not in proven:
                yield f"No call shows that {name} needs {action}: add one to {DEPLOYED_RIGHTS}"


def demand_imports(of: Template) -> Iterator[str]:
    golden = json.loads(text_of("tests/template/imports.json"))
    for name in functions(of):
        if name not in golden:
            yield (
                f"Nobody knows what {name} loads: write tests/template/imports.json anew "
                "(HOW_TO_WRITE in tests/template/test_imports.py)"
            )


def demand_openapi(of: Template) -> Iterator[str]:
    described = json.loads(text_of("openapi.json"))["paths"]
    for route in routes(of):
        if route.function not in openapi.OPERATIONS:
            yield f"{route.function} is not described: add it to OPERATIONS in tools/openapi.py, then `make openapi`"
        elif route.method.lower() not in described.get(route.path, {}):
            yield f"{route} is not in openapi.json: run `make openapi`"


def demand_preflight(of: Template) -> Iterator[str]:
    allowed = of["Resources"]["AccountsApi"]["Properties"]["Cors"]["AllowMethods"].strip("'").split(",")
    for route in routes(of):
        if route.method not in allowed:
            yield f"No browser may send {route}: add {route.method} to AllowMethods in template.yaml"


def demand_docs_of_functions(of: Template) -> Iterator[str]:
    called = {name: [f"`{route}`" for route in routes(of) if route.function == name] for name in functions(of)}
    for name, wanted in called.items():
        row = row_of(name, "docs/operations.md")
        for text in [f"`{function_folder(name, of).relative_to(ROOT)}`", *wanted]:
            if text not in row:
                yield f'{name} is not documented with {text}: add it to "Functions and routes" in docs/operations.md'


def demand_docs_of_rights(of: Template) -> Iterator[str]:
    for name in functions(of):
        folder = function_folder(name, of).name
        row = row_of(folder, "docs/security.md")
        missing = {action.removeprefix("dynamodb:") for action in actions_of(name, of)} - set(row.split("`"))
        if not row or missing:
            what = ", ".join(sorted(missing)) or "a row of its own"
            yield f'`{folder}` lacks {what}: add it to "What a function may do" in docs/security.md'


DEMANDS = {
    demand_code: "functions/nickname/app.py",
    demand_events: "events/expectations.json",
    demand_events_without_http: "events/expectations.json",
    demand_alarm: "template.yaml",
    demand_least_privilege: HERE,
    demand_proof_of_least_privilege: DEPLOYED_RIGHTS,
    demand_imports: "tests/template/imports.json",
    demand_openapi: "tools/openapi.py",
    demand_preflight: "template.yaml",
    demand_docs_of_functions: "docs/operations.md",
    demand_docs_of_rights: "docs/security.md",
}
"""Each with the file that it names when the function of the last tests, or its route, is missing there."""


@pytest.mark.parametrize("demand", DEMANDS)
def test_every_function_and_route_is_where_it_has_to_be(demand: Demand) -> None:
    assert list(demand(template())) == []


# --- proof: what is added is asked for, what is lost is missed


def with_function(events: dict[str, Any]) -> Template:
    """The template with one more function."""
    changed = deepcopy(template())
    properties = {
        "CodeUri": "functions/nickname/",
        "Policies": [{"Statement": [{"Effect": "Allow", "Action": ["dynamodb:Query"], "Resource": "*"}]}],
        "Events": events,
    }
    changed["Resources"]["NicknameFunction"] = {"Type": "AWS::Serverless::Function", "Properties": properties}
    return changed


def api_event(method: str, path: str) -> dict[str, Any]:
    return {"Type": "Api", "Properties": {"Method": method, "Path": path}}


NICKNAME = {"Api": api_event("PATCH", "/accounts/{account_id}/nickname")}
EVERY_WEEK = {"Weekly": {"Type": "Schedule", "Properties": {"Schedule": "rate(7 days)"}}}


@pytest.mark.parametrize(("demand", "file"), DEMANDS.items())
def test_one_more_function_is_asked_for_in_every_place(demand: Demand, file: str) -> None:
    events = EVERY_WEEK if demand is demand_events_without_http else NICKNAME
    sentences = list(demand(with_function(events)))

    assert sentences
    for sentence in sentences:
        assert "nickname" in sentence.lower()
        assert file in sentence
        assert (ROOT / file).exists() or demand is demand_code


def test_one_more_function_with_a_route_needs_an_event_that_succeeds_and_one_without_a_caller() -> None:
    sentences = list(demand_events(with_function(NICKNAME)))

    assert [sentence.split(":")[0] for sentence in sentences] == [
        "PATCH /accounts/{account_id}/nickname (NicknameFunction) has no event that is answered with 401",
        "PATCH /accounts/{account_id}/nickname (NicknameFunction) has no event that succeeds",
    ]


def test_one_more_route_of_a_known_function_is_asked_for_too() -> None:
    changed = deepcopy(template())
    functions(changed)["GetAccountFunction"]["Events"]["Again"] = api_event("GET", "/people/{account_id}")

    assert [sentence.split(":")[0] for sentence in demand_events(changed)] == [
        f"GET /people/{{account_id}} (GetAccountFunction) has no event that {what}"
        for what in (*(f"is answered with {status}" for status in (200, 304, 400, 401, 404)), "succeeds")
    ]
    assert list(demand_openapi(changed)) == ["GET /people/{account_id} is not in openapi.json: run `make openapi`"]
    assert ["`GET /people/{account_id}`" in sentence for sentence in demand_docs_of_functions(changed)] == [True]


def test_a_function_that_is_wired_to_the_route_of_another_is_noticed_by_the_events_of_both() -> None:
    changed = deepcopy(template())
    reading, deleting = (functions(changed)[f"{name}AccountFunction"]["Events"] for name in ("Get", "Delete"))
    reading["Api"], deleting["Api"] = deleting["Api"], reading["Api"]

    missed = {sentence.partition(" has ")[0] for sentence in demand_events(changed)}

    assert missed == {
        "DELETE /accounts/{account_id} (GetAccountFunction)",
        "GET /accounts/{account_id} (DeleteAccountFunction)",
    }


def test_one_more_function_without_a_route_needs_an_event_with_a_result() -> None:
    (sentence,) = demand_events_without_http(with_function(EVERY_WEEK))

    assert sentence.startswith("NicknameFunction has no event with a result: ")
    assert list(demand_openapi(with_function(EVERY_WEEK))) == []


def test_one_more_authorizer_needs_an_event_that_it_refuses() -> None:
    changed = with_function({})
    auth = changed["Resources"]["AccountsApi"]["Properties"]["Auth"]
    auth["Authorizers"]["Other"] = {"FunctionArn": {"!GetAtt": "NicknameFunction.Arn"}}

    assert ["has no event that it refuses" in sentence for sentence in demand_events_without_http(changed)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([READ, ADD, "dynamodb:Scan"], "SignupFunction may do dynamodb:Scan and does not need it"),
        ([READ], "SignupFunction needs dynamodb:PutItem and may not do it"),
    ],
)
def test_a_right_too_many_or_too_few_is_named(actions: list[str], sentence: str) -> None:
    changed = deepcopy(template())
    functions(changed)["SignupFunction"]["Policies"][0]["Statement"][0]["Action"] = actions

    assert list(demand_least_privilege(changed)) == [
        f"{sentence}: {'take it from' if 'not need' in sentence else 'add it to'} its Policies in template.yaml"
    ]


@pytest.mark.parametrize("wrong", [{"Resource": "*"}, {"Effect": "Deny"}])
def test_a_statement_for_more_than_the_table_is_named(wrong: dict[str, str]) -> None:
    changed = deepcopy(template())
    functions(changed)["SignupFunction"]["Policies"][0]["Statement"][0].update(wrong)

    (sentence,) = demand_least_privilege(changed)

    assert sentence.startswith("SignupFunction has a statement for more than the table: ")


@pytest.mark.parametrize("name", functions())
def test_an_alarm_that_loses_a_function_is_noticed(name: str) -> None:
    changed = deepcopy(template())
    for resource in changed["Resources"].values():
        if resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in resource["Properties"]:
            metrics = resource["Properties"]["Metrics"]
            metrics[:] = [metric for metric in metrics if {"!Ref": name} not in values_in(metric)]

    assert list(demand_alarm(changed)) == [
        f"No alarm counts the errors of {name}: add a metric to FunctionErrorAlarm in template.yaml"
    ]


def values_in(metric: dict[str, Any]) -> list[object]:
    return [one["Value"] for one in metric.get("MetricStat", {}).get("Metric", {}).get("Dimensions", [])]
