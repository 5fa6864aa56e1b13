"""The committed generated files are those of the current API and of the async client."""

from __future__ import annotations

import pathlib
import re

import pytest

import generate
import generate_sync

from . import contract

ROOT = pathlib.Path(__file__).parent.parent


def test_models_and_requests_are_made_from_the_openapi_document() -> None:
    """Otherwise run `scripts/generate.sh`."""
    folder = ROOT / "src" / "phonerack" / "_generated"
    try:
        made = generate.generate(contract.openapi())
    except contract.Missing as reason:
        pytest.skip(str(reason))
    assert sorted(made) == sorted(each.name for each in folder.glob("*.py"))
    for name, text in made.items():
        assert (name, (folder / name).read_text(encoding="utf-8")) == (name, text)


def test_the_sync_client_is_made_from_the_async_one() -> None:
    """Otherwise run `python3 scripts/generate_sync.py`."""
    made = generate_sync.generate()
    for parent in generate_sync.PARENTS:
        committed = {each.name for each in (parent / "_sync").glob("*.py")} - {generate_sync.BY_HAND}
        assert committed == {path.name for path in made if path.parent.parent == parent}
    for path, text in made.items():
        assert (path, path.read_text(encoding="utf-8")) == (path, text)
        assert "await " not in text and "async def" not in text


def test_the_generator_writes_valid_python_for_each_kind_of_schema() -> None:
    document = {
        "components": {
            "schemas": {
                "Part": {"type": "object", "properties": {"from": {"type": "string"}}, "required": ["from"]},
                "Thing": {
                    "type": "object",
                    "properties": {
                        "kind": {"const": "thing"},
                        "open": {"type": "string", "x-extensible-enum": ["a"]},
                        "closed": {"type": ["string", "null"]},
                        "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                        "same": {
                            "type": "object",
                            "properties": {"from": {"type": "string"}},
                            "required": ["from"],
                            "description": "Another text.",
                        },
                        "inner": {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}},
                        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
                        "any": {},
                    },
                    "required": ["kind", "open"],
                },
                "Either": {"oneOf": [{"$ref": "#/components/schemas/Thing"}, {"$ref": "#/components/schemas/Part"}]},
            }
        },
        "paths": {},
    }
    text = generate.generate(document)["models.py"]
    for line in (
        "Part = TypedDict(\"Part\", {\"from\": 'str'}, total=True)",
        '    kind: Literal["thing"]',
        "    open: str",
        "    closed: Optional[str]",
        "    size: Optional[int]",
        "    same: Part",
        "    inner: ThingInner",
        '    a: Literal["x", "y"]',
        "    tags: Dict[str, str]",
        "    any: Any",
        "Either = Union[Thing, Part]",
    ):
        assert line in text.splitlines()
    exec(compile(text, "models.py", "exec", dont_inherit=True), {"__name__": "models"})


def test_each_operation_of_the_api_has_a_method() -> None:
    """`request` covers the others."""
    others = {"create_checkout"}
    source = (ROOT / "src" / "phonerack" / "_generated" / "operations.py").read_text(encoding="utf-8")
    named = set(re.findall(r"^def (\w+)", source, re.MULTILINE))
    used = {
        name
        for path in (ROOT / "src" / "phonerack" / "_async").glob("*.py")
        for name in re.findall(r"\boperations\.(\w+)\(", path.read_text(encoding="utf-8"))
    }
    assert used == named - others
