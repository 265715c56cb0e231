# SPDX-License-Identifier: Apache-2.0
"""Writes vocal-affect.gguf: the weights of the voice activity network. What follows it is rules.

The network is Silero VAD's (PyPI silero-vad 6.2.3, MIT), every value as published in single precision; only their order changes so
that each product runs over memory in sequence. The weights are those of its ONNX files; silero_vad_16k.safetensors beside them holds
other ones. Same input, same bytes.

usage: export_affect.py --silero silero_vad_16k_op15.onnx OUT.gguf
"""

import argparse

import gguf
import numpy as np
import onnx
from onnx import numpy_helper


def constants(graph):
    """All that the file holds, by the names that the network's parts had in PyTorch."""
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        found |= {node.output[0]: numpy_helper.to_array(value.t) for value in node.attribute if value.name == "value"}
    return {name.removeprefix("model."): values for name, values in found.items()}


def voice_activity(path):
    published = constants(onnx.load(path).graph)
    yield "vad.spectrum.weight", published["stft.forward_basis_buffer"][:, 0]
    for layer in range(4):
        # (out, in, time) -> (out, time, in)
        name = f"encoder.{layer}.reparam_conv"
        yield f"vad.conv{layer + 1}.weight", published[f"{name}.weight"].transpose(0, 2, 1)
        yield f"vad.conv{layer + 1}.bias", published[f"{name}.bias"]
    gates = [published[f"decoder.rnn.weight_{part}"] for part in ("ih", "hh")]
    yield "vad.lstm.weight", np.concatenate(gates, axis=1)
    yield "vad.lstm.bias", published["decoder.rnn.bias_ih"] + published["decoder.rnn.bias_hh"]
    yield "vad.output.weight", published["decoder.decoder.2.weight"].reshape(-1)
    yield "vad.output.bias", published["decoder.decoder.2.bias"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--silero", required=True)
    parser.add_argument("output")
    arguments = parser.parse_args()

    writer = gguf.GGUFWriter(arguments.output, "pet-vocal-affect")
    writer.add_name("vocal affect")
    writer.add_license("MIT")
    writer.add_version("6.2.3")
    writer.add_source_url("https://github.com/snakers4/silero-vad")
    for name, values in voice_activity(arguments.silero):
        writer.add_tensor(name, np.ascontiguousarray(values, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
