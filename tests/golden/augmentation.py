# SPDX-License-Identifier: Apache-2.0
"""Makes augmentation.txt: what Keras 3 makes of an image where a layer's factor is fixed.

    KERAS_BACKEND=jax python augmentation.py > augmentation.txt

A case is two lines: kind, fill mode, first factor, second factor, fill value (0 to 1); then the
pixels, 0 to 255, row by row with their channels beside each other. The image is a formula, which
tst_augment.cpp has, too.
"""

import keras
import numpy

HEIGHT, WIDTH, CHANNELS = 9, 7, 3


def image():
    y, x, c = numpy.meshgrid(range(HEIGHT), range(WIDTH), range(CHANNELS), indexing="ij")
    return ((37 * y + 11 * x + 71 * c + 3 * x * y) % 256).astype("float32")


def fixed(factor):
    return (factor, factor)


def cases():
    layers = keras.layers
    for fill, value in (("reflect", 0.0), ("constant", 0.4), ("nearest", 0.0), ("wrap", 0.0)):
        filled = {"fill_mode": fill, "fill_value": value * 255}
        for factor in (0.1, -0.3):
            yield f"rotation {fill} {factor} 0 {value}", layers.RandomRotation(fixed(factor), **filled)
        for down, across in ((0.4, -0.25), (-0.5, 0.9)):
            yield f"zoom {fill} {down} {across} {value}", layers.RandomZoom(
                fixed(down), fixed(across), **filled)
        for down, across in ((0.3, -0.45), (-0.7, 0.125)):
            yield f"translation {fill} {down} {across} {value}", layers.RandomTranslation(
                fixed(down), fixed(across), **filled)
    for factor in (0.3, -0.6):
        yield f"brightness reflect {factor} 0 0", layers.RandomBrightness(fixed(factor))


def contrast_cases():
    """The layer adds its two factors to one: what it computes with one factor is asked for."""
    layer = keras.layers.RandomContrast((0.5, 0.5))
    for factor in (0.5, 1.7):
        transformation = {"contrast_factor": keras.ops.full((1, 1, 1, 1), factor)}
        yield f"contrast reflect {factor} 0 0", layer.transform_images(
            keras.ops.convert_to_tensor(image()[None]), transformation)


def main():
    print("# Keras", keras.__version__, keras.backend.backend())
    made = [(name, layer(image()[None], training=True)) for name, layer in cases()]
    for name, pixels in made + list(contrast_cases()):
        print(name)
        print(*(f"{pixel:.4f}" for pixel in numpy.asarray(pixels).ravel()))


if __name__ == "__main__":
    main()
