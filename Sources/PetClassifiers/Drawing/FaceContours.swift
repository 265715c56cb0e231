// SPDX-License-Identifier: Apache-2.0
/// The lines of a face among the points of its mesh: outline, brows, eyes and lips, as MediaPipe's face_mesh_connections.py has them.
enum FaceContours {
  private static let closed = [
    // The outline.
    [
      10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150,
      136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
    ],
    // The eyes.
    [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466],
    [33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246],
    // The lips, outside and inside.
    [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185],
    [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191],
  ]
  private static let brows = [[300, 293, 334, 296, 336], [70, 63, 105, 66, 107]]

  /// Chains of points; none where there is no mesh.
  static func chains(of mesh: [PicturePoint]) -> [[PicturePoint]] {
    guard mesh.count == FaceMesh.pointCount else { return [] }
    return closed.map { chain in (chain + chain.prefix(1)).map { mesh[$0] } } + brows.map { $0.map { mesh[$0] } }
  }
}
