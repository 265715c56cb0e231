// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Whatever is wrong with a model file: one line that names the file, the key or tensor and the mend; exit code 3.
@Suite("Broken model files")
struct BrokenModelTests {
  private static let sound = try? Data(contentsOf: URL(filePath: Fixtures.smallModel))

  enum Damage: String, CaseIterable {
    case missing, folder, empty, wrongMagic, cutInHeader, cutInKeys, cutInTensorTable, cutInData, wrongArchitecture
    case missingTensor, wrongShape, missingVocabulary, hugeCount, hugeString, unknownType

    /// What the line must name.
    var names: [String] {
      switch self {
      case .missing: ["no such file"]
      case .folder: ["not a regular file"]
      case .empty: ["empty", "again"]
      case .wrongMagic: ["not a GGUF file", "pet models convert"]
      case .cutInHeader, .cutInKeys, .cutInTensorTable: ["cut short", "again"]
      case .cutInData: ["tensor ", "cut short", "again"]
      case .wrongArchitecture: ["architecture \"phi9\"", "llama or phi3"]
      case .missingTensor: ["blk.0.attn_norm.weight", "missing", "again"]
      case .wrongShape: ["blk.0.attn_norm.weight", "shape", "convert"]
      case .missingVocabulary: ["tokenizer.ggml.tokens", "missing", "convert"]
      case .hugeCount: ["keys", "at most"]
      case .hugeString: ["general.architecture", "needs", "again"]
      case .unknownType: ["tensor ", "IQ2_XXS", "quantize"]
      }
    }

    func apply(to file: Data) throws -> Data {
      var file = file
      func position(_ text: String) throws -> Int {
        try #require(file.range(of: Data(text.utf8)), "\(text) is not in the fixture").lowerBound
      }
      func replace(_ text: String, by other: String) throws {
        let start = try position(text)
        file.replaceSubrange(start..<start + text.utf8.count, with: other.utf8)
      }
      switch self {
      case .missing, .folder: break
      case .empty: return Data()
      case .wrongMagic: file[0] = UInt8(ascii: "X")
      case .cutInHeader: return file.prefix(13)
      case .cutInKeys: return file.prefix(200)
      case .cutInTensorTable: return try file.prefix(position("blk.0.attn_norm.weight") + 30)
      case .cutInData: return file.dropLast(10)
      case .wrongArchitecture:
        // The value stands after the key, its type and its length.
        let start = try position("general.architecture") + 20 + 4 + 8
        file.replaceSubrange(start..<start + 4, with: "phi9".utf8)
      case .missingTensor: try replace("blk.0.attn_norm.weight", by: "blk.0.attn_morn.weight")
      case .wrongShape:
        // Name, then the rank, then the first dimension.
        let start = try position("blk.0.attn_norm.weight") + 22 + 4
        file[start] = 16
      case .missingVocabulary: try replace("tokenizer.ggml.tokens", by: "tokenizer.ggml.tokenz")
      case .hugeCount: file.replaceSubrange(16..<24, with: [UInt8](repeating: 0xff, count: 8))
      case .hugeString:
        let start = try position("general.architecture") + 20 + 4
        file.replaceSubrange(start..<start + 8, with: [UInt8](repeating: 0xff, count: 8))
      case .unknownType:
        let start = try position("blk.0.attn_norm.weight") + 22 + 4 + 8
        file[start] = 16
      }
      return file
    }
  }

  @Test("one line, exit code 3", arguments: Damage.allCases)
  func refused(_ damage: Damage) throws {
    let home = try TemporaryHome()
    let path = home.path + "/model.gguf"
    switch damage {
    case .missing: break
    case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    default: try damage.apply(to: #require(Self.sound)).write(to: URL(filePath: path))
    }
    for command in [["complete", "--prompt", "hi"], ["chat"], ["bench", "-p", "4", "-n", "1"]] {
      let result = try PetBinary.run(command + ["--model", path], home: home.path, input: "hi\n")
      #expect(result.status == 3 || (damage == .missingVocabulary && command[0] == "bench"), "\(result)")
      guard result.status != 0 else { continue }
      #expect(result.output.isEmpty)
      #expect(result.error.hasPrefix("pet: \(path)"), "\(result.error)")
      #expect(result.error.filter(\.isNewline).count == 1, "\(result.error)")
      for name in damage.names { #expect(result.error.contains(name), "\(name) in: \(result.error)") }
    }
  }
}
