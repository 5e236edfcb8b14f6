#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints event_file.txt: an event file as TensorBoard's own writer makes it, in hexadecimal digits.

It holds what torch's SummaryWriter writes for a scalar (a simple value), tensors of one number of every type
that tf.summary.scalar may write, and things that are no scalars. usage: event_file.py > event_file.txt
(under a Python that has tensorboard)
"""
import io

import numpy
from tensorboard.compat.proto import types_pb2 as types
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.summary.writer.record_writer import RecordWriter


def value(tag, dtype, shape=(), plugin="scalars", **content):
    dimensions = [TensorShapeProto.Dim(size=size) for size in shape]
    tensor = TensorProto(dtype=dtype, tensor_shape=TensorShapeProto(dim=dimensions), **content)
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin))
    return Summary.Value(tag=tag, metadata=metadata, tensor=tensor)


def events():
    yield Event(wall_time=1790000000.5, file_version="brain.Event:2")
    simple = Summary.Value(tag="loss/train", simple_value=0.625)
    yield Event(wall_time=1790000001.25, step=3, summary=Summary(value=[simple]))
    yield Event(wall_time=1790000002.0, step=4, summary=Summary(value=[
        value("f32 content", types.DT_FLOAT, tensor_content=numpy.float32(0.25).tobytes()),
        value("f32", types.DT_FLOAT, float_val=[1.5]),
        value("f64", types.DT_DOUBLE, double_val=[-2.5]),
        value("i32", types.DT_INT32, int_val=[-7]),
        value("i64", types.DT_INT64, int64_val=[1 << 40]),
        value("half", types.DT_HALF, half_val=[int(numpy.float16(0.5).view(numpy.uint16))]),
        value("one of one", types.DT_FLOAT, (1,), tensor_content=numpy.float32(8).tobytes()),
        value("histogram", types.DT_DOUBLE, (3, 3), "histograms", tensor_content=numpy.zeros((3, 3)).tobytes()),
        value("text", types.DT_STRING, plugin="text", string_val=[b"hello"]),
    ]))


def main():
    bytes_of_file = io.BytesIO()
    writer = RecordWriter(bytes_of_file)
    for event in events():
        writer.write(event.SerializeToString())
    digits = bytes_of_file.getvalue().hex()
    print("# Made by event_file.py.")
    for begin in range(0, len(digits), 100):
        print(digits[begin:begin + 100])


main()
