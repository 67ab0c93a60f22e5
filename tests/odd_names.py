"""Names of what is bound: a variable says what it holds, not what was done to it."""

import ast
from collections.abc import Iterable, Iterator

#: Participles and the like that say nothing of what they hold.
ODD = frozenset(
    "given told made found wish drawn known said kept taken asked seen got shown "
    "written wanted meant held gone put done read".split()
)


def bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Every name that is assigned, looped over or taken as an argument."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname


def is_odd(name: str) -> bool:
    """Whether a name is one of those, with or without a line before it."""
    return name.strip("_") in ODD
