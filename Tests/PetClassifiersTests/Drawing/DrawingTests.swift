// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

struct DrawingTests {
  private static func black(_ width: Int, _ height: Int) throws -> Picture {
    try Picture(width: width, height: height, rgb: [UInt8](repeating: 0, count: width * height * 3))
  }

  private static func red(_ picture: Picture, _ x: Int, _ y: Int) -> UInt8 {
    picture.pixels[(y * picture.width + x) * 3]
  }

  @Test func `a disc is round`() throws {
    var picture = try Self.black(21, 21)
    picture.drawDisc(PicturePoint(x: 10, y: 10), radius: 8, .white)
    for y in 0..<21 {
      for x in 0..<21 {
        let isInside = (x - 10) * (x - 10) + (y - 10) * (y - 10) <= 64
        #expect((Self.red(picture, x, y) == 255) == isInside)
      }
    }
  }

  @Test func `a line goes from one end to the other and nowhere else`() throws {
    var picture = try Self.black(40, 30)
    picture.drawLine(PicturePoint(x: 5, y: 5), PicturePoint(x: 35, y: 20), .white)
    for x in 5...35 { #expect(Self.red(picture, x, 5 + (x - 5) / 2) == 255) }
    #expect(Self.red(picture, 5, 20) == 0 && Self.red(picture, 35, 5) == 0)
  }

  @Test func `whatever places are, drawing stays in the picture`() throws {
    var picture = try Self.black(9, 5)
    let far: [Float] = [.nan, .infinity, -1e30, 1e30, -1e4, 1e4, 4]
    for x in far {
      for y in far {
        picture.drawDisc(PicturePoint(x: x, y: y), radius: 2, .white)
        picture.drawLine(PicturePoint(x: x, y: y), PicturePoint(x: 4, y: 2), .white)
        picture.drawBox(PictureBox(x: x, y: y, width: y, height: x), .white)
        picture.drawLabel(["a label that is too long"], at: PicturePoint(x: x, y: y), .white)
      }
    }
    #expect(picture.pixels.count == 9 * 5 * 3)
  }

  @Test func `letters are read as they are written`() throws {
    #expect(BitmapFont.glyph("t")?[0] == [true, true, true, true, true])
    #expect(BitmapFont.glyph("T")?[6] == [false, false, true, false, false])
    #expect(BitmapFont.glyph(" ") == nil && BitmapFont.glyph("é") == nil)
    var picture = try Self.black(30, 20)
    picture.drawLabel(["T"], at: PicturePoint(x: 0, y: 0), .white)
    #expect((1...5).allSatisfy { Self.red(picture, $0, 1) == 255 } && Self.red(picture, 3, 7) == 255)
  }

  @Test func `what was found is seen in the drawing, and the rest stays`() throws {
    let picture = try Picture.astronaut()
    let classifier = try PoseClassifier(
      detector: GraphFixtures.weights("pose-detector"), landmarks: GraphFixtures.weights("pose-landmarks"))
    let result = try classifier.classify(picture)
    let drawing = picture.drawing(result)
    let nose = try #require(result.pose)[.nose]
    let place = (Int(nose.y) * 256 + Int(nose.x)) * 3
    #expect(Array(drawing.pixels[place..<place + 3]) == [255, 140, 0])
    let same = zip(drawing.pixels, picture.pixels).count { $0 == $1 }
    #expect(same > picture.pixels.count * 8 / 10 && drawing != picture)
    #expect(try Picture(drawing.png()) == drawing)
    let nobody = PoseResult(pose: nil, cues: nil, people: 0, isTracked: false)
    #expect(picture.drawing(nobody) != picture)
    #expect(picture.drawing(ExpressionResult(expression: nil, faces: 0)) != picture)
  }
}
