// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

@Suite struct SlidingWindowTests {
  private func window(layers: UInt32, context: UInt32 = 4096, key: UInt32? = nil) throws -> Int? {
    var bytes = GGUFBytes()
    bytes.keys = [
      ("general.architecture", .string("phi3")), ("phi3.block_count", .uint32(layers)),
      ("phi3.context_length", .uint32(context)), ("phi3.embedding_length", .uint32(8)),
      ("phi3.feed_forward_length", .uint32(16)), ("phi3.attention.head_count", .uint32(2)),
      ("phi3.attention.layer_norm_rms_epsilon", .float(1e-5)),
    ]
    if let key { bytes.keys.append(("phi3.attention.sliding_window", .uint32(key))) }
    bytes.tensors.append(("token_embd.weight", [8, 10], 0, 0))
    bytes.dataBytes = 320
    let file = try TemporaryFile(bytes.bytes)
    return try ModelConfiguration(file: GGUFFile(path: file.path)).slidingWindow
  }

  /// Older files of Phi-3-mini-4k and Phi-3-medium-4k do not say it.
  @Test func isKnownWhereOldFilesLeaveItOut() throws {
    for layers in [32, 40] as [UInt32] {
      #expect(try window(layers: layers) == 2047)
      #expect(try window(layers: layers, key: 0) == nil)
      #expect(try window(layers: layers, key: 100) == 100)
      #expect(try window(layers: layers, context: 131_072) == nil)
    }
    #expect(try window(layers: 2) == nil)
  }
}
