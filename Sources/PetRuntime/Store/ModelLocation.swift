/// Where a model's bytes are.
public enum ModelLocation: Sendable, Equatable, CustomStringConvertible {
  case file(path: String)
  /// In the program itself: the name of a built-in file.
  case builtIn(name: String)

  public var description: String {
    switch self {
    case .file(let path): path
    case .builtIn(let name): "\(name) (built in)"
    }
  }
}
