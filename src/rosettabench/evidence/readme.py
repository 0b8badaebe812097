"""The text in a bundle that explains it to a stranger."""

from __future__ import annotations

from rosettabench.evidence.content import Bundle

TEXT = """\
A run of Rosettabench
=====================

This file holds the measurements of one run of Rosettabench {version}, which compares
deep-learning frameworks: the same workload, proven to be equal work, timed in turns on
one machine.

Run:       {run}, begun at {at} (UTC)
Command:   {command}
Machine:   {machine}
Contests:  {contests}
Blocks:    {blocks}

Check it, and repeat it on your own machine:

    rosetta repeat --check FILE.zip
    rosetta repeat FILE.zip

What is in it
-------------

manifest.json    size and SHA-256 of every other member; the format and its version
run.json         the run: time, version, command, request, machine
contests.json    workload, setting, stopping rules and contenders of each contest
blocks.csv       every timed block, as it was measured: times in seconds
figures.json     every other measured number: memory, import, build, evaluation
events.json      data and their checksums, packages, settings in force, the load of the machine
failures.json    what failed, and why
verdicts.json    the verdicts, as they were computed from the blocks
certificates/    the proofs of equal work: every comparison; SHA-256 of the code and the data;
                 variables that change what frameworks compute
locks/           the packages that the frameworks ran with, with exact versions

Contests are numbered from 1 in the order of contests.json, entries from 1 within each.
Only blocks of the phase "turn" count. A verdict follows from the blocks, the events and the
certificates; rosetta repeat --check computes it again.

What is not in it
-----------------

Folders (path-1 stands for one), addresses, names of the user and the host, values of variables
that sound like secrets, the output of programs that failed, data, and code.
{left_out}"""


def readme(bundle: Bundle) -> str:
    """Return the text for a bundle."""
    run = bundle.run
    gpus = [str(one) for one in run.machine.gpus]
    machine = ", ".join(filter(None, [run.machine.processor, f"{run.machine.cores} cores", *gpus, run.machine.system]))
    return TEXT.format(
        version=run.rosettabench,
        run=run.id,
        at=run.at,
        command=" ".join(run.command),
        machine=machine,
        contests=len(bundle.contests),
        blocks=len(bundle.blocks),
        left_out="".join(f"Left out of this run: {sentence}.\n" for sentence in run.left_out),
    )
