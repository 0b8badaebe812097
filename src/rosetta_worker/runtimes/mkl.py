"""What steers Intel's MKL, whatever it is built into."""

import os


def mkl_cpu_type():
    """Return the variable that makes MKL up to 2020.0 take AVX2's path on any processor, if it is 5; None if unset.

    By itself that MKL takes a slower one on processors of AMD's.
    """
    return os.environ.get("MKL_DEBUG_CPU_TYPE")
