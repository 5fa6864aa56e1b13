"""Failures of the network that a local server cannot cause."""

from __future__ import annotations

import httpx
import pytest

from phonerack import Phonerack, PhonerackConnectionError

from .server import PHONE


@pytest.mark.parametrize("failure", [httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ReadTimeout, httpx.WriteTimeout])
def test_knows_that_nothing_was_sent_without_a_connection_before_the_deadline(failure: type) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise failure("It took too long.", request=request)

    http_client = httpx.Client(transport=httpx.MockTransport(handle))
    client = Phonerack(api_key="prk_test", base_url="http://127.0.0.1:9", max_retries=0, http_client=http_client)
    with pytest.raises(PhonerackConnectionError) as caught:
        client.request("POST", f"/v1/phones/{PHONE}/park")
    was_sent = failure in (httpx.ReadTimeout, httpx.WriteTimeout)
    assert (caught.value.code, caught.value.is_outcome_unknown) == ("timeout", was_sent)
