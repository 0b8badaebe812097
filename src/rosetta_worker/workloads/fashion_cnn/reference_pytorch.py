"""fashion-cnn as formulas, on PyTorch arrays."""

from torch.nn.functional import unfold


def forward(w, images):
    x = relu(convolve(images, w["conv1.kernel"], w["conv1.bias"]))
    x = relu(convolve(x, w["conv2.kernel"], w["conv2.bias"]))
    return x.reshape(len(x), -1) @ w["output.kernel"].T + w["output.bias"]


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework; that of ``clamp`` is 1.

    It matters in this workload: the sum is exactly 0 where the image is black and the bias still 0.
    """
    return x * (x > 0)


def convolve(x, kernel, bias):
    """Cross-correlation without padding: every 3×3 patch times the kernel."""
    n, _, height, width = x.shape
    patches = unfold(x, kernel.shape[2:])  # (n, channels · 9, places)
    out = kernel.reshape(len(kernel), -1) @ patches + bias[:, None]
    return out.reshape(n, len(kernel), height - 2, width - 2)
