// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

/// What `pet privacy` found.
struct PrivacyProofReport {
  let proof: SandboxProof
  let outlook: PrivacyOutlook
  /// Of petd; nil: none answers.
  let service: PrivacyForm?

  init(_ proof: SandboxProof, outlook: PrivacyOutlook, service: PrivacyForm?) {
    self.proof = proof
    self.outlook = outlook
    self.service = service
  }

  /// Enforced is only what was tried and refused.
  var state: PrivacyStatus.State { proof.isBroken ? .observed : outlook.state }

  var text: String {
    var table = TextTable(["AREA", "ATTEMPT", "ANY PROGRAM", "SEALED", ""])
    for row in proof.rows {
      table.add([
        row.attempt.area.rawValue, row.attempt.explanation, row.open.description, row.sealed.description,
        row.verdict.rawValue,
      ])
    }
    func count(_ verdict: SandboxProof.Verdict) -> Int { proof.rows.count { $0.verdict == verdict } }
    var facts = [
      ("pet chat, petd", "\(state.rawValue)" + (outlook.reason.map { ": \($0)" } ?? "")),
      (
        "attempts",
        "\(count(.holds)) as they should be, \(count(.broken)) not, \(count(.unavailable)) that this kernel has no answer to"
      ),
      ("kernel", outlook.kernel), ("swap", outlook.swap),
    ]
    facts.append(("petd", service.map { "\($0.badge) (\($0.state)): \($0.detail)" } ?? "none runs"))
    return table.text + "\n" + FactLines.text(facts)
  }
}

extension PrivacyProofReport: Encodable {
  private enum Keys: String, CodingKey { case state, kernel, attempts, petd }

  private struct Attempt: Encodable {
    let name: String
    let area: String
    let explanation: String
    let open: String
    let sealed: String
    let verdict: String
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(state.rawValue, forKey: .state)
    try container.encode(outlook, forKey: .kernel)
    let attempts = proof.rows.map {
      Attempt(
        name: $0.attempt.name, area: $0.attempt.area.rawValue, explanation: $0.attempt.explanation,
        open: $0.open.description, sealed: $0.sealed.description, verdict: $0.verdict.rawValue)
    }
    try container.encode(attempts, forKey: .attempts)
    try container.encode(service, forKey: .petd)
  }
}
