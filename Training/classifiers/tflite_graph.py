# SPDX-License-Identifier: Apache-2.0
"""Reads a TensorFlow Lite file as a graph. Weights become 32-bit floats, sparse ones dense."""

import numpy as np
import tflite

from graph import Graph, window

TYPES = {0: np.float32, 1: np.float16, 2: np.int32, 3: np.uint8, 9: np.int8}
ACTIVATIONS = {0: "none", 1: "relu", 3: "relu6"}
OPERATORS = {value: name for name, value in vars(tflite.BuiltinOperator).items() if isinstance(value, int)}
VECTORS = {1: tflite.Int32Vector, 2: tflite.Uint16Vector, 3: tflite.Uint8Vector}


def read(data: bytes, input_range: list[float], outputs: dict[str, str]) -> Graph:
    """`outputs` names the file's outputs that are wanted; what is concatenated last becomes NAME.0, NAME.1 ..."""
    return _Reader(data).graph(input_range, outputs)


class _Reader:
    def __init__(self, data: bytes):
        self.model = tflite.Model.GetRootAsModel(data, 0)
        self.subgraph = self.model.Subgraphs(0)
        self.result = Graph()
        self.values: dict[int, np.ndarray] = {}  # constants that operators such as DEQUANTIZE made

    def graph(self, input_range, outputs) -> Graph:
        names = {self.name(index): int(index) for index in self.subgraph.OutputsAsNumpy()}
        wanted = {names[theirs]: ours for theirs, ours in outputs.items()}
        self.renamed: dict[int, str] = {}
        for operator, kind in self.operators():
            result = int(operator.Outputs(0))
            if kind == "CONCATENATION" and result in wanted:
                ours = wanted.pop(result)
                wanted |= {int(part): f"{ours}.{i}" for i, part in enumerate(operator.InputsAsNumpy())}
        self.renamed = dict(wanted)
        for index in self.subgraph.InputsAsNumpy():
            self.renamed[int(index)] = "image"
            self.result.inputs.append({"name": "image", "shape": self.shape(index), "range": input_range})
        self.result.outputs = [{"name": ours, "shape": self.shape(index)} for index, ours in wanted.items()]
        for operator, kind in self.operators():
            if kind == "CONCATENATION":
                continue  # the parts are outputs; one that is not would be missed below
            getattr(self, kind.lower())(operator)
        self.result.fuse_relu()
        self.result.prune()
        return self.result

    def operators(self):
        for i in range(self.subgraph.OperatorsLength()):
            operator = self.subgraph.Operators(i)
            code = self.model.OperatorCodes(operator.OpcodeIndex())
            yield operator, OPERATORS[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]

    # Tensors

    def name(self, index) -> str:
        return self.subgraph.Tensors(int(index)).Name().decode()

    def shape(self, index) -> list[int]:
        tensor = self.subgraph.Tensors(int(index))
        return [int(size) for size in tensor.ShapeAsNumpy()] if tensor.ShapeLength() else []

    def value(self, index) -> str:
        return self.renamed.get(int(index), f"value {int(index)}")

    def constant(self, index, shape=None) -> str:
        """The name of a constant among the result's; its shape may be changed."""
        values = self.array(index)
        if values is None:
            raise SystemExit(f"{self.name(index)} is not constant")
        name = f"c{int(index)}"
        self.result.add_constant(name, values.reshape(shape if shape else values.shape))
        integers = self.integers(index)
        if integers:
            self.result.scales[name] = np.ones(values.shape)
            self.result.factors[name] = float(np.float32(integers[1]))
            self.result.constants[name] = integers[0] * self.result.factors[name]
        return name

    def array(self, index) -> np.ndarray | None:
        index = int(index)
        if index in self.values:
            return self.values[index]
        integers = self.integers(index)
        if integers:
            return integers[0].astype(np.float32) * np.float32(integers[1])
        tensor = self.subgraph.Tensors(index)
        buffer = self.model.Buffers(tensor.Buffer())
        if buffer.DataLength() == 0:
            return None
        values = np.frombuffer(buffer.DataAsNumpy().tobytes(), TYPES[tensor.Type()])
        values = values.reshape(self.shape(index)) if tensor.Sparsity() is None else self.dense(tensor, values)
        quantization = tensor.Quantization()
        if values.dtype in (np.uint8, np.int8):
            return (values.astype(np.float32) - quantization.ZeroPoint(0)) * np.float32(quantization.Scale(0))
        return values if values.dtype == np.int32 else values.astype(np.float32)

    def integers(self, index) -> tuple[np.ndarray, float] | None:
        """8-bit weights with one scale and zero at 0. Old converters call them UINT8 although the bytes are signed."""
        tensor = self.subgraph.Tensors(int(index))
        quantization = tensor.Quantization()
        if tensor.Type() not in (3, 9) or quantization is None or quantization.ScaleLength() == 0:
            return None
        if quantization.ScaleLength() != 1:
            raise SystemExit(f"{self.name(index)}: scales of channels are not known")
        if quantization.ZeroPoint(0) != 0:
            return None
        data = self.model.Buffers(tensor.Buffer()).DataAsNumpy().tobytes()
        return np.frombuffer(data, np.int8).reshape(self.shape(index)), float(quantization.Scale(0))

    def dense(self, tensor, values: np.ndarray) -> np.ndarray:
        """Scatters values that are stored as compressed sparse rows (dense dimensions, the last one sparse)."""
        sparsity = tensor.Sparsity()
        shape = [int(size) for size in tensor.ShapeAsNumpy()]
        dimensions = [sparsity.DimMetadata(i) for i in range(sparsity.DimMetadataLength())]
        formats = [dimension.Format() for dimension in dimensions]
        if formats != [0] * (len(shape) - 1) + [1] or list(sparsity.TraversalOrderAsNumpy()) != list(range(len(shape))):
            raise SystemExit(f"unknown sparse layout {formats}")
        segments = self.vector(dimensions[-1], "ArraySegments")
        columns = self.vector(dimensions[-1], "ArrayIndices")
        result = np.zeros((len(segments) - 1, shape[-1]), values.dtype)
        for row, (start, end) in enumerate(zip(segments[:-1], segments[1:])):
            result[row, columns[start:end]] = values[start:end]
        return result.reshape(shape)

    def vector(self, dimension, field: str) -> np.ndarray:
        table = getattr(dimension, field)()
        vector = VECTORS[getattr(dimension, field + "Type")()]()
        vector.Init(table.Bytes, table.Pos)
        return vector.ValuesAsNumpy().astype(np.int64)

    # Operators

    def options(self, operator, kind):
        options = kind()
        table = operator.BuiltinOptions()
        options.Init(table.Bytes, table.Pos)
        return options

    def add_node(self, op: str, inputs: list[str], operator, **attributes):
        output = operator.Outputs(0)
        self.result.add_node(op, inputs, self.value(output), self.shape(output), **attributes)

    def window(self, operator, options, kernel) -> dict:
        stride = [options.StrideH(), options.StrideW()]
        return window(self.shape(operator.Inputs(0)), kernel, stride, options.Padding() == tflite.Padding.SAME)

    def convolution(self, op: str, operator, options):
        if options.DilationHFactor() != 1 or options.DilationWFactor() != 1:
            raise SystemExit("dilation is not known")
        inputs = [self.value(operator.Inputs(0)), self.constant(operator.Inputs(1)), self.constant(operator.Inputs(2))]
        activation = ACTIVATIONS[options.FusedActivationFunction()]
        kernel = self.shape(operator.Inputs(1))[1:3]
        self.add_node(op, inputs, operator, **self.window(operator, options, kernel), activation=activation)

    def conv_2d(self, operator):
        self.convolution("conv2d", operator, self.options(operator, tflite.Conv2DOptions))

    def depthwise_conv_2d(self, operator):
        self.convolution("depthwise_conv2d", operator, self.options(operator, tflite.DepthwiseConv2DOptions))

    def fully_connected(self, operator):
        options = self.options(operator, tflite.FullyConnectedOptions)
        filter_shape = self.shape(operator.Inputs(1))
        flat = self.value(operator.Outputs(0)) + " flat"
        self.result.add_node("reshape", [self.value(operator.Inputs(0))], flat, [1, filter_shape[1]])
        bias = operator.Inputs(2) if operator.InputsLength() > 2 else -1
        if bias < 0:
            raise SystemExit("a fully connected layer without bias is not known")
        inputs = [flat, self.constant(operator.Inputs(1)), self.constant(bias)]
        self.add_node(
            "fully_connected", inputs, operator, activation=ACTIVATIONS[options.FusedActivationFunction()]
        )

    def add(self, operator):
        options = self.options(operator, tflite.AddOptions)
        inputs = [self.value(index) for index in operator.InputsAsNumpy()]
        self.add_node("add", inputs, operator, activation=ACTIVATIONS[options.FusedActivationFunction()])

    def max_pool_2d(self, operator):
        options = self.options(operator, tflite.Pool2DOptions)
        if options.FusedActivationFunction() != 0:
            raise SystemExit("an activation of a pooling is not known")
        kernel = [options.FilterHeight(), options.FilterWidth()]
        attributes = self.window(operator, options, kernel)
        self.add_node("max_pool2d", [self.value(operator.Inputs(0))], operator, kernel=kernel, **attributes)

    def pad(self, operator):
        amounts = self.array(operator.Inputs(1))
        before, after = ([int(amount) for amount in amounts[:, side]] for side in range(2))
        self.add_node("pad", [self.value(operator.Inputs(0))], operator, before=before, after=after)

    def resize_bilinear(self, operator):
        options = self.options(operator, tflite.ResizeBilinearOptions)
        mode = "align_corners" if options.AlignCorners() else "half_pixel" if options.HalfPixelCenters() else "legacy"
        self.add_node("resize_bilinear", [self.value(operator.Inputs(0))], operator, mode=mode)

    def depth_to_space(self, operator):
        block = self.options(operator, tflite.DepthToSpaceOptions).BlockSize()
        self.add_node("depth_to_space", [self.value(operator.Inputs(0))], operator, block=block)

    def prelu(self, operator):
        slope = self.constant(operator.Inputs(1), shape=[-1])
        self.add_node("prelu", [self.value(operator.Inputs(0)), slope], operator)

    def relu(self, operator):
        self.add_node("relu", [self.value(operator.Inputs(0))], operator)

    def logistic(self, operator):
        self.add_node("sigmoid", [self.value(operator.Inputs(0))], operator)

    def softmax(self, operator):
        self.add_node("softmax", [self.value(operator.Inputs(0))], operator)

    def reshape(self, operator):
        self.add_node("reshape", [self.value(operator.Inputs(0))], operator)

    def dequantize(self, operator):
        self.values[int(operator.Outputs(0))] = self.array(operator.Inputs(0)).astype(np.float32)

    densify = dequantize
