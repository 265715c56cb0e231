// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

@Suite("SHA-256 of files")
struct FileVerifierTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  // FIPS 180-4, appendix B, and NIST's example of one million "a".
  @Test(
    "published digests",
    arguments: [
      ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func digests(text: String, count: Int, expected: String) throws {
    let path = try folder.write("data", String(repeating: text, count: count))
    #expect(try FileVerifier.hash(of: path).description == expected)
  }

  @Test("a file longer than one read, and progress that only grows")
  func longFile() throws {
    // sha256sum of 3 MiB + 1 zero bytes
    let path = try folder.write("zeros", Data(count: (3 << 20) + 1))
    let seen = Recorder<UInt64>()
    let hash = try FileVerifier.hash(of: path) { seen.add($0) }
    #expect(hash.description == "5983281b51c767c831104f52c95e4075f27e6f4fa8dd0526e3929f79176a1217")
    #expect(seen.all == [1 << 20, 2 << 20, 3 << 20, (3 << 20) + 1])
  }

  @Test("errors carry what was expected and what was found")
  func errors() throws {
    let path = try folder.write("data", "abc")
    let other = try #require(SHA256Hash(CatalogText.hash))
    let actual = try FileVerifier.hash(of: path)
    #expect(throws: VerificationError.size(path: path, expected: 4, actual: 3)) {
      try FileVerifier.verify(path, bytes: 4, sha256: actual)
    }
    #expect(throws: VerificationError.hash(path: path, expected: other, actual: actual)) {
      try FileVerifier.verify(path, bytes: 3, sha256: other)
    }
    #expect(throws: VerificationError.self) { try FileVerifier.hash(of: folder.path + "/absent") }
    #expect(throws: VerificationError.self) { try FileVerifier.hash(of: folder.path) }
  }

  @Test(
    "a hash is 64 hexadecimal digits",
    arguments: ["", "ab", String(repeating: "g", count: 64), "0x" + CatalogText.hash])
  func hashText(text: String) {
    #expect(SHA256Hash(text) == nil)
  }
}
