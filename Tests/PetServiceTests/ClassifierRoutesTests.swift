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
    #expect(face.text.contains(#""label":"happy""#) && face.text.contains("FacialExpression_Low"), "\(face.text)")
    let voice = try await service.upload("/pet/classify/affect", try bytes("talk.wav"))
    #expect(voice.text.contains(#""result":"affect""#) && voice.text.contains("VocalAffect_Low"), "\(voice.text)")
    let stress = try await service.upload("/pet/classify/stress", try bytes("moods.csv"))
    #expect(stress.text.contains(#""level":"high""#), "\(stress.text)")
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
      let header = try Picture(width: 1, height: 1, rgb: [0, 0, 0]).png()
      var bomb = header
      bomb.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
      inputs.append(bomb)
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
