# SPDX-License-Identifier: Apache-2.0
"""Each check can fail: on trees, programs and figures that are made to be wrong."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from unittest import mock

import bounds
import imports
import linked
import links
import products
import sentences
import spdx

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)


class ImportsTests(Tree):
    ORDER = {"layers": [{"modules": ["CKernels", "CDatabase"]}, {"modules": ["Grammar", "Tokens"]}, {"modules": ["Engine"]}],
             "doors": {"Foundation": [], "NIO*": ["Engine"], "CDatabase": ["Grammar"]}}

    def setUp(self):
        super().setUp()
        for module in ("CKernels", "CDatabase", "Grammar", "Tokens", "Engine"):
            (self.root / "Sources" / module).mkdir(parents=True)

    def faults(self):
        return imports.check(self.root, self.ORDER)

    def test_imports_along_the_arrows_are_no_fault(self):
        self.write("Sources/Engine/Engine.swift", "@_exported import Grammar\nimport NIOCore\nimport Glibc\n")
        self.write("Sources/Grammar/Deep/Rule.swift", "import CKernels\nimport CDatabase\nimport FoundationEssentials\n")
        self.assertEqual(self.faults(), [])

    def test_an_import_of_a_later_layer_is_one_with_its_place(self):
        self.write("Sources/Grammar/Rule.swift", "// A rule.\n\nimport Engine\n")
        [fault] = self.faults()
        self.assertTrue(fault.startswith("Sources/Grammar/Rule.swift:3: Grammar imports Engine of a later layer"), fault)

    def test_an_import_of_the_own_layer_is_one_however_it_is_written(self):
        for line in ("import Tokens", "@testable import Tokens", "package import Tokens", "import struct Tokens.Token",
                     "  @preconcurrency internal import Tokens", "@_spi(Inner) import Tokens // for now"):
            self.write("Sources/Grammar/Rule.swift", line + "\n")
            self.assertEqual(len(self.faults()), 1, line)

    def test_words_in_comments_and_texts_are_no_imports(self):
        self.write("Sources/Grammar/Rule.swift", '// import Engine\n/*\nimport Engine\n*/\nlet example = """\n  import Engine\n  """\n')
        self.assertEqual(self.faults(), [])
        self.write("Sources/Grammar/Rule.swift", 'let one = """\n  text\n  """\nimport Engine\n')
        self.assertEqual(len(self.faults()), 1)

    def test_doors_are_for_those_whose_they_are(self):
        for line, user in (("import Foundation", "nobody"), ("import NIOHTTP1", "Engine"), ("import CDatabase", "Grammar")):
            self.write("Sources/Tokens/Token.swift", line + "\n")
            [fault] = self.faults()
            self.assertIn(f"which {user} may", fault)

    def test_a_module_without_a_place_and_a_place_without_a_module_are_faults(self):
        (self.root / "Sources/Extra").mkdir()
        (self.root / "Sources/Tokens").rmdir()
        self.assertEqual([fault.split(":")[0] for fault in self.faults()], ["Sources/Extra", "modules.toml"])

    def test_the_order_that_is_kept_names_every_module_once(self):
        order = tomllib.loads((HERE / "modules.toml").read_text())
        named = [module for layer in order["layers"] for module in layer["modules"]]
        self.assertEqual(len(named), len(set(named)))
        self.assertEqual(set(named), {folder.name for folder in (ROOT / "Sources").iterdir() if folder.is_dir()})


class ProductsTests(unittest.TestCase):
    MANIFEST = {
        "products": [{"name": "Words", "targets": ["Words"]}, {"name": "Engine", "targets": ["Engine"]}],
        "targets": [
            {"name": "Words", "dependencies": [{"byName": ["Tokens", None]}, {"product": ["Logging", "swift-log", None, None]}]},
            {"name": "Tokens", "dependencies": []},
            {"name": "Store", "dependencies": [{"target": ["CDatabase", None]}]},
            {"name": "CDatabase", "dependencies": []},
            {"name": "Engine", "dependencies": [{"byName": ["Words", None]}, {"byName": ["Store", None]}]},
        ]}

    def test_what_a_product_leaves_out_is_no_fault(self):
        self.assertEqual(products.check(self.MANIFEST, {"Words": ["CDatabase", "NIO*"]}), [])

    def test_what_it_brings_by_others_is_one_with_its_way(self):
        [fault] = products.check(self.MANIFEST, {"Engine": ["CDatabase"]})
        self.assertIn("brings CDatabase, by Engine -> Store -> CDatabase;", fault)

    def test_libraries_of_others_are_seen_too(self):
        [fault] = products.check(self.MANIFEST, {"Engine": ["Log*"]})
        self.assertIn("Engine -> Words -> Logging", fault)

    def test_a_product_that_is_not_there_is_a_fault(self):
        [fault] = products.check(self.MANIFEST, {"Letters": ["CDatabase"]})
        self.assertIn("no product Letters", fault)


class LinksTests(Tree):
    PAGE = "Sources/Engine/Engine.docc/Guide.md"

    def setUp(self):
        super().setUp()
        self.write("Sources/Words/Reply.swift", "public struct Reply {\n  public enum End { case stop }\n}\npackage struct Draft {}\n")

    def test_links_to_what_is_public_are_no_fault(self):
        self.write(self.PAGE, "# ``Engine``\n\nA ``Reply`` ends with ``Reply/End`` or an ``End``; see `Draft`.\n\n```swift\nlet draft = Draft()\n```\n")
        self.assertEqual(links.check(self.root), [])

    def test_a_link_to_what_is_not_is_one_with_its_place(self):
        self.write(self.PAGE, "A ``Reply``.\n\n- ``Draft/text``\n")
        [fault] = links.check(self.root)
        self.assertTrue(fault.startswith(f"{self.PAGE}:3: Draft is not public"), fault)


    def test_a_link_to_a_file_or_a_heading_that_is_not_there_is_one(self):
        self.write("Models.md", "# Models\n\n## What is kept, and `where`\n")
        self.write("README.md", "See [a](Models.md), [b](Models.md#what-is-kept-and-where), [c](#own), [d](https://example.org/x#y).\n\n`[e](e.md)`\n\n"
                   "```\n[f](f.md)\n```\n\n## Own\n")
        self.assertEqual(links.check(self.root), [])
        self.write("README.md", "One.\n\n```\n```\n[a](Model.md) and\n[b](Models.md#kept)\n")
        self.assertEqual([fault[:31] for fault in links.check(self.root)], ["README.md:5: there is no Model.", "README.md:6: Models.md has no h"])


class SentencesTests(Tree):
    WORDS = " ".join(["word"] * 24)

    def faults(self, text):
        return sentences.too_long(text, 25)

    def test_a_sentence_at_the_bound_is_none_and_one_beyond_it_is_one_with_its_line(self):
        self.assertEqual(self.faults(f"A {self.WORDS}.\n"), [])
        [(line, number, _)] = self.faults(f"# Page\n\nShort. One {self.WORDS} more.\n")
        self.assertEqual((line, number), (3, 26))

    def test_a_sentence_goes_on_in_the_next_line_and_ends_with_its_item(self):
        self.assertEqual(len(self.faults(f"- One {self.WORDS}\n  more\n- again\n")), 1)
        self.assertEqual(self.faults(f"- A {self.WORDS}\n- A {self.WORDS}\n"), [])

    def test_code_tables_headings_and_targets_are_not_counted(self):
        self.assertEqual(self.faults(f"# A {self.WORDS} b\n\n| a {self.WORDS} b |\n\n```sh\necho {self.WORDS} b\n```\n"), [])
        self.assertEqual(self.faults(f"`pet {self.WORDS}` [it](a.md#{'-'.join(['x'] * 30)}) {self.WORDS[5:]}.\n"), [])

    def test_a_list_of_names_is_a_word_and_one_of_words_is_not(self):
        self.assertEqual(self.faults(f"It is `a`, `b`, F16, Q8_0 and `c` for {self.WORDS[20:]}.\n"), [])
        self.assertEqual(len(self.faults(f"It is one, two, three, four and five {self.WORDS[20:]}.\n")), 1)

    def test_points_within_numbers_and_names_end_nothing(self):
        self.assertEqual(sentences.sentences('It has 2.5 MB. "No." petd ends (with 0). Then... nothing! Yes?'),
                         ["It has 2.5 MB.", '"No."', "petd ends (with 0).", "Then... nothing!", "Yes?"])

    def test_the_whole_check_looks_at_the_pages_by_their_bounds(self):
        self.write("README.md", f"One {self.WORDS} more.\n")
        self.write("Sources/PetEngine/PetEngine.docc/ModelCards.md", f"One {self.WORDS} more.\n")
        [fault] = sentences.check(self.root)
        self.assertTrue(fault.startswith("README.md:1: 26 words, at most 25; make two sentences of: One word"), fault)


class LinkedTests(Tree):
    def compile(self, name, source, *options):
        compiler = next((found for found in map(shutil.which, ("cc", "gcc", "clang")) if found), None)
        if compiler is None:
            self.skipTest("no compiler of C is there")
        (self.root / "source.c").write_text(source)
        path = str(self.root / name)
        subprocess.run([compiler, str(self.root / "source.c"), "-o", path, *options], check=True)
        return path

    def library(self, name):
        self.compile(f"lib{name}.so", "int answer(void) { return 42; }", "-shared", "-fPIC", f"-Wl,-soname,lib{name}.so")
        return f"-l{name}"

    def program(self, *libraries, source="int answer(void); int main(void) { return answer(); }"):
        return self.compile("program", source, f"-L{self.root}", "-Wl,--no-as-needed", *libraries)

    def test_a_program_that_links_foundation_is_found(self):
        fault, status = linked.judge(self.program(self.library("Foundation")))
        self.assertEqual(status, 1)
        self.assertIn("links libFoundation.so;", fault)

    def test_foundation_essentials_alone_is_no_fault(self):
        essentials, swift = self.library("FoundationEssentials"), self.library("swiftCore")
        self.assertEqual(linked.judge(self.program(essentials, swift)), (None, 0))

    def test_what_only_foundation_brings_is_found_too(self):
        for name in ("FoundationInternationalization", "FoundationNetworking", "FoundationXML", "_FoundationICU"):
            self.assertEqual(linked.judge(self.program(self.library(name)))[1], 1, name)

    def test_a_program_that_contains_it_is_found_by_its_symbols_and_not_judged_without_any(self):
        essentials = 'int symbol __asm__("$s20FoundationEssentials4DataV") = 1; int main(void) { return 0; }'
        self.assertEqual(linked.judge(self.program(source=essentials)), (None, 0))
        whole = essentials.replace("$s20FoundationEssentials4DataV", "$s10Foundation8NSObjectC")
        program = self.program(source=whole)
        self.assertEqual(linked.judge(program)[1], 1)
        subprocess.run(["strip", program], check=True)
        self.assertEqual(linked.judge(program)[1], 2)

    def test_a_program_that_contains_separate_weights_is_found_wherever_they_begin(self):
        weights = linked.SEPARATE.read_bytes()
        self.assertGreater(len(linked.pieces(weights)), 10)
        program = pathlib.Path(self.program(self.library("swiftCore")))
        self.assertEqual(linked.judge(program), (None, 0))
        with program.open("ab") as file:
            file.write(b"\0" + weights[len(weights) // 2:])
        fault, status = linked.judge(program)
        self.assertEqual(status, 1)
        self.assertIn("Models/parent-stress/parent-stress.gguf", fault)


class BoundsTests(Tree):
    def test_a_figure_beyond_its_bound_is_one_and_one_at_it_is_none(self):
        kept = {"code": {"pet": {"shared": 25}}, "resident": {"pet_chat": 40}}
        judged = bounds.judge({"code.pet.shared": 25.0, "resident.pet_chat": 40.1}, kept)
        self.assertEqual([holds for *_, holds in judged], [True, False])

    def test_the_whole_check_ends_with_1_and_names_what_is_too_large(self):
        table = tomllib.loads((HERE / "bounds.toml").read_text())
        names = ["files.built_in", "code.pet.shared", "code.pet.static", "code.petd.shared", "code.petd.static", "resident.petd_watch",
                 "resident.petd_phone", "resident.pet_chat"]
        for large in names:
            found = {name: bounds.bound(name, table) + (1 if name == large else 0) for name in names}
            said = io.StringIO()
            with mock.patch.object(bounds, "measure", lambda folder: found), contextlib.redirect_stdout(io.StringIO()), \
                    contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as end:
                bounds.main(["folder"])
            self.assertEqual(end.exception.code, 1)
            self.assertTrue(said.getvalue().startswith(f"bounds.toml: {large} exceeded"), said.getvalue())

    def test_a_table_of_sections_gives_the_size_of_the_built_in_files(self):
        row = "  [32] pet_files         PROGBITS        0000000000f68000 f68000 287cf41 00   A  0   0 16384\n"
        self.assertEqual(bounds.built_in(row), 42_454_849)
        with self.assertRaises(SystemExit):
            bounds.built_in("  [ 1] .text   PROGBITS 0 0 10 00 AX 0 0 1\n")

    def test_resident_memory_is_what_a_program_touched(self):
        small, large = (bounds.most_resident("/usr/bin/python3", "-c", f"held = b'x' * {size}; input()") for size in (1, 100_000_000))
        self.assertTrue(95 < large - small < 110, (small, large))


class SPDXTests(Tree):
    def setUp(self):
        super().setUp()
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def found(self):
        return [str(path.relative_to(self.root)) for path, *_ in spdx.missing(self.root)]

    def test_files_without_the_line_are_found_and_given_it_where_it_belongs(self):
        self.write("Package.swift", "// swift-tools-version: 6.1\nimport PackageDescription\n")
        self.write("Sources/a.swift", "import Glibc\n")
        self.write("Sources/b.h", "#ifndef B\n")
        self.write("scripts/run", "#!/bin/sh\nset -eu\n")
        self.write("tool.py", "#!/usr/bin/env python3\n\"\"\"A tool.\"\"\"\n")
        self.write("empty.py", "")
        self.write("data.json", "{}\n")
        self.write("notes", "#no script\n")
        self.assertEqual(self.found(), ["Package.swift", "Sources/a.swift", "Sources/b.h", "empty.py", "scripts/run", "tool.py"])
        spdx.write(list(spdx.missing(self.root)))
        self.assertEqual(self.found(), [])
        line = "SPDX-License-Identifier: Apache-2.0\n"
        self.assertEqual((self.root / "Package.swift").read_text(), f"// swift-tools-version: 6.1\n// {line}import PackageDescription\n")
        self.assertEqual((self.root / "Sources/a.swift").read_text(), f"// {line}import Glibc\n")
        self.assertEqual((self.root / "scripts/run").read_text(), f"#!/bin/sh\n# {line}set -eu\n")
        self.assertEqual((self.root / "tool.py").read_text(), f"#!/usr/bin/env python3\n# {line}\"\"\"A tool.\"\"\"\n")
        self.assertEqual((self.root / "empty.py").read_text(), f"# {line}")

    def test_another_licence_and_a_later_line_do_not_count(self):
        self.write("a.swift", "// SPDX-License-Identifier: MIT\n")
        self.write("b.swift", "\n// SPDX-License-Identifier: Apache-2.0\n")
        self.assertEqual(self.found(), ["a.swift", "b.swift"])

    def test_files_that_git_ignores_do_not_count(self):
        self.write(".gitignore", ".build/\n")
        self.write(".build/a.swift", "import Glibc\n")
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
