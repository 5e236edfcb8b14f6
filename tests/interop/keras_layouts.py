#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keras on JAX and Lockstep train the same networks under the same ModelParallel: a mesh of 2 x 2 and one LayoutMap,
from the same weights, on the same batches. The losses of each step must agree, and what of each variable a device holds;
and the variables of every layer that has some must be called, and lie, as in Keras.

usage: keras_layouts.py FIT_BY_LAYOUTS LOCKSTEPCTL    (under a Python with keras and jax; see `./dev check interop`)
"""
import csv
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import keras  # noqa: E402
import numpy  # noqa: E402
from keras import layers  # noqa: E402

ROWS, COLUMNS = 2, 2
BATCH, STEPS = 16, 50
SECONDS = 300


class Wrong(Exception):
    """What does not agree."""


def dense_network():
    x = inputs = keras.Input((16,))
    x = layers.Dense(24, activation="relu", name="up")(x)
    x = layers.Dense(16, activation="relu", name="down")(x)
    return inputs, layers.Dense(10, name="out")(x)


def image_network():
    x = inputs = keras.Input((10, 10, 2))
    x = layers.Conv2D(8, 3, activation="relu", name="first")(x)
    x = layers.BatchNormalization(name="norm")(x)
    x = layers.Conv2D(6, 3, activation="relu", name="second")(x)
    x = layers.GlobalAveragePooling2D()(x)
    return inputs, layers.Dense(10, name="out")(x)


def token_network():
    x = inputs = keras.Input((12,), dtype="int32")
    x = layers.Embedding(20, 16, name="table")(x)
    x = layers.MultiHeadAttention(4, 4, name="attention")(x, x)
    x = layers.LayerNormalization(name="norm")(x)
    x = layers.GlobalAveragePooling1D()(x)
    return inputs, layers.Dense(10, name="out")(x)


# name: the network in Keras, here, what goes in, the layouts, the largest difference of a loss
NETWORKS = {
    "dense": (dense_network, """
  { type = "dense", name = "up", units = 24, activation = "relu" },
  { type = "dense", name = "down", units = 16, activation = "relu" },
  { type = "dense", name = "out", units = 10 },""",
              lambda random: random.standard_normal((BATCH * STEPS, 16), numpy.float32),
              {"up/kernel": (None, "model"), "up/bias": ("model",), "down/kernel": ("model", None),
               "out/.*": (None,)}, 1e-5),
    "dense by patterns": (dense_network, """
  { type = "dense", name = "up", units = 24, activation = "relu" },
  { type = "dense", name = "down", units = 16, activation = "relu" },
  { type = "dense", name = "out", units = 10 },""",
                          lambda random: random.standard_normal((BATCH * STEPS, 16), numpy.float32),
                          {".*/kernel": ("model", None), ".*/bias": ("model",)}, 1e-5),
    "images": (image_network, """
  { type = "conv2d", name = "first", filters = 8, kernel_size = 3, activation = "relu" },
  { type = "batch_normalization", name = "norm" },
  { type = "conv2d", name = "second", filters = 6, kernel_size = 3, activation = "relu" },
  { type = "global_average_pooling2d" },
  { type = "dense", name = "out", units = 10 },""",
               lambda random: random.standard_normal((BATCH * STEPS, 10, 10, 2), numpy.float32),
               {"first/kernel": (None, None, None, "model"), "first/bias": ("model",), "norm/.*": ("model",),
                "second/kernel": (None, None, "model", None), "out/kernel": (None, "model")}, 1e-5),
    "tokens": (token_network, """
  { type = "embedding", name = "table", input_dim = 20, output_dim = 16 },
  { type = "multi_head_attention", name = "attention", num_heads = 4 },
  { type = "layer_normalization", name = "norm" },
  { type = "global_average_pooling1d" },
  { type = "dense", name = "out", units = 10 },""",
               lambda random: random.integers(0, 20, (BATCH * STEPS, 12)),
               {"table/embeddings": ("model", None), "attention/(query|key|value)/kernel": (None, "model", None),
                "attention/(query|key|value)/bias": ("model", None),
                "attention/attention_output/kernel": ("model", None, None), "out/kernel": ("model", None)}, 1e-5),
}

# Layers whose variables are only compared by name and shape, one behind the other.
ALL_LAYERS = (
    lambda: [layers.Input((12, 12, 2)), layers.Conv2D(8, (3, 2), name="c"), layers.BatchNormalization(name="n"),
             layers.DepthwiseConv2D(3, depth_multiplier=2, name="d"),
             layers.SeparableConv2D(6, 3, padding="same", name="s"), layers.Conv2DTranspose(4, (2, 3), name="t"),
             layers.GroupNormalization(2, name="g"), layers.Reshape((-1, 4)), layers.Conv1D(6, 7, name="o"),
             layers.LSTM(4, return_sequences=True, name="l"), layers.RMSNormalization(name="r"),
             layers.GRU(6, name="u"), layers.LayerNormalization(name="m"), layers.Dense(10, name="out")],
    """
  { type = "conv2d", name = "c", filters = 8, kernel_size = [3, 2] }, { type = "batch_normalization", name = "n" },
  { type = "depthwise_conv2d", name = "d", kernel_size = 3, depth_multiplier = 2 },
  { type = "separable_conv2d", name = "s", filters = 6, kernel_size = 3, padding = "same" },
  { type = "conv2d_transpose", name = "t", filters = 4, kernel_size = [2, 3] },
  { type = "group_normalization", name = "g", groups = 2 }, { type = "reshape", target_shape = [-1, 4] },
  { type = "conv1d", name = "o", filters = 6, kernel_size = 7 },
  { type = "lstm", name = "l", units = 4, return_sequences = true }, { type = "rms_normalization", name = "r" },
  { type = "gru", name = "u", units = 6 }, { type = "layer_normalization", name = "m" },
  { type = "dense", name = "out", units = 10 },""")


def model_parallel(layouts):
    mesh = keras.distribution.DeviceMesh((ROWS, COLUMNS), ("batch", "model"), keras.distribution.list_devices("cpu"))
    layout_map = keras.distribution.LayoutMap(mesh)
    for key, axes in layouts.items():
        layout_map[key] = axes
    return keras.distribution.ModelParallel(layout_map=layout_map, batch_dim_name="batch")


def tensors_of(model):
    """{name: numbers} as PyTorch lays them out."""
    tensors, parts = {}, {}
    for variable in model.variables:
        *path, word = variable.path.split("/")
        name, value = path[0], numpy.asarray(variable.value, numpy.float32)
        if path[-1] in ("query", "key", "value"):
            part = value.reshape(value.shape[0], -1).T if word == "kernel" else value.reshape(-1)
            parts.setdefault((name, word), {})[path[-1]] = part
        elif path[-1] == "attention_output":
            out = value.reshape(-1, value.shape[-1]).T if word == "kernel" else value
            tensors[f"{name}.out_proj.{'weight' if word == 'kernel' else 'bias'}"] = out
        elif word == "kernel":
            tensors[f"{name}.weight"] = value.T if value.ndim == 2 else value.transpose(3, 2, 0, 1)
        else:
            tensors[name + {"bias": ".bias", "beta": ".bias", "gamma": ".weight", "embeddings": ".weight",
                            "moving_mean": ".running_mean", "moving_variance": ".running_var"}[word]] = value
    for (name, word), three in parts.items():
        whole = numpy.concatenate([three[part] for part in ("query", "key", "value")])
        tensors[f"{name}.in_proj_{'weight' if word == 'kernel' else 'bias'}"] = whole
    return tensors


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in sorted(tensors.items()):
        raw = numpy.ascontiguousarray(value, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        raise Wrong(f"{pathlib.Path(words[0]).name} ended with status {done.returncode}: {done.stderr.strip()[-600:]}")
    return done.stdout


def prepare(folder, model, toml, x, y, layouts):
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "y.npy", y)
    (folder / "batch").write_text(str(BATCH), encoding="utf-8")
    (folder / "model.toml").write_text(f"[model]\nlayers = [{toml}\n]\n", encoding="utf-8")
    lines = [" ".join([key, *(axis or "-" for axis in axes)]) for key, axes in layouts.items()]
    (folder / "layouts").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_safetensors(folder / "weights.safetensors", tensors_of(model))


def losses_here(lockstepctl, folder):
    """Of each step, over all rows of the mesh, which have as many samples each."""
    table = csv.DictReader(io.StringIO(run(lockstepctl, "export", folder / "run", "--format", "csv")))
    steps = {}
    for row in table:
        if row["tag"] == "train/loss" and row["replica"]:  # an epoch's has none
            steps.setdefault(int(row["step"]), {})[int(row["replica"])] = float(row["value"])
    for step, replicas in steps.items():
        if len(replicas) != ROWS * COLUMNS:
            raise Wrong(f"step {step} has the losses of {len(replicas)} replicas")
    return [numpy.mean([replicas[row * COLUMNS] for row in range(ROWS)]) for _, replicas in sorted(steps.items())]


def losses_of_keras(model, x, y):
    losses = []
    for step in range(STEPS):
        batch = slice(step * BATCH, (step + 1) * BATCH)
        model.reset_metrics()
        losses.append(float(model.train_on_batch(x[batch], y[batch])))
    return losses


def shapes_of_keras(model):
    """{path: (shape, the shape of the first device's part)} as JAX holds them."""
    return {variable.path: (tuple(variable.shape), tuple(variable.value.addressable_shards[0].data.shape))
            for variable in model.variables}


def shapes_here(output):
    sizes = [line.split() for line in output.splitlines()]
    return {path: (tuple(map(int, whole.split("x"))), tuple(map(int, part.split("x")))) for path, whole, part in sizes}


def compare_shapes(here, there, layouts):
    """How many variables lie as a key asks it."""
    if {path: shape for path, (shape, _) in here.items()} != {path: shape for path, (shape, _) in there.items()}:
        raise Wrong(f"other variables: here {here}, in Keras {there}")
    asked = [path for path in there if any(re.fullmatch(key, path) for key in layouts)]
    for path in asked:
        if here[path][1] != there[path][1]:
            raise Wrong(f"{path}: a device holds {here[path][1]} here, {there[path][1]} in Keras")
    return len(asked)


def train_both(fit_by_layouts, lockstepctl, name):
    build, toml, draw, layouts, most = NETWORKS[name]
    random = numpy.random.default_rng(7)
    x, y = draw(random), random.integers(0, 10, BATCH * STEPS)
    keras.utils.set_random_seed(3)
    keras.distribution.set_distribution(model_parallel(layouts))
    model = keras.Model(*build())
    model.compile(optimizer=keras.optimizers.SGD(0.05, momentum=0.9),
                  loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        prepare(folder, model, toml, x, y, layouts)
        here = shapes_here(run(fit_by_layouts, folder, ROWS, COLUMNS))
        ours = losses_here(lockstepctl, folder)
    theirs = losses_of_keras(model, x, y)
    asked = compare_shapes(here, shapes_of_keras(model), layouts)
    if len(ours) != STEPS:
        raise Wrong(f"{len(ours)} steps here")
    difference = max(abs(a / b - 1) for a, b in zip(ours, theirs))
    if not difference <= most:
        raise Wrong(f"losses differ by {difference:.1e}: here {ours}, in Keras {theirs}")
    if abs(ours[-1] / ours[0] - 1) < 1e-3:
        raise Wrong("nothing was learned: the comparison says nothing")
    return f"{STEPS} losses within {difference:.0e}, {asked} of {len(here)} variables laid out, as in Keras"


def compare_all_layers(fit_by_layouts):
    keras.distribution.set_distribution(None)
    make, toml = ALL_LAYERS
    model = keras.Sequential(make())
    x = numpy.zeros((BATCH, 12, 12, 2), numpy.float32)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        prepare(folder, keras.Model(*dense_network()), toml, x, numpy.arange(BATCH) % 10, {"out/kernel": (None, None)})
        (folder / "weights.safetensors").unlink()
        here = shapes_here(run(fit_by_layouts, folder, ROWS, COLUMNS))
    # A dropout's or a seed's state is no variable of a network.
    there = {path.split("/", 1)[1] if path.startswith("sequential") else path: shape
             for path, shape in shapes_of_keras(model).items() if "seed_generator" not in path}
    compare_shapes(here, there, {})
    return f"{len(here)} variables of {len(model.layers)} layers are called, and lie, as in Keras"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    fit_by_layouts, lockstepctl = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    checks = {name: lambda name=name: train_both(fit_by_layouts, lockstepctl, name) for name in NETWORKS}
    checks["names and axes"] = lambda: compare_all_layers(fit_by_layouts)
    failed = False
    for name, check in checks.items():
        try:
            print(f"ok    {name}: {check()}", flush=True)
        except Wrong as wrong:
            failed = True
            print(f"FAIL  {name}: {wrong}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
