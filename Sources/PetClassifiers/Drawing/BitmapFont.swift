// SPDX-License-Identifier: Apache-2.0
/// Letters of 5 x 7 points, enough for short labels.
package enum BitmapFont {
  package static let width = 5
  package static let height = 7

  private static let characters = ["ABCDEFGHIJKLMN", "OPQRSTUVWXYZ01", "23456789.-%?"]
  // Blocks of seven rows, in the order of the characters.
  private static let rows = """
    .###. ####. .###. ###.. ##### ##### .###. #...# .###. ..### #...# #.... #...# #...#
    #...# #...# #...# #..#. #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.## #...#
    #...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.# ##..#
    #...# ####. #.... #...# ####. ####. #.### ##### ..#.. ...#. ##... #.... #.#.# #.#.#
    ##### #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...# #..##
    #...# #...# #...# #..#. #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...# #...#
    #...# ####. .###. ###.. ##### #.... .#### #...# .###. .##.. #...# ##### #...# #...#

    .###. ####. .###. ####. .###. ##### #...# #...# #...# #...# #...# ##### .###. ..#..
    #...# #...# #...# #...# #...# ..#.. #...# #...# #...# #...# #...# ....# #...# .##..
    #...# #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. #...# ...#. #..## ..#..
    #...# ####. #...# ####. .###. ..#.. #...# #...# #.#.# ..#.. .#.#. ..#.. #.#.# ..#..
    #...# #.... #.#.# #.#.. ....# ..#.. #...# #...# #.#.# .#.#. ..#.. .#... ##..# ..#..
    #...# #.... #..#. #..#. #...# ..#.. #...# .#.#. #.#.# #...# ..#.. #.... #...# ..#..
    .###. #.... .##.# #...# .###. ..#.. .###. ..#.. .#.#. #...# ..#.. ##### .###. .###.

    .###. .###. ...#. ##### ..##. ##### .###. .###. ..... ..... ##... .###.
    #...# #...# ..##. #.... .#... ....# #...# #...# ..... ..... ##..# #...#
    ....# ....# .#.#. ####. #.... ...#. #...# #...# ..... ..... ...#. ....#
    ...#. ..##. #..#. ....# ####. ..#.. .###. .#### ..... ##### ..#.. ..##.
    ..#.. ....# ##### ....# #...# .#... #...# ....# ..... ..... .#... ..#..
    .#... #...# ...#. #...# #...# .#... #...# ...#. .##.. ..... #..## .....
    ##### .###. ...#. .###. .###. .#... .###. .##.. .##.. ..... ...## ..#..
    """

  private static let glyphs: [Character: [[Bool]]] = {
    let lines = rows.split(separator: "\n", omittingEmptySubsequences: true)
    var glyphs: [Character: [[Bool]]] = [:]
    for (block, characters) in characters.enumerated() {
      let words = lines[block * height..<(block + 1) * height].map { $0.split(separator: " ") }
      for (column, character) in characters.enumerated() {
        glyphs[character] = words.map { row in row[column].map { $0 == "#" } }
      }
    }
    return glyphs
  }()

  /// [7][5], of the capital where it is a letter; nil for what it does not have, which is left empty.
  package static func glyph(_ character: Character) -> [[Bool]]? {
    glyphs[Character(character.uppercased())]
  }
}
