"""The API's TOKEN authorizer: admits a request when its bearer token is valid, and tells who is calling."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger

if TYPE_CHECKING:  # by its place in the repository: every function's folder has an app, so none can be on the path
    from functions.authorize.verify import Refused, Verifier
else:  # by its place on Lambda, beside this file
    from verify import Refused, Verifier

logger = Logger()


@cache
def verifier() -> Verifier:
    """Made once for each container, so that fetched keys are kept."""
    return Verifier.from_environment()


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer with a policy that allows the caller the whole API, so that API Gateway may cache it for all routes.

    Raises:
        Exception: with the text ``Unauthorized``, by which API Gateway knows to answer 401.
    """
    try:
        subject = verifier().find_subject(event.get("authorizationToken"))
    except Refused as refusal:
        logger.warning("refused", reason=refusal.reason)
        raise Exception("Unauthorized") from None
    return {
        "principalId": subject,
        "policyDocument": {"Version": "2012-10-17", "Statement": [_allow(event["methodArn"])]},
        "context": {"sub": subject},
    }


def _allow(method_arn: str) -> dict[str, str]:
    api, stage = method_arn.split("/")[:2]
    return {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": f"{api}/{stage}/*"}
