/// What is kept of a conversation with a pet while no model is loaded.
public struct CompanionState: Sendable, Equatable, Codable {
  public let session: SessionState
  let mindsDanger: Bool
  let choice: UInt64
  /// How many lines of each kind of danger there were.
  let told: [Danger: Int]
}
