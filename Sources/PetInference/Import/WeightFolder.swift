// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// The safetensors files of a folder, as one set of named tensors.
struct WeightFolder {
  struct Entry {
    let file: SafetensorsFile
    let tensor: SafetensorsTensor
  }

  let folder: String
  private(set) var entries: [String: Entry] = [:]

  /// The largest published models come in under 200 shards; each one stays open during the import.
  private static let maximumShards = 512
  private static let single = "model.safetensors"
  private static let index = "model.safetensors.index.json"

  /// - Throws: `FileError`, `ImportError`
  init(folder: String) throws {
    self.folder = folder
    if FilePath.exists(folder + "/" + Self.single) {
      try add(SafetensorsFile(path: folder + "/" + Self.single))
    } else if FilePath.exists(folder + "/" + Self.index) {
      try addShards(ConfigurationFile(path: folder + "/" + Self.index))
    } else {
      throw ImportError.missingFile(
        path: folder + "/" + Self.single,
        advice: "nor \(Self.index); the folder must hold weights as safetensors (not .bin, .pt or .gguf)")
    }
  }

  private mutating func add(_ file: SafetensorsFile) throws(ImportError) {
    for tensor in file.tensors {
      if let first = entries.updateValue(Entry(file: file, tensor: tensor), forKey: tensor.name) {
        throw .tensorInTwoFiles(tensor: tensor.name, first: first.file.path, second: file.path)
      }
    }
  }

  private mutating func addShards(_ index: ConfigurationFile) throws {
    guard let map = index.root["weight_map"]?.members, !map.isEmpty else {
      throw index.invalid("weight_map", index.root["weight_map"], "an object from tensor names to file names")
    }
    var places: [String: String] = [:]
    for (tensor, value) in map {
      guard let name = value.text else { throw index.invalid(tensor, value, "a file name") }
      guard name.hasSuffix(".safetensors"), !name.hasPrefix("."), name.utf8.count <= 255,
        !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 < 0x20 })
      else { throw ImportError.unsafeFileName(path: index.path, name: name) }
      places[tensor] = folder + "/" + name
    }
    let shards = Set(places.values).sorted()
    guard shards.count <= Self.maximumShards else {
      throw index.invalid("weight_map", index.root["weight_map"], "at most \(Self.maximumShards) files")
    }
    for path in shards {
      guard FilePath.exists(path) else {
        throw ImportError.missingFile(path: path, advice: "\(Self.index) names it: fetch it too")
      }
      try add(SafetensorsFile(path: path))
    }
    // Sorted, so that of several disagreements always the same one is reported.
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) where places[name] != entry.file.path {
      throw ImportError.tensorNotWhereIndexed(path: entry.file.path, tensor: name, index: index.path)
    }
    for (name, path) in places.sorted(by: { $0.key < $1.key }) where entries[name] == nil {
      throw ImportError.tensorNotWhereIndexed(path: path, tensor: name, index: index.path)
    }
  }
}
