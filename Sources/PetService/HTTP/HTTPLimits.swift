// SPDX-License-Identifier: Apache-2.0
/// What one client may take of a server.
package struct HTTPLimits: Sendable, Equatable {
  package var bodyBytes = 8 << 20
  /// Of all header fields together.
  package var headerBytes = 32 << 10
  package var headerFields = 100
  /// At each address.
  package var connections = 256
  /// From the first byte of a request to its last, or from one request to the next.
  package var requestTime = Duration.seconds(30)
  /// For a reader to take a piece of a response.
  package var writeTime = Duration.seconds(30)

  package init() {}
}
