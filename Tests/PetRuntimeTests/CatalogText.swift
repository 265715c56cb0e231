/// A sound catalog of one model, any part of which a test may replace.
enum CatalogText {
  static let hash = String(repeating: "0", count: 64)

  static func with(_ changes: [String: String]) -> String {
    #"{"version": 1, "models": [\#(model(changes))]}"#
  }

  /// - Parameter changes: JSON by field.
  static func model(_ changes: [String: String]) -> String {
    func value(_ key: String, _ usual: String) -> String { changes[key] ?? usual }
    return """
      {"name": \(value("name", "\"tiny\"")), "kind": \(value("kind", "\"language\"")), "architecture": "llama",
       "parameters": 1, "description": "a test", "licence": "CC0-1.0", "context": 16, "default_for": \(value("defaults", #"["phone"]"#)),
       "files": [{"name": \(value("file", "\"tiny.gguf\"")), "bytes": \(value("bytes", "1")),
                  "sha256": \(value("sha256", "\"\(hash)\""))}\(value("more", ""))],
       "source": {"type": \(value("type", "\"pypi\"")), "package": \(value("package", "\"tiny\"")),
                  "version": \(value("wheelVersion", "\"1.0\"")), "member": \(value("member", "\"tiny/tiny.gguf\"")),
                  "artifact": {"bytes": \(value("wheelBytes", "1")), "sha256": \(value("wheelHash", "\"\(hash)\""))}}}
      """
  }
}
