"""The three-put sign-up as each contestant writes it: from plain values to what its client is given.

``sign_up(account_id, email, username, token)`` returns the request. pydynox and dynamoxy serialise values in their
native core while sending, so of them less is measured than of the others. None but ours checks what it builds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr as Boto3Attr
from boto3.dynamodb.conditions import ConditionExpressionBuilder
from boto3.dynamodb.types import TypeSerializer

from expr_builder import Marker, Table, TransactWrite, Unique

if TYPE_CHECKING:
    from collections.abc import Callable

    SignUp = Callable[[str, str, str, str], Any]

TABLE = "accounts"


def by_hand(account_id: str, email: str, username: str, token: str) -> dict[str, Any]:
    """What the others are measured by."""
    guard = "attribute_not_exists(PK)"
    return {
        "TransactItems": [
            {
                "Put": {
                    "TableName": TABLE,
                    "Item": {
                        "PK": {"S": f"ACCT#{account_id}"},
                        "SK": {"S": "PROFILE"},
                        "email": {"S": email},
                        "username": {"S": username},
                    },
                    "ConditionExpression": guard,
                }
            },
            {
                "Put": {
                    "TableName": TABLE,
                    "Item": {"PK": {"S": f"UNIQ#EMAIL#{email}"}, "SK": {"S": "LOCK"}},
                    "ConditionExpression": guard,
                }
            },
            {
                "Put": {
                    "TableName": TABLE,
                    "Item": {"PK": {"S": f"UNIQ#HANDLE#{username}"}, "SK": {"S": "LOCK"}},
                    "ConditionExpression": guard,
                }
            },
        ],
        "ClientRequestToken": token,
    }


def items(account_id: str, email: str, username: str) -> list[dict[str, Any]]:
    """The three items as plain values."""
    return [
        {"PK": f"ACCT#{account_id}", "SK": "PROFILE", "email": email, "username": username},
        {"PK": f"UNIQ#EMAIL#{email}", "SK": "LOCK"},
        {"PK": f"UNIQ#HANDLE#{username}", "SK": "LOCK"},
    ]


def ours_fluent() -> SignUp:
    """Three puts of a table."""
    accounts = Table(TABLE, partition_key="PK", sort_key="SK")

    def sign_up(account_id: str, email: str, username: str, token: str) -> Any:
        record, email_lock, username_lock = items(account_id, email, username)
        return TransactWrite(
            accounts.put(record).if_not_exists().named("account"),
            accounts.put(email_lock).if_not_exists().named("email"),
            accounts.put(username_lock).if_not_exists().named("username"),
            token=token,
        ).to_request()

    return sign_up


def ours_unique() -> SignUp:
    """The same by ``Unique``; its markers carry their owner besides."""
    accounts = Table(TABLE, partition_key="PK", sort_key="SK")
    unique = Unique(accounts, owner="PK", email=Marker("UNIQ#EMAIL#{}"), username=Marker("UNIQ#HANDLE#{}"))

    def sign_up(account_id: str, email: str, username: str, token: str) -> Any:
        record = {"PK": f"ACCT#{account_id}", "SK": "PROFILE", "email": email, "username": username}
        return unique.create(record, token=token).to_request()

    return sign_up


def boto3_pieces() -> SignUp:
    """boto3's serializer and its condition objects."""
    serialize = TypeSerializer().serialize

    def put(item: dict[str, Any]) -> Any:
        condition = ConditionExpressionBuilder().build_expression(Boto3Attr("PK").not_exists())
        return {
            "Put": {
                "TableName": TABLE,
                "Item": {name: serialize(value) for name, value in item.items()},
                "ConditionExpression": condition.condition_expression,
                "ExpressionAttributeNames": condition.attribute_name_placeholders,
            }
        }

    def sign_up(account_id: str, email: str, username: str, token: str) -> Any:
        puts = [put(item) for item in items(account_id, email, username)]
        return {"TransactItems": puts, "ClientRequestToken": token}

    return sign_up


def dynamoxy() -> SignUp:
    """dynamoxy's transaction, up to the call of its native core."""
    from dynamoxy import Client, F, Transaction
    from dynamoxy.transactions import check_token

    client = Client(region="us-east-1")

    def planned(step: Any) -> Any:
        try:
            step.plan().send(None)
        except StopIteration as done:
            return done.value[0]
        raise RuntimeError("a plan does no I/O")

    def sign_up(account_id: str, email: str, username: str, token: str) -> Any:
        transaction = Transaction(client, token=token)
        for item in items(account_id, email, username):
            transaction.put_item(TABLE, item, condition=F("PK").not_exists())
        return {
            "transact_items": [planned(step) for step in transaction._steps],
            "client_request_token": check_token(token),
        }

    return sign_up


class _Recorder:
    """Takes the place of a client, and keeps what it is given."""

    def __init__(self) -> None:
        self.request: Any = None

    def transact_write_items(self, **request: Any) -> None:
        self.request = request

    def sync_transact_write(self, operations: Any, client_request_token: str | None = None) -> None:
        self.request = (operations, client_request_token)


def pydynox() -> SignUp:
    """pydynox's models and its transaction, up to the call of its native core."""
    from pydynox import Model, ModelConfig, SyncTransaction
    from pydynox.attributes import StringAttribute

    recorder = _Recorder()

    class Record(Model):
        model_config = ModelConfig(table=TABLE)
        PK = StringAttribute(partition_key=True)
        SK = StringAttribute(sort_key=True)
        email = StringAttribute()
        username = StringAttribute()

    class Lock(Model):
        model_config = ModelConfig(table=TABLE)
        PK = StringAttribute(partition_key=True)
        SK = StringAttribute(sort_key=True)

    def sign_up(account_id: str, email: str, username: str, token: str) -> Any:
        record, *locks = items(account_id, email, username)
        with SyncTransaction(recorder, client_request_token=token) as transaction:
            transaction.save_model(Record(**record), condition=Record.PK.not_exists())
            for lock in locks:
                transaction.save_model(Lock(**lock), condition=Lock.PK.not_exists())
        return recorder.request

    return sign_up


def pydynantic() -> SignUp:
    """pydynantic's entities and its transaction. It knows no token."""
    from pydynantic import Entity, F, Table, key, transaction

    recorder = _Recorder()
    table = Table(TABLE, client=recorder)
    absent = F("PK").not_exists()

    class Record(Entity, name="record", table=table):  # type: ignore[call-arg]
        account_id: str
        email: str
        username: str

        class Meta:
            primary = key(pk="ACCT#{account_id}", sk="PROFILE")

    class EmailLock(Entity, name="email", table=table):  # type: ignore[call-arg]
        email: str

        class Meta:
            primary = key(pk="UNIQ#EMAIL#{email}", sk="LOCK")

    class UsernameLock(Entity, name="username", table=table):  # type: ignore[call-arg]
        username: str

        class Meta:
            primary = key(pk="UNIQ#HANDLE#{username}", sk="LOCK")

    def sign_up(account_id: str, email: str, username: str, token: str) -> Any:
        with transaction(table) as tx:
            tx.put(Record(account_id=account_id, email=email, username=username), condition=absent)
            tx.put(EmailLock(email=email), condition=absent)
            tx.put(UsernameLock(username=username), condition=absent)
        return recorder.request

    return sign_up


def pynamodb() -> SignUp:
    """PynamoDB's models and its transaction, up to the call of botocore."""
    from pynamodb.attributes import UnicodeAttribute
    from pynamodb.connection import Connection
    from pynamodb.models import Model
    from pynamodb.transactions import TransactWrite as PynamoTransaction

    class Recording(Connection):
        request: Any = None

        def dispatch(self, operation_name: str, operation_kwargs: dict[str, Any]) -> Any:
            self.request = operation_kwargs

    connection = Recording(region="us-east-1")

    class Record(Model):
        class Meta:
            table_name = TABLE
            region = "us-east-1"

        PK = UnicodeAttribute(hash_key=True)
        SK = UnicodeAttribute(range_key=True)
        email = UnicodeAttribute(null=True)
        username = UnicodeAttribute(null=True)

    def sign_up(account_id: str, email: str, username: str, token: str) -> Any:
        with PynamoTransaction(connection=connection, client_request_token=token) as transaction:
            for item in items(account_id, email, username):
                transaction.save(Record(**item), condition=Record.PK.does_not_exist())
        return connection.request

    return sign_up


def contestants() -> dict[str, SignUp]:
    """Everybody, by name."""
    return {
        "by hand": by_hand,
        "ours, fluent": ours_fluent(),
        "ours, Unique.create": ours_unique(),
        "boto3's serializer and conditions": boto3_pieces(),
        "dynamoxy": dynamoxy(),
        "pydynox": pydynox(),
        "pydynantic": pydynantic(),
        "PynamoDB": pynamodb(),
    }
