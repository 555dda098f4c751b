"""Adds a command to ``expr-builder``, with help in the same form as all others."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_subcommand(commands: Subcommands, name: str, purpose: str, examples: str) -> argparse.ArgumentParser:
    """Add a command whose help states its purpose and ends with examples, printed as they are."""
    return commands.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # An abbreviation would become ambiguous, and break scripts, with the next option that starts with it.
        allow_abbrev=False,
    )
