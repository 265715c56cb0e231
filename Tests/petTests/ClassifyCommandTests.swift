// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

@Suite("pet classify", .timeLimit(.minutes(15)))
struct ClassifyCommandTests {
  private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/classify").path

  private let home: TemporaryHome
  init() throws {
    home = try TemporaryHome()
    try home.addStressWeights()
  }

  private func pet(_ arguments: String..., input: String = "") throws -> PetBinary.Result {
    try PetBinary.run(["classify"] + arguments, home: home.path, input: input)
  }

  /// Through a shell, so that bytes can be piped.
  private func shell(_ command: String) throws -> PetBinary.Result {
    let folder = URL(filePath: PetBinary.path).deletingLastPathComponent().path
    return try PetBinary.run(
      executable: "/bin/sh", ["-c", "cd '\(Self.examples)' && \(command)"],
      environment: ["PATH": "\(folder):/usr/bin:/bin", "PET_HOME": home.path])
  }

  private func object(_ result: PetBinary.Result) throws -> [String: Any] {
    try #require(try result.json() as? [String: Any])
  }

  @Test("each says what it sees, how sure it is, and what to know of it, in text and in JSON")
  func kinds() throws {
    let expected = [
      ("pose", "photo.jpg", ["1 person", "joints visible", "guesses"], "PoseDetection_High"),
      ("expression", "photo.jpg", ["happy", "%", "no feeling"], "FacialExpression_High"),
      ("affect", "talk.wav", ["s of speech", "valence", "nothing certain"], "VocalAffect_High"),
      ("stress", "moods.csv", ["high", "frustrated raises it", "No diagnosis"], "ParentStress_High"),
    ]
    for (kind, file, words, model) in expected {
      let text = try pet(kind, "\(Self.examples)/\(file)", "--quality", "high")
      #expect(text.status == 0 && text.complaints.isEmpty, "\(text.error)")
      for word in words { #expect(text.output.contains(word), "\(kind): \(text.output)") }
      let json = try object(try pet(kind, "\(Self.examples)/\(file)", "--quality", "high", "--json"))
      #expect(json["model"] as? String == model && json["path"] as? String == "\(Self.examples)/\(file)")
      #expect(json["ms"] as? Double ?? 0 > 0 && json["result"] is [String: Any])
    }
  }

  @Test("a judgement that is unclear is called so, in text and in JSON; one that is clear is not")
  func unclear() throws {
    let voice = try pet("affect", "\(Self.examples)/talk.wav")
    #expect(voice.output.contains(#/voice +unclear: sad \d\d %, then /#), "\(voice.output)")
    let result = try object(try pet("affect", "\(Self.examples)/talk.wav", "--json"))["result"] as? [String: Any]
    let affect = try #require(result?["affect"] as? [String: Any])
    #expect(affect["finding"] is NSNull && affect["label"] as? String == "sad", "\(affect)")
    #expect((affect["probabilities"] as? [String: Any])?.count == 6)
    for (kind, file, finding) in [("expression", "photo.jpg", "happy"), ("stress", "moods.csv", "high")] {
      let text = try pet(kind, "\(Self.examples)/\(file)")
      #expect(text.output.contains("\(finding) ") && !text.output.contains("unclear"), "\(text.output)")
      let json = try pet(kind, "\(Self.examples)/\(file)", "--json").output
      #expect(json.contains("\"finding\":\"\(finding)\""), "\(json)")
    }
  }

  @Test("without the separate weights of stress one line says how to get them, and that line works")
  func stressWeights() throws {
    let empty = try TemporaryHome()
    let root = URL(filePath: Self.examples).deletingLastPathComponent().deletingLastPathComponent().path
    func run(_ words: String...) throws -> PetBinary.Result { try PetBinary.run(words, home: empty.path) }
    let moods = "\(Self.examples)/moods.csv"
    let refused = try run("classify", "stress", moods)
    #expect(refused.status == 3 && refused.output.isEmpty && !refused.complaints.contains("\n"), "\(refused)")
    let command = try #require(refused.complaints.firstMatch(of: /in Pet's repository run: pet (models install .+)$/)).1
    #expect(try run("models", "pull", "parent-stress").complaints.contains(command))
    #expect(try run("classify", "affect", "\(Self.examples)/talk.wav").status == 0)

    let words = command.split(separator: " ").map { $0.hasPrefix("Models/") ? "\(root)/\($0)" : String($0) }
    let installed = try PetBinary.run(words, home: empty.path)
    #expect(installed.status == 0 && !installed.output.contains("pet chat"), "\(installed)")
    #expect(try run("classify", "stress", moods).status == 0)
    #expect(try run("models", "verify", "parent-stress").output == "parent-stress: sound\n")

    let file = empty.path + "/models/parent-stress/parent-stress.gguf"
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(filePath: file))
    let damaged = try run("classify", "stress", moods)
    #expect(damaged.status == 3 && damaged.complaints.contains("damaged"), "\(damaged)")
  }

  @Test("the quality and the profile choose the tier")
  func tiers() throws {
    func labels(_ arguments: String...) throws -> (model: String?, count: Int?) {
      let result = try PetBinary.run(
        ["classify", "expression", "\(Self.examples)/photo.jpg", "--json"] + arguments, home: home.path)
      let json = try object(result)
      let expression = (json["result"] as? [String: Any])?["expression"] as? [String: Any]
      return (json["model"] as? String, (expression?["probabilities"] as? [String: Any])?.count)
    }
    #expect(try labels("--quality", "high") == ("FacialExpression_High", 7))
    #expect(try labels("--quality", "medium") == ("FacialExpression_Medium", 5))
    #expect(try labels("--profile", "watch") == ("FacialExpression_Low", 3))
    #expect(try labels("--profile", "watch", "--quality", "high") == ("FacialExpression_High", 7))
    let signals = #"{"sad": 3, "tired": 2}"#
    for (quality, used) in [("high", 2), ("low", 1)] {
      let json = try object(try pet("stress", "-", "--quality", quality, "--json", input: signals))
      #expect(((json["result"] as? [String: Any])?["used"] as? [String])?.count == used)
    }
    #expect(try pet("expression", "x.jpg", "--quality", "best").status == 2)
  }

  @Test("a folder is classified file by file; what is refused in it does not keep the others, and the exit code is 3")
  func folders() throws {
    let whole = try pet("pose", Self.examples, "--json")
    #expect(whole.status == 0 && whole.output.split(separator: "\n").count == 1, "\(whole.error)")
    let folder = home.path + "/pictures"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let photo = try Data(contentsOf: URL(filePath: Self.examples + "/photo.jpg"))
    for name in ["1.jpg", "3.JPG"] { try photo.write(to: URL(filePath: "\(folder)/\(name)")) }
    try photo.dropLast(20_000).write(to: URL(filePath: folder + "/2.jpg"))
    try Data("notes".utf8).write(to: URL(filePath: folder + "/notes.txt"))
    let text = try pet("expression", folder)
    #expect(text.status == 3, "\(text.output)")
    #expect(text.output.contains("1.jpg: happy") && text.output.contains("3.JPG: happy"), "\(text.output)")
    #expect(text.error.contains("2.jpg: ") && text.error.contains("2 pictures") && text.error.contains("1 refused"))
    let json = try pet("expression", folder, "--json")
    let lines = json.output.split(separator: "\n")
    #expect(json.status == 3 && lines.count == 3 && lines[1].contains(#""error":""#), "\(json.output)")
    let empty = try pet("affect", folder)
    #expect(empty.status == 3 && empty.error.contains("no file that ends in .wav"))
    #expect(try pet("pose", folder, "--draw", "\(home.path)/x.png").status == 2)
  }

  @Test("pictures one behind the other on standard input are a stream, and with --fps a film")
  func pictureStream() throws {
    let separate = try shell("cat photo.jpg photo.jpg photo.jpg | pet classify pose - --json")
    #expect(separate.status == 0, "\(separate.error)")
    let lines = separate.output.split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.contains(#""is_tracked":false"#) })
    #expect(lines[2].contains(#""index":2"#))
    let film = try shell("cat photo.jpg photo.jpg photo.jpg | pet classify pose - --fps 20 --json")
    #expect(film.output.split(separator: "\n").map { $0.contains(#""is_tracked":true"#) } == [false, true, true])
    let text = try shell("cat photo.jpg photo.jpg | pet classify pose -")
    #expect(text.output.contains("picture 2: ") && text.error.contains("2 pictures, "), "\(text.output)\(text.error)")
    let cut = try shell("(cat photo.jpg; head -c 9000 photo.jpg) | pet classify pose - --json")
    #expect(cut.status == 3 && cut.output.split(separator: "\n").count == 2 && cut.output.contains(#""error":""#))
    // The pictures behind one that is cut are classified all the same.
    let amid = try shell(
      "(cat photo.jpg; head -c 9000 photo.jpg; cat photo.jpg photo.jpg) | pet classify pose - --json")
    let results = amid.output.split(separator: "\n").map { $0.contains(#""error":null"#) }
    #expect(amid.status == 3 && results == [true, false, true, true], "\(amid.output)\(amid.error)")
    for command in ["echo text | pet classify pose -", "pet classify expression - </dev/null"] {
      #expect(try shell(command).status == 3, "\(command)")
    }
  }

  @Test("standard input among several inputs is a picture only where pictures are asked about")
  func standardInputAmongOthers() throws {
    let sounds = try shell("pet classify affect talk.wav - --quality low --json < talk.wav")
    let lines = sounds.output.split(separator: "\n")
    #expect(sounds.status == 0 && lines.count == 2, "\(sounds.output)\(sounds.error)")
    #expect(lines.last?.contains(#""path":"-""#) == true && !sounds.output.contains(#""index":1"#), "\(sounds.output)")
    let tables = try shell("pet classify stress - moods.csv < moods.csv")
    #expect(tables.status == 0 && tables.output.contains("standard input: "), "\(tables.output)\(tables.error)")
    let none = try shell("pet classify stress - moods.csv < photo.jpg")
    #expect(none.status == 3 && none.error.contains("standard input: ") && none.output.contains("moods.csv: "))
  }

  @Test(
    "a single input that is refused is a report with --json and a line on standard error, and standard input is - in all of them"
  )
  func refusalReports() throws {
    let path = "\(Self.examples)/moods.csv"
    let file = try pet("expression", path, "--json")
    #expect(file.status == 3 && file.complaints.hasPrefix("pet: \(path): "), "\(file.error)")
    let report = try object(file)
    #expect(report["path"] as? String == path && (report["error"] as? String)?.contains("PNG or JPEG") == true)
    let fine = try shell("pet classify stress - --json < moods.csv")
    #expect(fine.status == 0, "\(fine.error)")
    #expect(try object(fine)["path"] as? String == "-")
    for command in ["pet classify stress - --json < photo.jpg", "echo text, no picture | pet classify pose - --json"] {
      let refused = try shell(command)
      #expect(refused.status == 3 && refused.complaints.hasPrefix("pet: "), "\(command): \(refused.error)")
      let report = try object(refused)
      #expect(report["path"] as? String == "-" && report["error"] is String, "\(command): \(refused.output)")
    }
  }

  @Test(
    "one form of object for one file, several, folders and streams: what is refused is one of them, and the status tells of it"
  )
  func oneForm() throws {
    let folder = home.path + "/empty"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let keys: Set = ["path", "index", "seconds", "model", "ms", "result", "error"]
    func objects(_ command: String, _ status: Int32) throws -> [(path: String, index: Int?, isRefused: Bool)] {
      let result = try shell(command)
      let complaints = result.complaints.split(separator: "\n").count
      #expect(result.status == status, "\(command): \(result)")
      #expect(complaints == result.output.components(separatedBy: #""error":""#).count - 1, "\(command): \(result)")
      return try result.output.split(separator: "\n").map { line in
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(Set(object.keys) == keys, "\(command): \(line)")
        #expect((object["result"] is NSNull) != (object["error"] is NSNull), "\(command): \(line)")
        return (try #require(object["path"] as? String), object["index"] as? Int, object["error"] is String)
      }
    }
    let pose = "pet classify pose --quality low --json"
    let one = try objects("\(pose) photo.jpg", 0)
    #expect(one.map(\.path) == ["photo.jpg"] && one[0].index == nil && !one[0].isRefused)
    let missing = try objects("\(pose) none.jpg", 3)
    #expect(missing.map(\.path) == ["none.jpg"] && missing[0].isRefused)
    let several = try objects("\(pose) none.jpg '\(folder)' photo.jpg", 3)
    #expect(several.map(\.path) == ["none.jpg", folder, "photo.jpg"])
    #expect(several.map(\.isRefused) == [true, true, false])
    let alone = try objects("\(pose) '\(folder)'", 3)
    #expect(alone.map(\.path) == [folder] && alone[0].isRefused)
    // What comes through standard input is counted by itself, from 0, whatever stands before it.
    let mixed = try objects("(cat photo.jpg photo.jpg; head -c 9000 photo.jpg) | \(pose) photo.jpg - none.jpg", 3)
    #expect(mixed.map(\.path) == ["photo.jpg", "-", "-", "-", "none.jpg"])
    #expect(mixed.map(\.index) == [nil, 0, 1, 2, nil])
    #expect(mixed.map(\.isRefused) == [false, false, false, true, true])
    let sound = try objects(
      "tail -c +59 talk.wav | pet classify affect - --raw mulaw:16000 --quality low --json", 0)
    #expect(sound.compactMap(\.index) == Array(0..<sound.count) && sound.count > 2)
    let short = try objects("printf x | pet classify affect - --raw s16le:16000 --json", 3)
    #expect(short.count == 1 && short[0].isRefused && short[0].path == "-")
    // A name that is not UTF-8 opens nothing; the others are classified.
    let copies = #"cp moods.csv '\#(folder)/b.csv' && cp moods.csv '\#(folder)/'"$(printf 'a\377.csv')""#
    let odd = try objects("\(copies) && pet classify stress '\(folder)' --json", 3)
    #expect(odd.map(\.isRefused) == [false, true] && odd[0].path == "\(folder)/b.csv")
    #expect(try shell("rm -r '\(folder)'").status == 0)
  }

  @Test("where nothing could be classified there is no speed, and no caution about results")
  func nothingDone() throws {
    let result = try shell("echo text | pet classify pose -")
    #expect(result.status == 3 && result.output.isEmpty, "\(result)")
    #expect(result.error.hasSuffix("0 pictures, 1 refused\n"), "\(result)")
  }

  @Test("a pipe in a folder is passed over, so that nobody waits for it; one that is named is read")
  func pipes() throws {
    let folder = home.path + "/moods"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.examples + "/moods.csv", toPath: folder + "/b.csv")
    try #require(mkfifo(folder + "/a.csv", 0o600) == 0)
    let whole = try pet("stress", folder, "--json")
    #expect(whole.status == 0 && whole.output.split(separator: "\n").count == 1, "\(whole.error)")
    #expect(whole.output.contains("b.csv") && !whole.output.contains("a.csv"), "\(whole.output)")
    let named = try shell(
      "{ timeout 20 cat moods.csv > '\(folder)/a.csv' & pet classify stress '\(folder)/a.csv' --json; }")
    #expect(named.status == 0 && named.output.contains("a.csv"), "\(named.error)")
    // What is not there is told of, in a folder too.
    try #require(symlink("nowhere", folder + "/c.csv") == 0)
    let broken = try pet("stress", folder)
    #expect(broken.status == 3 && broken.error.contains("c.csv: cannot open"), "\(broken.error)")
  }

  @Test("raw sound on standard input is judged as it comes; as a file it is judged whole")
  func rawSound() throws {
    // The clip is mu-law behind a header of 58 bytes.
    let raw = "tail -c +59 talk.wav"
    let stream = try shell("\(raw) | pet classify affect - --raw mulaw:16000:1 --quality medium --json")
    let lines = stream.output.split(separator: "\n")
    #expect(stream.status == 0 && lines.count == 15, "\(stream.error)")
    let first = try #require(lines.first)
    let last = try #require(lines.last)
    #expect(first.contains(#""seconds":0.2"#) && first.contains(#""result":"no_speech""#), "\(first)")
    #expect(last.contains(#""seconds":3}"#) && last.contains(#""result":"affect""#), "\(last)")
    #expect(last.contains("VocalAffect_Medium"))
    let path = "'\(home.path)/talk.raw'"
    let file = try shell("\(raw) > \(path) && pet classify affect \(path) --raw mulaw:16000")
    #expect(file.status == 0 && file.output.contains("s of speech"), "\(file.error)")
    let text = try shell("\(raw) | pet classify affect - --raw mulaw:16000 --quality low")
    #expect(text.output.contains("0.5 s: no speech") && text.output.contains("nothing certain"), "\(text.output)")
    #expect(try shell("\(raw) | pet classify affect - --raw mp3:16000").status == 2)
    #expect(try shell("printf x | pet classify affect - --raw s16le:16000").status == 3)
    #expect(try shell("pet classify affect - < talk.wav").status == 0)
  }

  @Test("ten hours of sound are refused before they are read")
  func tenHours() throws {
    let path = "\(home.path)/long.wav"
    try Data(contentsOf: URL(filePath: Self.examples + "/talk.wav")).write(to: URL(filePath: path))
    // The rest is a hole in the file: 16 bits at 16 kHz.
    truncate(path, 10 * 3_600 * 32_000)
    let long = try pet("affect", path)
    #expect(long.status == 3 && long.error.contains("more than 268 MB"), "\(long.error)")
    // What fits in the limit of bytes is refused by its header.
    let raw = "\(home.path)/long.raw"
    try Data([0]).write(to: URL(filePath: raw))
    truncate(raw, 4_000 * 36_000)
    let hours = try pet("affect", raw, "--raw", "u8:4000")
    #expect(hours.status == 3 && hours.error.contains("36000 s; at most 600 s"), "\(hours.error)")
  }

  @Test("results are drawn as PNG pictures")
  func drawing() throws {
    #expect(try pet("pose", "\(Self.examples)/photo.jpg", "--draw-boxes").status == 2, "there is nothing to draw into")
    for (kind, file) in [("pose", "photo.jpg"), ("expression", "photo.jpg"), ("affect", "talk.wav")] {
      let out = "\(home.path)/\(kind).png"
      let result = try pet(kind, "\(Self.examples)/\(file)", "--draw", out)
      #expect(result.status == 0, "\(result.error)")
      let png = try Data(contentsOf: URL(filePath: out))
      #expect(png.count > 2_000 && png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      guard kind != "affect" else { continue }
      let boxes = out + ".boxes"
      #expect(try pet(kind, "\(Self.examples)/\(file)", "--draw", boxes, "--draw-boxes").status == 0)
      #expect(try Data(contentsOf: URL(filePath: boxes)) != png, "boxes only where they are asked for")
    }
    #expect(try pet("pose", "\(Self.examples)/photo.jpg", "--draw", "\(home.path)/none/x.png").status == 3)
    // The input itself would be gone, also under another name.
    let (own, other) = ("\(home.path)/own.jpg", "\(home.path)/other.jpg")
    try FileManager.default.copyItem(atPath: "\(Self.examples)/photo.jpg", toPath: own)
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: own)
    let before = try Data(contentsOf: URL(filePath: own))
    for name in [own, other] { #expect(try pet("pose", own, "--draw", name).status == 2) }
    #expect(try Data(contentsOf: URL(filePath: own)) == before)
    #expect(try pet("stress", "\(Self.examples)/moods.csv", "--draw", "x.png").status == 2)
  }

  @Test("a picture is written into a pipe, a device or standard output, which stay what they are")
  func drawingElsewhere() throws {
    let (pipe, open, full) = (home.path + "/pipe", home.path + "/open", home.path + "/full")
    let out = home.path + "/out"
    try #require(
      mkfifo(pipe, 0o600) == 0 && symlink("/proc/self/fd/1", open) == 0 && symlink("/dev/full", full) == 0)
    let draw = "pet classify pose photo.jpg --quality low --draw"
    for command in [
      "{ timeout 20 cat '\(pipe)' > '\(out)' & \(draw) '\(pipe)' && wait; }", "\(draw) '\(open)' | cat > '\(out)'",
      "\(draw) '\(open)' > '\(out)'",
    ] {
      let result = try shell(command)
      #expect(result.status == 0, "\(command): \(result.error)")
      let png = try Data(contentsOf: URL(filePath: out))
      #expect(png.count > 2_000 && png.starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(command): \(png.count) bytes")
    }
    let failed = try shell("\(draw) '\(full)'")
    #expect(failed.status == 3 && failed.error.contains("No space left"), "\(failed.error)")
    func kind(_ path: String) -> mode_t {
      var status = stat()
      return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }
    #expect([pipe, open, full].map(kind) == [S_IFIFO, S_IFLNK, S_IFLNK])
  }

  @Test(
    "what cannot be read is refused in one line that says what to give",
    arguments: [
      ("pose", "talk.wav", "PNG or JPEG"), ("expression", "moods.csv", "PNG or JPEG"), ("affect", "photo.jpg", "WAV"),
      ("stress", "photo.jpg", "CSV"), ("pose", "no-such-file.png", "no-such-file.png"),
    ])
  func refusals(kind: String, file: String, word: String) throws {
    let result = try pet(kind, "\(Self.examples)/\(file)")
    #expect(result.status == 3 && result.output.isEmpty, "\(result.output)")
    #expect(result.error.split(separator: "\n").count == 1 && result.error.contains(word), "\(result.error)")
    #expect(result.error.contains(file))
  }
}
