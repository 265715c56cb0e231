// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import PetEngine
import PetService
import Testing

@Suite("Classifying by HTTP", .timeLimit(.minutes(10)))
struct ClassifierRoutesTests {
  private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/classify")

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Self.examples.appending(path: name)))
  }

  @Test("a picture, a sound and a table are answered with the model and what it says; idle models go")
  func answers() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let photo = try bytes("photo.jpg")
    let pose = try await service.upload("/pet/classify/pose", photo)
    #expect(pose.status == 200)
    let result = try JSONNode.object(pose.text)
    #expect(result["model"]?.text == "PoseDetection_Low")
    #expect(result["result"]?["pose"]?["landmarks"]?.items.count == 33)
    let face = try await service.upload("/pet/classify/expression", photo)
    #expect(face.text.contains(#""finding":"happy""#) && face.text.contains(#""label":"happy""#))
    #expect(face.text.contains("FacialExpression_Low"), "\(face.text)")
    let voice = try await service.upload("/pet/classify/affect", try bytes("talk.wav"))
    #expect(voice.text.contains(#""result":"affect""#) && voice.text.contains("VocalAffect_Low"), "\(voice.text)")
    #expect(voice.text.contains(#""finding":null"#), "a label of a fifth is none: \(voice.text)")
    let stress = try await service.upload("/pet/classify/stress", try bytes("moods.csv"))
    #expect(stress.text.contains(#""finding":"high""#) && stress.text.contains(#""level":"high""#), "\(stress.text)")
    let json = try await service.ask(.POST, "/pet/classify/stress", #"{"tired": 3, "happy": 0}"#)
    #expect(json.status == 200 && json.text.contains(#""used":["happy","tired"]"#), "\(json.text)")
    let models = try await service.ask(.GET, "/pet/models").text
    for name in ["pose", "facial-expression", "vocal-affect", "parent-stress"] {
      #expect(models.contains(#""name":"\#(name)","#), "\(models)")
    }
    #expect(try await service.ask(.POST, "/pet/models/unload").status == 200)
    #expect(service.models.runtime.reservedBytes == 0)
  }

  @Test(
    "broken input is refused with the reason, in the service's form",
    arguments: ["pose", "expression", "affect", "stress"])
  func refusals(_ kind: String) async throws {
    let service = try await TestService()
    defer { service.remove() }
    let photo = try bytes("photo.jpg")
    var inputs: [[UInt8]] = [[], [0], Array("hello".utf8), [UInt8](repeating: 0xFF, count: 100_000)]
    if kind == "pose" || kind == "expression" {
      // Truncated; followed by something else; of a size that is a bomb: 60000 x 60000, a few bytes of data.
      inputs += [Array(photo.dropLast(20_000)), photo + Array("PK\u{3}\u{4} and a whole archive".utf8)]
      let bomb = try bomb()
      inputs.append(bomb)
      let told = try await service.upload("/pet/classify/\(kind)", bomb).text
      #expect(told.contains("60000 x 60000"), "\(told)")
    } else {
      inputs.append(photo)
    }
    for input in inputs {
      let answer = try await service.upload("/pet/classify/\(kind)", input)
      #expect(answer.status == 400, "\(answer)")
      let error = try JSONNode.object(answer.text)["error"]
      #expect(error?["code"]?.text == "invalid_input" && error?["message"]?.text?.isEmpty == false, "\(answer)")
    }
  }

  private func bomb() throws -> [UInt8] {
    var file = try Picture(width: 1, height: 1, rgb: [0, 0, 0]).png()
    file.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
    // CRC-32 of IHDR, bit by bit.
    var sum: UInt32 = .max
    for byte in file[12..<29] {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    file.replaceSubrange(29..<33, with: withUnsafeBytes(of: (~sum).bigEndian) { Array($0) })
    return file
  }

  @Test("a picture takes no more than half of the memory that can be had")
  func room() async throws {
    let service = try await TestService(room: 20_000_000)
    defer { service.remove() }
    let side = 4_000
    let large = try Picture(width: side, height: side, rgb: [UInt8](repeating: 0, count: side * side * 3)).png()
    let refused = try await service.upload("/pet/classify/pose", large)
    #expect(refused.status == 400 && refused.text.contains("invalid_input"), "\(refused)")
    #expect(refused.text.contains("4000 x 4000"), "\(refused)")
    #expect(try await service.upload("/pet/classify/pose", try bytes("photo.jpg")).status == 200)
  }

  @Test("many at once are worked on one after the other, and too many are told to come again")
  func many() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let table = try bytes("moods.csv")
    let statuses = try await withThrowingTaskGroup(of: UInt.self) { group in
      for _ in 0..<64 {
        group.addTask { try await service.upload("/pet/classify/stress", table).status }
      }
      return try await group.reduce(into: [UInt: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(Set(statuses.keys).isSubset(of: [200, 429]) && (statuses[200] ?? 0) >= 16, "\(statuses)")
    #expect(try await service.upload("/pet/classify/stress", table).status == 200)
  }
}

extension TestService {
  fileprivate func upload(_ path: String, _ bytes: [UInt8]) async throws -> (status: UInt, text: String) {
    let response = try await respond(.POST, path, body: ByteBuffer(bytes: bytes))
    guard case .bytes(let body) = response.body else { return (response.status.code, "") }
    return (response.status.code, String(buffer: body))
  }
}
