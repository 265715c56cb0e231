/// A door through which bytes of strangers come in. Whatever they are, it ends, with a value or with an error.
enum FuzzTarget: String, CaseIterable {
  case gguf, model, adapter, safetensors, sentencepiece, snapshot, huggingface
  case gbnf, schema, output, template, detokenizer
  case toml, catalog, card, events, target, http
  case wav, picture, stress, graph

  /// - Throws: never; errors of the parsers are what is wanted.
  func run(_ bytes: [UInt8]) {
    do {
      switch self {
      case .gguf: try ModelDoors.gguf(bytes)
      case .model: try ModelDoors.model(bytes)
      case .adapter: try ModelDoors.adapter(bytes)
      case .safetensors: try ModelDoors.safetensors(bytes)
      case .sentencepiece: try ModelDoors.sentencePiece(bytes)
      case .snapshot: try ModelDoors.snapshot(bytes)
      case .huggingface: try ModelDoors.huggingFace(bytes)
      case .gbnf: try TextDoors.gbnf(bytes)
      case .schema: try TextDoors.schema(bytes)
      case .output: try TextDoors.output(bytes)
      case .template: try TextDoors.template(bytes)
      case .detokenizer: try TextDoors.detokenizer(bytes)
      case .toml: try TextDoors.toml(bytes)
      case .catalog: try TextDoors.catalog(bytes)
      case .card: try TextDoors.card(bytes)
      case .events: TextDoors.events(bytes)
      case .target: try TextDoors.target(bytes)
      case .http: try TextDoors.http(bytes)
      case .wav: try MediaDoors.wav(bytes)
      case .picture: try MediaDoors.picture(bytes)
      case .stress: try MediaDoors.stress(bytes)
      case .graph: try MediaDoors.graph(bytes)
      }
    } catch {
      // A description is made of what was read, so it is read too.
      precondition(!"\(error)".contains("\n"), "an error has a line of its own")
    }
  }
}
