// SPDX-License-Identifier: Apache-2.0
/// What one classifier thinks it sees or hears, at one moment.
package struct Observation: Sendable, Equatable {
  package enum Source: String, Sendable, CaseIterable, Codable {
    case face, voice, pose, stress

    /// How it came to be known, in a sentence.
    var verb: String {
      switch self {
      case .face: "looks"
      case .voice: "sounds"
      case .pose, .stress: "seems"
      }
    }

    /// How much it counts beside the others: a face says more than a posture.
    var weight: Double {
      switch self {
      case .face, .voice: 1
      case .stress: 0.8
      case .pose: 0.6
      }
    }

    /// How fast what it told grows old.
    var halfLife: HalfLife {
      switch self {
      case .face: HalfLife(minutes: 2)
      case .voice: HalfLife(minutes: 3)
      case .pose: HalfLife(minutes: 5)
      case .stress: HalfLife(minutes: 10)
      }
    }
  }

  package let source: Source
  package let feeling: Feeling
  /// From 0 to 1.
  package let confidence: Double
  /// Since 1970.
  package let seconds: Int64

  /// - Parameters:
  ///   - label: the classifier's, a ``Feeling`` by name in any case.
  ///   - confidence: from 0 to 1; a thousandth beyond is rounding, and becomes the end it is near.
  ///   - seconds: since 1970.
  /// - Throws: ``ObservationError``
  package init(source: Source, label: String, confidence: Double, seconds: Int64) throws(ObservationError) {
    // As long as any name, in any script: a huge label is not even looked at.
    guard label.utf8.count <= 32, let feeling = Feeling(rawValue: label.lowercased()) else {
      throw .unknownLabel(source)
    }
    guard (-0.001...1.001).contains(confidence) else { throw .confidenceOutOfRange(confidence) }
    self.source = source
    self.feeling = feeling
    self.confidence = min(max(confidence, 0), 1)
    self.seconds = seconds
  }
}

/// Why something observed is not taken.
package enum ObservationError: Error, Equatable, CustomStringConvertible {
  case unknownLabel(Observation.Source)
  /// Or no number.
  case confidenceOutOfRange(Double)

  package var description: String {
    switch self {
    case .unknownLabel(let source):
      "\(source.rawValue): not a feeling; there are \(Feeling.allCases.map(\.rawValue).joined(separator: ", "))"
    case .confidenceOutOfRange(let value): "confidence \(value) is not within 0...1"
    }
  }
}
