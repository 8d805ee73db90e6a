"""Nothing imports upward: text, log, folds, corpus, engine, provider, command line; or sideways."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

# From the bottom up. A module may import its own layer and those below it, and any for types only.
LAYERS = [
    {"session_query.errors"},
    {"session_query._diagnostics"},
    {"session_query.cancellation"},
    {"session_query.text"},
    {"session_query.log"},
    {"session_query.live", "session_query.persistence"},
    {"session_query.corpus"},
    {"session_query.query"},
    {"session_query"},
    {"session_query_specs._subjects", "session_query_specs.stores", "session_query_specs.loop"},
    {"session_query_specs.corpora", "session_query_specs.contract"},
    {"session_query_specs.oracle"},
    {"session_query_specs.checks", "session_query_specs.hosts"},
    {"session_query_specs.running"},
    {"session_query_specs.reports", "session_query_specs.mutants"},
    {"session_query_specs.cli", "session_query_specs.pytest_plugin"},
    {"session_query_specs"},
    {"session_query_sqlite", "tool_session_query"},
    {"session_query_sqlite.cli", "tool_session_query.adapters"},
    {
        "acp_snapshot.errors",
        "reference_host._diagnostics",
        "reference_host._prompt",
        "reference_host.errors",
    },
    {"acp_snapshot.launcher", "acp_snapshot.normalizing"},
    {"acp_snapshot.scenario", "acp_snapshot.surfaces", "acp_snapshot.pins", "acp_snapshot.guards"},
    {"acp_snapshot.suite", "reference_host.composition", "reference_host.files"},
    {"reference_host.models", "reference_host.tools", "reference_host.wire"},
    {"reference_host.dispatch", "reference_host.sessions", "reference_host.spill"},
    {"reference_host.loop"},
    {"reference_host._host"},
    {"reference_host.acp", "reference_host.conformance", "reference_host.headless"},
    {"reference_host.cli"},
    {"acp_snapshot", "reference_host"},
]
# Each of these knows the service, and none of the others: whoever composes them chooses.
BESIDE = {"session_query_sqlite", "tool_session_query"}
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def layer(module: str) -> int:
    """The rank of a module, or of the package that a name is imported from."""
    package, *rest = module.split(".")[:2]
    return RANK.get(".".join([package, *rest]), RANK[package])


def modules(packages: list[Path]) -> Iterator[tuple[str, Path]]:
    """The name and file of every module of the packages."""
    for source in (package / "src" for package in packages):
        for path in sorted(source.rglob("*.py")):
            name = ".".join(path.relative_to(source).with_suffix("").parts)
            yield name.removesuffix(".__init__"), path


def executed(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node of a module, except those that only type checkers see."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield from executed(child)


def imports(name: str, path: Path) -> Iterator[tuple[int, str]]:
    """The line and full name of everything that a module imports from the workspace."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in executed(ast.parse(path.read_text("utf-8"), path)):
        if isinstance(node, ast.Import):
            base = ""
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level]
            base = ".".join([*(parents if node.level else []), node.module or ""]).strip(".") + "."
        else:
            continue
        for alias in node.names:
            if (base + alias.name).partition(".")[0] in RANK:
                yield node.lineno, base + alias.name


def test_each_part_has_a_layer(packages: list[Path]) -> None:
    """Each package of the workspace, and each part of session_query, has its place in LAYERS."""
    names = {name for name, _ in modules(packages)}
    parts = {".".join(name.split(".")[: 1 + name.startswith("session_query.")]) for name in names}
    missing = sorted(parts - RANK.keys())
    assert not missing, f"give each of these a place in LAYERS: {missing}"


def test_nothing_imports_upward(root: Path, packages: list[Path]) -> None:
    """Each module imports only from its own layer and those below it."""
    upward = [
        f"{path.relative_to(root)}:{line}: {name} imports {target}"
        for name, path in modules(packages)
        for line, target in imports(name, path)
        if layer(target) > layer(name)
    ]
    assert not upward, "\n".join(["imports that point upward:", *upward])


def test_tools_and_providers_do_not_know_each_other(root: Path, packages: list[Path]) -> None:
    """The tools import no provider, not even in an adapter, and no provider imports the tools."""
    sideways = [
        f"{path.relative_to(root)}:{line}: {name} imports {target}"
        for name, path in modules(packages)
        for line, target in imports(name, path)
        if {name.partition(".")[0], target.partition(".")[0]} == BESIDE
    ]
    assert not sideways, "\n".join(["imports that point sideways:", *sideways])


def test_a_package_uses_only_what_another_promises(root: Path, packages: list[Path]) -> None:
    """No package imports an underscored name of another one."""
    intimate = [
        f"{path.relative_to(root)}:{line}: {name} imports {target}"
        for name, path in modules(packages)
        for line, target in imports(name, path)
        if target.partition(".")[0] != name.partition(".")[0]
        and any(part.startswith("_") for part in target.split("."))
    ]
    assert not intimate, "\n".join(["imports of another package's internals:", *intimate])
