"""A program with the Python SDK: one call for each line of stdin, one outcome for each line of stdout (line-client.ts).

Arguments: `sync` or `async`, and the repeats of a call.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from typing import Any, Dict, List

from phonerack import AsyncPhonerack, Phonerack, PhonerackError


async def settled(value: Any) -> Any:
    """The value of a call of either client."""
    return await value if inspect.isawaitable(value) else value


async def answer(client: Any, phones: Dict[str, Any], call: str, given: Dict[str, Any]) -> Any:
    if call == "create":
        made = await settled(client.phones.create(metadata=given["metadata"], idempotency_key=given.get("key")))
        phones[made.id] = made
        return made
    name = given["phone"]
    if name not in phones:
        phones[name] = await settled(client.phones.get(name))
    phone = phones[name]
    if call == "act":
        return await settled(phone.act(given["actions"], observe="none"))
    if call == "start":
        return await settled(phone.start(max_duration=given["max_duration"]))
    if call == "observe":
        return await settled(phone.observe())
    raise ValueError(call)


async def outcome(client: Any, phones: Dict[str, Any], message: Dict[str, Any]) -> Dict[str, Any]:
    try:
        value = await answer(client, phones, message.pop("call"), message)
    except PhonerackError as error:
        return {"error": {**error.to_dict(), "unknown": error.is_outcome_unknown}}
    return {"phone": getattr(value, "id", None)}


async def main(kind: str, repeats: List[str]) -> None:
    options: Dict[str, Any] = {"max_retries": int(repeats[0])} if repeats else {}
    client: Any = AsyncPhonerack(**options) if kind == "async" else Phonerack(**options)
    phones: Dict[str, Any] = {}
    loop = asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            break
        print(json.dumps(await outcome(client, phones, json.loads(line))), flush=True)
    await settled(client.aclose() if kind == "async" else client.close())


asyncio.run(main(sys.argv[1], sys.argv[2:]))
