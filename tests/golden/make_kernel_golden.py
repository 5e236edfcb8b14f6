# SPDX-License-Identifier: Apache-2.0
"""Writes kernels.txt: what PyTorch computes for layers of a network, in float64.

    pip install torch && python3 make_kernel_golden.py > kernels.txt

One line a tensor: name, shape as AxB, values. Images are stored as batch x height x width x
channels. Inputs are small binary fractions, so that both sides start alike. For each case the
operands, the result (y) and the gradients (d...) of sum(y * dy).
"""
import sys

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
GENERATOR = torch.Generator().manual_seed(20261123)


def draw(*shape, low=-2.0, high=2.0):
    values = torch.rand(shape, generator=GENERATOR) * (high - low) + low
    return (torch.round(values * 256) / 256).requires_grad_()


def write(name, values):
    values = values.detach()
    shape = "x".join(str(extent) for extent in values.shape) or "1"
    print(name, shape, *(f"{value:.9g}" for value in values.reshape(-1).tolist()))


def channels_last(values):
    return values.permute(0, 2, 3, 1)


def case(name, operands, compute, images=()):
    """Writes operands, the result, dy and the gradients; those in images are NCHW in PyTorch."""
    y = compute(*operands.values())
    dy = draw(*y.shape).detach()
    (y * dy).sum().backward()
    turn = {key: channels_last if key in images else (lambda values: values) for key in
            (*operands, "y")}
    for key, values in operands.items():
        write(f"{name}.{key}", turn[key](values))
        write(f"{name}.d{key}", turn[key](values.grad))
    write(f"{name}.y", turn["y"](y))
    write(f"{name}.dy", turn["y"](dy))


def convolutions():
    def same_after(x, weight, bias):  # Keras' "same" of stride 2: padded right and below.
        return F.conv2d(F.pad(x, (0, 1, 0, 1)), weight, bias, stride=2)

    def grouped(x, weight, bias):
        return F.conv2d(x, weight, bias, padding=(2, 1), dilation=(2, 1), groups=2)

    def depthwise(x, weight, bias):
        return F.conv2d(x, weight, bias, padding=1, groups=3)

    image = ("x", "y")
    case("conv_same_after", {"x": draw(2, 3, 6, 6), "weight": draw(5, 3, 3, 3), "bias": draw(5)},
         same_after, image)
    case("conv_grouped", {"x": draw(2, 4, 5, 6), "weight": draw(6, 2, 3, 3), "bias": draw(6)},
         grouped, image)
    case("conv_depthwise", {"x": draw(1, 3, 5, 5), "weight": draw(3, 1, 3, 3), "bias": draw(3)},
         depthwise, image)


def normalisations():
    def batch(x, weight, bias):
        return F.batch_norm(x, None, None, weight, bias, training=True, eps=1e-3)

    for offset in (0, 100):
        x = (draw(3, 4, 2, 3).detach() + offset).requires_grad_()
        case(f"batch_norm_{offset}", {"x": x, "weight": draw(4), "bias": draw(4)}, batch,
             ("x", "y"))
    case("layer_norm", {"x": draw(5, 7), "weight": draw(7), "bias": draw(7)},
         lambda x, weight, bias: F.layer_norm(x, (7,), weight, bias, eps=1e-3))
    case("rms_norm", {"x": draw(5, 7), "weight": draw(7)},
         lambda x, weight: F.rms_norm(x, (7,), weight, eps=1e-3))
    case("group_norm", {"x": draw(2, 6, 2, 3), "weight": draw(6), "bias": draw(6)},
         lambda x, weight, bias: F.group_norm(x, 2, weight, bias, eps=1e-3), ("x", "y"))


def poolings():
    image = ("x", "y")
    # Whole numbers: windows have several maxima.
    ties = torch.randint(-2, 3, (2, 3, 7, 6), generator=GENERATOR).double().requires_grad_()
    case("max_pool", {"x": ties}, lambda x: F.max_pool2d(x, 3, 2, padding=1), image)
    case("average_pool", {"x": draw(2, 3, 7, 6)},
         lambda x: F.avg_pool2d(x, 3, 2, padding=1, count_include_pad=False), image)


def activations():
    functions = {
        "relu": F.relu, "leaky_relu": lambda x: F.leaky_relu(x, 0.3), "gelu": F.gelu,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
        "sigmoid": torch.sigmoid, "tanh": torch.tanh, "elu": lambda x: F.elu(x, 0.3),
        "softmax": lambda x: F.softmax(x, -1),
    }
    for name, function in functions.items():
        case(name, {"x": draw(3, 11, low=-5.0, high=5.0)}, function)


def attentions():
    def attention(qkv, causal):
        query, key, value = (part.unflatten(-1, (2, 4)).transpose(1, 2)
                             for part in qkv.chunk(3, -1))
        y = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        return y.transpose(1, 2).flatten(-2)

    for causal in (False, True):
        case("attention_causal" if causal else "attention", {"qkv": draw(2, 5, 24)},
             lambda qkv, causal=causal: attention(qkv, causal))


def losses():
    labels = torch.tensor([0, 4, 2, 2, 1, 3])
    targets = draw(6, 5, low=0.0, high=1.0).detach()
    write("losses.labels", labels)
    write("losses.targets", targets)
    functions = {
        "cross_entropy": lambda x: F.cross_entropy(x, labels, reduction="sum"),
        "cross_entropy_smooth": lambda x: F.cross_entropy(x, labels, reduction="sum",
                                                          label_smoothing=0.125),
        "cross_entropy_ignore": lambda x: F.cross_entropy(x, labels, reduction="sum",
                                                          ignore_index=2),
        "binary_cross_entropy": lambda x: F.binary_cross_entropy_with_logits(
            x, targets, reduction="none").mean(-1).sum(),
        "mean_squared_error": lambda x: F.mse_loss(x, targets, reduction="none").mean(-1).sum(),
        "mean_absolute_error": lambda x: F.l1_loss(x, targets, reduction="none").mean(-1).sum(),
        "huber": lambda x: F.huber_loss(x, targets, reduction="none", delta=0.75).mean(-1).sum(),
    }
    for name, function in functions.items():
        x = draw(6, 5)
        loss = function(x)
        loss.backward()
        write(f"{name}.x", x)
        write(f"{name}.loss", loss)
        write(f"{name}.dx", x.grad)


def main():
    print(f"# torch {torch.__version__.split('+')[0]}")
    convolutions()
    normalisations()
    poolings()
    activations()
    attentions()
    losses()


if __name__ == "__main__":
    sys.exit(main())
