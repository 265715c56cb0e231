// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetCommandLine
import PetRuntime

/// What became of one flaw.
struct Fix: Encodable {
  enum Outcome: String, Encodable { case mended, left, failed }

  let flaw: String
  let outcome: Outcome
  /// What was done, what would mend it, or why it could not be mended.
  let detail: String
}

/// Asks about one flaw after the other, and has them mended.
struct Fixes {
  /// Whether flaws are mended.
  enum Consent: Equatable {
    case all
    /// Each is asked about.
    case ask
    /// None: they are only told.
    case none

    /// - Parameters:
    ///   - isYes: whether all was agreed to beforehand.
    ///   - hasTerminal: whether there is somebody to ask, and a place to ask at.
    static func decide(isYes: Bool, hasTerminal: Bool) -> Consent { isYes ? .all : hasTerminal ? .ask : .none }
  }

  let mender: Mender
  let consent: Consent
  /// Shows a line to a person; nothing where the report is for programs.
  let tell: (String) -> Void

  func run(_ flaws: [Flaw]) -> [Fix] {
    if flaws.isEmpty { tell("nothing to mend") }
    return flaws.map { flaw in
      guard isWanted(flaw) else {
        tell("\(flaw): \(consent == .none ? "\(flaw.remedy)" : "left as it is")")
        return Fix(flaw: "\(flaw)", outcome: .left, detail: flaw.remedy)
      }
      do {
        let done = try mender.mend(flaw)
        tell("\(flaw): \(done)")
        return Fix(flaw: "\(flaw)", outcome: .mended, detail: done)
      } catch {
        let why = CommandExit<Pet>.shown(error)?.description ?? "\(error)"
        tell("\(flaw): not mended: \(why)")
        return Fix(flaw: "\(flaw)", outcome: .failed, detail: why)
      }
    }
  }

  private func isWanted(_ flaw: Flaw) -> Bool {
    switch consent {
    case .all: return true
    case .none: return false
    case .ask:
      // What only the person can do is not asked about, and told as what is not mended.
      guard flaw.isMendable else { return true }
      Output.standard.write("\(TerminalText.line("\(flaw)")); \(TerminalText.line(flaw.remedy)) (yes, no)? ")
      return ["y", "yes"].contains((readLine() ?? "").lowercased().filter { !$0.isWhitespace })
    }
  }
}
