// SPDX-License-Identifier: Apache-2.0
/// Whether what is said stays on this machine, and how that is known.
public struct PrivacyStatus: Sendable, Equatable {
  public enum State: String, Sendable, CaseIterable {
    /// The kernel refuses this process every socket that reaches further than this machine, a child that was sealed like it has tried, and none
    /// was open before.
    case enforced
    /// The sockets of this process were looked at, and none reaches another machine. Nothing keeps one from being opened.
    case observed
    /// One of them does or did, or could not be told, or they could not be looked at.
    case failed
  }

  public let state: State
  /// For people.
  public let detail: String

  /// - Parameters:
  ///   - sockets: nil where they could not be looked at.
  ///   - violations: what was seen before.
  package init(_ sockets: OpenSockets?, _ sandbox: SandboxFacts = SandboxFacts(), violations: [SocketReport] = []) {
    guard let sockets else {
      (state, detail) = (.failed, "this system does not tell which sockets are open")
      return
    }
    let (far, untold) = (sockets.count(.internet), sockets.count(.unknown))
    let strangers = sockets.sockets.filter { !sandbox.admits($0) }
    let near = "open sockets: \(sockets.count(.unix)) Unix, \(sockets.count(.loopback)) loopback"
    if far + untold > 0 {
      (state, detail) = (.failed, "\(near), \(far) to other machines, \(untold) of unknown reach")
    } else if let stranger = strangers.first {
      (state, detail) = (
        .failed, "\(near); one is connected with a program of this machine that is not known: \(stranger.remote)"
      )
    } else if let last = violations.last {
      (state, detail) = (.failed, "\(near); there was another: \(last)")
    } else if sandbox.isEnforced {
      let files = sandbox.files.isClosed ? ", and only its own files can be touched" : ""
      let others = sandbox.peers == .broker ? "any but connections with petd, which another process makes" : "any other"
      (state, detail) = (.enforced, "\(near); the kernel refuses \(others), and other programs\(files)")
    } else {
      let reason = sandbox.isAskedFor ? sandbox.weakness.map { " (\($0))" } ?? "" : ""
      (state, detail) = (.observed, "\(near); none reaches another machine, and nothing keeps one from it\(reason)")
    }
  }

  /// What people are shown; only what was seen to be so is said to be.
  public var badge: String { state == .failed ? "⚠️ Privacy Check Failed" : "🔒 Processing Locally" }

  public var isProcessedLocally: Bool { state != .failed }
}

extension PrivacyStatus: Encodable {
  private enum Keys: String, CodingKey { case state, badge, detail }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(state.rawValue, forKey: .state)
    try container.encode(badge, forKey: .badge)
    try container.encode(detail, forKey: .detail)
  }
}
