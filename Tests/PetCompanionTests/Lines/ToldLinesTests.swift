// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("What a pet says to what it is told")
struct ToldLinesTests {
  @Test("all lines are in form, short, and say again what was told")
  func form() {
    for (temperament, kinds) in ToldLines.standard.all {
      for (kind, lines) in kinds {
        for line in lines {
          let written = line.replacing("{value}", with: "Ada").replacing("{told}", with: "you live in Lyon")
            .replacing("{Told}", with: "You live in Lyon")
          let reply = Reply(written: written)
          #expect(reply.isWellFormed && reply.written == written, "\(temperament), \(kind): \(line)")
          #expect(kind == "name" ? line.contains("{value}") : line.lowercased().contains("{told}"), "\(line)")
        }
      }
    }
  }

  @Test("what a person wrote cannot add marks, lines or places to fill")
  func hostile() throws {
    for choice in 0..<6 as Range<UInt64> {
      let reply = try #require(
        ToldLines.standard.reply(
          .other, value: "{told}", clause: "you like {happy; wave}\n{value}", temperament: "wise", choice: choice))
      #expect(reply.isWellFormed && !reply.text.contains("{") && !reply.text.contains("\n"))
      #expect(reply.text.lowercased().contains("you like happy; wave value"), "\(reply.text)")
    }
  }

  @Test("a file of lines that would leave a pet without words is refused", arguments: ["{}", "[]", #"{"plain": {}}"#])
  func refused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ToldLines.self, from: Data(text.utf8)) }
  }
}
