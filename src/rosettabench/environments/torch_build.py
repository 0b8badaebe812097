"""Choose the build of PyTorch to install: the CPU build if there is no NVIDIA driver, because the CUDA build is huge.

Both have the same version number. The source of packages decides which one is installed: a folder of wheels or a mirror
may have either, PyPI has the CUDA build for Linux, and PyTorch's own index, which uv knows, has all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from rosettabench.environments.installer import Installer
from rosettabench.environments.lock import Lock

CUDA_DOWNLOAD = "about 2.7 GB"
"""The size of the wheels of torch 2.13.0 and its dependencies on Linux, x86-64."""


def torch_arguments(installer: Installer, lock: Lock, install: Sequence[str]) -> list[str]:
    """Return the arguments to add to `install` of uv for the right build; none for locks without PyTorch.

    The user's own choice, the variable UV_TORCH_BACKEND, is respected.
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
    """Return whether this machine has an NVIDIA driver."""
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def brings_cuda(planned: Sequence[str]) -> bool:
    """Return whether the lines of a dry run list CUDA packages."""
    return any(line.strip().startswith("+ nvidia-") for line in planned)
