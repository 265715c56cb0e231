// SPDX-License-Identifier: Apache-2.0
/// A door through which bytes of strangers come in. Whatever they are, it ends, with a value or with an error.
enum FuzzTarget: String, CaseIterable {
  // Models.
  case gguf, model, adapter, snapshot, safetensors, huggingface, sentencepiece
  // Texts.
  case gbnf, schema, template, detokenizer, reply
  // What classifiers look at, and what they are made of.
  case wav, picture, stress, graph
  // Files of a person's own.
  case settings, catalog, persona, life, conversation, predictions
  // The daemon and its clients.
  case http, target, body, response, events

  func run(_ bytes: [UInt8]) {
    do {
      switch self {
      case .gguf: try ModelDoors.gguf(bytes)
      case .model: try ModelDoors.model(bytes)
      case .adapter: try ModelDoors.adapter(bytes)
      case .snapshot: try ModelDoors.snapshot(bytes)
      case .safetensors: try ImportDoors.safetensors(bytes)
      case .huggingface: try ImportDoors.huggingFace(bytes)
      case .sentencepiece: try ImportDoors.sentencePiece(bytes)
      case .gbnf: try GrammarDoors.gbnf(bytes)
      case .schema: try GrammarDoors.schema(bytes)
      case .template: try TextDoors.template(bytes)
      case .detokenizer: TextDoors.detokenizer(bytes)
      case .reply: TextDoors.reply(bytes)
      case .wav: try ClassifierDoors.wav(bytes)
      case .picture: try ClassifierDoors.picture(bytes)
      case .stress: try ClassifierDoors.stress(bytes)
      case .graph: try ClassifierDoors.graph(bytes)
      case .settings: try FileDoors.settings(bytes)
      case .catalog: try FileDoors.catalog(bytes)
      case .persona: try FileDoors.persona(bytes)
      case .life: try FileDoors.life(bytes)
      case .conversation: try FileDoors.conversation(bytes)
      case .predictions: try FileDoors.predictions(bytes)
      case .http: try ServiceDoors.http(bytes)
      case .target: try ServiceDoors.target(bytes)
      case .body: try ServiceDoors.body(bytes)
      case .response: ServiceDoors.response(bytes)
      case .events: ServiceDoors.events(bytes)
      }
    } catch {
      // Errors of the parsers are what is wanted. Their texts are made of what was read, and go to logs and terminals.
      precondition(!"\(error)".unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "an error of one line")
    }
  }
}
