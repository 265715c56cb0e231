// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

struct PictureSamplerTests {
  private static let gradient: Picture? = {
    var bytes: [UInt8] = []
    for y in 0..<6 { for x in 0..<8 { bytes += [UInt8(x * 20), UInt8(y * 40), 7] } }
    return try? Picture(width: 8, height: 6, rgb: bytes)
  }()

  @Test func `a square of the picture's own size is the picture`() throws {
    let picture = try #require(Self.gradient)
    let region = try #require(PictureRegion(center: PicturePoint(x: 3, y: 3), side: 6, rotation: 0))
    let values = PictureSampler(size: 6, range: 0...255, border: .black).color(picture, region)
    for row in 0..<6 {
      for column in 0..<6 {
        let place = (row * 6 + column) * 3
        #expect(Array(values[place..<place + 3]) == [Float(column * 20), Float(row * 40), 7])
      }
    }
  }

  @Test func `between pixels it is their mean, and beside the picture black or its edge`() throws {
    let picture = try #require(Self.gradient)
    let region = try #require(PictureRegion(center: PicturePoint(x: 1.5, y: 3), side: 6, rotation: 0))
    let black = PictureSampler(size: 6, range: -1...1, border: .black).color(picture, region)
    #expect(black[0] == -1)  // x is -1.5
    let edge = PictureSampler(size: 6, range: 0...255, border: .edge).color(picture, region)
    #expect(edge[0] == 0 && edge[2] == 7)
    #expect(edge[2 * 3] == 10)  // x is 0.5
  }

  @Test func `a quarter turn turns the picture`() throws {
    let picture = try #require(Self.gradient)
    let region = try #require(PictureRegion(center: PicturePoint(x: 3, y: 3), side: 4, rotation: .pi / 2))
    let values = PictureSampler(size: 4, range: 0...255, border: .black).color(picture, region)
    // The square's top left corner is the picture's top right one: (5, 1); to the right is down.
    #expect(values[0] == 100 && values[1] == 40)
    #expect(values[3] == 100 && values[4] == 80)
    #expect(values[12] == 80 && values[13] == 40)
  }

  @Test func `values stay within the range, however far away the region is`() throws {
    let picture = try #require(Self.gradient)
    for (x, y, side) in [(Float(-1e5), Float(1e5), Float(1e5)), (4, 3, 1), (1e5, -1e5, 1), (4, 3, 1e5)] {
      let region = try #require(PictureRegion(center: PicturePoint(x: x, y: y), side: side, rotation: 1))
      for border in [PictureSampler.Border.black, .edge] {
        let sampler = PictureSampler(size: 16, range: -1...1, border: border)
        #expect(sampler.color(picture, region).allSatisfy { (-1...1).contains($0) })
        #expect(sampler.grey(picture, region).allSatisfy { (-1...1).contains($0) })
      }
    }
  }

  @Test func `there is no region where a number is none, or far beyond every picture`() {
    let bad: [Float] = [.nan, .infinity, -.infinity, 1e6, -1e6]
    for value in bad {
      #expect(PictureRegion(center: PicturePoint(x: value, y: 0), side: 5, rotation: 0) == nil)
      #expect(PictureRegion(center: PicturePoint(x: 0, y: value), side: 5, rotation: 0) == nil)
      #expect(PictureRegion(center: PicturePoint(x: 0, y: 0), side: value, rotation: 0) == nil)
      #expect(PictureRegion(center: PicturePoint(x: 0, y: 0), side: 5, rotation: value) == nil)
    }
    #expect(PictureRegion(center: PicturePoint(x: 0, y: 0), side: 0.5, rotation: 0) == nil)
    let turned = PictureRegion(center: PicturePoint(x: 0, y: 0), side: 5, rotation: 3 * .pi)
    #expect(abs(abs(turned?.rotation ?? 0) - .pi) < 1e-4)
  }
}
