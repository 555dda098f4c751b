"""What a cold start loads: processes of their own on what ``sam build`` made, byte code included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.rows import Row
from bench.timing import cold
from tools.local_cloud import REGION
from tools.venvs import ENVIRONMENTS

if TYPE_CHECKING:
    from pathlib import Path

PART = "import"
FUNCTIONS = {
    "signup": "SignupFunction",
    "get_account": "GetAccountFunction",
    "change_email": "ChangeEmailFunction",
    "delete_account": "DeleteAccountFunction",
    "authorize": "AuthorizeFunction",
}

_CLIENT = "import boto3; boto3.client('dynamodb')"
_GUARDED_PUT = "from expr_builder import Marker, Table, TransactWrite, Unique"
_USUAL = """
import boto3
from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from pydantic import BaseModel, EmailStr
class SignUp(BaseModel):
    email: EmailStr
    username: str
app = APIGatewayRestResolver(enable_validation=True)
@app.post("/accounts")
def sign_up(body: SignUp) -> dict[str, str]:
    return {}
boto3.client("dynamodb")
"""


def rows(build: Path, *, rounds: int) -> list[Row]:
    """The functions against a bare boto3 client, the library against a bare interpreter.

    A function makes its client while it starts, so that is part of its figure as of the rival's.
    """
    layer = build / "AccountsLayer/python"
    codes = {
        "bare": "pass",
        "boto3": _CLIENT,
        "usual": _USUAL,
        "library": "import expr_builder",
        "guarded put": _GUARDED_PUT,
        "typed": "import expr_builder.typed",
        "pydantic": "from pydantic import BaseModel, TypeAdapter",
        **dict.fromkeys(FUNCTIONS, "import app"),
    }
    python = str(ENVIRONMENTS["bench"].interpreter)
    starts = cold(
        {name: [python, "-c", code] for name, code in codes.items()},
        {name: _environment(layer, build, name) for name in codes},
        rounds=rounds,
        folder=build,
    )
    boto3 = starts["boto3"]
    milliseconds = {name: start.milliseconds for name, start in starts.items()}
    bare = milliseconds["bare"]
    return [
        *(
            Row(PART, what, max(0.0, milliseconds[name] - bare), None, "over a bare interpreter", "ms", most=12)
            for what, name in (
                ("import expr_builder", "library"),
                ("import expr_builder and all of a guarded transaction", "guarded put"),
            )
        ),
        Row(PART, "import expr_builder.typed", milliseconds["typed"], milliseconds["pydantic"], "pydantic alone", "ms"),
        *(
            Row(PART, f"cold {name}", milliseconds[name], boto3.milliseconds, "boto3 client alone", "ms", most=most)
            for name, most in {**dict.fromkeys(FUNCTIONS, 1.35), "authorize": None}.items()
        ),
        Row(PART, "cold signup", milliseconds["signup"], milliseconds["usual"], "the usual stack", "ms"),
        Row(PART, "memory at rest, signup", starts["signup"].megabytes, boto3.megabytes, "boto3 client alone", "MB"),
        Row(PART, "layer without byte code", _megabytes(layer), None, "", "MB", most=13),
    ]


def _environment(layer: Path, build: Path, name: str) -> dict[str, str]:
    """What Lambda would set, with no word of the machine's own AWS settings."""
    function = [str(build / FUNCTIONS[name])] if name in FUNCTIONS else []
    return {
        "PYTHONPATH": ":".join([*function, str(layer)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "TABLE_NAME": "accounts",
        "POWERTOOLS_SERVICE_NAME": "accounts",
        "POWERTOOLS_METRICS_NAMESPACE": "Accounts",
        **({"AWS_LAMBDA_FUNCTION_NAME": name} if function else {}),
    }


def _megabytes(layer: Path) -> float:
    files = (path for path in layer.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in files) / 1e6
