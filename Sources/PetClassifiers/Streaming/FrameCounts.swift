// SPDX-License-Identifier: Apache-2.0
/// What became of the frames of a stream.
public struct FrameCounts: Sendable, Equatable {
  /// Given by who makes them.
  public package(set) var offered = 0
  /// Looked at.
  public package(set) var judged = 0
  /// Replaced by a newer one before there was time to look, or given after the end.
  public package(set) var dropped = 0
  /// Left out because the quality's rate is lower than the film's.
  public package(set) var skipped = 0

  package init(offered: Int = 0, judged: Int = 0, dropped: Int = 0, skipped: Int = 0) {
    (self.offered, self.judged, self.dropped, self.skipped) = (offered, judged, dropped, skipped)
  }
}

extension FrameCounts: Encodable {
  private enum Key: String, CodingKey { case offered, judged, dropped, skipped }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(offered, forKey: .offered)
    try fields.encode(judged, forKey: .judged)
    try fields.encode(dropped, forKey: .dropped)
    try fields.encode(skipped, forKey: .skipped)
  }
}
