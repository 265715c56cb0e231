"""Writes vocal-affect.gguf: the weights of the voice activity network. What follows it is rules.

The network is Silero VAD's (PyPI silero-vad 6.2.3, MIT), every value as published in single precision; only their order changes so
that each product runs over memory in sequence. Same input, same bytes.

usage: export_affect.py --silero silero_vad_16k.safetensors OUT.gguf
"""

import argparse

import gguf
import numpy as np
from safetensors.numpy import load_file


def voice_activity(path):
    published = load_file(path)
    yield "vad.spectrum.weight", published["stft_conv.weight"][:, 0]
    for layer in ("conv1", "conv2", "conv3", "conv4"):
        # (out, in, time) -> (out, time, in)
        yield f"vad.{layer}.weight", published[f"{layer}.weight"].transpose(0, 2, 1)
        yield f"vad.{layer}.bias", published[f"{layer}.bias"]
    gates = [published[f"lstm_cell.weight_{part}"] for part in ("ih", "hh")]
    yield "vad.lstm.weight", np.concatenate(gates, axis=1)
    yield "vad.lstm.bias", published["lstm_cell.bias_ih"] + published["lstm_cell.bias_hh"]
    yield "vad.output.weight", published["final_conv.weight"].reshape(-1)
    yield "vad.output.bias", published["final_conv.bias"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--silero", required=True)
    parser.add_argument("output")
    arguments = parser.parse_args()

    writer = gguf.GGUFWriter(arguments.output, "pet-vocal-affect")
    writer.add_name("vocal affect")
    writer.add_license("MIT")
    writer.add_source_url("https://pypi.org/project/silero-vad/6.2.3/")
    for name, values in voice_activity(arguments.silero):
        writer.add_tensor(name, np.ascontiguousarray(values, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
