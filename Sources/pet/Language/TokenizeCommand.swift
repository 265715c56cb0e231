// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct TokenizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokenize",
    abstract: "Show the tokens of a text.",
    discussion: """
      Text that looks like a special token is text, unless --special asks otherwise. A line of standard input is shown once it \
      is there; its end, LF or CRLF, and a byte order mark before the first are no part of it.

      EXAMPLES
        pet tokenize "Hello, world"
        pet tokenize --json < lines.txt              one {"ids": [...]} per line
        pet tokenize --tokenizer tokenizer.model "Hello"
      """)

  @OptionGroup var model: ModelOptions
  @OptionGroup var confinement: ConfinementOptions

  @Option(help: "A SentencePiece tokenizer.model to use instead of a model's own.")
  var tokenizer: String?

  @Flag(help: "Read special tokens such as <|im_end|> in the text as such.")
  var special = false

  @Flag(help: "Print one object per line: ids.")
  var json = false

  @Argument(help: "The text; without it, every line of standard input.")
  var text: String?

  private struct Report: Encodable {
    let ids: [Int32]
  }

  func run() throws {
    let tokenizer = try loadTokenizer()
    if let text { return try show(Array(text.utf8), tokenizer) }
    var isTold = false
    try StandardInput.eachLine { line in
      if !isTold { isTold = InputText.check(line, of: "standard input") }
      try show(Array(line), tokenizer)
    }
  }

  private func loadTokenizer() throws -> any Tokenizer {
    if let tokenizer {
      return try tokenizerErrors(tokenizer) {
        try SentencePieceModel(bytes: InputFile.bytes(tokenizer)).vocabulary().makeTokenizer()
      }
    }
    let file = try model.file(model.resolve())
    return try tokenizerErrors(file.path) { try Vocabulary(file: file).makeTokenizer() }
  }

  private func tokenizerErrors<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as TokenizerError {
      throw LanguageModelError.tokenizer(path: path, error)
    }
  }

  private func show(_ text: [UInt8], _ tokenizer: any Tokenizer) throws {
    let ids = try tokenizer.encode(text, specials: special ? .parse : .asText)
    if json { return try JSONOutput.write(Report(ids: ids), isPretty: false) }
    for id in ids {
      let piece = String(decoding: tokenizer.bytes(of: id), as: UTF8.self)
      Output.standard.writeLine("\(id)\t\(TerminalText.sanitize(piece.debugDescription))")
    }
  }
}

extension TokenizeCommand: SealedCommand {
  func seal() throws -> CommandSeal {
    guard let tokenizer else { return try model.seal() }
    return CommandSeal().reading(tokenizer)
  }
}
