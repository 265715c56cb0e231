// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "ChatService",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    // By version, as another project would: the tags of the repository that this folder is part of.
    .package(url: "../..", from: "0.1.0"),
  ],
  targets: [
    .executableTarget(
      name: "ChatService",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "PetEngine", package: "pet"),
        .product(name: "PetEngineLifecycle", package: "pet"),
      ],
      path: ".")
  ]
)
