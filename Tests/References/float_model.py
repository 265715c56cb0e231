# SPDX-License-Identifier: Apache-2.0
"""The same weights without quantized arithmetic: a GGUF whose matrices are dequantized to F32.

llama.cpp rounds activations to 8 bits wherever weights are quantized; with F32 weights it does not, so this copy gives the
logits that the file's weights stand for.
"""
import gguf
import numpy as np
from gguf.quants import dequantize

SKIP = ("GGUF.", "general.architecture")


def write_float_model(source, target):
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for key, field in reader.fields.items():
        if not key.startswith(SKIP):
            kind = field.types[0]
            sub = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), kind, sub_type=sub)
    for t in reader.tensors:
        writer.add_tensor(t.name, np.ascontiguousarray(dequantize(t.data, t.tensor_type), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
