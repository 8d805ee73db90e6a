"""The chain from a sentence of the contract to the mutants that break it (CONF-13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from session_query_specs.contract._requirements import REQUIREMENTS, Requirement

__all__ = ["Link", "chain", "gaps"]


@dataclass(frozen=True, slots=True)
class Link:
    """A requirement, the checks that judge it, and the mutants that these must kill."""

    requirement: Requirement
    checks: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()


def chain(
    checks: Mapping[str, str],
    mutants: Mapping[str, str],
    requirements: Mapping[str, Requirement] = REQUIREMENTS,
) -> Sequence[Link]:
    """Return the chain, one link for each requirement.

    Args:
        checks: the id of the requirement that each check judges, by the name of the check.
        mutants: the id of the requirement that must kill each mutant, by the mutant's name.
        requirements: the table.
    """
    return tuple(
        Link(one, _those_of(one.id, checks), _those_of(one.id, mutants))
        for one in requirements.values()
    )


def gaps(
    checks: Mapping[str, str],
    mutants: Mapping[str, str],
    requirements: Mapping[str, Requirement] = REQUIREMENTS,
) -> Iterable[str]:
    """Yield each place where the chain is broken, as a sentence.

    Args:
        checks: as for `chain`.
        mutants: as for `chain`.
        requirements: as for `chain`.
    """
    for link in chain(checks, mutants, requirements):
        one = link.requirement
        if one.excluded and link.checks:
            yield f"{one.id} is excluded, and yet judged by {', '.join(link.checks)}"
        if not one.excluded and not link.checks:
            yield f"{one.id} has no check, and no reason why it can't have one"
        if link.checks and not link.mutants:
            yield f"{one.id} has no mutant that shows that its checks can fail"
        if link.mutants and not link.checks:
            yield f"{one.id} has mutants, {', '.join(link.mutants)}, and no check to kill them"
    for kind, named in (("check", checks), ("mutant", mutants)):
        for name, requirement in named.items():
            if requirement not in requirements:
                yield f"the {kind} {name} names {requirement}, which is no requirement"


def _those_of(requirement: str, named: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name, judged in named.items() if judged == requirement)
