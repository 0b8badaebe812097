"""One check of a proof: a deviation and its tolerance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from rosettabench.proof.comparison import Deviation


@dataclass(frozen=True)
class Check:
    """One deviation of a proof, with its tolerance."""

    quantity: str
    step: int | None
    tensor: str | None
    deviation: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the deviation is within the tolerance; False for NaN."""
        return self.deviation <= self.tolerance

    @property
    def share(self) -> float:
        """The deviation as a share of its tolerance: above 1 it failed."""
        return self.deviation / self.tolerance if self.tolerance else (0.0 if self.deviation == 0 else float("inf"))

    def as_json(self) -> dict[str, Any]:
        """Return the check as the certificate stores it: infinity becomes None."""
        found = asdict(self) | {"passed": self.passed}
        return found | {"deviation": self.deviation if isfinite(self.deviation) else None}


def make_check(deviation: Deviation, tolerance: float) -> Check:
    """Return the check of one deviation."""
    return Check(deviation.quantity, deviation.step, deviation.tensor, deviation.value, tolerance)


def divergence_words(body: dict[str, Any]) -> str:
    """Return the first divergence in words: ``gradient gru.kernel at step 0 is off by 0.1 where 1e-4 is allowed``."""
    check = body["first_divergence"]
    if check is None:
        return "nothing was compared"
    where = "" if check["step"] is None else f" at step {check['step']}"
    what = f"{check['quantity']} {check['tensor']}" if check["tensor"] else check["quantity"]
    if check["deviation"] is None:
        return f"{what}{where} is infinite, not a number or of another shape"
    return f"{what}{where} is off by {check['deviation']:.2g} where {check['tolerance']:.2g} is allowed"
