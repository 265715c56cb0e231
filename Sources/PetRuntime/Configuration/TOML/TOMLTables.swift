// SPDX-License-Identifier: Apache-2.0
/// What a document has defined so far: a key once, a table once, by a header or by dotted keys but not by both.
struct TOMLTables {
  private var values: [[String]: Int] = [:]
  /// All tables, those too that exist only because one below them does.
  private var tables: Set<[String]> = []
  /// Those that a header may not name and dotted keys may not extend (any more), with their line.
  private var closed: [[String]: Int] = [:]
  /// Those that dotted keys made below the present header: closed at the next one.
  private var open: [[String]: Int] = [:]

  /// A header.
  mutating func open(_ path: [String], at position: SourcePosition) throws(TOMLError) {
    closed.merge(open) { first, _ in first }
    open = [:]
    if let line = closed[path] { throw Self.defined(path, line, position) }
    try make(path, at: position)
    closed[path] = position.line
  }

  /// A key below the header `table`.
  mutating func set(_ key: [String], in table: [String], at position: SourcePosition) throws(TOMLError) {
    let path = table + key
    for count in stride(from: table.count + 1, to: path.count, by: 1) {
      let part = Array(path[..<count])
      if let line = closed[part] { throw Self.defined(part, line, position) }
      open[part] = open[part] ?? position.line
    }
    try make(path.dropLast(), at: position)
    if let line = values[path] { throw Self.defined(path, line, position) }
    if tables.contains(path) { throw Self.defined(path, line(of: path), position) }
    values[path] = position.line
  }

  /// The table and those above it; none may be a value.
  private mutating func make(_ path: some Collection<String>, at position: SourcePosition) throws(TOMLError) {
    var part: [String] = []
    for name in path {
      part.append(name)
      if let line = values[part] { throw Self.defined(part, line, position) }
      tables.insert(part)
    }
  }

  /// The first line that speaks of the table or of one below it.
  private func line(of path: [String]) -> Int {
    let all = closed.merging(open) { first, _ in first }.merging(values) { first, _ in first }
    return all.filter { $0.key.starts(with: path) }.map(\.value).min() ?? 1
  }

  private static func defined(_ path: [String], _ line: Int, _ position: SourcePosition) -> TOMLError {
    TOMLError(position: position, problem: .definedBefore(path.joined(separator: "."), line: line))
  }
}
