// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetCommandLine
import PetEngine
import PetFiles
import PetRuntime

/// Where the figures of a report come from.
package enum SpeedDecision: Sendable, Equatable {
  /// An earlier measurement on just this machine and program.
  case kept
  /// This report measures.
  case measure
  /// Nothing is measured, and why; the tier then follows from the list of instruction sets.
  case leave(String)

  /// A measurement is made once, and again where that is asked for. The profile watch takes little of a machine, and what cannot be
  /// kept would be made with every report: both are measured only where that is asked for.
  package static func decide(
    isKept: Bool, profile: Profile, isAsked: Bool, canBeKept: Bool
  ) -> SpeedDecision {
    if isAsked { return .measure }
    if isKept { return .kept }
    if profile == .watch { return .leave("profile watch") }
    return canBeKept ? .measure : .leave("the folder of the models cannot be written")
  }
}

/// What a report says of the speed of this machine.
struct SpeedReport {
  /// "kept", "measured", "none"
  let source: String
  let figures: MachineSpeed?
  /// Where it is kept; nil: nowhere.
  let path: String?
  /// Why there are no figures, or why they are not kept.
  let reason: String?

  /// Measures where that is due, and keeps the figures in the folder of the models.
  init(_ device: DeviceCapability, profile: Profile, isAsked: Bool, models folder: String) {
    let decision = SpeedDecision.decide(
      isKept: device.speed != nil, profile: profile, isAsked: isAsked, canBeKept: Self.canBeWritten(folder))
    switch decision {
    case .kept: self.init("kept", device.speed, MachineSpeed.path(in: folder), nil)
    case .leave(let reason): self.init("none", nil, nil, reason)
    case .measure:
      guard let speed = MachineSpeed.measure(device) else {
        self.init("none", nil, nil, "too little memory is free")
        return
      }
      do {
        try speed.keep(in: folder)
        self.init("measured", speed, MachineSpeed.path(in: folder), nil)
      } catch {
        self.init("measured", speed, nil, "\(error)")
      }
    }
  }

  private init(_ source: String, _ figures: MachineSpeed?, _ path: String?, _ reason: String?) {
    self.source = source
    self.figures = figures
    self.path = path
    self.reason = reason
  }

  /// Of a folder that is not there yet, the first one above it that is.
  private static func canBeWritten(_ folder: String) -> Bool {
    var folder = folder
    while !FilePath.exists(folder), folder != "/", folder != "." { folder = FilePath.folder(of: folder) }
    return access(folder, W_OK | X_OK) == 0
  }
}

extension SpeedReport {
  /// What a model is estimated to do here, in tokens per second.
  struct Estimate: Encodable, Equatable {
    let write: Double
    let read: Double
  }

  /// - Returns: nil where nothing was measured, and for models that write no text.
  func estimate(_ model: CatalogModel) -> Estimate? {
    guard let figures, model.kind == .language else { return nil }
    return Estimate(
      write: Rounding.thousandths(figures.writing(bytes: model.file.bytes, parameters: model.parameters)),
      read: Rounding.thousandths(figures.reading(parameters: model.parameters)))
  }
}

extension SpeedReport: Encodable {
  private enum Keys: String, CodingKey { case source, figures, path, reason }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(source, forKey: .source)
    // Null where there is none.
    try container.encode(figures, forKey: .figures)
    try container.encode(path, forKey: .path)
    try container.encode(reason, forKey: .reason)
  }
}
