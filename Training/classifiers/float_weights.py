# SPDX-License-Identifier: Apache-2.0
"""Turns 8-bit weights of a TensorFlow Lite file into the floats that they stand for.

With 8-bit weights LiteRT rounds activations to 8 bits too; with floats it computes what the weights say.
"""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

EIGHT_BITS = (schema.TensorType.UINT8, schema.TensorType.INT8)


def with_float_weights(data: bytes) -> bytes:
    """The same file where there are no such weights."""
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    [subgraph] = model.subgraphs
    if not any(tensor.type in EIGHT_BITS for tensor in subgraph.tensors):
        return data
    for tensor in subgraph.tensors:
        values = model.buffers[tensor.buffer].data
        if tensor.type not in EIGHT_BITS or values is None:
            continue
        [scale], [zero] = tensor.quantization.scale, tensor.quantization.zeroPoint
        # Old converters call weights UINT8 although, with zero at 0, the bytes are signed.
        is_signed = tensor.type == schema.TensorType.INT8 or zero == 0
        integers = np.frombuffer(np.asarray(values, np.uint8).tobytes(), np.int8 if is_signed else np.uint8)
        floats = (integers.astype(np.float32) - np.float32(zero)) * np.float32(scale)
        model.buffers[tensor.buffer].data = np.frombuffer(floats.tobytes(), np.uint8)
        tensor.type, tensor.quantization = schema.TensorType.FLOAT32, None
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]

    def is_dequantize(operator) -> bool:
        return codes[operator.opcodeIndex] == schema.BuiltinOperator.DEQUANTIZE

    source = {operator.outputs[0]: operator.inputs[0] for operator in subgraph.operators if is_dequantize(operator)}
    subgraph.operators = [operator for operator in subgraph.operators if not is_dequantize(operator)]
    for operator in subgraph.operators:
        operator.inputs = [source.get(index, index) for index in operator.inputs]
    builder = flatbuffers.Builder(len(data) * 4)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
