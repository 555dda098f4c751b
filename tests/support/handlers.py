"""The real Lambda handlers, loaded in this process."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.support.template import function_folder, function_seconds

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Context", "app_module", "call"]


@dataclass
class Context:
    """What Lambda tells a function about its invocation."""

    seconds: float = 15
    function_name: str = "accounts"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:accounts"
    aws_request_id: str = "c6af9ac6-7b61-11e6-9a41-93e8deadbeef"

    def get_remaining_time_in_millis(self) -> int:
        return int(self.seconds * 1000)


@cache
def app_module(logical_id: str) -> ModuleType:
    """The ``app.py`` of a function, found through the template. Its own folder is importable, as on Lambda."""
    folder = function_folder(logical_id)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location(f"{folder.name}_app", folder / "app.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"no app.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(logical_id: str, event: dict[str, Any], context: Context | None = None) -> Any:
    """Invoke a function by its logical id, with all the time that the template gives it unless a context says less."""
    return app_module(logical_id).handler(event, context or Context(function_seconds(logical_id)))
