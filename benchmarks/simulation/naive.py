"""What is usually done, on the same turns: one contender's, then the other's, an epoch being a turn.

Twenty epochs of A, then twenty of B, each in one process, the first of each dropped. A difference is claimed where the
means differ by more than the margin; where Student's t (Welch) finds one at 5%; or where the fastest of them do.
"""

import numpy as np

EPOCHS = 20
MARGIN = np.log1p(0.02)


def sequential(turns, alone, true):
    """Return the log seconds of both contenders' epochs, (contests, epochs - 1) each."""
    a, b = turns[:, 1:EPOCHS], turns[:, EPOCHS + 1 : 2 * EPOCHS]
    return a, b + true + alone[:, :1]


def claims(turns, alone, true):
    """Return for each protocol how its claims end: {name: (says that they differ, says that B is slower)}."""
    from scipy.stats import ttest_ind

    a, b = sequential(turns, alone, true)
    means = np.log(np.exp(b).mean(axis=1) / np.exp(a).mean(axis=1))
    fastest = b.min(axis=1) - a.min(axis=1)
    differs = ttest_ind(np.exp(b), np.exp(a), axis=1, equal_var=False).pvalue < 0.05
    return {
        "mean": (np.abs(means) > MARGIN, means > MARGIN),
        "t-test": (differs, differs & (means > 0)),
        "best": (np.abs(fastest) > MARGIN, fastest > MARGIN),
    }
