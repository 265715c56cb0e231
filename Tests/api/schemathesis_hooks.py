# SPDX-License-Identifier: Apache-2.0
"""Makes of what schemathesis asks for something that can be answered, and soon. What is wrong with a request stays so."""

import schemathesis

GENERATING = {"/v1/chat/completions", "/v1/completions", "/pet/completions"}


@schemathesis.hook
def map_body(context, body):
    if context.operation.path not in GENERATING or not isinstance(body, dict):
        return body
    body = dict(body)
    # A reply takes as long as it has tokens; how many may be asked for is tested elsewhere.
    for name in ["max_tokens", "max_completion_tokens"]:
        if body.get(name) is None or (type(body[name]) is int and 4 < body[name] <= 1_000_000):
            body[name] = 4
    # No schema says which tokens there are.
    if isinstance(body.get("logit_bias"), dict):
        body["logit_bias"] = {
            str(int(name) % 100) if name.isdecimal() else name: bias for name, bias in body["logit_bias"].items()}
    # No schema says that results answer calls, and that the last to speak is the user.
    if isinstance(body.get("messages"), list) and body["messages"]:
        messages = [
            message | {"role": "user"} if isinstance(message, dict) and message.get("role") == "tool" else message
            for message in body["messages"]
        ]
        body["messages"] = [*messages, {"role": "user", "content": "Hello"}]
    return body


@schemathesis.serializer("audio/wav")
def as_it_is(context, value):
    """A sound's bytes; what is generated in the place of a file is a text."""
    return {"data": value if isinstance(value, bytes) else str(value).encode()}
