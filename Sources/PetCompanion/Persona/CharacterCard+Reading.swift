import PetGrammar

extension CharacterCard {
  /// Reads the JSON of a card of V1 or V2. A text that is missing is empty, as many cards have it; one that is no text is an
  /// error.
  /// - Parameter json: UTF-8.
  /// - Throws: ``PersonaError``: the first value that is not what it must be, and where.
  /// - Complexity: O(n) in the bytes.
  public init(json: [UInt8]) throws(PersonaError) {
    try self.init(try JSONDocument(json))
  }

  /// Whether a document says that it is a card, or can only be one of V1.
  package static func isCard(_ document: JSONDocument) -> Bool {
    guard let root = document.value.object else { return false }
    return root["spec"] != nil || root["first_mes"] != nil || root["mes_example"] != nil
  }

  package init(_ document: JSONDocument) throws(PersonaError) {
    let root = document.root
    let data: JSONDocument.Node
    if let spec = try root.member("spec") {
      guard try spec.text() == "chara_card_v2" else { throw spec.error("must be \"chara_card_v2\"") }
      let version = try root.required("spec_version")
      guard try version.text() == "2.0" else { throw version.error("must be \"2.0\"") }
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
      self[keyPath: path] = try data.list(key) { node throws(PersonaError) in try node.text() }
    }
    if let node = try data.member("extensions")?.member(Self.extensionKey) { try node.readTraits(into: &traits) }
    if let book = try data.member("character_book") { constantEntries = try Self.constantEntries(of: book) }
  }

  /// A V1 card has its texts at the root. What else is there stays there.
  private static func asV2(_ root: JSONObject) -> JSONObject {
    guard root["spec"] == nil else { return root }
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

  private static func constantEntries(of book: JSONDocument.Node) throws(PersonaError) -> [String] {
    var found: [(order: Double, text: String)] = []
    // Books are large; only their constant entries are bounded here.
    guard let entries = try book.member("entries") else { return [] }
    for entry in try entries.elements(most: .max) {
      guard try entry.member("constant")?.bool() ?? false, try entry.member("enabled")?.bool() ?? true else { continue }
      let text = try entry.required("content").text(limit: PersonaLimits.lineBytes)
      found.append((try entry.member("insertion_order")?.number() ?? 0, text))
    }
    guard found.count <= PersonaLimits.members else {
      throw book.error("must have at most \(PersonaLimits.members) constant entries")
    }
    // Entries of one order stay as they are.
    let sorted = found.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
    return sorted.map(\.element.text)
  }
}
