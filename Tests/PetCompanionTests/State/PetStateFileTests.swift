// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("A pet's file")
final class PetStateFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)").path
  private var file: PetStateFile { PetStateFile(folder + "/mochi.json") }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file.path)) }

  @Test("a life comes back as it was, to the last bit")
  func roundTrip() throws {
    #expect(try file.load(seconds: 0) == nil)
    for seed in 0..<100 {
      var random = RandomNumbers(seed)
      let life = random.life(at: random.moment(), random.drift())
      try file.save(PetRecord(life))
      #expect(try file.load(seconds: 0) == PetRecord(life), "seed \(seed)")
    }
    for seconds in [Int64.min, .max] {
      let life = PetLife(seconds: seconds)
      try file.save(PetRecord(life))
      #expect(try file.load(seconds: 0) == PetRecord(life))
    }
  }

  @Test("nobody else may read it, and nothing is left beside it")
  func mode() throws {
    try write("old")
    try Data("left by a write that was interrupted".utf8).write(to: URL(filePath: folder + "/.mochi.json.new"))
    try file.save(PetRecord(PetLife(seconds: 7)))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect("\(attributes[.posixPermissions] ?? 0)" == "\(0o600)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["mochi.json"])
  }

  @Test("an older form, the bare state, is a life that begins now")
  func olderForm() throws {
    try write(#"{"hunger": 71, "energy": 200, "mood": -3}"#)
    let life = try file.load(seconds: 99)?.life
    #expect(life == PetLife(PetState(hunger: 71, energy: 100, mood: 0, affection: 50, health: 90), seconds: 99))
    let state = PetState(hunger: 1, energy: 2, mood: 3, affection: 4, health: 5)
    #expect(try JSONDecoder().decode(PetState.self, from: JSONEncoder().encode(state)) == state)
  }

  @Test("a file cut short or of one wrong byte is refused by name or read within bounds, never a trap")
  func damage() throws {
    var random = RandomNumbers(1)
    let now = random.moment()
    var record = PetRecord(random.life(at: now, .ordinary))
    record.safety.note(.alarm(DangerFinding(.partner, .rule, likelihood: 1)))
    record.initiative.speak(at: now.seconds)
    _ = record.breaks.note(now: 5, hour: 22, profile: .minor)
    record.counters.countBreak()
    try file.save(record)
    #expect(try file.load(seconds: 0) == record)
    let whole = try Data(contentsOf: URL(filePath: file.path))
    let text = String(decoding: whole, as: UTF8.self)
    // The closing brace is the last byte.
    for length in 0..<whole.count {
      try whole.prefix(length).write(to: URL(filePath: file.path))
      #expect(throws: PetStateFileError.self) { try self.file.load(seconds: 0) }
    }
    var refused = 0
    for _ in 0..<600 {
      var bytes = Array(text.utf8)
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      try Data(bytes).write(to: URL(filePath: file.path))
      do throws(PetStateFileError) {
        var read = try file.load(seconds: 0)
        read?.safety.note(.stay(.partner, .nothing))
        read?.initiative.speak(at: .max)
        read?.counters.countBreak()
        var life = read?.life
        life?.advance(to: Moment(seconds: .max))
        for value in PetValue.allCases { #expect((0...100).contains(life?.levels[value] ?? 0)) }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 250)
  }

  @Test(
    "what is wrong is told with its key",
    arguments: [
      (#"{"version":1,"life":{}}"#, "life.seconds"), ("{}", "hunger"), ("[]", ""), ("", ""),
      (#"{"version":1}"#, "life"), (#"{"version":0}"#, "version"), (#"{"version":"1"}"#, "version"),
      (#"{"hunger":1,"energy":"2","mood":3}"#, "energy"), (#"{"hunger":1,"energy":1e99,"mood":3}"#, ""),
    ])
  func keys(_ text: String, _ key: String) throws {
    try write(text)
    #expect(throws: PetStateFileError.damaged(path: file.path, key: key)) { try self.file.load(seconds: 0) }
  }

  @Test("a damaged file is kept aside, and life begins anew")
  func setAside() throws {
    try write("{ no")
    let (record, setAside) = try file.loadOrBegin(PetState(mood: 50), seconds: 5)
    #expect(record.life == PetLife(PetState(mood: 50), seconds: 5))
    #expect(setAside == .damaged(path: file.path, key: ""))
    #expect(try String(decoding: Data(contentsOf: URL(filePath: file.damagedPath)), as: UTF8.self) == "{ no")
    #expect(try file.load(seconds: 0) == nil)
    try write(#"{"version": 2}"#)
    #expect(try file.loadOrBegin(seconds: 5).setAside == .newer(path: file.path, version: 2))
  }

  @Test("a file that is kept aside takes the place of no other")
  func asides() throws {
    let texts = ["{ no", #"{"version": 2}"#, "[]"]
    for text in texts {
      try write(text)
      #expect(try file.loadOrBegin(seconds: 5).setAside != nil)
    }
    let names = ["mochi.json.damaged", "mochi.json.damaged-2", "mochi.json.damaged-3"]
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
    for (name, text) in zip(names, texts) {
      #expect(try String(decoding: Data(contentsOf: URL(filePath: "\(folder)/\(name)")), as: UTF8.self) == text)
    }
  }

  @Test("too large a file, a folder in its place, a folder that is missing")
  func refused() throws {
    try write(String(repeating: " ", count: PetStateFile.largest + 1))
    #expect(throws: PetStateFileError.damaged(path: file.path, key: "")) { try self.file.load(seconds: 0) }
    let asFolder = PetStateFile(folder)
    #expect(throws: PetStateFileError.self) { try asFolder.loadOrBegin(seconds: 0) }
    #expect(throws: PetStateFileError.self) { try asFolder.save(PetRecord(PetLife(seconds: 0))) }
    let nowhere = PetStateFile(folder + "/none/mochi.json")
    #expect(throws: PetStateFileError.system(path: nowhere.path, operation: "open", code: 2)) {
      try nowhere.save(PetRecord(PetLife(seconds: 0)))
    }
    #expect(try nowhere.load(seconds: 0) == nil)
  }

  @Test("many effects and absurd spans in a file are refused or bounded")
  func hostile() throws {
    func stored(effects: String, contact: String = "0") -> String {
      """
      {"version":1,"life":{"seconds":0,"levels":{"hunger":1,"energy":1,"mood":1,"affection":1,"health":-7e9},
      "effects":[\(effects)],"rest_left":9e15,"since_contact":\(contact),"since_notice":-4,"repetitions":{"pet":1e300}}}
      """
    }
    let effect = #"{"value":"mood","per_hour":1e300,"left":9000000000000000}"#
    try write(stored(effects: effect, contact: "-9223372036854775808"))
    var life = try #require(try file.load(seconds: 0)).life
    life.advance(to: Moment(seconds: .max))
    #expect(life.state.mood <= 100 && life.sinceContact == PetLife.patience)
    // As it is written, and as it was before there were kinds.
    for (name, told) in [("partner", #"{"partner":-9}"#), ("violence", #"["violence",-9]"#)] {
      let watched = #","safety":{"watched":"\#(name)","turns_left":1000000,"told":\#(told),"stayed":-1}}"#
      try write(String(stored(effects: "").dropLast()) + watched)
      let safety = try #require(try file.load(seconds: 0)).safety
      #expect(safety.turnsLeft == SafetyState.turnsWatched && safety.watched == .partner && safety.stayed == 0)
    }
    try write(stored(effects: Array(repeating: effect, count: 33).joined(separator: ",")))
    #expect(throws: PetStateFileError.damaged(path: file.path, key: "life.effects")) { try self.file.load(seconds: 0) }
  }
}
