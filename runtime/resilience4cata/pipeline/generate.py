"""The quick way: one flat function for a call's way through all its layers.

It runs what happens to nearly every call, and hands everything else to the layers in `slow`: before the function runs,
where one of them cannot let the call pass at once, and after it has run, where one of them may want to act on how it
ended. They go on from there (`HeadStart`), so that what waits, refuses, retries and falls back is written once.

Code is made from text once for each shape (parameters, layers, and what matters of their settings), and then only
copied with other constants: the machines, the function, and what lets a call go on. It has no free variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final

from ..signature import ANY, arguments_text, parameter_names, signature_text
from .flat import PREFIX, flat_form
from .instances import Surroundings
from .slow import Layer

_FILE: Final = "<guarded by resilience4cata>"


def quick_code(
    like: Callable[..., Any],
    function: Callable[..., Any],
    layers: Sequence[Layer],
    go_on: Callable[..., Any],
    around: Surroundings,
    *,
    is_coroutine: bool,
) -> CodeType | None:
    """Code with the parameters of `like` that runs `function` within the layers; None where they have no quick form.

    `go_on(head_start, *args, **kwargs)` lets the layers themselves run the call, from the head start on or, with None,
    from the beginning. With `is_coroutine` both are coroutine functions, and so is the code.
    """
    form = flat_form(layers, around, is_coroutine=is_coroutine)
    if form is None:
        return None
    plain = like if type(like) is FunctionType else None
    signature = arguments = None
    if plain is not None:
        if any(name.startswith(PREFIX) for name in parameter_names(plain.__code__)):
            return None
        signature, arguments = signature_text(plain.__code__), arguments_text(plain.__code__)
    template = _template(form.text, signature or ANY, arguments or ANY)
    live = {**form.constants, "function": function, "go_on": go_on}
    constants = tuple(live[value.decode()] if type(value) is bytes else value for value in template.co_consts)
    if plain is None:
        return template.replace(co_consts=constants)
    return template.replace(co_consts=constants, co_name=plain.__name__, co_qualname=plain.__qualname__)


@lru_cache(maxsize=1024)
def _template(text: str, signature: str, arguments: str) -> CodeType:
    # What stands after $ is a constant that is put in later: until then its name, as bytes. The condition, which the
    # compiler removes, hides from it that a constant is called, which it would warn of.
    source = re.sub(r"\$(\w+)", r"(b'\1' if True else 0)", text)
    source = source.replace("@signature", signature).replace("@arguments", arguments)
    namespace: dict[str, Any] = {}
    exec(compile(source, _FILE, "exec"), namespace)
    code: CodeType = namespace["call"].__code__
    return code
