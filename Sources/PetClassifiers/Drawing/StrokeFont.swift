// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Letters as strokes of a round pen: lines and arcs, drawn for this program, so that they are smooth at every size.
///
/// A capital is seven units high: its top at 0, the base line at 7, the top of small letters at 2.2, what hangs below down to 9.
package enum StrokeFont {
  /// Height of a capital, in units.
  package static let capital: Float = 7
  /// Of the lowest part below the base line.
  static let depth: Float = 2
  /// Between two letters, from the middle of one stroke to that of the next.
  static let gap: Float = 1.7
  static let space: Float = 2.4
  /// Thickness of the pen.
  static let pen: Float = 0.92

  /// One letter: how wide it is, and its strokes, each a chain of points.
  package struct Glyph: Sendable, Equatable {
    package let width: Float
    package let strokes: [[PicturePoint]]
  }

  /// Nil for what it does not have, which is left empty.
  package static func glyph(_ character: Character) -> Glyph? { glyphs[character] }

  /// Units that a line of text is wide.
  package static func width(_ text: String) -> Float {
    let widths = text.map { glyph($0)?.width ?? space }
    return widths.reduce(0, +) + gap * Float(max(0, widths.count - 1))
  }

  /// A letter, its width, and its strokes, between bars: `l` joins points; `a` is an arc, by the middle of an ellipse, its two radii and
  /// the degrees at which it begins and ends, clockwise from the right; `o` is a whole ellipse; `d` a dot.
  private static let table = """
    a 4.2 o 2.1 4.6 2.1 2.4 | l 4.2 2.2 4.2 7
    b 4.2 l 0 0 0 7 | o 2.1 4.6 2.1 2.4
    c 3.7 a 2.1 4.6 2.1 2.4 315 45
    d 4.2 l 4.2 0 4.2 7 | o 2.1 4.6 2.1 2.4
    e 4.2 l 0.05 4.6 4.2 4.6 | a 2.1 4.6 2.1 2.4 360 48
    f 2.5 l 0.9 7 0.9 1.5 | a 2.3 1.5 1.4 1.5 180 275 | l 0 2.3 2.3 2.3
    g 4.2 o 2.1 4.6 2.1 2.4 | l 4.2 2.2 4.2 7 | a 2.1 7 2.1 2 0 140
    h 4 l 0 0 0 7 | a 2 4.2 2 2 180 360 | l 4 4.2 4 7
    i 0.4 l 0.2 2.2 0.2 7 | d 0.2 0.3
    j 1.4 l 1.2 2.2 1.2 7.4 | a 0 7.4 1.2 1.5 0 90 | d 1.2 0.3
    k 3.6 l 0 0 0 7 | l 3.4 2.2 0 5.2 | l 1.3 4.1 3.6 7
    l 0.4 l 0.2 0 0.2 7
    m 6.4 l 0 2.2 0 7 | a 1.6 3.8 1.6 1.6 180 360 | l 3.2 3.8 3.2 7 | a 4.8 3.8 1.6 1.6 180 360 | l 6.4 3.8 6.4 7
    n 4 l 0 2.2 0 7 | a 2 4.2 2 2 180 360 | l 4 4.2 4 7
    o 4.3 o 2.15 4.6 2.15 2.4
    p 4.2 l 0 2.2 0 9 | o 2.1 4.6 2.1 2.4
    q 4.2 l 4.2 2.2 4.2 9 | o 2.1 4.6 2.1 2.4
    r 2.4 l 0 2.2 0 7 | a 2 4.2 2 2 180 285
    s 3.5 a 1.75 3.4 1.65 1.2 330 90 | a 1.75 5.8 1.75 1.2 270 510
    t 2.4 l 0.9 0.7 0.9 5.6 | a 2.3 5.6 1.4 1.4 180 90 | l 0 2.3 2.3 2.3
    u 4 l 0 2.2 0 5 | a 2 5 2 2 180 0 | l 4 2.2 4 7
    v 3.8 l 0 2.2 1.9 7 3.8 2.2
    w 5.8 l 0 2.2 1.45 7 2.9 2.6 4.35 7 5.8 2.2
    x 3.6 l 0 2.2 3.6 7 | l 3.6 2.2 0 7
    y 3.8 l 0 2.2 1.95 7 | l 3.8 2.2 1.3 8.9
    z 3.4 l 0 2.2 3.4 2.2 0 7 3.4 7
    A 4.8 l 0 7 2.4 0 4.8 7 | l 0.8 4.7 4 4.7
    B 4.3 l 2.4 3.4 0 3.4 0 0 2.2 0 | a 2.2 1.7 1.7 1.7 270 450 | a 2.4 5.2 1.9 1.8 270 450 | l 2.4 7 0 7 0 3.4
    C 5 a 2.9 3.5 2.9 3.5 315 45
    D 4.6 l 1.6 7 0 7 0 0 1.6 0 | a 1.6 3.5 3 3.5 270 450
    E 3.6 l 3.6 0 0 0 0 7 3.6 7 | l 0 3.4 3.1 3.4
    F 3.6 l 3.6 0 0 0 0 7 | l 0 3.4 3 3.4
    G 5.8 a 2.9 3.5 2.9 3.5 315 0 | l 5.8 3.7 3.5 3.7
    H 4.4 l 0 0 0 7 | l 4.4 0 4.4 7 | l 0 3.4 4.4 3.4
    I 0.4 l 0.2 0 0.2 7
    J 3 l 3 0 3 5 | a 1.5 5 1.5 2 0 170
    K 4.2 l 0 0 0 7 | l 4 0 0 4 | l 1.4 2.7 4.2 7
    L 3.4 l 0 0 0 7 3.4 7
    M 5.4 l 0 7 0 0 2.7 4.8 5.4 0 5.4 7
    N 4.4 l 0 7 0 0 4.4 7 4.4 0
    O 5.8 o 2.9 3.5 2.9 3.5
    P 4.1 l 0 7 0 0 2.2 0 | a 2.2 1.9 1.9 1.9 270 450 | l 2.2 3.8 0 3.8
    Q 5.8 o 2.9 3.5 2.9 3.5 | l 3.7 5.2 5.7 7.2
    R 4.2 l 0 7 0 0 2.2 0 | a 2.2 1.9 1.9 1.9 270 450 | l 2.2 3.8 0 3.8 | l 2.1 3.8 4.2 7
    S 4.2 a 2.1 1.75 1.95 1.75 330 90 | a 2.1 5.25 2.1 1.75 270 510
    T 4.6 l 0 0 4.6 0 | l 2.3 0 2.3 7
    U 4.4 l 0 0 0 4.8 | a 2.2 4.8 2.2 2.2 180 0 | l 4.4 4.8 4.4 0
    V 4.8 l 0 0 2.4 7 4.8 0
    W 7 l 0 0 1.7 7 3.5 0.6 5.3 7 7 0
    X 4.4 l 0 0 4.4 7 | l 4.4 0 0 7
    Y 4.6 l 0 0 2.3 3.6 4.6 0 | l 2.3 3.6 2.3 7
    Z 4.2 l 0 0 4.2 0 0 7 4.2 7
    0 4.2 o 2.1 3.5 2.1 3.5
    1 2.2 l 0 1.7 2 0 2 7
    2 4 a 2 1.95 1.9 1.95 195 397 | l 3.5 3.15 0 7 4 7
    3 4 a 1.9 1.75 1.75 1.75 205 450 | a 1.9 5.25 2.05 1.75 270 515
    4 4.2 l 3.1 7 3.1 0 0 5 4.2 5
    5 4 l 3.7 0 0.6 0 0.3 3.3 | a 1.85 4.75 2.1 2.25 225 510
    6 4.1 o 2.05 4.85 2.05 2.15 | a 4.1 4.85 4.1 4.85 180 252
    7 4 l 0 0 4 0 1.3 7
    8 4 o 2 1.75 1.75 1.75 | o 2 5.25 2 1.75
    9 4.1 o 2.05 2.15 2.05 2.15 | a 0 2.15 4.1 4.85 0 72
    . 0.4 d 0.2 7
    , 0.6 l 0.5 6.9 0.1 8.2
    : 0.4 d 0.2 3 | d 0.2 7
    - 2.2 l 0 4.4 2.2 4.4
    ( 1.6 a 5 3.5 5 5.6 135 225
    ) 1.6 a -3.4 3.5 5 5.6 315 405
    / 2.6 l 0 8 2.6 -0.6
    ? 3.6 a 1.8 1.8 1.8 1.8 190 425 | l 2.55 3.45 1.8 5 | d 1.8 7
    % 5.6 o 1.2 1.5 1.2 1.5 | o 4.4 5.5 1.2 1.5 | l 4.6 0 1 7
    """

  private static let glyphs: [Character: Glyph] = {
    var glyphs: [Character: Glyph] = [:]
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let character = words[0].first, let width = Float(words[1]) else { continue }
      glyphs[character] = Glyph(width: width, strokes: words[2].split(separator: "|").map(stroke))
    }
    return glyphs
  }()

  private static func stroke(_ text: Substring) -> [PicturePoint] {
    let words = text.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Float($0) }
    switch (words.first, numbers.count) {
    case ("a", 6): return arc(numbers, from: numbers[4], to: numbers[5])
    case ("o", 4): return arc(numbers, from: 0, to: 360)
    default:
      return stride(from: 0, to: numbers.count - 1, by: 2).map { PicturePoint(x: numbers[$0], y: numbers[$0 + 1]) }
    }
  }

  /// Degrees between the points of an arc.
  private static let step: Float = 12

  private static func arc(_ ellipse: [Float], from start: Float, to end: Float) -> [PicturePoint] {
    let count = max(1, Int((abs(end - start) / step).rounded(.up)))
    return (0...count).map { index in
      let angle = (start + (end - start) * Float(index) / Float(count)) * .pi / 180
      return PicturePoint(x: ellipse[0] + ellipse[2] * cosf(angle), y: ellipse[1] + ellipse[3] * sinf(angle))
    }
  }
}
