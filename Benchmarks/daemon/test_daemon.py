# SPDX-License-Identifier: Apache-2.0
"""Tests of what checks, computes and draws, without a petd: python3 -m unittest discover -s Benchmarks/daemon"""
import asyncio
import contextlib
import json
import os
import random
import socket
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(1, str(Path(__file__).resolve().parent))

import petd  # noqa: E402
import endurance  # noqa: E402
import hostile  # noqa: E402
import http_client  # noqa: E402
import idle  # noqa: E402
import limit  # noqa: E402
import shapes  # noqa: E402
import slow_clients  # noqa: E402
import soak  # noqa: E402
import soak_clients  # noqa: E402
import throughput  # noqa: E402
import time_chart  # noqa: E402

FACTS = shapes.Facts(port=4242, token="0123456789abcdef", secret="plum0011")


@contextlib.asynccontextmanager
async def answered_with(*pieces):
    """A connection to a server that answers anything with these bytes, and closes."""
    async def serve(reader, writer):
        await reader.read(1)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield await http_client.Connection.loopback(server.sockets[0].getsockname()[1], "token")
    finally:
        server.close()


async def read(*pieces):
    async with answered_with(*pieces) as connection:
        try:
            await connection.send("POST", "/", {"a": 1})
            answer = await connection.answer()
            return answer.status, [event async for event in answer.events()]
        finally:
            connection.close()
            await connection.writer.wait_closed()


class Client(unittest.TestCase):
    HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    def test_events_are_found_however_chunks_cut_them(self):
        body = "data: 1\n\n: silence\n\ndata: é\n\nevent: a\ndata: 2\n\n".encode()
        for size in range(1, len(body) + 1):
            cut = [body[i:i + size] for i in range(0, len(body), size)]
            chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in cut) + b"0\r\n\r\n"
            status, events = asyncio.run(read(self.HEAD + chunks))
            self.assertEqual((status, events), (200, [("message", "1"), ("message", "é"), ("a", "2")]))

    def test_a_stream_without_its_end_is_closed_not_whole(self):
        with self.assertRaises(http_client.Closed):
            asyncio.run(read(self.HEAD, b"9\r\ndata: 1\n\n\r\n"))
        with self.assertRaises(http_client.Closed):
            asyncio.run(read(b"HTTP/1.1 200 OK\r\n"))


class Soak(unittest.TestCase):
    def test_an_answer_with_anothers_word_is_mixed_up_also_where_ones_own_is_there(self):
        self.assertEqual(soak_clients.judge("amber amber", "amber", ["basil"]), "whole")
        self.assertEqual(soak_clients.judge("amber basil", "amber", ["basil"]), "mixed up")
        self.assertEqual(soak_clients.judge("", "amber", ["basil"]), "wrong")

    def test_identities_differ_and_follow_from_the_seed(self):
        found = soak_clients.identities(64, 1)
        self.assertEqual(found, soak_clients.identities(64, 1))
        self.assertNotEqual(found, soak_clients.identities(64, 2))
        everything = [text.lower() for pair in found for text in pair]
        self.assertEqual(len(set(everything)), 128)
        self.assertFalse([a for a in everything for b in everything if a != b and a in b])

    def test_term_forgives_only_what_had_not_begun(self):
        tally = soak_clients.Tally()
        early, late = soak_clients.Request("stream"), soak_clients.Request("stream")
        tally.end(early, "broken off")
        self.assertEqual(tally.failures, 1)
        tally.is_stopping, early.must_end = True, True
        tally.end(late, "broken off")
        self.assertEqual((tally.failures, dict(tally.after_term)), (1, {"not taken": 1}))
        tally.end(early, "broken off")
        self.assertEqual(tally.failures, 2)

    def test_a_request_counts_as_taken_by_its_first_piece_or_after_a_while(self):
        request = soak_clients.Request("whole")
        self.assertFalse(request.is_taken)
        request.sent = request.start
        self.assertFalse(request.is_taken)
        request.sent -= soak_clients.SETTLED + 1
        self.assertTrue(request.is_taken)
        other = soak_clients.Request("stream")
        other.saw_piece()
        self.assertTrue(other.is_taken)

    def test_growth_compares_the_last_quarter_with_the_second(self):
        self.assertEqual(soak.growth([(t, 100 if t < 4 else 10) for t in range(16)]), 1)
        self.assertEqual(soak.growth([(t, t // 4) for t in range(16)]), 3)
        self.assertIsNone(soak.growth([(1, 1)]))


class Hostile(unittest.TestCase):
    def test_only_refusals_are_refusals(self):
        expected = {(400,): "refused", (413,): "refused", (501,): "refused", (200,): "taken", (500,): "taken", (400, 200): "smuggled",
                    (200, 400): "answered twice"}
        for statuses, verdict in expected.items():
            self.assertEqual(hostile.verdict(list(statuses), True), verdict)
        self.assertEqual((hostile.verdict([], True), hostile.verdict([], False)), ("refused", "no answer"))

    def test_a_row_is_sound_only_where_all_of_it_is(self):
        row = {"verdict": "refused", "lives": True, "leaked": False, "log_lines": 1}
        self.assertTrue(hostile.is_sound(row))
        for change in ({"verdict": "taken"}, {"lives": False}, {"leaked": True}, {"log_lines": 2}):
            self.assertFalse(hostile.is_sound(row | change))

    def test_slow_clients_must_be_left_and_keep_nobody_waiting(self):
        row = {"left": 0, "lives": True, "leaked": False, "starved": False}
        self.assertTrue(slow_clients.is_sound(row))
        for change in ({"left": 1}, {"lives": False}, {"leaked": True}, {"starved": True}):
            self.assertFalse(slow_clients.is_sound(row | change))

    def test_every_shape_has_a_name_of_its_own_and_bytes(self):
        found = shapes.shapes(FACTS)
        self.assertEqual(len({(s.group, s.name) for s in found}), len(found))
        for shape in found:
            self.assertTrue(all(isinstance(piece, bytes) and piece for piece in shape.pieces), shape.name)

    def test_an_answer_names_only_what_its_own_request_asked_for_and_a_log_never(self):
        found = shapes.shapes(FACTS)
        telling = [s for s in found if s.tells]
        self.assertEqual({s.name for s in telling}, shapes.TELLING)
        for shape, is_leaked in ((telling[0], False), (next(s for s in found if not s.tells), True)):
            self.assertEqual(hostile.is_leaked(shape, FACTS.secret, b"no " + FACTS.secret.encode(), []), is_leaked)
            self.assertTrue(hostile.is_leaked(shape, FACTS.secret, b"", [f"line {FACTS.secret}"]))
            self.assertFalse(hostile.is_leaked(shape, FACTS.secret, b"no", ["line"]))

    def test_an_extension_is_larger_than_what_may_be_read(self):
        """What fits is no attack: two well-framed requests are answered."""
        shape, = (s for s in shapes.shapes(FACTS) if s.name.startswith("an extension"))
        self.assertGreater(sum(map(len, shape.pieces)), shapes.LIMIT)
        http = Path(__file__).resolve().parents[2] / "Sources/PetService/HTTP"
        limits = (http / "HTTPLimits.swift").read_text()
        self.assertIn("bodyBytes = 8 << 20", limits)
        self.assertIn("headerBytes = 32 << 10", limits)
        self.assertIn("limits.headerBytes + limits.bodyBytes + limits.bodyBytes / 8", (http / "HTTPPipeline.swift").read_text())

    def test_a_request_is_sound_but_for_what_is_given(self):
        head, _, body = shapes.request(FACTS).partition(b"\r\n\r\n")
        self.assertEqual(json.loads(body)["prompt"], "Hi")
        self.assertIn(b"\r\nHost: 127.0.0.1:4242\r\n", head)
        self.assertIn(b"\r\nContent-Length: %d" % len(body), head)
        self.assertNotIn(b"Authorization", shapes.request(FACTS, Authorization=None))
        self.assertEqual(shapes.chunked(b"hello"), b"5\r\nhello\r\n0\r\n\r\n")

    def test_an_answer_is_read_while_more_is_sent_than_anyone_takes(self):
        """A server that refuses at once and closes, as it should with 100 MB."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            def serve():
                client, _ = server.accept()
                with client:
                    client.recv(10)
                    client.sendall(b"HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\n\r\n")
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(65536):
                        pass

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            answer, is_closed = hostile.exchange(server.getsockname()[1], [b"x" * 65536] * 100)
        self.assertTrue(is_closed)
        self.assertEqual(hostile.STATUS.findall(answer), [b"413"])


class Facts(unittest.TestCase):
    def test_wake_ups_are_counted_by_thread(self):
        self.assertEqual(petd.woken({"1": 5, "2": 9}, {"1": 7, "2": 9}), 2)
        # One has ended, one is new.
        self.assertEqual(petd.woken({"1": 5, "2": 9}, {"1": 5, "3": 4}), 5)

    def test_this_process_has_memory_and_its_sockets_are_seen(self):
        self.assertGreater(petd.memory(os.getpid())["rss"], 1_000_000)
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.assertTrue([s for s in petd.sockets(os.getpid()) if s.startswith("tcp ") and s.endswith(f":{server.getsockname()[1]:04X}")])
        self.assertIsNone(petd.memory(2**31 - 1))

    def test_a_bound_that_is_passed_is_told(self):
        memory = {"rss": 15e6, "pss": 9e6, "private": 5e6, "most": 30e6}
        found = {"profile": "watch", "starts_ms": [50, 60, 999], "no_model": memory, "chatting": memory, "wake_ups_before": 0.0, "wake_ups_after": 0.0,
                 "sockets": ["unix /a"], "sockets_after": ["unix /a"], "failures": 0}
        self.assertTrue(all(holds for *_, holds in idle.checks(found)))
        for change in ({"no_model": memory | {"rss": 17e6}}, {"chatting": memory | {"most": 90e6}}, {"starts_ms": [150]}, {"wake_ups_after": 0.1},
                       {"sockets_after": ["tcp 0100007F:1F90"]}, {"failures": 1}):
            self.assertEqual(sum(not holds for *_, holds in idle.checks(found | change)), 1)

    def test_a_folder_that_is_no_control_group_is_not_taken_for_one(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(OSError):
                limit.ControlGroup(Path(folder) / "group", 1 << 20, "memory.max", "memory.peak")
            self.assertEqual(list(Path(folder).iterdir()), [])


class Throughput(unittest.TestCase):
    def test_ratios_are_of_medians_and_pairs_of_rounds(self):
        def round_of(ours, theirs):
            return {engine: {4: {"tokens_per_second": speed, "ttft_ms": [10, first], "read": 9, "tokens": 8}}
                    for engine, speed, first in ((throughput.OURS, ours, 20), (throughput.THEIRS, theirs, 40))}

        row = throughput.row(4, [round_of(100, 50), round_of(300, 100), round_of(200, 200)])
        self.assertEqual((row["ratio"], row["ratio_min"], row["ratio_max"]), (2, 1, 3))
        self.assertEqual((row["ours"]["ttft_ms"], row["theirs"]["ttft_p95_ms"]), (15, 40))
        ET.fromstring(throughput.picture([row]))

    def test_prompts_follow_from_the_seed_and_differ(self):
        texts = throughput.prompts(random.Random(1), 8, 20)
        self.assertEqual(texts, throughput.prompts(random.Random(1), 8, 20))
        self.assertEqual(len(set(texts)), 8)

    def test_both_get_the_same_threads_and_room(self):
        args = SimpleNamespace(clients="1,16", threads=2, context=512)
        ours, theirs = (throughput.flags(args, "m.gguf", engine, 1) for engine in (throughput.OURS, throughput.THEIRS))
        self.assertEqual(ours[ours.index("--threads") + 1], theirs[theirs.index("--threads") + 1])
        self.assertEqual(theirs[theirs.index("--ctx-size") + 1], 16 * 512)


class Chart(unittest.TestCase):
    def test_it_is_well_formed_and_has_every_point_and_the_bound(self):
        root = ET.fromstring(time_chart.svg("memory <MB> & more", [(t, 10 + t) for t in range(30)], ("bound", 50)))
        lines = {p.get("class"): p.get("points") for p in root.iter("{http://www.w3.org/2000/svg}polyline")}
        self.assertEqual(len(lines["ours"].split()), 30)
        self.assertEqual(len({point.split(",")[1] for point in lines["theirs"].split()}), 1)
        ET.fromstring(time_chart.svg("nothing", []))


class EnduranceTests(unittest.TestCase):
    """What is made of what was noted at rest."""

    @staticmethod
    def rests(growth, descriptors=lambda hour: 20, hours=8):
        noise = random.Random(3)
        return [(minute, 30_000_000 + growth * minute / 60 + noise.gauss(0, 200_000), 8_000_000, descriptors(minute / 60))
                for minute in range(4, 60 * hours, 5)]

    def test_memory_that_only_trembles_does_not_grow(self):
        self.assertFalse(endurance.judge(self.rests(0), 480)["grows"])

    def test_memory_that_grows_is_told_from_noise(self):
        found = endurance.judge(self.rests(100_000), 480)
        self.assertTrue(found["grows"])
        self.assertAlmostEqual(found["slope"], 100_000, delta=40_000)

    def test_descriptors_that_stay_open_are_seen(self):
        self.assertFalse(endurance.judge(self.rests(0), 480)["descriptors_grow"])
        self.assertTrue(endurance.judge(self.rests(0, lambda hour: 20 + int(hour)), 480)["descriptors_grow"])

    def test_kinds_of_requests_are_compared_with_themselves(self):
        seconds = {"pose": [(minute, 0.01 if minute < 240 else 0.02) for minute in range(480)], "swap": [(31, 0.1)]}
        found = endurance.quarters(seconds, 480)
        self.assertEqual(found, {"pose": (480, 0.01, 0.02)})
        self.assertEqual(endurance.is_slower(found), ["pose"])


if __name__ == "__main__":
    unittest.main()
