// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// Reads and writes persona files: JSON, as in `prompts/personas`.
///
/// `name`, `kind` and `temperament` must be there. Texts are `description`, `personality`, `scenario`, `directions` and
/// `version`; lists of texts `foods`, `games`, `habits`, `facts`, `lore`, `actions` and `first_messages`. `examples` are objects of
/// `user` and `pet`; `drift` has factors for `hunger`, `energy`, `mood` and `affection`. What the pet says may end in
/// `{emotion; action, action}`.
public enum PersonaFile {
  /// The keys of a persona file. Any other is an error, so that a slip of the pen is not silently without effect.
  private static let keys: Set = [
    "name", "kind", "temperament", "description", "personality", "scenario", "first_messages", "examples", "foods",
    "games",
    "habits", "facts", "lore", "directions", "version", "actions", "drift",
  ]

  /// - Parameter bytes: UTF-8.
  /// - Throws: ``PersonaError``: the first value that is not what it must be, and where.
  /// - Complexity: O(n) in the bytes.
  public static func read(_ bytes: [UInt8]) throws(PersonaError) -> Persona {
    try PersonaError.reading { () throws(JSONError) in try read(try JSONDocument(persona: bytes)) }
  }

  /// Reads what ``write(_:)`` made of any persona: cards bring words that end in braces and name no emotion.
  package static func restore(_ bytes: [UInt8]) throws(PersonaError) -> Persona {
    // Indented it may be larger than the card it came from.
    try PersonaError.reading { () throws(JSONError) in
      try read(try JSONDocument(persona: bytes, bytes: 2 * PersonaLimits.fileBytes), marksAreStrict: false)
    }
  }

  package static func read(_ document: JSONDocument, marksAreStrict: Bool = true) throws(JSONError) -> Persona {
    let root = document.root
    for member in try root.members() {
      guard case .key(let key)? = member.path.last, keys.contains(key) else {
        throw member.error("is no part of a persona")
      }
    }
    var persona = Persona(
      name: try root.required("name").name(), kind: try root.required("kind").name(),
      temperament: try root.required("temperament").name())
    persona.description = try root.member("description")?.text() ?? ""
    persona.personality = try root.member("personality")?.text() ?? ""
    persona.scenario = try root.member("scenario")?.text() ?? ""
    persona.directions = try root.member("directions")?.text() ?? ""
    persona.facts = try root.list("facts") { node throws(JSONError) in try node.line() }
    persona.lore = try root.list("lore") { node throws(JSONError) in try node.line() }
    try root.readTraits(into: &persona)
    persona.version = try root.member("version")?.name() ?? persona.version
    let actions = marksAreStrict ? persona.actions : nil
    persona.greetings = try root.list("first_messages") { node throws(JSONError) in try node.reply(actions) }
    persona.examples = try root.list("examples") { node throws(JSONError) in try node.exchange(actions) }
    return persona
  }

  /// The persona as a file, to be read by people too. What has not its usual value alone is written.
  public static func write(_ persona: Persona) -> [UInt8] {
    var object = JSONObject()
    object.set("name", text: persona.name)
    object.set("version", text: persona.version)
    for (key, value) in traits(of: persona).members { object.set(key, value) }
    object.set("description", unlessEmpty: persona.description)
    object.set("personality", unlessEmpty: persona.personality)
    object.set("scenario", unlessEmpty: persona.scenario)
    object.set("first_messages", unlessEmpty: persona.greetings.map(\.written))
    let examples = persona.examples.map { exchange in
      var object = JSONObject()
      object.set("user", text: exchange.user)
      object.set("pet", text: exchange.pet.written)
      return JSONValue.object(object)
    }
    if !examples.isEmpty { object.set(Array("examples".utf8), .array(examples)) }
    object.set("facts", unlessEmpty: persona.facts)
    object.set("lore", unlessEmpty: persona.lore)
    object.set("directions", unlessEmpty: persona.directions)
    return JSONValue.object(object).indented
  }
}

extension JSONDocument.Node {
  /// - Parameter allowed: nil takes any words.
  fileprivate func reply(_ allowed: [PetAction]?) throws(JSONError) -> Reply {
    let text = try line()
    guard let allowed else { return (try? Reply(marked: text)) ?? Reply(text: text) }
    let reply: Reply
    do { reply = try Reply(marked: text) } catch { throw self.error("\(error)") }
    if let action = reply.actions.first(where: { !allowed.contains($0) }) {
      throw error("has an action that \"actions\" does not allow: \(action.rawValue)")
    }
    return reply
  }

  fileprivate func exchange(_ allowed: [PetAction]?) throws(JSONError) -> Persona.Exchange {
    Persona.Exchange(user: try required("user").line(), pet: try required("pet").reply(allowed))
  }
}
