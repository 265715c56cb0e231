import ArgumentParser

/// The words of a command line, as the parser takes them.
package enum CommandArguments {
  /// Options whose values are words for a model.
  private static let ofText = ["--prompt", "--knows", "--stop"]
  /// Options of `pet tokenize` whose values are none.
  private static let ofPaths = ["--model", "--config"]

  /// The words of this process. Arguments are bytes, and Swift repairs them without a word: in a text that is told, and a path, which
  /// would become another, is refused.
  /// - Throws: `ValidationError`.
  package static func checked() throws -> [String] {
    let words = Array(CommandLine.arguments.dropFirst())
    for index in words.indices {
      guard index + 1 < Int(CommandLine.argc), let bytes = CommandLine.unsafeArgv[index + 1],
        String(validatingCString: bytes) == nil
      else { continue }
      guard isText(index, of: words) else {
        throw ValidationError(
          "argument \(index + 1): not all of it is UTF-8, and such a path is not opened; rename the file, or give it on standard input"
        )
      }
      Output.error.writeLine("pet: argument \(index + 1): not all of it is UTF-8; what is not is read as U+FFFD")
    }
    return joined(words)
  }

  /// Whether a word is a text for a model, and no name or path.
  package static func isText(_ index: Int, of words: [String]) -> Bool {
    let (word, before) = (words[index], index > 0 ? words[index - 1] : "")
    if ofText.contains(where: { $0 == before || word.hasPrefix($0 + "=") }) { return true }
    return words.first == "tokenize" && !word.hasPrefix("--") && !ofPaths.contains(before)
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
