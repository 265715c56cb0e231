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

  @Test func `a disc is round, with a smooth edge`() throws {
    var picture = try Self.black(21, 21)
    picture.drawDisc(PicturePoint(x: 10, y: 10), radius: 8, .white)
    for y in 0..<21 {
      for x in 0..<21 {
        let distance = Double((x - 10) * (x - 10) + (y - 10) * (y - 10)).squareRoot()
        switch distance {
        case ...7.5: #expect(Self.red(picture, x, y) == 255)
        case 8.5...: #expect(Self.red(picture, x, y) == 0)
        // The edge is smooth.
        default: #expect(abs(Double(Self.red(picture, x, y)) - (8.5 - distance) * 255) <= 2, "\(x), \(y)")
        }
      }
    }
  }

  @Test func `a line goes from one end to the other and nowhere else`() throws {
    var picture = try Self.black(40, 30)
    picture.drawLine(PicturePoint(x: 5, y: 5), PicturePoint(x: 35, y: 20), .white)
    for x in stride(from: 5, through: 35, by: 2) { #expect(Self.red(picture, x, 5 + (x - 5) / 2) == 255) }
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
        picture.drawText("a text", at: PicturePoint(x: x, y: y), capital: 7, .white)
        picture.drawCaption(
          ["a caption that is too long"], .beside(PictureBox(x: x, y: y, width: y, height: x)))
      }
    }
    #expect(picture.pixels.count == 9 * 5 * 3)
  }

  @Test func `every word of a caption can be written`() throws {
    for character in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:-()/?%" {
      let glyph = try #require(StrokeFont.glyph(character), "\(character)")
      #expect(!glyph.strokes.isEmpty && glyph.strokes.allSatisfy { !$0.isEmpty }, "\(character)")
      for point in glyph.strokes.joined() {
        #expect(
          (-0.2...glyph.width + 0.2).contains(point.x) && (-0.7...9.1).contains(point.y), "\(character): \(point)")
      }
    }
    #expect(StrokeFont.glyph(" ") == nil && StrokeFont.glyph("é") == nil)
    // Letters that are not there take room, and nothing else.
    #expect(StrokeFont.width("a b") > StrokeFont.width("ab") && StrokeFont.width("") == 0)
  }

  @Test func `a letter is drawn where it was asked for`() throws {
    var picture = try Self.black(30, 20)
    picture.drawText("T", at: PicturePoint(x: 4, y: 16), capital: 14, .white)
    // The bar at the top, the stem in the middle, nothing below the base line.
    #expect(
      (4...13).allSatisfy { Self.red(picture, $0, 2) > 200 } && (2...15).allSatisfy { Self.red(picture, 9, $0) > 80 })
    #expect((0..<30).allSatisfy { Self.red(picture, $0, 19) == 0 } && Self.red(picture, 4, 10) == 0)
  }

  @Test func `what was found is seen in the drawing, and the rest stays`() throws {
    let picture = try Picture.astronaut()
    let classifier = try PoseClassifier(
      detector: GraphFixtures.weights("pose-detector"), landmarks: GraphFixtures.weights("pose-landmarks"))
    let result = try classifier.classify(picture)
    let drawing = picture.drawing(result)
    func pixel(_ picture: Picture, _ joint: PoseJoint) throws -> [UInt8] {
      let landmark = try #require(result.pose)[joint]
      let place = (Int(landmark.y.rounded()) * 256 + Int(landmark.x.rounded())) * 3
      return Array(picture.pixels[place..<place + 3])
    }
    #expect(try pixel(drawing, .nose) == [255, 255, 255] && pixel(drawing, .rightShoulder) == [255, 255, 255])
    // Boxes only where they are asked for.
    let boxes = picture.drawing(result, showsBoxes: true)
    #expect(try pixel(boxes, .nose) == [255, 140, 0] && boxes != drawing)
    let same = zip(drawing.pixels, picture.pixels).count { $0 == $1 }
    #expect(same > picture.pixels.count * 8 / 10 && drawing != picture)
    #expect(try Picture(drawing.png()) == drawing)
    let nobody = PoseResult(pose: nil, cues: nil, people: 0, isTracked: false)
    #expect(picture.drawing(nobody) != picture)
    #expect(picture.drawing(ExpressionResult(expression: nil, faces: 0)) != picture)
  }
}
