/// Whether what is said stays on this machine, and how that is known.
public struct PrivacyStatus: Sendable, Equatable {
  public enum State: String, Sendable, CaseIterable {
    /// The sockets of this process were looked at, and none reaches another machine. Nothing keeps one from being opened later.
    case observed
    /// One of them does, or could not be told.
    case failed
    /// They could not be looked at.
    case unknown
  }

  public let state: State
  /// For people.
  public let detail: String

  public init(_ sockets: OpenSockets?) {
    guard let sockets else {
      (state, detail) = (.unknown, "this system does not tell which sockets are open")
      return
    }
    let (far, untold) = (sockets.count(.internet), sockets.count(.unknown))
    let near = "\(sockets.count(.unix)) Unix, \(sockets.count(.loopback)) loopback"
    state = far + untold == 0 ? .observed : .failed
    detail =
      far + untold == 0
      ? "open sockets: \(near); none reaches another machine"
      : "open sockets: \(near), \(far) to other machines, \(untold) of unknown reach"
  }

  public static func read() -> PrivacyStatus { PrivacyStatus(OpenSockets.read()) }

  /// What people are shown; only what was seen to be so is said to be.
  public var badge: String { state == .observed ? "🔒 Processing Locally" : "⚠️ Privacy Check Failed" }
}
