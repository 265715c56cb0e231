// SPDX-License-Identifier: Apache-2.0
/// An error that may leave the loaded model unusable.
package protocol SpoilingError: Error {
  /// Whether the model must be loaded anew, as after its mapped file was truncated.
  var spoilsModel: Bool { get }
}
