// SPDX-License-Identifier: Apache-2.0
/// Red, green, blue.
package struct PictureColor: Sendable, Equatable {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  package static let white = PictureColor(red: 255, green: 255, blue: 255)
  package static let black = PictureColor(red: 0, green: 0, blue: 0)
  /// Grounds of captions.
  static let ink = PictureColor(red: 18, green: 22, blue: 30)
  static let silver = PictureColor(red: 198, green: 205, blue: 214)
  static let orange = PictureColor(red: 255, green: 140, blue: 0)
  static let blue = PictureColor(red: 66, green: 133, blue: 244)
  static let green = PictureColor(red: 102, green: 187, blue: 106)
  static let amber = PictureColor(red: 255, green: 200, blue: 20)
  static let teal = PictureColor(red: 0, green: 200, blue: 215)
}
