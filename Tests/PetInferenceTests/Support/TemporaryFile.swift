// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A file that is gone at the end of the test.
final class TemporaryFile {
  let path: String

  init(_ bytes: [UInt8], name: String = "model.gguf") throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: name)
    try Data(bytes).write(to: file)
    path = file.path
  }

  deinit { try? FileManager.default.removeItem(at: URL(filePath: path).deletingLastPathComponent()) }
}
