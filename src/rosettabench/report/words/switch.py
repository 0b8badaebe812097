"""The effects of switches, in words."""

from __future__ import annotations

from rosettabench.catalogue.switch import Switch, SwitchTrial

RELATIVE = "×"
"""The unit of measurements that are relative to the time with the switch."""


def trials_words(switch: Switch) -> str:
    """Return the effect of a switch in each workload: fashion-cnn 52.6 to 16.5 ms of processor time."""
    return "; ".join(trial_words(one) for one in switch.measured)


def trial_words(trial: SwitchTrial) -> str:
    """Return the time of a step without and with a switch."""
    if trial.unit == RELATIVE:
        taken = f"{trial.before:.3g}× as long without it"
    else:
        taken = f"{trial.before:.3g} to {trial.after:.3g} {trial.unit}"
    return f"{trial.workload} {taken}" + (f" ({trial.note})" if trial.note else "")
