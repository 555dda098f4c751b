"""The examples of those rules that need boto3 or pydantic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest

from tests.support.moto import empty_moto
from tests.support.rule_examples import NEEDS_PACKAGES, assert_examples_hold

if TYPE_CHECKING:
    from expr_builder.rules import Rule


@pytest.mark.parametrize("rule", NEEDS_PACKAGES, ids=repr)
def test_the_failing_line_is_refused_with_this_rule_and_the_other_is_taken(rule: Rule) -> None:
    with empty_moto():
        boto3.client("dynamodb", "us-east-1").create_table(
            TableName="accounts",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            AttributeDefinitions=[
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        assert_examples_hold(rule)
