// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import PetTokenizer
import Testing

/// Committed samples of the ids that the reference libraries give for real vocabularies.
///
/// The vocabularies are in files that are fetched, not committed: `PET_TEST_MODEL` is the path of SmolLM2-135M-Instruct,
/// which `scripts/test` sets; `PET_TEST_SENTENCEPIECE` is the `data` folder of mistral_common 1.13.1.
@Suite struct SampleTests {
  @Test(.enabled(if: Sample.model != nil || Sample.isContinuousIntegration, "set PET_TEST_MODEL to run"))
  func smolLM2() throws {
    let path = try #require(Sample.model, "PET_TEST_MODEL must name SmolLM2 where CI is set")
    let tokenizer = try Vocabulary(file: GGUFFile(path: path)).makeTokenizer()
    let goldens = try Golden.read(Fixture.bytes("smollm2.golden"))
    try expectEqualIDs(tokenizer, goldens, parsing: false)
    try expectEqualIDs(tokenizer, goldens, parsing: true)
    #expect(tokenizer.id(ofSpecial: "<|im_end|>") == 2)
    #expect(tokenizer.endOfGeneration == [0, 2])
  }

  @Test(
    .enabled(if: Sample.sentencePiece != nil || Sample.isContinuousIntegration, "set PET_TEST_SENTENCEPIECE to run"),
    arguments: ["tokenizer.model.v1", "mistral_instruct_tokenizer_240323.model.v3"])
  func sentencePiece(name: String) throws {
    let folder = URL(
      fileURLWithPath: try #require(Sample.sentencePiece, "PET_TEST_SENTENCEPIECE must name a folder where CI is set"))
    let model = try SentencePieceModel(bytes: Fixture.bytes(name, in: folder))
    let goldens = try Golden.read(Fixture.bytes("\(name).golden"))
    try expectEqualIDs(SentencePieceTokenizer(model), goldens, parsing: false)
    // The same by way of the keys that a model file would have.
    try expectEqualIDs(model.vocabulary().makeTokenizer(), goldens, parsing: false)
  }
}

private enum Sample {
  private static let environment = ProcessInfo.processInfo.environment
  static let model = environment["PET_TEST_MODEL"]
  static let sentencePiece = environment["PET_TEST_SENTENCEPIECE"]
  static let isContinuousIntegration = environment["CI"] == "true"
}
