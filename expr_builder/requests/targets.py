"""Which actions of one request are on one item, where a table is named now by its name, now by its ARN.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.Partitions.html
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .action import Action
    from .key_schema import Target


def list_targets(actions: Iterable[Action]) -> list[Target]:
    """List what identifies the item of each action, among the actions of one request.

    A table's plain name and its ARN are one table. Two ARNs are two tables, also with one name; beside both, a plain
    name stands for neither: which one is meant, only the client knows.
    """
    targets = [action._target for action in actions]
    names = {target[0] for target in targets}
    if len(names) == 1:  # as nearly always
        return targets
    known_as = _match_names(names)  # type: ignore[arg-type]  # the first part of a target is always the table's name
    return [(known_as[target[0]], *target[1:]) for target in targets]  # type: ignore[index]


def _match_names(names: Collection[str]) -> dict[str, str]:
    arns: dict[str, list[str]] = {}
    for name in names:
        if name.startswith("arn:"):
            arns.setdefault(name.rpartition("/")[2], []).append(name)
    return {name: arns[name][0] if len(arns.get(name, ())) == 1 else name for name in names}
