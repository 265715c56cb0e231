import PetEngine
import PetService

/// What `/privacy` says: what sees to it, what is kept, and where.
enum PrivacyText {
  /// - Parameters:
  ///   - own: of this program.
  ///   - service: of petd, where that answers.
  ///   - kept: what, and where.
  static func text(own: PrivacyForm, service: PrivacyForm?, kept: String) -> String {
    var facts = [("privacy", line(service ?? own))]
    if service != nil { facts.append(("this program", line(own))) }
    facts += (service ?? own).evidence.dropFirst().map { ($0.holds ? "kept" : "not kept", "\($0.claim): \($0.basis)") }
    return FactLines.text(
      facts + [
        ("on disk", kept),
        (
          "typed lines",
          "what Up brings back: PET_HOME/history, for you alone; none with --incognito, --key-file or --passphrase"
        ),
        ("erase", "/forget everything erases all of this, and the key that it is sealed with"),
      ])
  }

  private static func line(_ form: PrivacyForm) -> String { "\(form.badge) (\(form.state)): \(form.detail)" }
}
