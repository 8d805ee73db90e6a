"""Keys and addresses of servers: from where they come, and where they never show (HOST-7)."""

from __future__ import annotations

import json
import logging
import traceback
from typing import Any

import pytest
from reference_host.composition import OpenAICompatibleSettings
from reference_host.errors import ModelError
from reference_host.models.openai_compatible import OpenAICompatibleModel

from .servers import (
    KEY,
    Exchange,
    Script,
    answering,
    chunks_of,
    event,
    finishing,
    model_of,
    run,
    serving,
    streaming,
)


def _settings(**settings: Any) -> OpenAICompatibleSettings:
    return OpenAICompatibleSettings(kind="openai-compatible", model="small", **settings)


async def _headers(**settings: Any) -> dict[str, str]:
    async with serving(streaming(finishing())) as server, model_of(server, **settings) as model:
        await chunks_of(model)
        return dict(server.requests[0].headers)


@pytest.mark.requirement("HOST-7")
def test_the_key_is_that_of_the_named_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The named variable counts, a line break at its end doesn't, and no other is looked at."""
    monkeypatch.setenv("MY_KEY", f"{KEY}\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")

    async def main() -> None:
        headers = await _headers(api_key_env="MY_KEY")
        assert headers["authorization"] == f"Bearer {KEY}"
        assert "sk-of-another-server" not in str(headers)

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_server_that_asks_for_no_key_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that the SDK knows of the environment goes to a server that needs none of it."""
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "http://secret.invalid")

    async def main() -> None:
        headers = await _headers(api_key_env=None)
        assert "authorization" not in headers
        assert "secret" not in str(headers)

    run(main())


@pytest.mark.requirement("HOST-7")
def test_custom_headers_of_the_sdk_bring_no_other_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a user tells the SDK to send is sent, but no authorization."""
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer other\nX-Mine: yes")
    monkeypatch.setenv("MY_KEY", KEY)

    async def main() -> None:
        headers = await _headers(api_key_env="MY_KEY")
        assert (headers["authorization"], headers["x-mine"]) == (f"Bearer {KEY}", "yes")
        assert "authorization" not in await _headers(api_key_env=None)

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("value", [None, "", " \n"])
def test_a_missing_key_is_told_at_once(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key there is no model; the message names the variable and what to do."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(
        ModelError, match=r"set the environment variable MY_KEY, or .*api_key_env"
    ) as caught:
        OpenAICompatibleModel(_settings(api_key_env="MY_KEY"))
    assert caught.value.code == "MODEL_REFUSED"


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("value", [f"{KEY}\nX-Other: 1", f"{KEY}é", f"{KEY} x", f"{KEY}\x7f"])
def test_a_key_that_is_no_header_is_not_sent(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key can't add a header, and one that can't be sent is told by its variable alone."""
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ModelError, match="MY_KEY") as caught:
        OpenAICompatibleModel(_settings(api_key_env="MY_KEY"))
    assert caught.value.code == "MODEL_REFUSED"
    assert KEY not in "".join(traceback.format_exception(caught.value))


async def _broken(exchange: Exchange) -> None:
    await exchange.head(x_echo=KEY)
    exchange.reset()


def _echoing(status: str, text: str) -> Script:
    return answering(status, json.dumps({"error": {"message": text}}).encode(), x_echo=KEY)


ECHOES = {
    "401": _echoing("401 Unauthorized", f"Incorrect API key provided: {KEY}"),
    "403": _echoing("403 Forbidden", f"{KEY[:8]}***"),
    "400": _echoing("400 Bad Request", f"bad header Bearer {KEY}"),
    "429": _echoing("429 Too Many Requests", f"limit of {KEY[:7]}***{KEY[-4:]} reached"),
    "500": _echoing("500 Internal Server Error", f"***{KEY[-6:]}"),
    "plain text": answering("400 Bad Request", KEY.encode(), content_type="text/plain"),
    "amid the answer": streaming(event({"error": {"message": f"no such key: {KEY}"}})),
    "broken JSON": streaming(f"data: {{{KEY}\n\n".encode()),
    "no stream": answering("200 OK", KEY.encode()),
    "reset": _broken,
}


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("script", ECHOES.values(), ids=ECHOES)
def test_no_error_and_no_log_line_tells_the_key(
    script: Script, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """However a server repeats the key, whole or masked, it's in no message, traceback or log."""
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    told: list[str] = []

    async def main() -> None:
        async with serving(script) as server, model_of(server, api_key_env="MY_KEY") as model:
            with pytest.raises(ModelError) as caught:
                await chunks_of(model)
            told.extend(traceback.format_exception(caught.value))
            told.append(str(model.config))

    run(main())
    # what the transport logs of the answer is the server's to tell; the request is ours
    told += [one.getMessage() for one in caplog.records if "x-echo" not in one.getMessage()]
    for at in range(len(KEY) - 5):
        assert KEY[at : at + 6] not in "".join(told)


@pytest.mark.requirement("HOST-7")
def test_a_refused_key_is_told_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person reads which variable to look at, or that there should be one."""
    monkeypatch.setenv("MY_KEY", KEY)

    async def main() -> None:
        for variable, told in (("MY_KEY", "refused MY_KEY"), (None, "asks for a key")):
            script = answering("401 Unauthorized")
            async with serving(script) as server, model_of(server, api_key_env=variable) as model:
                with pytest.raises(ModelError, match=told):
                    await chunks_of(model)

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    "url", ["", "localhost:8000/v1", "ftp://x/v1", "http://", "http://[::1", "http://x:port/v1"]
)
def test_an_address_that_is_none_is_told_at_once(url: str) -> None:
    """A wrong `base_url` fails before there is a model."""
    with pytest.raises(ModelError, match="base_url") as caught:
        OpenAICompatibleModel(_settings(base_url=url, api_key_env=None))
    assert caught.value.code == "MODEL_UNAVAILABLE"


@pytest.mark.requirement("HOST-7")
def test_an_address_with_a_password_is_refused() -> None:
    """A password has no place in a composition, and is not repeated."""
    with pytest.raises(ModelError, match="base_url") as caught:
        OpenAICompatibleModel(_settings(base_url="http://me:secret@x/v1", api_key_env=None))
    assert "secret" not in caught.value.message


@pytest.mark.requirement("HOST-7")
def test_the_log_names_provider_and_model() -> None:
    """What is logged with each request names the model, and neither server nor key."""
    model = OpenAICompatibleModel(_settings(api_key_env=None))
    assert model.config == {"provider": "openai-compatible", "model": "small"}
