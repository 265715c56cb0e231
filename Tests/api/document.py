# SPDX-License-Identifier: Apache-2.0
"""The description of the API: what values must look like."""

import json

import jsonschema_rs

from daemon import ROOT

DOCUMENT = json.loads((ROOT / "Sources/PetService/Operations/openapi.json").read_text())


def schema(name: str) -> dict:
    return DOCUMENT["components"]["schemas"][name]


def errors(name: str, value: object) -> list[str]:
    """Where a value is not what the schema of this name asks for."""
    validator = jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]})
    return [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(value)]
