"""The driver for clients whose calls block: a stock ``boto3.client("dynamodb")``."""

from __future__ import annotations

import time

from expr_builder.errors import BuildError

from .conversation import Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from .conversation import Conversation

    T = TypeVar("T")


def carry_out(client: object, conversation: Conversation[T]) -> T:
    """Carry out a conversation with this client until it ends, and return its result.

    Raises:
        BuildError: for a client that belongs to a boto3 resource; nothing was sent.
        RequestError: as the conversation decides.
    """
    refuse_resource(client)  # before the first step, so that nothing was sent
    try:
        step = next(conversation)
        while True:
            if isinstance(step, Wait):
                time.sleep(step.seconds)
                step = next(conversation)
                continue
            try:
                answer = getattr(client, step.method)(**step.request)
            except Exception as error:  # noqa: BLE001  # the conversation decides what it means
                step = conversation.throw(error)
            else:
                step = conversation.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


def refuse_resource(client: object) -> None:
    """Refuse a boto3 resource, or the client of one: it would serialise values that are serialised already.

    See https://docs.aws.amazon.com/boto3/latest/guide/clients.html
    """
    meta = getattr(client, "meta", None)
    emit = getattr(getattr(meta, "events", None), "emit", None)
    is_resource = hasattr(meta, "client")
    if not is_resource and emit is not None:
        # The client of a resource has the same class, but a handler that copies the arguments; a plain client has none.
        answers = emit("provide-client-params.dynamodb.TransactWriteItems", params={}, model=None, context={})
        is_resource = any(getattr(handler, "__name__", "") == "copy_dynamodb_params" for handler, _ in answers)
    if is_resource:
        raise BuildError(
            "this client belongs to a boto3 resource, which would wrap typed values a second time",
            rule="client-resource",
            fix='use boto3.client("dynamodb")',
        )
