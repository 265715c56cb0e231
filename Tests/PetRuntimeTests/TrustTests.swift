// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime
import Testing

@Suite("Catalogs from outside")
struct TrustTests {
  private func refusal(_ body: () throws -> Void) throws -> TrustError {
    let error = try #require(throws: TrustError.self) { try body() }
    #expect(!error.description.contains("\n"), "\(error)")
    return error
  }

  @Test("a signed catalog of a trusted key counts, beside this program's own")
  func added() throws {
    let bench = try TrustBench()
    let publication = try bench.update(bench.sign(TrustBench.text(serial: 7)))
    #expect(publication.name == "acme" && publication.serial == 7)
    #expect(try bench.names() == ["tiny", "acme-1"])
    let model = try bench.library().store.model(named: "acme-1")
    #expect(model.origin == .added(catalog: "acme"))
    // Whose model answers where none is named is not for others to say.
    #expect(model.defaultFor == [])
    #expect(try bench.library().store.catalog.defaultModel()?.name == "tiny")
  }

  @Test("unsigned, signed by a key nobody added, changed by one bit, signed wrongly: refused, each with its reason")
  func refused() throws {
    let bench = try TrustBench(trusts: false)
    let path = try bench.sign(TrustBench.text())
    #expect(try refusal { try bench.update(path) } == .untrusted(path: path, key: bench.key.id))
    _ = try TrustStore(folders: bench.folders).add(bench.folder.path + "/key.pub")
    try bench.update(path)
    #expect(try bench.names() == ["tiny", "acme-1"])

    let newer = try bench.sign(TrustBench.text(serial: 2))
    let content = try Data(contentsOf: URL(filePath: newer))
    for position in stride(from: 0, to: content.count, by: 97) {
      var flipped = content
      flipped[position] ^= 1
      try flipped.write(to: URL(filePath: newer))
      #expect(try refusal { try bench.update(newer) } == .wrongSignature(path: newer, key: bench.key.id))
    }
    try content.write(to: URL(filePath: newer))
    let signature = try String(contentsOf: URL(filePath: newer + ".sig"), encoding: .utf8)
    for (wrong, expected) in [
      (signature.dropLast(8) + "AAAA\n", TrustError.malformedSignature(path: newer)),
      (signature.replacing("ed25519 ", with: "rot13 ")[...], .malformedSignature(path: newer)),
      ("", .malformedSignature(path: newer)),
      (
        signature.replacing(bench.key.id, with: String(repeating: "0", count: 32))[...],
        .untrusted(path: newer, key: String(repeating: "0", count: 32))
      ),
    ] as [(Substring, TrustError)] {
      try bench.folder.write("new.json.sig", String(wrong))
      #expect(try refusal { try bench.update(newer) } == expected, "\(wrong)")
    }
    unlink(newer + ".sig")
    #expect(try refusal { try bench.update(newer) } == .noSignature(path: newer))
    #expect(try refusal { try bench.update(newer + ".absent") } == .noSuchFile(path: newer + ".absent"))
    // The version that was here still counts.
    #expect(try bench.names() == ["tiny", "acme-1"] && bench.library().refusals.isEmpty)
  }

  @Test("signatures are Ed25519 over the exact bytes: RFC 8032, 7.1, test 2")
  func vector() throws {
    let bench = try TrustBench(trusts: false)
    let keyFile = try bench.folder.write(
      "rfc.pub", "pet-public-key ed25519 PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw= RFC 8032\n")
    let key = try TrustStore(folders: bench.folders).add(keyFile)
    // SHA-256 by another program.
    #expect(key.id == "39f713d0a644253f04529421b9f51b9b" && key.comment == "RFC 8032")
    let signature =
      "kqAJqfDUyrhyDoILX2QlQKKye1QWUD+Ps3YiI+vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA=="
    let path = try bench.folder.write("rfc", "\u{72}")
    try bench.folder.write("rfc.sig", "pet-signature ed25519 \(key.id) \(signature)\n")
    // The signature is right; what it signs is no catalog.
    guard case .catalog(path, .malformed) = try refusal({ try bench.update(path) }) else {
      Issue.record("the vector was refused")
      return
    }
    try bench.folder.write("rfc", "\u{73}")
    #expect(try refusal { try bench.update(path) } == .wrongSignature(path: path, key: key.id))
  }

  @Test("an older version never comes back: not by update, not after the newer one is gone, not by hand")
  func replay() throws {
    let bench = try TrustBench()
    let old = try bench.sign(TrustBench.text(serial: 4, model: "acme-old"), as: "old.json")
    let new = try bench.sign(TrustBench.text(serial: 5, model: "acme-new"))
    try bench.update(old)
    try bench.update(new)
    #expect(try bench.names() == ["tiny", "acme-new"])
    for path in [old, new] {
      let serial: UInt64 = path == old ? 4 : 5
      #expect(try refusal { try bench.update(path) } == .replayed(path: path, serial: serial, known: 5))
    }
    let installed = bench.folders.catalogs + "/acme.json"
    unlink(installed)
    #expect(try bench.names() == ["tiny"])
    #expect(try refusal { try bench.update(old) } == .replayed(path: old, serial: 4, known: 5))
    for suffix in ["", ".sig"] {
      try Data(contentsOf: URL(filePath: old + suffix)).write(to: URL(filePath: installed + suffix))
    }
    #expect(try bench.names() == ["tiny"])
    #expect(
      try bench.library().refusals.map(\.description)
        == [TrustError.replayed(path: installed, serial: 4, known: 5).description])
  }

  @Test("a catalog put there by hand counts like any other if its signature does, and only under its name")
  func byHand() throws {
    let bench = try TrustBench()
    let path = try bench.sign(TrustBench.text())
    for name in ["acme.json", "other.json"] {
      for suffix in ["", ".sig"] {
        try bench.folder.write("home/catalogs/\(name)\(suffix)", Data(contentsOf: URL(filePath: path + suffix)))
      }
    }
    #expect(try bench.names() == ["tiny", "acme-1"])
    let other = bench.folders.catalogs + "/other.json"
    #expect(
      try bench.library().refusals.map(\.description)
        == [TrustError.wrongName(path: other, name: "acme").description])
  }

  @Test("a clock outside the catalog's time is one clear line, at the update and ever after")
  func clock() throws {
    let bench = try TrustBench()
    let more = #", "not_before": "2026-06-01T00:00:00Z", "not_after": "2026-08-01T00:00:00Z""#
    let path = try bench.sign(TrustBench.text(more: more))
    let (early, late) = (TrustBench.now - 60 * 86400, TrustBench.now + 60 * 86400)
    let tooEarly = try refusal { try bench.update(path, now: early) }
    #expect(
      tooEarly.description.contains("counts from 2026-06-01T00:00:00Z on, and this clock says 2026-05-02T00:00:00Z"))
    let tooLate = try refusal { try bench.update(path, now: late) }
    #expect(tooLate.description.contains("until 2026-08-01T00:00:00Z, and this clock says 2026-08-30T00:00:00Z"))
    try bench.update(path)
    #expect(try bench.names() == ["tiny", "acme-1"])
    for now in [early, late] {
      #expect(try bench.names(now: now) == ["tiny"])
      #expect(try bench.library(now: now).refusals.count == 1)
    }
  }

  @Test("a name that is known keeps its meaning, whatever a catalog says")
  func shadowing() throws {
    let bench = try TrustBench()
    // A publisher is told so when signing; one who signs by other means is refused here.
    #expect(throws: TrustError.self) { try bench.sign(TrustBench.text(model: "tiny")) }
    try bench.update(bench.sign(TrustBench.text()))
    let other = try bench.sign(TrustBench.text(name: "other"))
    #expect(
      try refusal { try bench.update(other) }
        == .catalog(path: other, .taken("acme-1", by: .added(catalog: "acme"))))
    #expect(try bench.names() == ["tiny", "acme-1"])
    // Its own next version may.
    try bench.update(bench.sign(TrustBench.text(serial: 2)))
    #expect(try bench.names() == ["tiny", "acme-1"])
  }

  @Test("a catalog stays in the hand that it was in, unless that is trusted no more")
  func handover() throws {
    let bench = try TrustBench()
    try bench.update(bench.sign(TrustBench.text(serial: 1)))
    let second = try CatalogSigner.makeKey(bench.folder.path + "/second", comment: "")
    let trust = TrustStore(folders: bench.folders)
    _ = try trust.add(bench.folder.path + "/second.pub")
    let path = try bench.sign(TrustBench.text(serial: 9), key: "second")
    #expect(try refusal { try bench.update(path) } == .otherKey(path: path, key: second.id, known: bench.key.id))
    #expect(try trust.remove(String(bench.key.id.prefix(6))) == bench.key)
    // What it signed does not count from now on.
    #expect(try bench.names() == ["tiny"])
    try bench.update(path)
    #expect(try bench.names() == ["tiny", "acme-1"])
  }

  @Test("an update that is cut short after any step leaves the old version or the new one, and no replay")
  func interrupted() throws {
    let bench = try TrustBench()
    let old = try bench.sign(TrustBench.text(serial: 1, model: "acme-old"), as: "old.json")
    let new = try bench.sign(TrustBench.text(serial: 2, model: "acme-new"))
    try bench.update(old)
    let folder = bench.folders.catalogs
    let marks = try Data(contentsOf: URL(filePath: bench.folders.trust + "/catalogs.json"))
    let (oldSignature, newSignature) = (
      try String(contentsOf: URL(filePath: old + ".sig"), encoding: .utf8),
      try String(contentsOf: URL(filePath: new + ".sig"), encoding: .utf8)
    )
    let (oldText, newText) = (
      try Data(contentsOf: URL(filePath: old)), try Data(contentsOf: URL(filePath: new))
    )
    for (signature, text, name) in [
      (oldSignature + newSignature, oldText, "acme-old"), (oldSignature + newSignature, newText, "acme-new"),
      (newSignature, newText, "acme-new"),
    ] {
      try bench.folder.write("home/catalogs/acme.json.sig", signature)
      try bench.folder.write("home/catalogs/acme.json", text)
      try bench.folder.write("home/trust/catalogs.json", marks)
      #expect(try bench.names() == ["tiny", name] && bench.library().refusals.isEmpty)
      #expect(throws: TrustError.self) { try bench.update(old) }
      try bench.update(new)
      #expect(try bench.names() == ["tiny", "acme-new"])
    }
    // One that fails leaves what is here its signature, however often it is tried.
    let next = try bench.sign(TrustBench.text(serial: 3, model: "acme-next"), as: "next.json")
    try bench.folder.write("home/catalogs/.acme.json.new/x", "")
    for _ in 0..<2 {
      #expect(throws: TrustError.self) { try bench.update(next) }
      #expect(try bench.names() == ["tiny", "acme-new"])
    }
    Folder.remove(folder + "/.acme.json.new")
    try bench.update(next)
    #expect(try bench.names() == ["tiny", "acme-next"])
    #expect(Folder.names(in: folder) == ["acme.json", "acme.json.sig"])
  }

  @Test("what is signed and wrong is refused with the field; marks that cannot be read let nothing in")
  func malformed() throws {
    let bench = try TrustBench()
    #expect(throws: TrustError.self) { try bench.sign(CatalogText.with(["name": "\"acme-1\""])) }
    for (changes, field) in [
      (["sha256": "null", "type": "\"huggingface\""], "sha256"), (["type": "\"built_in\""], "source.type"),
      (["type": "\"local\""], "source.type"), (["file": "\"../evil\""], "name"),
      (["hubFile": "\"../x\"", "type": "\"huggingface\""], "file"),
    ] as [([String: String], String)] {
      let error = try refusal { _ = try bench.sign(TrustBench.text(changes: changes)) }
      #expect(error.description.contains(field), "\(error)")
    }
    try bench.update(bench.sign(TrustBench.text()))
    let marks = try bench.folder.write("home/trust/catalogs.json", "{")
    #expect(try bench.names() == ["tiny"])
    let next = try bench.sign(TrustBench.text(serial: 2))
    #expect(try refusal { try bench.update(next) } == .marks(path: marks))
  }
}

@Suite("Keys")
struct CatalogKeyTests {
  @Test("a private key is for its owner alone, is never overwritten, and is not what others are given")
  func files() throws {
    let bench = try TrustBench(trusts: false)
    let path = bench.folder.path + "/key"
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(throws: TrustError.exists(path: path)) { try CatalogSigner.makeKey(path, comment: "") }
    let trust = TrustStore(folders: bench.folders)
    #expect(throws: TrustError.privateKey(path: path)) { try trust.add(path) }
    #expect(trust.keys() == [])
    #expect(try trust.add(path + ".pub") == bench.key && bench.key.comment == "Acme, models")
    #expect(trust.keys() == [bench.key])
    #expect(try CatalogSigner.makeKey(path + "2", comment: "").id != bench.key.id)

    let catalog = try bench.folder.write("c.json", TrustBench.text())
    let builtIn = try #require(TrustBench.builtIn)
    #expect(throws: TrustError.noPrivateKey(path: path + ".pub")) {
      try CatalogSigner.sign(catalog, key: path + ".pub", builtIn: builtIn)
    }
    chmod(path, 0o640)
    #expect(throws: TrustError.readableByOthers(path: path)) {
      try CatalogSigner.sign(catalog, key: path, builtIn: builtIn)
    }
  }

  @Test("what is no key is refused; a key file under another name was added by nobody")
  func refused() throws {
    let bench = try TrustBench()
    let trust = TrustStore(folders: bench.folders)
    let good = try String(contentsOf: URL(filePath: bench.folder.path + "/key.pub"), encoding: .utf8)
    for text in [
      "", "hello", "pet-public-key ed25519 AAAA", good + good, "pet-public-key rsa " + good.split(separator: " ")[2],
    ] {
      let path = try bench.folder.write("wrong.pub", text)
      #expect(throws: TrustError.noKey(path: path)) { try trust.add(path) }
    }
    #expect(throws: TrustError.noSuchFile(path: "/nowhere")) { try trust.add("/nowhere") }
    for id in ["", "abc", "zzzz", "../key"] { #expect(throws: TrustError.unknownKey(id)) { try trust.remove(id) } }
    _ = try trust.remove(bench.key.id)
    try bench.folder.write("home/trust/friend.pub", good)
    #expect(trust.keys() == [])
  }
}
