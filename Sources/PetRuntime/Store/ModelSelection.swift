/// Which model answers.
public struct ModelSelection: Sendable, Equatable {
  public let location: ModelLocation
  /// Set where the default was meant and another took its place: why the default is not used.
  public let standsIn: ModelStoreError?

  package init(location: ModelLocation, standsIn: ModelStoreError?) {
    self.location = location
    self.standsIn = standsIn
  }

  /// What is used where no model was named: the default when it can be, else one that is built in.
  static func decide(
    default model: CatalogModel, _ state: ModelState, at location: ModelLocation, builtIn: ModelLocation?
  ) throws(ModelStoreError) -> ModelSelection {
    let problem: ModelStoreError
    switch state {
    case .present: return ModelSelection(location: location, standsIn: nil)
    case .absent: problem = .notPulled(name: model.name)
    case .damaged(let error): problem = .damaged(name: model.name, error)
    }
    guard let builtIn else { throw problem }
    return ModelSelection(location: builtIn, standsIn: problem)
  }
}
