// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage

extension LanguageModel {
  /// The form of `prompts/format.json` that the model was trained for; nil for models of others.
  package var promptForm: PromptForm? { ownNumbers[PromptFormat.metadataKey].flatMap(PromptForm.init) }

  /// Whether the model was trained to speak as a pet, with its marks.
  package var speaksPromptFormat: Bool { promptForm != nil }

  /// How freely a pet chooses its words where nobody says: small models lose their sense at high temperatures.
  package var suitableTemperature: Float {
    switch promptForm {
    case .header: 0.3
    case .sentences: 0.5
    case nil: 0.7
    }
  }

  /// The repetition penalty where nobody says. Some of this project's models do not run in circles and say so: they must be
  /// free to say a name again.
  package var suitableRepetitionPenalty: Float {
    ownNumbers[PromptFormat.repetitionPenaltyKey].flatMap { (100...200).contains($0) ? Float($0) / 100 : nil } ?? 1.1
  }

  /// What a pet replies with where nobody says.
  package var suitableOptions: GenerationOptions {
    var options = GenerationOptions(
      temperature: Double(suitableTemperature), repetitionPenalty: Double(suitableRepetitionPenalty))
    options.stopsAtLoop = true
    return options
  }

  /// The grammar of a JSON schema. A model of this project writes no mark, or part of one, in a text that the schema leaves free.
  /// - Throws: as `outputGrammar(jsonSchema:)`.
  package func markFreeGrammar(jsonSchema: String) throws -> OutputGrammar {
    try outputGrammar(jsonSchema: jsonSchema, bracesInTexts: !speaksPromptFormat)
  }

  /// When its own words are to be believed; nil for a model that is always.
  var trust: ReplyTrust? {
    guard let even = ownNumbers[PromptFormat.evenSurpriseKey], let scale = ownNumbers[PromptFormat.surpriseScaleKey],
      (1...100_000).contains(even), (1...100_000).contains(scale)
    else { return nil }
    return ReplyTrust(evenSurprise: Double(even) / 100, scale: Double(scale) / 100)
  }

  /// What holds replies to a form.
  /// - Throws: `TokenVocabularyError`.
  /// - Complexity: the first time O(bytes of the vocabulary): tens of milliseconds.
  package func outputGrammar(_ form: ReplyForm) throws -> OutputGrammar {
    try outputGrammar(gbnf: form.gbnf, closing: ReplyForm.opening, within: form.longestMark)
  }

  /// How likely flags must be to be raised, from 0 to 1; nil for a model that was not taught to.
  var flagThreshold: Float? { percent(FlagTokens.metadataKey) }

  private func percent(_ key: String) -> Float? {
    ownNumbers[key].flatMap { (1...99).contains($0) ? Float($0) / 100 : nil }
  }

  /// The token of each flag; empty for a model that was not taught to raise them.
  func dangerFlags(_ format: PromptFormat) -> [Int32: Danger] {
    guard speaksPromptFormat, flagThreshold != nil else { return [:] }
    var found: [Int32: Danger] = [:]
    for danger in Danger.allCases {
      guard let flag = format.flags[danger.rawValue], let token = tokenizer.id(ofBytes: Array(flag.utf8))
      else { return [:] }
      found[token] = danger
    }
    return found
  }

  /// The tokens of flags, and how likely they must be; nil where no flag is minded.
  /// - Parameters:
  ///   - dangers: by token, as of ``dangerFlags(_:)``.
  ///   - weight: nil: as the model's file says.
  func flagTokens(_ dangers: [Int32: Danger], _ weight: FlagWeight?) -> FlagTokens? {
    guard !dangers.isEmpty, let usual = flagThreshold else { return nil }
    let threshold: Float
    switch weight {
    case nil: threshold = usual
    case .above(let least): threshold = least
    case .needless: threshold = 0
    case .nothing: return nil
    }
    return FlagTokens(tokens: dangers.keys.sorted(), threshold: threshold)
  }
}
