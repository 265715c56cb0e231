// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Glibc
import PetInference

/// How to read a prompt: int8 products, float products, or OpenBLAS's sgemm over tiles of weights that are made floats.
/// OpenBLAS (Debian: libopenblas0-pthread) is left out where it is not installed.
func registerPromptBenchmarks() {
  let tokens = kernels.pointee.variant == PK_SCALAR ? 4 : 128
  let sgemm = OpenBLAS.load()
  // The matrices of SmolLM2-135M's layers, and of Phi-3-mini's.
  for (rows, columns) in [(960, 576), (1536, 576), (576, 1536), (9216, 3072), (8192, 3072), (3072, 8192)] {
    for type in [TensorType.q4_1, .q8_0, .f16] {
      let shape = MatrixShape(type: type, rows: rows, columns: columns)
      let work = Work(
        bytes: Double(shape.bytes), operations: shape.operations * Double(tokens),
        roof: type.isQuantized ? .int8 : .float)
      let name = "prompt of \(tokens), \(rows)x\(columns), \(type.name)"
      measure("\(name): own", work) { product(shape, tokens: tokens, threads: 1) }
      if let sgemm { measure("\(name): OpenBLAS", work) { dequantizedProduct(shape, tokens: tokens, sgemm) } }
    }
  }
}

/// A body that makes floats of the next matrix, tile by tile, and multiplies each with all tokens.
private func dequantizedProduct(_ shape: MatrixShape, tokens: Int, _ sgemm: @escaping OpenBLAS.Product) -> () -> Void {
  let (rows, columns) = (shape.rows, shape.columns)
  let values = Memory.floats(tokens * columns)
  let out = Memory.floats(tokens * rows)
  let step = 256  // rows of a tile: with fewer, sgemm is slower; with more, they leave the cache
  let tile = Memory.floats(step * columns)
  let matrices = Memory.poolBytes / shape.bytes
  var next = 0
  return {
    let weights = Memory.pool + next * shape.bytes
    next = (next + 1) % matrices
    for first in stride(from: 0, to: rows, by: step) {
      let count = min(step, rows - first)
      kernels.pointee.dequantize(shape.type.kernelType, weights + first * shape.rowBytes, tile, count * columns)
      sgemm(
        OpenBLAS.rowMajor, OpenBLAS.asIs, OpenBLAS.transposed, Int32(tokens), Int32(count), Int32(columns), 1, values,
        Int32(columns), tile, Int32(columns), 0, out + first, Int32(rows))
    }
  }
}

private enum OpenBLAS {
  static let rowMajor: Int32 = 101
  static let asIs: Int32 = 111
  static let transposed: Int32 = 112

  /// `cblas_sgemm`: order, transposed a, transposed b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc.
  typealias Product =
    @convention(c) (
      Int32, Int32, Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32, UnsafePointer<Float>, Int32, Float,
      UnsafeMutablePointer<Float>, Int32
    ) -> Void

  /// On one thread, with the kernels for this CPU whatever the environment says and whether the library knows this CPU or
  /// not (Debian's 0.3.21 takes a new Xeon for a Prescott): the variable is read when it loads.
  static func load() -> Product? {
    switch kernels.pointee.variant {
    case PK_AVX512_VNNI: setenv("OPENBLAS_CORETYPE", "SkylakeX", 1)
    case PK_AVX2: setenv("OPENBLAS_CORETYPE", "Haswell", 1)
    default: unsetenv("OPENBLAS_CORETYPE")
    }
    setenv("OPENBLAS_NUM_THREADS", "1", 1)
    guard let library = dlopen("libopenblas.so.0", RTLD_NOW), let symbol = dlsym(library, "cblas_sgemm") else {
      return nil
    }
    return unsafeBitCast(symbol, to: Product.self)
  }
}
