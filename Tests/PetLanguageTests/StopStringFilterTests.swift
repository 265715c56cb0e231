// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import Testing

@Suite struct StopStringFilterTests {
  /// What is shown when `text` arrives in pieces of `size` characters.
  private func shown(_ text: String, stops: [String], size: Int) -> (text: String, stopped: Bool) {
    var filter = StopStringFilter(stops)
    var shown = ""
    var rest = text[...]
    while !rest.isEmpty, !filter.isStopped {
      shown += filter.append(String(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    if !filter.isStopped { shown += filter.flush() }
    return (shown, filter.isStopped)
  }

  @Test(arguments: [1, 2, 3, 100]) func endsAtTheFirstStop(_ size: Int) {
    #expect(shown("one END two", stops: ["END"], size: size) == ("one ", true))
    #expect(shown("one EN two", stops: ["END"], size: size) == ("one EN two", false))
    #expect(shown("aab", stops: ["ab"], size: size) == ("a", true))
    #expect(shown("xyz", stops: ["yz", "y"], size: size) == ("x", true))
    #expect(shown("xabc", stops: ["abcd", "bc"], size: size) == ("xa", true))
    #expect(shown("EN", stops: ["END"], size: size) == ("EN", false))
    #expect(shown("no stop at all", stops: [], size: size) == ("no stop at all", false))
    #expect(shown("naïve 🐱END", stops: ["🐱E"], size: size) == ("naïve ", true))
  }

  /// Nothing of a stop string is ever shown, not even for a moment.
  @Test func holdsBack() {
    var filter = StopStringFilter(["###"])
    #expect(filter.append("a#") == "a")
    #expect(filter.append("#b") == "##b")
  }
}
