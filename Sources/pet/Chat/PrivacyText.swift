import PetEngine

/// What `/privacy` says: what is kept, where, and what leaves the machine.
enum PrivacyText {
  static func text(home: PetHome?) -> String {
    let kept =
      home.map {
        "how the pet is, what it remembers of you and answers that it gave: \($0.folder), readable by you alone"
      }
      ?? "nothing"
    return FactLines.text([
      ("computed", "on this machine; this program opens no connection while you talk"),
      ("kept", kept), ("typed lines", "what Up brings back: PET_HOME/history, for you alone; none with --incognito"),
      ("erase", "/forget everything erases all of this"),
    ])
  }
}
