// SPDX-License-Identifier: Apache-2.0
/// An error after which the model that is loaded may be of no use any more.
package protocol SpoilingError: Error {
  /// Whether it must be loaded anew, as when its file was cut short under it.
  var spoilsModel: Bool { get }
}
