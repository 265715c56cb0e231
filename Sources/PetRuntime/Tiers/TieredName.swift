// SPDX-License-Identifier: Apache-2.0
/// The name, without its extension, of the file that holds one variant of a model: "PoseDetection_High".
package struct TieredName: Sendable, Equatable, Hashable, CustomStringConvertible {
  /// What the model does: "PoseDetection".
  package let function: String
  package let quality: ModelQuality

  /// - Parameter function: letters, digits, `.`, `_`, `-`; begins with a letter, a digit or `_`; short enough for a file's
  ///   name of 128 bytes. Anything else gives nil: the name becomes part of a path.
  package init?(function: String, quality: ModelQuality) {
    self.function = function
    self.quality = quality
    guard !function.isEmpty, Catalog.isFileName(baseName) else { return nil }
  }

  /// Reads `baseName` back; nil for what is none.
  package init?(baseName: String) {
    guard let mark = baseName.lastIndex(of: "_"),
      let quality = ModelQuality.allCases.first(where: { $0.suffix == baseName[baseName.index(after: mark)...] })
    else { return nil }
    self.init(function: String(baseName[..<mark]), quality: quality)
  }

  package var baseName: String { "\(function)_\(quality.suffix)" }

  package var description: String { baseName }
}

extension ModelQuality {
  fileprivate var suffix: String {
    switch self {
    case .high: "High"
    case .medium: "Medium"
    case .low: "Low"
    }
  }
}
