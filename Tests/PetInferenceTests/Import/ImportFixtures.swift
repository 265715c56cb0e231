// SPDX-License-Identifier: Apache-2.0
import Foundation

import PetInference

/// A folder that lives as long as the value.
final class ScratchFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/pet-import-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: path + "/" + name))
    return path + "/" + name
  }

  func copy(_ folder: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: path + "/" + name)
    }
  }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// The committed small models.
enum SmallModels {
  static let names = [
    "llama-gqa", "llama-tied", "phi3-gqa-partial", "phi3-longrope", "phi3-longrope-partial", "phi3-mha", "phi3-tied",
    "phi3-window",
  ]

  static func folder(_ name: String) -> String { Fixtures.path("models/" + name) }
}

/// A safetensors file from its header's text.
func safetensors(_ header: String, data: [UInt8] = [], size: UInt64? = nil) -> [UInt8] {
  littleEndianBytes(size ?? UInt64(header.utf8.count)) + header.utf8 + data
}

func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

/// A vocabulary of the fixtures' size, for tests of everything else.
func plainVocabulary(count: Int = 304) -> ImportedVocabulary {
  var tokens: [ImportedVocabulary.Token] = ["<unk>", "<s>", "</s>"].enumerated().map { id, text in
    .init(text: Array(text.utf8), score: 0, type: id == 0 ? .unknown : .control)
  }
  for id in 3..<count { tokens.append(.init(text: Array("t\(id)".utf8), score: Float(-id), type: .normal)) }
  return ImportedVocabulary(path: "tokenizer.model", tokens: tokens, addsSpacePrefix: true)
}
