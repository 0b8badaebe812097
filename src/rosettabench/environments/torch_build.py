"""Which build of PyTorch to install: one for the CPU where there is no NVIDIA driver, since that of CUDA is huge.

Both have the same version number. Which one comes depends on where packages come from: a folder of wheels or a mirror
may hold either, the usual index holds CUDA's for Linux, and PyTorch's own index, which uv knows, holds all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from rosettabench.environments.installer import Installer
from rosettabench.environments.lock import Lock

CUDA_DOWNLOAD = "about 2.7 GB"
"""The sum of the wheels of torch 2.13.0 and what it asks for on Linux, x86-64."""


def torch_arguments(installer: Installer, lock: Lock, install: Sequence[str]) -> list[str]:
    """Return what to add to uv's arguments `install` for the right build; nothing for locks without PyTorch.

    A build that the user has chosen himself, by the variable UV_TORCH_BACKEND, is left as it is.
    """
    if "torch" not in lock.pins or "UV_TORCH_BACKEND" in os.environ:
        return []
    dry_run = [*install, "--dry-run"]
    if nvidia_driver():
        chosen = ["--torch-backend", "auto"]
        return chosen if installer.plan([*dry_run, *chosen]) else []
    planned = installer.plan(dry_run)
    if planned is None or not brings_cuda(planned):
        return []
    chosen = ["--torch-backend", "cpu"]
    planned = installer.plan([*dry_run, *chosen])
    if planned is not None and not brings_cuda(planned):
        return chosen
    installer.progress(
        f"PyTorch for the CPU cannot be reached: installing the CUDA build, {CUDA_DOWNLOAD} to download. "
        "To avoid that, put PyTorch's CPU wheel in a folder and run: pip config set global.find-links FOLDER"
    )
    return []


def nvidia_driver() -> bool:
    """Whether this machine has a driver of NVIDIA's."""
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def brings_cuda(planned: Sequence[str]) -> bool:
    """Whether the lines of a dry run list packages of CUDA's."""
    return any(line.strip().startswith("+ nvidia-") for line in planned)
