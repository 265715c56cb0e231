// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetTokenizer

extension Vocabulary {
  /// The vocabulary inside a model file (`tokenizer.ggml.*`); its tokens and merges stay where they are mapped.
  /// - Throws: `GGUFError` where a key is missing or of another type, `TokenizerError` where values do not fit together.
  public init(file: GGUFFile) throws {
    let model = try file.require("tokenizer.ggml.model", file.string("tokenizer.ggml.model"))
    let algorithm = try Algorithm(model: model, preTokenizer: file.string("tokenizer.ggml.pre"))
    let tokens = try file.require("tokenizer.ggml.tokens", file.strings("tokenizer.ggml.tokens"))
    let merges = try file.strings("tokenizer.ggml.merges")
    try self.init(
      algorithm: algorithm, tokens: TokenTable(tokens),
      scores: file.floats("tokenizer.ggml.scores") ?? [], types: file.int32s("tokenizer.ggml.token_type") ?? [],
      merges: merges.map { try TokenTable($0) } ?? TokenTable(),
      roles: Self.roles(file, algorithm))
  }

  private static func roles(_ file: GGUFFile, _ algorithm: Algorithm) throws(GGUFError) -> TokenRoles {
    var roles = TokenRoles.defaults(for: algorithm)
    if let id = try file.integer("tokenizer.ggml.bos_token_id") { roles.beginOfSequence = id }
    if let id = try file.integer("tokenizer.ggml.eos_token_id") { roles.endOfSequence = id }
    if let id = try file.integer("tokenizer.ggml.eot_token_id") { roles.endOfTurn = id }
    if let id = try file.integer("tokenizer.ggml.unknown_token_id") { roles.unknown = id }
    if let flag = try file.bool("tokenizer.ggml.add_bos_token") { roles.addsBeginOfSequence = flag }
    if let flag = try file.bool("tokenizer.ggml.add_eos_token") { roles.addsEndOfSequence = flag }
    if let flag = try file.bool("tokenizer.ggml.add_space_prefix") { roles.addsSpacePrefix = flag }
    let isPhi3 = try file.architecture() == ModelConfiguration.Architecture.phi3.rawValue
    roles.stripsAfterSpecialTokens = isPhi3 && algorithm == .sentencePiece
    return roles
  }
}

extension TokenTable {
  /// The strings of a model file, where they are mapped.
  fileprivate init(_ strings: GGUFStrings) throws(TokenizerError) {
    try self.init(
      memory: strings.bytes.memory, keeper: strings.bytes.keeper, starts: strings.starts, gap: GGUFStrings.lengthBytes)
  }
}
