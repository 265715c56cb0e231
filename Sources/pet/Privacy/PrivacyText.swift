// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

/// What `/privacy` says: what sees to it, what is kept, and where.
enum PrivacyText {
  /// - Parameters:
  ///   - own: of this program.
  ///   - service: of petd, where that answers.
  ///   - answerer: who computes the replies.
  ///   - kept: what, and where.
  static func text(own: PrivacyForm, service: PrivacyForm?, answerer: String, kept: String) -> String {
    var facts = [("privacy", service.map { "petd: \(line($0))" } ?? line(own))]
    if service != nil { facts.append(("this program", line(own))) }
    facts.append(("who answers", answerer))
    // Each speaks of itself: words pass through both.
    if let service {
      facts += evidence(service, of: "petd: ") + evidence(own, of: "this program: ")
    } else {
      facts += evidence(own)
    }
    return FactLines.text(
      facts + [
        ("on disk", kept),
        (
          "typed lines",
          "what Up brings back: PET_HOME/history, for you alone; none with --incognito, --key-file or --passphrase"
        ),
        (
          "erase",
          "/forget everything erases all of this, and the key that it is sealed with; how the pet is stays: it has no words"
        ),
      ])
  }

  private static func evidence(_ form: PrivacyForm, of whom: String = "") -> [(String, String)] {
    form.evidence.dropFirst().map { ($0.holds ? "kept" : "not kept", "\(whom)\($0.claim): \($0.basis)") }
  }

  private static func line(_ form: PrivacyForm) -> String { "\(form.badge) (\(form.state)): \(form.detail)" }
}
