"""Certificates: what was proven, and of what exactly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rosettabench.catalogue.as_shipped import AS_SHIPPED, variants_of
from rosettabench.catalogue.framework import FrameworkEntry, references
from rosettabench.catalogue.roots import group_program, worker_folder
from rosettabench.catalogue.workload import Workload
from rosettabench.client.exported import PROGRAM
from rosettabench.client.machine import decisive_variables, processor_name
from rosettabench.client.session import Work
from rosettabench.environments.environment import Environment
from rosettabench.environments.lock import load_lock
from rosettabench.plan.setting import without_defaults
from rosettabench.proof.check import Check
from rosettabench.proof.margins import Margin
from rosettabench.proof.meaning import digest_of, file_digest
from rosettabench.proof.sources import sources
from rosettabench.store.digest import digest

PROOF_VERSION = 10
"""Raised when the proof itself changes in what it compares or tolerates: older certificates are stale then."""


STATED = set(Workload.model_fields) - {"name", "title", "study", "summary", "absent", "folder", "environments"}
"""What a workload states of the work; what it says to people, and of others, is nothing that a proof depends on."""


def certificate_body(
    subject: dict[str, Any],
    checks: Sequence[Check],
    reference: str,
    steps: int,
    cause: str | None,
    margins: Sequence[Margin] = (),
    guided: Sequence[int] = (),
    excused: Sequence[Check] = (),
    equal_to: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the certificate as stored. `subject` is everything that it is bound to.

    `margins` are those of the batches, where these were chosen; `guided` the steps that began with the reference's
    weights; `excused` the gradients that are further off than the noise explains, where units turn, and the updates
    that only another pass over the same batch explains. `equal_to` names the files whose formulas agree with each
    other, or the one of the original.
    """
    failed = next((check for check in checks if not check.passed), None)
    tightest: dict[str, Check] = {}
    for check in checks:
        if check.quantity not in tightest or check.share > tightest[check.quantity].share:
            tightest[check.quantity] = check
    return {
        **subject,
        "reference": reference,
        "equal_to": list(equal_to),
        "steps": steps,
        "guided": list(guided),
        "excused": [check.as_json() for check in excused],
        "passed": failed is None,
        "checks": [check.as_json() for check in checks],
        "first_divergence": failed.as_json() if failed else None,
        "cause": cause,
        "margins": [asdict(margin) for margin in margins],
        "tightest": {quantity: check.as_json() for quantity, check in tightest.items()},
    }


def subject_of(entry: FrameworkEntry, mode: str, environment: Environment, work: Work, weights: str) -> dict[str, Any]:
    """Return everything that a proof depends on. `weights` is the digest of the canonical weights.

    Any change in it makes another key, and a certificate of the old key is stale: it no longer certifies anything.
    """
    files = files_of(work.workload, entry, environment.release, work.setting.devices)
    assert files is not None  # the plan leaves out contenders without an implementation
    variables = decisive_variables(os.environ)
    return {
        **({"variables": variables} if variables else {}),
        "workload": work.workload.name,
        "framework": entry.name,
        "mode": mode,
        "setting": without_defaults(work.setting.of_a_step.as_json()),
        "interpreter": environment.version,
        "packages": environment.packages,
        "hashes": {
            **files,
            **work_around(entry, mode, environment, work),
            "weights": weights,
            "data": work.data.digest,
        },
        "processor": processor_name(),
        "proof_version": PROOF_VERSION,
    }


def files_of(
    workload: Workload, entry: FrameworkEntry, release: str | None = None, devices: int = 1
) -> dict[str, str] | None:
    """Return {what: sha256} of the meaning of all of ours that a proof depends on; None for a cell nobody has written.

    The implementation and the adapter, whatever these and the worker import, the reference with what it imports, and
    what the workload states. Files of other frameworks are none of it; those of groups are, with several `devices`.
    """
    implementation = entry.file_of(workload, release)
    if implementation is None:
        return None
    loader = [entry.loader] if entry.loader.is_file() else []
    begin = [] if entry.program else [worker_folder() / "__main__.py"]
    begin += [worker_folder() / PROGRAM] if entry.exported else []
    group = [group_program(), entry.parallel] if devices > 1 else []
    worker = [*begin, *group, implementation, entry.path, entry.adapter, *loader]
    return {
        "implementation": file_digest(implementation),
        "adapter": file_digest(entry.adapter),
        "entry": digest({"backend": entry.backend, "program": entry.program, **way_of_export(entry)}),
        "worker": digest_of(sources(worker)),
        "reference": digest_of(sources(reference_files(workload))),
        "workload": digest(workload.model_dump(mode="json", include=STATED, exclude_defaults=True)),
    }


def way_of_export(entry: FrameworkEntry) -> dict[str, str]:
    """Return how the models come about that a framework runs; of one that has files of its own nothing."""
    if entry.exported is None:
        return {}
    return {"exported": entry.exported.framework, "lock": load_lock(entry.exported.lock).digest}


def work_around(entry: FrameworkEntry, mode: str, environment: Environment, work: Work) -> dict[str, str]:
    """Return the digest of what a cell lacks as shipped; of any other cell nothing."""
    if mode != AS_SHIPPED:
        return {}
    variant = variants_of(entry.name, environment.release)[work.workload.name]
    return {AS_SHIPPED: digest(variant.model_dump(mode="json", include={"implementation", "adapter"}))}


def reference_files(workload: Workload) -> list[Path]:
    """Return the files that a workload's references begin with: those of its original, or formulas."""
    adapters = [entry.adapter for entry in references(workload)]
    if workload.reference is not None:
        original = workload.implementation(workload.reference)
        return [*adapters, *([original] if original else [])]
    return [*adapters, *workload.formulas]


def equal_to(workload: Workload) -> list[str]:
    """Return the names of the files that say what equal work is: the original, or references that must agree."""
    if workload.reference is not None:
        original = workload.implementation(workload.reference)
        return [original.name] if original else []
    return [path.name for path in workload.formulas]


def certificate_key(subject: dict[str, Any]) -> str:
    """Return the key under which a certificate of this subject is kept: sha256 over all of it."""
    return digest(subject)
