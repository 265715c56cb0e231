import PetEngine

/// What `/privacy` says: what is kept, where, and what leaves the machine.
enum PrivacyText {
  /// - Parameter kept: what, and where.
  static func text(kept: String) -> String {
    FactLines.text([
      ("computed", "on this machine; this program opens no connection while you talk"),
      ("kept", kept), ("typed lines", "what Up brings back: PET_HOME/history, for you alone; none with --incognito"),
      ("erase", "/forget everything erases all of this"),
    ])
  }
}
