// SPDX-License-Identifier: Apache-2.0
import PetText

/// What a line is to the reply bank: words and parts of words, as bytes. `Training/bank/words.py` does the same, byte by byte.
package enum BankWords {
  private static let longestLine = 512
  private static let mostWords = 48
  private static let longestWord = 24

  /// The words of a line: ASCII letters in lower case, no apostrophes, a letter that stands three times or more in a row once.
  ///
  /// Bytes of other scripts are letters; general punctuation (U+2000 to U+203F) parts words like any other. What is longer
  /// than 512 bytes or 48 words is not looked at.
  package static func split(_ text: String) -> [[UInt8]] {
    let bytes = Array(text.utf8.prefix(longestLine))
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    var place = 0
    while place <= bytes.count, words.count < mostWords {
      var byte = place < bytes.count ? bytes[place] : 0x20
      if byte == 0xE2, place + 1 < bytes.count, bytes[place + 1] == 0x80 {
        if place + 2 < bytes.count, bytes[place + 2] == 0x98 || bytes[place + 2] == 0x99 {  // curly apostrophes
          place += 3
          continue
        }
        byte = 0x20
        place += 2
      }
      if (0x41...0x5A).contains(byte) { byte += 0x20 }
      if isLetter(byte) {
        word.append(byte)
      } else if byte != 0x27, !word.isEmpty {
        words.append(short(word))
        word = []
      }
      place += 1
    }
    return words
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte.isASCIISmall || byte.isASCIIDigit || byte >= 0x80 }

  private static func short(_ word: [UInt8]) -> [UInt8] {
    Array(word.cuttingRuns(to: 1, of: \.isASCIISmall).prefix(longestWord))
  }
}
