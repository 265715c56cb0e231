// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import PetInference
import Testing

/// What an interleaved file holds.
@Suite struct InterleavedFileTests {
  /// The scalar kernels' way of taking a row out of interleaved ones is the judge.
  @Test(arguments: ["llama-gqa", "phi3-tied", "nano"])
  func everyRowIsThatOfTheSource(_ name: String) throws {
    let fixture = name == "nano" ? try InterleavedFixture(Fixtures.shippedModel()) : try InterleavedFixture.small(name)
    #expect(fixture.interleaved.tensorNames == fixture.source.tensorNames)
    var interleaved: Set<String> = []
    for name in fixture.source.tensorNames {
      let (before, after) = (
        try #require(fixture.source.tensors[name]), try #require(fixture.interleaved.tensors[name])
      )
      #expect(after.dimensions == before.dimensions && after.type == before.type)
      let (old, new) = (fixture.source.data(of: before), fixture.interleaved.data(of: after))
      if old.elementsEqual(new) { continue }
      interleaved.insert(name)
      let rowBytes = before.dimensions[0] / before.type.blockElements * before.type.blockBytes
      var row = [UInt8](repeating: 0, count: rowBytes)
      for index in 0..<before.dimensions[1] {
        pk_interleaved_row(before.type.kernelType, new.baseAddress, index, before.dimensions[0], &row)
        #expect(old[index * rowBytes..<(index + 1) * rowBytes].elementsEqual(row), "\(name), row \(index)")
      }
    }
    // All matrices, but an embedding that is only looked up.
    let matrices = fixture.source.tensors.values.filter { $0.dimensions.count == 2 }.map(\.name)
    let isTied = fixture.source.tensors["output.weight"] == nil
    #expect(interleaved == Set(matrices).subtracting(isTied ? [] : ["token_embd.weight"]))
  }

  @Test func keysAreThoseOfTheSource() throws {
    let fixture = try InterleavedFixture(Fixtures.shippedModel())
    let own = ["pet-interleaved.version", "pet-interleaved.architecture", "pet-interleaved.source_sha256"]
    let changed = ["general.architecture", "general.alignment"]
    let (before, after) = (fixture.source, fixture.interleaved)
    #expect(
      after.metadataKeys.filter { !(own + changed).contains($0) }
        == before.metadataKeys.filter { !changed.contains($0) })
    for key in before.metadataKeys where !changed.contains(key) { #expect(after.metadata[key] == before.metadata[key]) }
    #expect(after.metadata["general.architecture"] == .text("pet-interleaved"))
    #expect(try after.architecture() == "phi3" && before.architecture() == "phi3")
    #expect(!before.ownKeys.isEmpty && after.ownKeys == before.ownKeys)
    #expect(try InterleavedFormat(file: before) == nil)
    let format = try #require(try InterleavedFormat(file: after))
    #expect(format.architecture == "phi3" && format.sourceHash == InterleavedFixture.hash)
    #expect(try ModelConfiguration(file: after) == ModelConfiguration(file: before))
  }

  @Test func theSameSourceGivesTheSameBytes() throws {
    #expect(try InterleavedFixture.small().interleavedBytes == InterleavedFixture.small().interleavedBytes)
  }

  /// In both layouts, whatever the threads and batches: nothing is copied, and the bits are the same.
  @Test func logitsAreThoseOfTheSource() throws {
    let fixture = try InterleavedFixture(Fixtures.shippedModel())
    let expected = try WeightLayoutTests.logits(TransformerWeights(file: fixture.source))
    for layout in [WeightLayout.rowMajor, .interleaved] {
      let weights = try TransformerWeights(file: fixture.interleaved, layout: layout)
      #expect(try WeightLayoutTests.logits(weights) == expected)
      #expect(try WeightLayoutTests.logits(weights, threads: 3, batchSize: 33) == expected)
    }
  }

  @Test func progressEndsAtTheTotal() throws {
    let folder = try TemporaryFile([])
    let writer = try InterleavedFileWriter(GGUFFile(path: Fixtures.shippedModel()))
    var last = 0
    let size = try writer.write(to: folder.path, sourceHash: InterleavedFixture.hash) {
      #expect($0 > last && $0 <= writer.byteCount)
      last = $0
    }
    #expect(last == writer.byteCount && size > last)
    #expect(try Data(contentsOf: URL(filePath: folder.path)).count == size)
  }
}
