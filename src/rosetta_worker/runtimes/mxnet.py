"""What Gluon and Module share of MXNet."""

NO_TF32 = (
    "MXNet has no switch for TF32: CUDA's libraries decide on it, and the switch that MXNet "
    "has for tensor cores (MXNET_CUDA_TENSOR_OP_MATH_ALLOW_CONVERSION) means float16"
)
"""Why precision=tf32 cannot be had."""
