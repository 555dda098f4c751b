"""``expr-builder lint``: lists what DynamoDB would refuse in a request."""

from __future__ import annotations

import json
import sys

from expr_builder.linting import lint

from .documents import name_file, read_document
from .operation_guess import guess_operation
from .terminal import Paint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from expr_builder.linting import Problem


def run_lint(arguments: Namespace) -> int:
    """Carry out ``expr-builder lint``: exit status 1 when there are problems."""
    name = name_file(arguments.file)
    request = read_document(arguments.file)
    problems = lint(request, arguments.operation or guess_operation(request, name), arguments.table)
    if arguments.format == "json":
        text = json.dumps([problem.to_dict() for problem in problems], indent=2, ensure_ascii=False)
    else:
        text = "\n".join(format_problems(name, problems, Paint(sys.stdout)) or [f"{name}: no problems"])
    sys.stdout.write(f"{text}\n")
    return 1 if problems else 0


def format_problems(name: str, problems: Sequence[Problem], paint: Paint) -> list[str]:
    """Write a line for each problem: where, what, and the rule's id."""
    lines = []
    for problem in problems:
        where = paint.bold(problem.pointer or "the whole")  # the root's JSON pointer is empty
        lines.append(f"{name}: {where}: {paint.red(problem.message)} [{problem.rule}, {problem.code}]")
    return lines
