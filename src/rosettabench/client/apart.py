"""Devices apart: the group of a session, but none of them exchanges anything with the others."""

from __future__ import annotations

from pathlib import Path

from rosettabench.client.session import Session


class DevicesApart(Session):
    """A session whose devices train alone, each on its part of every batch and on its own processors.

    They are ordinary workers: a group (`rosetta_worker.parallel`) of the adapter for one device.
    """

    def _cell(self) -> tuple[Path, Path, str]:
        """Return the adapter for one device, the implementation and the mode."""
        return self.adapter, self.implementation, self._mode
