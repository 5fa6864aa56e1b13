"""Writes a function for each operation of an OpenAPI document. It returns the request, and sends nothing."""

import re
from typing import Any, Dict, List

from openapi_models import HEADER, Models, pascal, union

Operation = Dict[str, Any]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()


def operations_source(document: Dict[str, Any], models: Models) -> str:
    functions = [
        Function(path, method, operation, models).source()
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if "operationId" in operation
    ]
    head = HEADER.format(title="The requests of the API. Nothing is sent here.")
    imports = (
        "from __future__ import annotations\n\n"
        "from typing import Any, Dict, List, Literal, Mapping, Optional, Union\n\n"
        "from .._request import Request, path_of\n"
        "from .models import *  # noqa: F403\n"
    )
    return "\n\n".join([f"{head}\n{imports}", *functions])


class Function:
    def __init__(self, path: str, method: str, operation: Operation, models: Models) -> None:
        self._path, self._method, self._operation, self._models = path, method, operation, models
        self._name = pascal(operation["operationId"])
        self._parameters: List[Dict[str, Any]] = operation.get("parameters", [])

    def _in(self, place: str) -> List[Dict[str, Any]]:
        return [each for each in self._parameters if each["in"] == place]

    def source(self) -> str:
        positional = [f"{snake(each['name'])}: str" for each in self._in("path")]
        named: List[str] = []
        arguments = [f'"{self._method.upper()}"', self._path_source()]
        named += self._query(arguments)
        named += self._body(arguments)
        for header in self._in("header"):
            if header["name"] == "Idempotency-Key":
                named.append("idempotency_key: Optional[str] = None")
                arguments.append("idempotency_key=idempotency_key")
        answer = self._answer(arguments)
        signature = ", ".join([*positional, *(["*", *named] if named else [])])
        return (
            f"def {snake(self._operation['operationId'])}({signature}) -> Request[{answer}]:\n"
            f'    """{self._operation["summary"]}."""\n'
            f"    return Request({', '.join(arguments)})\n"
        )

    def _path_source(self) -> str:
        names = [snake(each["name"]) for each in self._in("path")]
        if not names:
            return f'"{self._path}"'
        return f'path_of("{self._path}", {", ".join(f"{name}={name}" for name in names)})'

    def _query(self, arguments: List[str]) -> List[str]:
        named: List[str] = []
        fields: List[str] = []
        for each in self._in("query"):
            name = snake(each["name"])
            annotation = self._models.type_of(each["schema"], self._name + pascal(each["name"]))
            if annotation.startswith("Dict["):
                annotation = annotation.replace("Dict[", "Mapping[", 1)
            required = each.get("required") is True
            named.append(f"{name}: {annotation}" if required else f"{name}: Optional[{annotation}] = None")
            fields.append(f'"{each["name"]}": {name}')
        # Parameters with defaults come last. The order does not matter, since callers name each parameter.
        if fields:
            arguments.append(f"query={{{', '.join(fields)}}}")
        return named

    def _body(self, arguments: List[str]) -> List[str]:
        body = self._operation.get("requestBody")
        if body is None:
            return []
        content = body["content"]
        if "application/json" not in content:
            arguments.append("content=content")
            return ["content: bytes"]
        annotation = self._models.type_of(content["application/json"]["schema"], f"{self._name}Body")
        arguments.append("json=body")
        if body.get("required") is True:
            return [f"body: {annotation}"]
        return [f"body: Optional[{annotation}] = None"]

    def _answer(self, arguments: List[str]) -> str:
        types: List[str] = []
        for status, response in self._operation["responses"].items():
            if not status.startswith("2"):
                continue
            for kind, content in response.get("content", {}).items():
                if kind == "application/json":
                    types.append(self._models.type_of(content["schema"], f"{self._name}Answer"))
        if types:
            return union(types)
        arguments.append('answer="bytes"')
        return "bytes"
