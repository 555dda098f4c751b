"""``expr-builder lint``: lists what DynamoDB would refuse in a request."""

from __future__ import annotations

import json
import sys

from expr_builder.linting import lint
from expr_builder.linting.operation_guess import list_operations, name_choices

from .documents import CommandError, name_file, read_document
from .terminal import Paint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from expr_builder.linting import Problem


def run_lint(arguments: Namespace) -> int:
    """Carry out ``expr-builder lint``: exit status 1 when there are problems. Advice is none."""
    name = name_file(arguments.file)
    request = read_document(arguments.file)
    operation = arguments.operation or find_operation(request, name)
    found = lint(request, operation, arguments.table, advice=arguments.advice)
    refused = any(problem.stage != "advice" for problem in found)
    if arguments.format == "json":
        text = json.dumps([problem.to_dict() for problem in found], indent=2, ensure_ascii=False)
    else:
        lines = format_problems(name, found, Paint(sys.stdout))
        text = "\n".join(lines if refused else [*lines, f"{name}: no problems"])
    sys.stdout.write(f"{text}\n")
    return 1 if refused else 0


def find_operation(request: object, name: str) -> str:
    """Find out which operation a request is for, or raise CommandError when it could be for several."""
    operations = list_operations(request)
    if len(operations) > 1:
        asked = f"give --operation {name_choices(operations)}"
        raise CommandError(f"{name}: what the request is for cannot be told from its members: {asked}")
    return operations[0]


def format_problems(name: str, problems: Sequence[Problem], paint: Paint) -> list[str]:
    """Write a line for each problem: where, what, and the rule's id."""
    lines = []
    for problem in problems:
        where = paint.bold(problem.pointer or "the whole")  # the root's JSON pointer is empty
        words = problem.message if problem.stage == "advice" else paint.red(problem.message)
        lines.append(f"{name}: {where}: {words} [{problem.rule}, {problem.code}]")
    return lines
