# SPDX-License-Identifier: Apache-2.0
"""Server-sent events, as clients read them."""

import json
from collections.abc import Iterable, Iterator


def events(lines: Iterable[str]) -> Iterator[tuple[str, object]]:
    """Names and data; data that is no JSON stays text, comments are left out."""
    name, data = "message", []
    for line in lines:
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").strip())
        elif not line and data:
            text = "\n".join(data)
            yield name, text if text == "[DONE]" else json.loads(text)
            name, data = "message", []
