// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Passes over one vector, out of the first cache: widths of SmolLM2-135M and Phi-3-mini.
func registerVectorBenchmarks() {
  for width in [576, 3072] {
    // Not in place: over and over, that ends in numbers too small to be ordinary.
    vector("norm", width, reads: 2) { a, b in
      let out = Memory.floats(width)
      return { kernels.pointee.rms_norm(a, b, 1e-5, out, width) }
    }
    vector("residual", width, reads: 2) { a, b in
      { kernels.pointee.add(a, b, width) }
    }
    vector("activations to 8 bits", width, reads: 1) { a, _ in
      let quants = Memory.allocate(bytes: width).bindMemory(to: Int8.self, capacity: width)
      let sums = Memory.allocate(bytes: width).bindMemory(to: Int16.self, capacity: width / 16)
      let scales = Memory.floats(width / 32)
      return { kernels.pointee.quantize_activations(a, width, pk_place(first: 0, stride: 1), quants, scales, sums) }
    }
  }
  for width in [1536, 8192] {
    vector("SwiGLU", width, reads: 2) { a, b in
      let out = Memory.floats(width)
      return { kernels.pointee.swiglu(a, b, out, width) }
    }
  }
  vector("softmax", 2048, reads: 1) { a, _ in
    { kernels.pointee.softmax(a, 2048) }
  }
  vector("rope of one head", 64, reads: 2) { head, angles in
    for index in 0..<32 { (angles[index], angles[index + 32]) = (0.6, 0.8) }  // a turn: lengths stay
    return { kernels.pointee.rope_halves(head, angles, angles + 32, 64) }
  }
}

private func vector(
  _ name: String, _ width: Int, reads: Int,
  prepare: @escaping (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> () -> Void
) {
  let bytes = 4 * reads * width
  measure("\(name), \(width)", Work(bytes: Double(bytes), roof: .reading(bytes: 16 << 10))) {
    prepare(Memory.floats(width), Memory.floats(width))
  }
}
