// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What `GET /pet/privacy` answers.
package struct PrivacyForm: Codable, Sendable, Equatable {
  package struct Evidence: Codable, Sendable, Equatable {
    package let claim: String
    package let holds: Bool
    package let basis: String
  }

  package let state: String
  package let badge: String
  package let detail: String
  package let complianceLevel: String
  package let isPassing: Bool
  package let evidence: [Evidence]
  /// Sockets that reached, or may have reached, another machine, for people.
  package let violations: [String]

  enum CodingKeys: String, CodingKey {
    case state, badge, detail, evidence, violations
    case complianceLevel = "compliance_level"
    case isPassing = "passing"
  }

  package init(_ monitor: PrivacyMonitor) {
    let verification = monitor.verifyPrivacyStatus()
    let status = verification.status
    (state, badge, detail) = (status.state.rawValue, status.badge, status.detail)
    (complianceLevel, isPassing) = (verification.complianceLevel.rawValue, verification.isPassing)
    evidence = verification.evidence.map { Evidence(claim: $0.claim, holds: $0.holds, basis: $0.basis) }
    violations = monitor.violations.map(\.description)
  }
}
