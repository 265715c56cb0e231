/// The words of a command line, as the parser takes them.
package enum CommandArguments {
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
