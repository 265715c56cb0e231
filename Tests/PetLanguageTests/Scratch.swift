// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder that goes with its owner.
final class Scratch {
  let path = FileManager.default.temporaryDirectory.path + "/pet-language-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}
