"""Reads by a string, off the source: a result should have attributes instead."""

import ast
import re
from collections.abc import Iterator

#: Outside of the product: nobody can give these attributes.
_GIVEN = {"Literal", "os.environ", "sys.modules", "st.query_params", "st.secrets"}
#: Types whose parts have names of their own: variables of labelled tables and arrays,
#: which stages hand on by design (rule 2 of ARCHITECTURE.md), and groups of a pattern.
_LABELLED = re.compile(
    r"\b(xr\.\w|pd\.\w|np\.ndarray|jax\.Array|re\.Match|Params|Draws)"
)
#: Calls of the house that open such a table.
_OPENING = {"open_dataset", "result_dataset"}
_Functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def reads_by_string(tree: ast.AST) -> int:
    """How often a string in brackets or in `get` reads what may be a result.

    Columns of tables count where the function does not say, by an annotation or by how
    a name was made, that they are; so do attributes of tables (`attrs`) and keys of
    files, since the source does not tell them from results.
    """
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    returning = {node.name for node in functions if is_labelled(node.returns)}
    return sum(1 for _ in _reads(tree, frozenset(), returning | _OPENING))


def is_labelled(annotation: ast.expr | None) -> bool:
    """Whether an annotation names a labelled table or array."""
    return annotation is not None and bool(_LABELLED.search(ast.unparse(annotation)))


def _reads(
    node: ast.AST, tables: frozenset[str], opening: set[str]
) -> Iterator[ast.expr]:
    if isinstance(node, _Functions):
        tables = _tables_of(node, tables, opening)
    read = _read_by(node)
    if read is not None and not _is_no_result(read, tables, opening):
        yield read
    for part in ast.iter_child_nodes(node):
        yield from _reads(part, tables, opening)


def _read_by(node: ast.AST) -> ast.expr | None:
    """What a string picks from; None where the node is no such read."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        read, key = node.value, node.slice
    elif isinstance(node, ast.Call) and node.args:
        if getattr(node.func, "attr", "") != "get":
            return None
        read, key = node.func.value, node.args[0]
    else:
        return None
    is_string = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return read if is_string else None


def _is_no_result(read: ast.expr, tables: frozenset[str], opening: set[str]) -> bool:
    name = ast.unparse(read)
    if name in _GIVEN or name.lstrip("_").isupper():
        return True
    if isinstance(read, ast.Attribute) and read.attr in ("sizes", "dims"):
        read = read.value
    return _is_table(read, tables, opening)


def _is_table(made: ast.expr, tables: frozenset[str], opening: set[str]) -> bool:
    """Whether an expression is a table: a name of one, a call that gives one, a cut."""
    if isinstance(made, ast.Name):
        return made.id in tables
    if isinstance(made, ast.Subscript):
        return _is_table(made.value, tables, opening)
    if not isinstance(made, ast.Call):
        return False
    if isinstance(made.func, ast.Name):
        return made.func.id in opening
    if not isinstance(made.func, ast.Attribute):
        return False
    of = made.func.value
    if isinstance(of, ast.Name) and of.id in ("xr", "pd"):
        return True
    if made.func.attr in opening:
        return True
    return made.func.attr not in ("to_dict", "item") and _is_table(of, tables, opening)


def _tables_of(
    function: _Functions, tables: frozenset[str], opening: set[str]
) -> frozenset[str]:
    """Names of a function that are tables, with those of the functions around it."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    found = set(tables) - {each.arg for each in parameters}
    found |= {each.arg for each in parameters if is_labelled(each.annotation)}
    kinds = ast.AnnAssign | ast.Assign
    nodes = [node for node in ast.walk(function) if isinstance(node, kinds)]
    before = -1
    while before != len(found):  # a name may be made of one that stands below it
        before = len(found)
        for node in nodes:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if is_labelled(node.annotation):
                    found.add(node.target.id)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                is_name = isinstance(target, ast.Name)
                if is_name and _is_table(node.value, frozenset(found), opening):
                    found.add(target.id)
    return frozenset(found)
