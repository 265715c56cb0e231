// SPDX-License-Identifier: Apache-2.0
import PetEngine
import PetRuntime

/// What became of one input, as `--json` prints it: one form, whatever it came from.
struct ClassifyReport<Result: Encodable>: Encodable {
  let path: String
  /// Of those that come through standard input, from 0; null elsewhere.
  @OrNull var index: Int?
  /// How much was heard of a sound that is judged as it comes; null elsewhere.
  @OrNull var seconds: Double?
  @OrNull var model: String?
  /// Of the inference alone: without reading, decoding and the load of the model.
  @OrNull var ms: Double?
  /// Null where the input was refused.
  @OrNull var result: Result?
  /// Why it was refused; else null.
  @OrNull var error: String?

  init(
    _ path: String, index: Int? = nil, seconds: Double? = nil, model: String?, ms: Double?, _ result: Result
  ) {
    self.path = path
    self.index = index
    self.seconds = seconds
    self.model = model
    self.ms = ms
    self.result = result
    error = nil
  }

  init(_ path: String, index: Int? = nil, _ inference: Inference?, _ result: Result) {
    self.init(
      path, index: index, model: inference?.version, ms: inference.map { Rounding.milliseconds($0.latency) }, result)
  }

  init(_ path: String, index: Int? = nil, refused error: any Error) {
    self.path = path
    self.index = index
    seconds = nil
    model = nil
    ms = nil
    result = nil
    self.error = "\(error)"
  }
}
