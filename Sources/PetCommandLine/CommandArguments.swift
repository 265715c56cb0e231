// SPDX-License-Identifier: Apache-2.0
/// The words of a command line, as the parser takes them.
package enum CommandArguments {
  /// Those of this process.
  /// - Throws: ``NotUTF8``: Swift repairs what is not, without a word, and a path would then be another file's.
  package static func own() throws(NotUTF8) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      guard let word = String(validatingCString: argument) else {
        throw NotUTF8(place: "argument \(index)", repaired: String(cString: argument), exitStatus: .usage)
      }
      words.append(word)
    }
    return joined(words)
  }

  /// Joins an option and a negative number behind it, as in `--seed -1`, which the parser would take for another option.
  package static func joined(_ words: [String]) -> [String] {
    var joined: [String] = []
    var isOption = false
    for (index, word) in words.enumerated() {
      if word == "--" { return joined + words[index...] }
      if isOption, isNegativeNumber(word), let option = joined.popLast() {
        joined.append("\(option)=\(word)")
        isOption = false
      } else {
        joined.append(word)
        isOption = word.hasPrefix("-") && word.count > 1 && !word.contains("=")
      }
    }
    return joined
  }

  private static func isNegativeNumber(_ word: String) -> Bool { word.hasPrefix("-") && Double(word) != nil }
}

/// A word of the command line or of the environment that is not all UTF-8.
package struct NotUTF8: UserFacingError, Equatable {
  /// "argument 2", "PET_HOME"
  let place: String
  /// Nil for what may be a secret.
  let repaired: String?
  package let exitStatus: ExitStatus

  package var description: String {
    let shown = repaired.map { " ('\($0.prefix(80))')" } ?? ""
    return
      "\(place)\(shown): not all of it is UTF-8, so that it would be read as something else; write it in UTF-8, or "
      + "rename the file"
  }
}
