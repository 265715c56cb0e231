// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetInference
import PetRuntime

/// A model that the catalog has under a kind of its own, and how it is made of the files of a tier.
protocol CatalogClassifier: Sendable {
  static var kind: ModelKind { get }
  /// The first part of a tier's name: "PoseDetection" of "PoseDetection_High".
  static var function: String { get }
  /// The files of a tier, its parts included.
  static var fileCount: ClosedRange<Int> { get }

  /// - Parameter files: as many as `fileCount` says, in the order of the catalog.
  static func load(_ files: [GGUFFile], _ quality: ModelQuality) throws -> Self
}

extension SerialClassifier: CatalogClassifier where Classifier: PictureClassifier {
  static var kind: ModelKind { Classifier.kind }
  static var function: String { Classifier.function }
  static var fileCount: ClosedRange<Int> { Classifier.fileCount }

  static func load(_ files: [GGUFFile], _ quality: ModelQuality) throws -> Self {
    Self(try Classifier.make(files, quality))
  }
}

/// A classifier of pictures: not for several tasks at once.
protocol PictureClassifier {
  static var kind: ModelKind { get }
  static var function: String { get }
  static var fileCount: ClosedRange<Int> { get }

  static func make(_ files: [GGUFFile], _ quality: ModelQuality) throws -> sending Self
}

extension PoseClassifier: PictureClassifier {
  static var kind: ModelKind { .pose }
  static var function: String { "PoseDetection" }
  static var fileCount: ClosedRange<Int> { 2...2 }

  /// The landmarks, then the detector.
  static func make(_ files: [GGUFFile], _ quality: ModelQuality) throws -> sending PoseClassifier {
    try PoseClassifier(detector: GGUFWeights(files[1]), landmarks: GGUFWeights(files[0]), quality: quality)
  }
}

extension ExpressionClassifier: PictureClassifier {
  static var kind: ModelKind { .expression }
  static var function: String { "FacialExpression" }
  static var fileCount: ClosedRange<Int> { 2...3 }

  /// The expressions, the detector of faces, and the mesh where the tier has one.
  static func make(_ files: [GGUFFile], _ quality: ModelQuality) throws -> sending ExpressionClassifier {
    try ExpressionClassifier(
      detector: GGUFWeights(files[1]), landmarks: files.count > 2 ? GGUFWeights(files[2]) : nil,
      expression: GGUFWeights(files[0]), quality: quality)
  }
}

extension VocalAffectClassifier: CatalogClassifier {
  static var kind: ModelKind { .affect }
  static var function: String { "VocalAffect" }
  static var fileCount: ClosedRange<Int> { 1...1 }

  static func load(_ files: [GGUFFile], _ quality: ModelQuality) throws -> VocalAffectClassifier {
    try VocalAffectClassifier(files[0], quality: quality)
  }
}

extension StressClassifier: CatalogClassifier {
  static var kind: ModelKind { .stress }
  static var function: String { "ParentStress" }
  static var fileCount: ClosedRange<Int> { 1...1 }

  static func load(_ files: [GGUFFile], _ quality: ModelQuality) throws -> StressClassifier {
    try StressClassifier(files[0])
  }
}
