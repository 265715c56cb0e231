# SPDX-License-Identifier: Apache-2.0
"""What the `openai` client sees, over TCP and over the Unix socket."""

import json
import time
import unittest
from array import array
from concurrent.futures import ThreadPoolExecutor

import openai
from pydantic import BaseModel

from daemon import Daemon
from document import errors
from events import events

TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"enum": ["Rome", "Oslo"]}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}


class Cat(BaseModel):
    name: str
    age: int
    likes_fish: bool


def said(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


class Cases:
    """Run once for each way to reach the daemon."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)
        cls.http = cls.connect(cls.daemon)
        cls.addClassCleanup(cls.http.close)
        cls.client = openai.OpenAI(
            base_url=str(cls.http.base_url.join("/v1")), api_key=cls.daemon.token, http_client=cls.http, max_retries=0)

    def chat(self, text: str = "How are you?", **options):
        options = {"model": "default", "max_tokens": 24, "temperature": 0} | options
        return self.client.chat.completions.create(messages=said(text), **options)

    def test_chat(self):
        reply = self.chat()
        self.assertTrue(reply.choices[0].message.content)
        self.assertEqual(reply.choices[0].message.role, "assistant")
        self.assertIn(reply.choices[0].finish_reason, ["stop", "length"])
        self.assertEqual(reply.usage.total_tokens, reply.usage.prompt_tokens + reply.usage.completion_tokens)
        self.assertEqual(reply.model, self.client.models.list().data[0].id)

    def test_chat_ends_at_its_limit(self):
        reply = self.chat(max_completion_tokens=1)
        self.assertEqual((reply.usage.completion_tokens, reply.choices[0].finish_reason), (1, "length"))

    def test_stream_says_the_same(self):
        chunks = list(self.chat(stream=True, stream_options={"include_usage": True}))
        whole = self.chat()
        self.assertEqual(chunks[0].choices[0].delta.role, "assistant")
        self.assertEqual(
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
            whole.choices[0].message.content)
        self.assertEqual(chunks[-2].choices[0].finish_reason, whole.choices[0].finish_reason)
        self.assertEqual(chunks[-1].choices, [])
        self.assertEqual(chunks[-1].usage.completion_tokens, whole.usage.completion_tokens)
        self.assertEqual(len({chunk.id for chunk in chunks}), 1)

    def test_stream_keeps_to_its_form(self):
        for path, body, form in [
            ("/v1/chat/completions", {"messages": said("Hello")}, "ChatChunk"),
            ("/v1/completions", {"prompt": "Once upon a time"}, "TextCompletion"),
        ]:
            options = {"max_tokens": 8, "stream": True, "stream_options": {"include_usage": True}}
            with self.http.stream("POST", path, json=body | options) as response:
                self.assertEqual(response.headers["content-type"], "text/event-stream")
                chunks = [data for _, data in events(response.iter_lines())]
            self.assertEqual(chunks.pop(), "[DONE]")
            self.assertGreater(len(chunks), 2)
            for chunk in chunks:
                self.assertEqual(errors(form, chunk), [])

    def test_stream_that_nobody_reads_ends(self):
        with self.chat("Tell me a story.", stream=True, max_tokens=2000, temperature=1) as stream:
            next(iter(stream))
        end = time.monotonic() + 10
        while any(model["users"] for model in self.http.get("/pet/models").json()["data"]):
            self.assertLess(time.monotonic(), end, "the reply is still being written")
            time.sleep(0.02)

    def test_stop(self):
        whole = self.chat().choices[0].message.content
        stop = whole.split()[2]
        for value in [stop, ["nothing of that", stop]]:
            reply = self.chat(stop=value).choices[0]
            self.assertEqual(reply.message.content, whole[: whole.index(stop)])
            self.assertEqual(reply.finish_reason, "stop")

    def test_seed(self):
        def text(seed: int) -> str:
            return self.chat(temperature=1.5, seed=seed).choices[0].message.content

        self.assertEqual(text(7), text(7))
        self.assertGreater(len({text(seed) for seed in range(-4, 4)}), 1)

    def test_replies_at_once_are_those_of_one_after_the_other(self):
        def text(seed: int) -> str:
            chunks = self.chat(f"Tell me {seed} things.", temperature=1, seed=seed, stream=True)
            return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)

        with ThreadPoolExecutor(6) as pool:
            self.assertEqual(list(pool.map(text, range(6))), [text(seed) for seed in range(6)])

    def test_conversation_is_read_once(self):
        messages = said("My cat is called Tom. " * 8)
        first = self.client.chat.completions.create(model="default", messages=messages, max_tokens=8, temperature=0)
        messages += [first.choices[0].message.model_dump(exclude_none=True), *said("What is it called?")]
        second = self.client.chat.completions.create(model="default", messages=messages, max_tokens=8, temperature=0)
        self.assertGreater(second.usage.prompt_tokens_details.cached_tokens, 0)
        self.assertLess(second.usage.prompt_tokens_details.cached_tokens, second.usage.prompt_tokens)

    def test_probabilities(self):
        choice = self.chat(logprobs=True, top_logprobs=3).choices[0]
        tokens = choice.logprobs.content
        text = b"".join(bytes(token.bytes) for token in tokens).decode()
        # The space before the first word is the vocabulary's, not the reply's.
        drawn = text.removeprefix(" ")
        self.assertTrue(drawn.startswith(choice.message.content))
        # The emotion and the actions behind the words are drawn, and are fields of their own.
        look = choice.model_extra["pet"]
        self.assertIn(f"{{{look['emotion']}", drawn.removeprefix(choice.message.content))
        for token in tokens:
            self.assertEqual(len(token.top_logprobs), 3)
            # The likeliest was taken.
            self.assertEqual(token.logprob, max(other.logprob for other in token.top_logprobs))
            self.assertLessEqual(token.logprob, 0)
        self.assertIsNone(self.chat().choices[0].logprobs)

    def test_json_schema(self):
        for seed in range(4):
            try:
                reply = self.client.chat.completions.parse(
                    model="default", messages=said("Invent a cat."), response_format=Cat, temperature=1.2, seed=seed,
                    stop=None, max_tokens=400)
            except openai.LengthFinishReasonError:
                # What is cut off is no value, the client says.
                continue
            self.assertIsInstance(reply.choices[0].message.parsed, Cat)
            break
        else:
            self.fail("no reply was ended")

    def test_json_object(self):
        reply = self.chat("Answer in JSON.", response_format={"type": "json_object"}, max_tokens=200)
        self.assertTrue(reply.choices[0].message.content.startswith("{"))
        if reply.choices[0].finish_reason == "stop":
            self.assertIsInstance(json.loads(reply.choices[0].message.content), dict)

    def test_tool_that_must_be_called(self):
        for choice in ["required", {"type": "function", "function": {"name": "weather"}}]:
            reply = self.chat("What is the weather in Rome?", tools=[TOOL], tool_choice=choice, max_tokens=100)
            self.assertEqual(reply.choices[0].finish_reason, "tool_calls")
            self.assertIsNone(reply.choices[0].message.content)
            self.check(reply.choices[0].message.tool_calls)

    def test_schema_that_cannot_be_enforced_whole(self):
        function = {"name": "tag", "parameters": {
            "type": "object", "$id": "https://example.org/tag", "required": ["words"], "additionalProperties": False,
            "properties": {"words": {
                "type": "array", "items": {"enum": ["old", "new"]}, "uniqueItems": True, "minItems": 1, "maxItems": 2}}}}
        reply = self.chat(
            "Tag this.", tools=[{"type": "function", "function": function}], tool_choice="required", max_tokens=100)
        words = json.loads(reply.choices[0].message.tool_calls[0].function.arguments)["words"]
        self.assertTrue(1 <= len(words) <= 2 and set(words) <= {"old", "new"}, words)
        self.assertEqual(reply.pet["ignored"], ["tools[0] properties.words.uniqueItems"])
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat("Tag this.", tools=[{"type": "function", "function": function | {"strict": True}}])
        self.assertEqual((caught.exception.code, caught.exception.param), ("invalid_schema", "tools[0].function.parameters"))
        schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "multipleOf": 2}}}
        for strict in [False, None]:
            reply = self.chat("A number.", max_tokens=100, response_format={
                "type": "json_schema", "json_schema": {"name": "x", "schema": schema, "strict": strict}})
            self.assertEqual(reply.pet["ignored"], ["response_format properties.n.multipleOf"])

    def test_tool_that_may_be_called(self):
        for choice in ["auto", "none"]:
            reply = self.chat("What is the weather in Rome?", tools=[TOOL], tool_choice=choice, max_tokens=100)
            calls = reply.choices[0].message.tool_calls
            if choice == "auto" and calls:
                self.check(calls)
            else:
                self.assertIsNone(calls)
                self.assertTrue(reply.choices[0].message.content)

    def test_tool_call_in_a_stream(self):
        chunks = self.chat("Weather in Rome?", tools=[TOOL], tool_choice="required", max_tokens=100, stream=True)
        choices = [chunk.choices[0] for chunk in chunks]
        self.check([call for choice in choices for call in choice.delta.tool_calls or []])
        # Its own helper closes the call only where the choice ends behind it.
        self.assertEqual((choices[-1].finish_reason, choices[-1].delta.tool_calls), ("tool_calls", None))
        self.assertEqual("".join(choice.delta.content or "" for choice in choices), "")

    def test_result_of_a_tool_is_answered(self):
        messages = said("What is the weather in Rome?")
        first = self.client.chat.completions.create(
            model="default", messages=messages, tools=[TOOL], tool_choice="required", max_tokens=100, temperature=0)
        message = first.choices[0].message
        messages += [
            message.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "Sunny, 25 degrees."},
        ]
        second = self.client.chat.completions.create(model="default", messages=messages, max_tokens=24, temperature=0)
        self.assertTrue(second.choices[0].message.content)

    def check(self, calls):
        self.assertEqual([call.function.name for call in calls], ["weather"])
        self.assertEqual(calls[0].type, "function")
        self.assertIn(json.loads(calls[0].function.arguments), [{"city": "Rome"}, {"city": "Oslo"}])

    def test_completion(self):
        options = {"model": "default", "prompt": "Once upon a time", "max_tokens": 12, "temperature": 0}
        whole = self.client.completions.create(**options, logprobs=2)
        choice = whole.choices[0]
        self.assertTrue("".join(choice.logprobs.tokens).startswith(choice.text))
        self.assertEqual(choice.logprobs.text_offset[0], 0)
        self.assertTrue(all(len(likeliest) <= 2 for likeliest in choice.logprobs.top_logprobs))
        chunks = list(self.client.completions.create(**options, stream=True))
        self.assertEqual("".join(chunk.choices[0].text for chunk in chunks), choice.text)
        self.assertEqual(chunks[-1].choices[0].finish_reason, choice.finish_reason)

    def test_danger(self):
        for options in [{}, {"n": 3}, {"tools": [TOOL]}, {"response_format": {"type": "json_object"}}]:
            reply = self.chat("I want to kill myself", **options)
            aside = ["max_tokens", "temperature", *(field for field in ("response_format", "tools") if field in options)]
            self.assertEqual(reply.model_extra["pet"],
                             {"source": "care", "danger": "self_harm", "safety": {"kind": "suicide", "stage": "alarm"}, "ignored": aside})
            for choice in reply.choices:
                self.assertIn("call", choice.message.content.lower())
                self.assertEqual(choice.finish_reason, "stop")
        *_, last = self.chat("I took too many pills", stream=True)
        self.assertEqual(
            last.model_extra["pet"], {"source": "care", "danger": "self_harm", "safety": {"kind": "poisoning", "stage": "alarm"},
                                      "ignored": ["max_tokens", "temperature"]})

    def test_marks_are_no_words(self):
        reply = self.chat("Hello!", max_tokens=60)
        self.assertNotIn("{", reply.choices[0].message.content)
        self.assertTrue(reply.choices[0].model_extra["pet"]["emotion"])
        *chunks, last = self.chat("Hello!", max_tokens=60, stream=True)
        self.assertEqual(
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks), reply.choices[0].message.content)
        self.assertEqual(last.choices[0].model_extra["pet"], reply.choices[0].model_extra["pet"])

    def test_order_of_properties(self):
        class Verdict(BaseModel):
            reasoning: bool
            answer: bool

        choice = self.client.chat.completions.parse(
            model="default", messages=said("Is it?"), response_format=Verdict, temperature=0, max_tokens=100).choices[0]
        self.assertEqual(list(json.loads(choice.message.content)), ["reasoning", "answer"])

    def test_several_replies(self):
        reply = self.chat(n=3, temperature=1.2, seed=4)
        self.assertEqual([choice.index for choice in reply.choices], [0, 1, 2])
        alone = self.chat(temperature=1.2, seed=4)
        self.assertEqual(reply.choices[0].message.content, alone.choices[0].message.content)
        again = self.chat(n=3, temperature=1.2, seed=4)
        self.assertEqual([c.message.content for c in again.choices], [c.message.content for c in reply.choices])
        texts = {}
        for chunk in self.chat(n=3, temperature=1.2, seed=4, stream=True):
            for choice in chunk.choices:
                texts[choice.index] = texts.get(choice.index, "") + (choice.delta.content or "")
        self.assertEqual([texts[choice.index] for choice in reply.choices], [c.message.content for c in reply.choices])

    def test_penalties_and_biases(self):
        whole = self.chat().choices[0].message.content
        self.assertNotEqual(self.chat(frequency_penalty=2, presence_penalty=2, max_tokens=60).choices[0].message.content,
                            self.chat(max_tokens=60, frequency_penalty=-2).choices[0].message.content)
        self.assertTrue(whole)
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(logit_bias={"9999999": 1})
        self.assertEqual(caught.exception.param, "logit_bias")

    def test_what_does_nothing_is_told(self):
        reply = self.chat(user="u", store=True, metadata={"a": "b"}, extra_body={"mirostat": 2})
        self.assertEqual(sorted(reply.model_extra["pet"]["ignored"]), ["metadata", "mirostat", "store", "user"])
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(functions=[{"name": "f"}])
        self.assertEqual(caught.exception.param, "functions")

    def test_models(self):
        [model] = self.client.models.list().data
        self.assertEqual(self.client.models.retrieve(model.id), model)
        with self.assertRaises(openai.NotFoundError):
            self.client.models.retrieve("nothing")

    def test_embeddings(self):
        texts = ["a cat", "a dog", "a cat"]
        # The client asks for base64 where it is told nothing, and reads it.
        packed = self.client.embeddings.create(model="default", input=texts)
        plain = self.client.embeddings.create(model="default", input=texts, encoding_format="float")
        for one, other in zip(packed.data, plain.data, strict=True):
            # Of 32 bits, in decimals or not.
            self.assertEqual(array("f", one.embedding), array("f", other.embedding))
        self.assertEqual([item.index for item in plain.data], [0, 1, 2])
        vectors = [item.embedding for item in plain.data]
        self.assertEqual(vectors[0], vectors[2])
        self.assertNotEqual(vectors[0], vectors[1])
        self.assertEqual(
            self.client.embeddings.create(model="default", input=texts[1], encoding_format="float").data[0].embedding,
            vectors[1])
        self.assertGreater(plain.usage.prompt_tokens, 0)

    def test_errors(self):
        for error, code, parameter, ask in [
            (openai.NotFoundError, "model_not_found", "model", lambda: self.chat(model="nothing")),
            (openai.BadRequestError, "invalid_value", "temperature", lambda: self.chat(temperature=3)),
            (openai.BadRequestError, "invalid_value", "n", lambda: self.chat(n=9)),
            (openai.BadRequestError, "invalid_value", "top_logprobs", lambda: self.chat(top_logprobs=2)),
            (openai.BadRequestError, "invalid_value", "stop", lambda: self.chat(stop=["a", "b", "c", "d", "e"])),
            (openai.BadRequestError, "invalid_value", "tool_choice", lambda: self.chat(tool_choice=TOOL)),
            (
                openai.BadRequestError, "invalid_schema", "response_format",
                lambda: self.chat(response_format={
                    "type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "nothing"}}}),
            ),
            (
                openai.BadRequestError, "invalid_value", "messages",
                lambda: self.client.chat.completions.create(
                    model="default", messages=[{"role": "assistant", "content": "Hello"}]),
            ),
            (
                openai.BadRequestError, "invalid_value", "dimensions",
                lambda: self.client.embeddings.create(model="default", input="a cat", dimensions=4),
            ),
        ]:
            with self.subTest(parameter=parameter), self.assertRaises(error) as caught:
                ask()
            self.assertEqual((caught.exception.code, caught.exception.param), (code, parameter))
            self.assertTrue(caught.exception.request_id)

    def test_text_that_does_not_fit(self):
        text = "word " * 4000
        for ask in [
            lambda: self.chat(text),
            lambda: self.client.completions.create(model="default", prompt=text),
            lambda: self.client.embeddings.create(model="default", input=text),
        ]:
            with self.assertRaises(openai.BadRequestError) as caught:
                ask()
            self.assertEqual(caught.exception.code, "context_length_exceeded")

    def test_errors_come_before_a_stream(self):
        schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "nothing"}}}
        for options in [{"model": "nothing"}, {"temperature": 3}, {"response_format": schema}]:
            with self.subTest(options=options), self.assertRaises(openai.APIStatusError):
                self.chat(stream=True, **options)


class OverTCP(Cases, unittest.TestCase):
    @staticmethod
    def connect(daemon: Daemon):
        return daemon.tcp()

    def test_wrong_token(self):
        for token in ["wrong", self.daemon.token[:-1], ""]:
            client = openai.OpenAI(base_url=f"{self.daemon.url}/v1", api_key=token or "none", max_retries=0)
            headers = {} if token else {"Authorization": openai.Omit()}
            with self.subTest(token=token), self.assertRaises(openai.AuthenticationError) as caught:
                client.models.list(extra_headers=headers)
            self.assertEqual(caught.exception.response.headers["www-authenticate"], "Bearer")


class OverUnixSocket(Cases, unittest.TestCase):
    @staticmethod
    def connect(daemon: Daemon):
        return daemon.unix()


class RateLimit(unittest.TestCase):
    def test_too_often(self):
        daemon = Daemon("--rate", "2")
        self.addCleanup(daemon.stop)
        with daemon.tcp() as http:
            client = openai.OpenAI(
                base_url=f"{daemon.url}/v1", api_key=daemon.token, http_client=http, max_retries=0)
            client.models.list()
            client.models.list()
            with self.assertRaises(openai.RateLimitError) as caught:
                client.models.list()
            self.assertIn(int(caught.exception.response.headers["retry-after"]), range(1, 31))
            self.assertEqual(caught.exception.code, "rate_limit_exceeded")
            # Who looks after it is not kept from it.
            self.assertEqual(http.get("/health").status_code, 200)
        with daemon.unix() as other:
            self.assertEqual(other.get("/v1/models").status_code, 200)
