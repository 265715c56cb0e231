// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// How a conversation is shown, decided once from what is known of the output.
package struct Screen: Sendable, Equatable {
  package enum Form: Sendable, Equatable {
    /// Drawings in Unicode.
    case unicode
    /// Drawings of the characters that every terminal has.
    case ascii
    /// Sentences, for people who listen to the screen.
    case spoken
    /// The words of the replies and nothing else, for programs.
    case bare
  }

  package let form: Form
  package let colours: ColourDepth
  /// What lines are broken to: longer ones are hard to read, and where there is less room nothing can be shown in order.
  package let columns: Int

  package static let columnRange = 12...100

  package init(form: Form, colours: ColourDepth = .none, columns: Int = 80) {
    self.form = form
    self.colours = form == .unicode || form == .ascii ? colours : .none
    self.columns = min(max(columns, Self.columnRange.lowerBound), Self.columnRange.upperBound)
  }

  /// - Parameters:
  ///   - isPlain: what `--plain` asks for.
  ///   - allowsColour: what ``Output/allowsColour(environment:)`` says.
  ///   - columns: of the terminal, nil where it does not say.
  package init(
    isPlain: Bool, isTerminal: Bool, allowsColour: Bool, columns: Int?, environment: [String: String]
  ) {
    let form: Form =
      if isPlain { .spoken } else if !isTerminal { .bare } else if Self.showsUnicode(environment) { .unicode } else {
        .ascii
      }
    self.init(
      form: form, colours: ColourDepth(isAllowed: allowsColour, environment: environment),
      // The last column stays free: some terminals go to the next line as soon as it is written.
      columns: min(max(columns ?? 80, 1), 1 << 16) - 1)
  }

  package init(isPlain: Bool, output: Output, environment: [String: String]) {
    self.init(
      isPlain: isPlain, isTerminal: output.isTerminal, allowsColour: output.allowsColour(environment: environment),
      columns: output.columns, environment: environment)
  }

  /// By the locale, as POSIX ranks its variables. The console of Linux and terminals that call themselves dumb have too few
  /// glyphs.
  private static func showsUnicode(_ environment: [String: String]) -> Bool {
    guard !["dumb", "linux", "vt100", "vt220"].contains(environment["TERM"] ?? "") else { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let name = locale.lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }
}
