"""What template.yaml promises, read from the file itself."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.support.template import functions, template
from tools import stack
from tools.venvs import ENVIRONMENTS, ROOT


def resources_of(kind: str) -> dict[str, Any]:
    return {name: each for name, each in template()["Resources"].items() if each["Type"] == kind}


def in_stage(value: Any, stage: str) -> Any:
    """The value with every ``!If [IsProduction, …]`` decided for a stage."""
    if isinstance(value, dict):
        if list(value) == ["!If"] and value["!If"][0] == "IsProduction":
            return in_stage(value["!If"][1 if stage == "production" else 2], stage)
        return {name: in_stage(each, stage) for name, each in value.items()}
    if isinstance(value, list):
        return [in_stage(each, stage) for each in value]
    return value


def test_cfn_lint_finds_nothing() -> None:
    cfn_lint = str(ENVIRONMENTS["dev"].path / "bin/cfn-lint")

    linted = subprocess.run([cfn_lint, "template.yaml"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (linted.stdout, linted.returncode) == ("", 0)


def test_sam_accepts_it() -> None:
    stack.sam("validate", "--lint", quiet=True)


def test_without_parameters_nobody_is_let_in_and_the_stage_is_production() -> None:
    defaults = {name: parameter["Default"] for name, parameter in template()["Parameters"].items()}

    assert defaults == {
        "Stage": "production",
        "Architecture": "arm64",
        "JwtIssuer": "",
        "JwtAudience": "",
        "JwtJwks": "",
        "JwtJwksUrl": "",
        "AllowedOrigin": "https://app.example.com",
        "DynamoDBEndpoint": "",
        "AlarmTopicArn": "",
        "KmsKeyArn": "",
    }


@pytest.mark.parametrize(
    ("stage", "protected", "policy", "days"), [("production", True, "Retain", 35), ("sandbox", False, "Delete", 1)]
)
def test_the_table_outlives_the_stack_in_production_only(stage: str, protected: bool, policy: str, days: int) -> None:
    table = in_stage(template()["Resources"]["AccountsTable"], stage)

    assert table == {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "Properties": {
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            "DeletionProtectionEnabled": protected,
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days},
            "SSESpecification": {
                "SSEEnabled": True,
                "SSEType": "KMS",
                "KMSMasterKeyId": {"!If": ["HasOwnKey", {"!Ref": "KmsKeyArn"}, {"!Ref": "AWS::NoValue"}]},
            },
        },
    }


def test_functions_get_all_the_variables_that_they_read() -> None:
    common = template()["Globals"]["Function"]["Environment"]["Variables"]
    own = {
        name: properties["Environment"]["Variables"]
        for name, properties in functions().items()
        if "Environment" in properties
    }

    assert common == {
        "TABLE_NAME": {"!Ref": "AccountsTable"},
        "ALLOWED_ORIGIN": {"!Ref": "AllowedOrigin"},
        "AWS_ENDPOINT_URL_DYNAMODB": {"!Ref": "DynamoDBEndpoint"},
        "POWERTOOLS_SERVICE_NAME": "accounts",
        "POWERTOOLS_METRICS_NAMESPACE": "Accounts",
        "POWERTOOLS_LOG_LEVEL": "INFO",
    }
    assert own == {
        "AuthorizeFunction": {
            "JWT_ISSUER": {"!Ref": "JwtIssuer"},
            "JWT_AUDIENCE": {"!Ref": "JwtAudience"},
            "JWT_JWKS": {"!Ref": "JwtJwks"},
            "JWT_JWKS_URL": {"!Ref": "JwtJwksUrl"},
        }
    }


def test_one_parameter_drives_the_architecture_of_functions_layer_and_wheels() -> None:
    layer = template()["Resources"]["AccountsLayer"]

    assert template()["Globals"]["Function"]["Architectures"] == [{"!Ref": "Architecture"}]
    assert layer["Properties"]["CompatibleArchitectures"] == [{"!Ref": "Architecture"}]
    assert layer["Metadata"] == {
        "BuildMethod": "makefile",
        "BuildArchitecture": {"!Ref": "Architecture"},
        "ContextPath": {"!Sub": "layers/accounts/makefiles/${Architecture}"},
    }


def test_every_route_asks_for_a_token_but_the_preflight() -> None:
    auth = template()["Resources"]["AccountsApi"]["Properties"]["Auth"]
    events = [event for properties in functions().values() for event in properties.get("Events", {}).values()]
    exceptions = [event for event in events if "Auth" in event["Properties"]]

    assert (auth["DefaultAuthorizer"], auth["AddDefaultAuthorizerToCorsPreflight"]) == ("Token", False)
    assert exceptions == []


@pytest.mark.parametrize(("stage", "state"), [("production", "ENABLED"), ("sandbox", "DISABLED")])
def test_the_markers_are_audited_every_day_in_production_only(stage: str, state: str) -> None:
    function = in_stage(template()["Resources"]["AuditMarkersFunction"], stage)["Properties"]

    assert function["Events"]["Daily"]["Properties"]["Schedule"] == "rate(1 day)"
    assert function["Events"]["Daily"]["Properties"]["State"] == state
    assert function["EventInvokeConfig"] == {"MaximumRetryAttempts": 0}


def test_one_finding_or_one_failed_audit_raises_the_alarm() -> None:
    alarm = template()["Resources"]["MarkerAlarm"]["Properties"]
    metrics = {each["Id"]: each.get("MetricStat", {}).get("Metric") for each in alarm["Metrics"]}

    assert metrics == {
        "either": None,
        "findings": {
            "Namespace": "Accounts",
            "MetricName": "MarkerFindings",
            "Dimensions": [{"Name": "service", "Value": "accounts"}],
        },
        "errors": {
            "Namespace": "AWS/Lambda",
            "MetricName": "Errors",
            "Dimensions": [{"Name": "FunctionName", "Value": {"!Ref": "AuditMarkersFunction"}}],
        },
    }
    assert (alarm["Threshold"], alarm["EvaluationPeriods"], alarm["TreatMissingData"]) == (1, 1, "notBreaching")


def test_what_api_gateway_answers_by_itself_is_a_problem_too() -> None:
    responses = template()["Resources"]["AccountsApi"]["Properties"]["GatewayResponses"]

    statuses = {name: response.get("StatusCode") for name, response in responses.items()}
    types = {response["ResponseParameters"]["Headers"]["Content-Type"] for response in responses.values()}

    assert statuses == {
        "UNAUTHORIZED": 401,
        "ACCESS_DENIED": 403,
        "MISSING_AUTHENTICATION_TOKEN": 404,
        "RESOURCE_NOT_FOUND": 404,
        "BAD_REQUEST_BODY": 400,
        "BAD_REQUEST_PARAMETERS": 400,
        "THROTTLED": 429,
        "DEFAULT_4XX": None,
        "DEFAULT_5XX": None,
    }
    assert types == {"'application/problem+json'"}


def test_logs_are_kept_for_a_limited_time_and_the_access_log_names_nobody() -> None:
    groups = resources_of("AWS::Logs::LogGroup")
    access_log = template()["Resources"]["AccountsApi"]["Properties"]["AccessLogSetting"]["Format"]

    for group in groups.values():
        assert in_stage(group, "production")["Properties"]["RetentionInDays"] == 90
        assert in_stage(group, "sandbox")["Properties"]["RetentionInDays"] == 7
    for telling in ("$context.path", "$context.identity", "$context.authorizer"):
        assert telling not in access_log
