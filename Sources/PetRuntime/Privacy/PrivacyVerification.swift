// SPDX-License-Identifier: Apache-2.0
/// How far it is certain that what is said stays here, with what that rests on.
public struct PrivacyVerification: Sendable, Equatable {
  public enum ComplianceLevel: String, Sendable, CaseIterable {
    /// The kernel keeps all of it.
    case full
    /// It is so, and something of it is only looked after, not kept.
    case partial
    /// It is not so, or nobody knows.
    case none
  }

  public struct Evidence: Sendable, Equatable, Encodable {
    public let claim: String
    public let holds: Bool
    /// What was done or seen.
    public let basis: String
  }

  public let status: PrivacyStatus
  public let complianceLevel: ComplianceLevel
  public let evidence: [Evidence]

  public var isPassing: Bool { complianceLevel != .none }

  package init(_ status: PrivacyStatus, _ sandbox: SandboxFacts, swap: SwapFacts) {
    func part(_ part: SandboxFacts.Part, _ basis: String) -> String {
      if case .open(let reason) = part { return reason }
      return basis
    }
    let sockets = sandbox.isEnforced
    let broker =
      sandbox.peers == .broker ? "; a process of its own, which hears no word, connects it with petd alone" : ""
    let (memory, files) = (sandbox.memory.isClosed, sandbox.files.isClosed)
    self.status = status
    evidence = [
      Evidence(
        claim: "no open socket reaches another machine", holds: status.state != .failed, basis: status.detail),
      Evidence(
        claim: "none can be opened", holds: sockets,
        basis: sandbox.weakness ?? "seccomp filter on all threads; a sealed child was refused "
          + "\(sandbox.selfTest?.attempts ?? 0) of \(sandbox.selfTest?.attempts ?? 0) attempts\(broker)"),
      Evidence(
        claim: "only its own files can be touched", holds: files,
        basis: part(sandbox.files, "Landlock, version \(sandbox.landlockVersion)")),
      Evidence(
        claim: "nothing of its memory is dumped, or read by another program", holds: memory,
        basis: part(sandbox.memory, "no core dumps, not dumpable, no new privileges")),
      swap.evidence(sandbox),
    ]
    complianceLevel = status.state == .failed ? .none : sockets && files && memory ? .full : .partial
  }
}

extension PrivacyVerification: Encodable {
  private enum Keys: String, CodingKey {
    case status, evidence
    case complianceLevel = "compliance_level"
    case isPassing = "passing"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(status, forKey: .status)
    try container.encode(complianceLevel.rawValue, forKey: .complianceLevel)
    try container.encode(isPassing, forKey: .isPassing)
    try container.encode(evidence, forKey: .evidence)
  }
}
