"""Phonerack with virtual phones for the tests of an agent."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from types import TracebackType
from typing import Callable, Optional, Sequence, Type, Union

from ._sync.phonerack import Phonerack


class RunningPhonerack:
    """A service with phones. A `with` block stops it at its end."""

    def __init__(self, base_url: str, api_key: str, stop: Callable[[], None]) -> None:
        self.base_url = base_url
        self.api_key = api_key
        self.client = Phonerack(base_url=base_url, api_key=api_key)
        self._stop: Optional[Callable[[], None]] = stop

    def stop(self) -> None:
        """Stops what `start_phonerack` started."""
        stop, self._stop = self._stop, None
        if stop is not None:
            self.client.close()
            stop()

    def __enter__(self) -> RunningPhonerack:
        return self

    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.stop()


def start_phonerack(
    directory: Optional[Union[str, "os.PathLike[str]"]] = None, *, phones: int = 2, timeout: float = 300
) -> RunningPhonerack:
    """Starts `scripts/up` of a checkout with a separate data folder and port.

    With `PHONERACK_BASE_URL` and `PHONERACK_API_KEY` in the environment it uses that service instead.
    `directory`: a checkout of Phonerack. `timeout`: seconds until it is ready; the first start installs packages.
    """
    base_url, api_key = os.environ.get("PHONERACK_BASE_URL"), os.environ.get("PHONERACK_API_KEY")
    if base_url and api_key:
        return RunningPhonerack(base_url, api_key, lambda: None)
    if directory is None:
        raise ValueError(
            "Pass `directory`, a checkout of Phonerack, or set PHONERACK_BASE_URL and PHONERACK_API_KEY."
        )
    scripts = pathlib.Path(directory).resolve() / "scripts"
    data = pathlib.Path(tempfile.mkdtemp(prefix="phonerack-testing-"))

    def stop() -> None:
        _run([str(scripts / "down"), "--data", str(data)], timeout)
        shutil.rmtree(data, ignore_errors=True)

    try:
        options = ["--detach", "--port", "0", "--virtual-phones", str(phones), "--data", str(data)]
        _run([str(scripts / "up"), *options], timeout)
        up = json.loads((data / "up.json").read_text(encoding="utf-8"))
        return RunningPhonerack(up["base_url"], up["keys"]["admin"], stop)
    except BaseException:
        try:
            stop()
        except (OSError, RuntimeError, subprocess.SubprocessError):
            # Only the first error is raised.
            pass
        raise


def _run(command: Sequence[str], timeout: float) -> None:
    # The output goes to a file, since programs that keep running would hold a pipe open.
    with tempfile.TemporaryFile() as output:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=timeout)
        if ended.returncode != 0:
            output.seek(0)
            text = output.read()[-4000:].decode(errors="replace")
            raise RuntimeError(f"{command[0]} ended with {ended.returncode}:\n{text}")
