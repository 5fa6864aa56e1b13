from __future__ import annotations

import asyncio
import inspect
from typing import Any, Iterator, Optional

import pytest

from . import contract
from .server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()
    try:
        assert contract.problems(one.seen) == []
    except contract.Missing:
        # `test_generated.py` reports it.
        pass


@pytest.fixture
def other() -> Iterator[Server]:
    """A second server, which must not get requests."""
    one = Server()
    yield one
    one.close()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Optional[bool]:
    """Runs coroutines without a plugin."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(pyfuncitem.obj(**arguments))
    return True
