// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "FirstReply",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "pet", path: "../..")],
  targets: [
    .executableTarget(
      name: "FirstReply", dependencies: [.product(name: "PetEngine", package: "pet")], path: ".")
  ]
)
