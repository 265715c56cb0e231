// SPDX-License-Identifier: Apache-2.0
extension InferenceError: SpoilingError {
  public var spoilsModel: Bool {
    if case .fileLost = self { true } else { false }
  }
}
