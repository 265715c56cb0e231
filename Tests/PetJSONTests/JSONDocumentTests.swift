// SPDX-License-Identifier: Apache-2.0
import PetJSON
import Testing

@Suite("Places in JSON")
struct JSONDocumentTests {
  private static let text = """
    {"a": [10,
      {"é": "x"}, 30],
     "b": {}}
    """

  @Test(
    "a path leads to the line and column at which its value begins; one that leads nowhere, to the last value before",
    arguments: [
      ([], 1, 1), ([.key("a")], 1, 7), ([.key("a"), .index(0)], 1, 8), ([.key("a"), .index(1)], 2, 3),
      ([.key("a"), .index(1), .key("é")], 2, 9), ([.key("a"), .index(2)], 2, 15), ([.key("b")], 3, 7),
      ([.key("c")], 1, 1), ([.key("a"), .index(3)], 1, 7), ([.key("b"), .index(0)], 3, 7), ([.index(0)], 1, 1),
    ] as [([JSONStep], Int, Int)])
  func place(_ path: [JSONStep], _ line: Int, _ column: Int) {
    let place = JSONReader.place(of: path, in: Array(Self.text.utf8))
    #expect(place.line == line && place.column == column)
  }

  private func error(_ read: (JSONDocument.Node) throws -> Void) throws -> String {
    let document = try JSONDocument(Array(Self.text.utf8), limits: JSONLimits(nesting: 8))
    do {
      try read(document.root)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test("a value that is not of the form asked for is told with its path and place")
  func errors() throws {
    #expect(try error { _ = try $0.required("c") } == #"line 1, column 1: the file needs "c""#)
    #expect(try error { _ = try $0.elements(most: 9) } == "line 1, column 1: must be an array")
    #expect(try error { _ = try $0.required("b").text(limit: 9) } == #"line 3, column 7: "b" must be a string"#)
    #expect(try error { _ = try $0.required("b").required("c") } == #"line 3, column 7: "b" it needs "c""#)
    #expect(
      try error { _ = try $0.required("a").elements(most: 2) }
        == #"line 1, column 7: "a" must have at most 2 members"#)
    #expect(
      try error { _ = try $0.required("a").elements(most: 3)[1].required("é").number() }
        == #"line 2, column 9: "a[1].é" must be a number"#)
    #expect(
      try error { _ = try $0.required("a").elements(most: 3)[1].required("é").text(limit: 0) }
        == #"line 2, column 9: "a[1].é" must have at most 0 bytes"#)
    #expect(
      try error { _ = try $0.required("a").elements(most: 3)[2].bool() }
        == #"line 2, column 15: "a[2]" must be true or false"#)
  }

  @Test("keys in a path do nothing to a terminal")
  func quoted() throws {
    let document = try JSONDocument(Array(#"{"\u001b[2J\u202e": 1}"#.utf8), limits: JSONLimits(nesting: 8))
    let member = try document.root.members()[0]
    #expect("\(member.error("is bad"))" == #"line 1, column 21: "?[2J?" is bad"#)
  }
}
