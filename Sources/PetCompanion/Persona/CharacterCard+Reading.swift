// SPDX-License-Identifier: Apache-2.0
import PetJSON
import PetText

extension CharacterCard {
  /// Reads the JSON of a card of V1, V2 or V3. A text that is missing is empty, as many cards have it; one that is no text is an
  /// error.
  /// - Parameter json: UTF-8.
  /// - Throws: ``PersonaError``: the first value that is not what it must be, and where.
  /// - Complexity: O(n) in the bytes.
  public init(json: [UInt8]) throws(PersonaError) {
    self = try PersonaError.reading { () throws(JSONError) in try CharacterCard(try JSONDocument(persona: json)) }
  }

  /// Whether a document says that it is a card, or can only be one of V1.
  package static func isCard(_ document: JSONDocument) -> Bool {
    guard let root = document.value.object else { return false }
    return root["spec"] != nil || root["first_mes"] != nil || root["mes_example"] != nil
  }

  package init(_ document: JSONDocument) throws(JSONError) {
    let root = document.root
    let data: JSONDocument.Node
    if let spec = try root.member("spec") {
      let version = try root.required("spec_version")
      switch try spec.text() {
      case "chara_card_v2": guard try version.text() == "2.0" else { throw version.error("must be \"2.0\"") }
      // Later ones of its kind are to be read as far as they are known.
      case "chara_card_v3": guard try version.text().hasPrefix("3.") else { throw version.error("must be \"3.0\"") }
      default: throw spec.error("must be \"chara_card_v2\" or \"chara_card_v3\"")
      }
      data = try root.required("data")
    } else {
      data = root
    }
    source = Self.asV2(try root.object())
    guard !PromptText.line(try data.required("name").text()).isEmpty else {
      throw try data.required("name").error("must not be empty")
    }
    for (key, path) in Self.texts { self[keyPath: path] = try data.member(key)?.text() ?? "" }
    for (key, path) in Self.lists {
      self[keyPath: path] = try data.list(key) { node throws(JSONError) in try node.text() }
    }
    if let node = try data.member("extensions")?.member(Self.extensionKey) { try node.readTraits(into: &traits) }
    nickname = try data.member("nickname")?.text() ?? ""
    if let book = try data.member("character_book") { (constantEntries, keyedEntries) = try Self.entries(of: book) }
  }

  /// A V1 card has its texts at the root; what else is there stays there. One of V3 has all that V2 has, and more.
  private static func asV2(_ root: JSONObject) -> JSONObject {
    guard root["spec"] == nil else {
      var card = root
      for (key, value) in frame.members { card.set(key, value) }
      return card
    }
    let old = texts.prefix(textsOfV1).map { Array($0.key.utf8) }
    var (data, card) = (JSONObject(), CharacterCard.frame)
    for (key, value) in root.members {
      if old.contains(key) { data.set(key, value) } else if card[key] == nil { card.set(key, value) }
    }
    card.set(Array("data".utf8), .object(data))
    return card
  }

  package static var frame: JSONObject {
    var card = JSONObject()
    card.set("spec", text: "chara_card_v2")
    card.set("spec_version", text: "2.0")
    return card
  }

  /// The enabled entries, those that are always in the prompt and those that a word calls up, each in their order.
  private static func entries(
    of book: JSONDocument.Node
  ) throws(JSONError) -> (constant: [String], keyed: [String]) {
    var constant: [(order: Double, text: String)] = []
    var keyed: [(order: Double, text: String)] = []
    // Books are large; only what is kept of their entries is bounded here.
    guard let entries = try book.member("entries") else { return ([], []) }
    for entry in try entries.elements(most: .max) {
      guard try entry.member("enabled")?.bool() ?? true else { continue }
      let order = try entry.member("insertion_order")?.number() ?? 0
      if try entry.member("constant")?.bool() ?? false {
        let text = try entry.required("content").text(limit: PersonaLimits.lineBytes)
        constant.append((order, undecorated(text)))
      } else if let content = try entry.member("content") {
        keyed.append((order, undecorated(try content.text(limit: .max)).sentences(limit: PersonaLimits.lineBytes)))
      }
    }
    guard constant.count <= PersonaLimits.members else {
      throw book.error("must have at most \(PersonaLimits.members) constant entries")
    }
    // Entries of one order stay as they are.
    func sorted(_ found: [(order: Double, text: String)]) -> [String] {
      found.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element.text)
    }
    return (sorted(constant), Array(sorted(keyed).filter { !$0.isEmpty }.prefix(PersonaLimits.members)))
  }

  /// Without the lines at its beginning by which V3 says when and where an entry is to be used.
  private static func undecorated(_ text: String) -> String {
    guard text.hasPrefix("@@") else { return text }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.drop { $0.hasPrefix("@@") }.joined(separator: "\n")
  }
}
