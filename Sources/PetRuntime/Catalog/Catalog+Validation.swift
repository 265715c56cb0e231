extension Catalog {
  /// Names become paths and arguments of programs, so each is checked before anything uses it.
  func validate() throws(CatalogError) {
    var seen = Set<String>()
    for model in models {
      guard Self.isName(model.name) else { throw .invalid(field: "name", value: model.name) }
      guard seen.insert(model.name).inserted else { throw .duplicate(model.name) }
      let file = model.file
      guard Self.isFileName(file.name) else { throw .invalid(field: "\(model.name).files.name", value: file.name) }
      guard file.bytes > 0, file.bytes <= Self.byteLimit else {
        throw .invalid(field: "\(model.name).files.bytes", value: "\(file.bytes)")
      }
      guard model.context > 0 else { throw .invalid(field: "\(model.name).context", value: "\(model.context)") }
      switch model.source {
      case .pypi(let source): try validate(source, of: model.name)
      case .builtIn: break
      case .adapted(let source):
        guard Self.isFileName(source.adapter) else {
          throw .invalid(field: "\(model.name).source.adapter", value: source.adapter)
        }
        guard let base = self.model(named: source.base), case .pypi = base.source else {
          throw .invalid(field: "\(model.name).source.base", value: source.base)
        }
      }
    }
    for kind in Set(models.map(\.kind)) {
      for profile in Profile.allCases {
        let defaults = models.filter { $0.kind == kind && $0.defaultFor.contains(profile) }
        if defaults.count > 1 { throw .severalDefaults(defaults.map(\.name)) }
      }
    }
  }

  private func validate(_ source: PyPISource, of model: String) throws(CatalogError) {
    guard Self.isFileName(source.package) else {
      throw .invalid(field: "\(model).source.package", value: source.package)
    }
    guard Self.isFileName(source.version) else {
      throw .invalid(field: "\(model).source.version", value: source.version)
    }
    guard source.artifact.bytes > 0, source.artifact.bytes <= Self.byteLimit else {
      throw .invalid(field: "\(model).source.artifact.bytes", value: "\(source.artifact.bytes)")
    }
    let parts = source.member.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.isEmpty, parts.allSatisfy({ Self.isFileName(String($0)) }) else {
      throw .invalid(field: "\(model).source.member", value: source.member)
    }
  }

  /// 1 TiB: above any model, and far from where adding sizes could overflow.
  static let byteLimit: UInt64 = 1 << 40

  /// A model's name: lower-case letters, digits, `.`, `_`, `-`, the first a letter or digit, at most 64.
  package static func isName(_ text: String) -> Bool {
    isFileName(text) && text.utf8.count <= 64 && !text.utf8.contains { (0x41...0x5A).contains($0) }
  }

  /// A name that is safe as a part of a path and as an argument: no separator, no leading dot or dash.
  package static func isFileName(_ text: String) -> Bool {
    func isLetterOrDigit(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard let first = text.utf8.first, first == UInt8(ascii: "_") || isLetterOrDigit(first), text.utf8.count <= 128
    else { return false }
    return text.utf8.allSatisfy { isLetterOrDigit($0) || [0x2E, 0x5F, 0x2D].contains($0) }
  }
}
