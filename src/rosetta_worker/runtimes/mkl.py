"""Settings of Intel's MKL, in whichever framework it is included."""

import os


def mkl_cpu_type():
    """Return MKL_DEBUG_CPU_TYPE, which makes MKL up to 2020.0 use AVX2 on any processor if it is 5; None if unset.

    By default, that MKL uses a slower path on AMD processors.
    """
    return os.environ.get("MKL_DEBUG_CPU_TYPE")
