"""A model behind a server that speaks the chat completions API (HOST-7); needs the extra `openai`.

Nothing else of the host imports this module before a composition asks for it: the import of the
SDK takes long.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, Final
from urllib.parse import urlsplit

from reference_host.composition import OpenAICompatibleSettings
from reference_host.errors import ModelError
from reference_host.models._chat_answers import ChatAnswer
from reference_host.models._chat_requests import chat_body
from reference_host.models._model import Chunk, ModelRequest

try:
    from openai import (
        APIConnectionError,
        APIError,
        APIStatusError,
        APITimeoutError,
        AsyncOpenAI,
        AsyncStream,
        InternalServerError,
        Omit,
    )
except ImportError as missing:
    advice = "a model of the kind openai-compatible needs `pip install 'reference-host[openai]'`"
    raise ModelError(advice, "MODEL_UNAVAILABLE") from missing

__all__ = ["OpenAICompatibleModel"]

_STREAM: Final = "text/event-stream"
_LONGEST_QUOTE: Final = 300
_TELLING: Final = 6
"""So many characters of a key, in a row, are too many to be shown."""


class OpenAICompatibleModel:
    """Asks a server for a streamed answer.

    What the server is sent is the request, and the key that the settings name: no key,
    organization or project that the SDK would find in the environment by itself.

    Args:
        settings: where the server is, and how long it is waited for.

    Raises:
        ModelError: `MODEL_REFUSED`, there is no usable key; `MODEL_UNAVAILABLE`, the address of
            the server is none.
    """

    def __init__(self, settings: OpenAICompatibleSettings) -> None:
        _check_url(settings.base_url)
        self._settings = settings
        self._key = _key(settings.api_key_env)
        self._client = AsyncOpenAI(
            # None would make the SDK look for one by itself
            api_key=self._key or "none",
            base_url=settings.base_url,
            timeout=settings.timeout_ms / 1000,
            max_retries=settings.max_retries,
        )

    @property
    def config(self) -> Mapping[str, Any]:
        """What names the model."""
        return {"provider": "openai-compatible", "model": self._settings.model}

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Answer a request; cancelling the task that iterates closes the connection.

        A request is sent again, after a pause, if the server can't be reached, is silent, or
        answers with a status that may pass; never once its answer has begun.

        Raises:
            ModelError: `MODEL_UNAVAILABLE`, `MODEL_REFUSED`, `MODEL_TIMEOUT` or
                `MODEL_INVALID_ANSWER`. Nothing of the key is in it.
        """
        answer = ChatAnswer()
        async with aclosing(self._events(chat_body(request))) as events:
            async for event in events:
                for chunk in answer.read(event):
                    yield chunk
        for chunk in answer.end():
            yield chunk

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _events(self, body: Mapping[str, Any]) -> AsyncGenerator[object, None]:
        stream: AsyncStream[object] | None = None
        try:
            # not `chat.completions.create`: its types would hide what a server really sent
            stream = await self._client.post(
                "/chat/completions",
                cast_to=object,
                body=body,
                options={"headers": self._headers()},
                stream=True,
                stream_cls=AsyncStream[object],
            )
            _check_type(stream.response.headers.get("content-type", _STREAM))
            async for event in stream:
                yield event
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - the SDK lets errors of its transport through
            # not chained: the messages of the SDK quote the server, and the server the key
            raise self._failure(error) from None
        finally:
            if stream is not None:
                await stream.close()

    def _headers(self) -> dict[str, str | Omit]:
        return {
            "Authorization": Omit() if self._key is None else f"Bearer {self._key}",
            "OpenAI-Organization": Omit(),
            "OpenAI-Project": Omit(),
        }

    def _failure(self, error: Exception) -> ModelError:
        server = f"the server at {self._settings.base_url}"
        match error:
            case APITimeoutError():
                problem = f"{server} was silent for {self._settings.timeout_ms} ms"
                return ModelError(problem, "MODEL_TIMEOUT")
            case APIStatusError():
                return self._status_failure(server, error)
            case APIConnectionError():
                cause = type(error.__cause__ or error).__name__
                problem = f"{server} can't be reached, or broke off ({cause})"
                return ModelError(problem, "MODEL_UNAVAILABLE")
            case APIError():
                problem = f"{server} failed amid its answer{self._quote(error)}"
                return ModelError(problem, "MODEL_INVALID_ANSWER")
            case ValueError() | RecursionError():
                problem = f"{server} sent what is no JSON ({type(error).__name__})"
                return ModelError(problem, "MODEL_INVALID_ANSWER")
        problem = f"the exchange with {server} failed ({type(error).__name__})"
        return ModelError(problem, "MODEL_UNAVAILABLE")

    def _status_failure(self, server: str, error: APIStatusError) -> ModelError:
        status = error.status_code
        if status in {401, 403}:
            # not quoted: servers repeat parts of the key
            variable = self._settings.api_key_env
            key = "asks for a key: set api_key_env" if variable is None else f"refused {variable}"
            return ModelError(f"{server} {key} (status {status})", "MODEL_REFUSED")
        code = "MODEL_UNAVAILABLE" if isinstance(error, InternalServerError) else "MODEL_REFUSED"
        return ModelError(f"{server} answered with status {status}{self._quote(error)}", code)

    def _quote(self, error: APIError) -> str:
        """Return what the server said of an error, unless a part of the key may be in it."""
        said = error.body.get("message") if isinstance(error.body, dict) else None
        if not isinstance(said, str) or not said or self._tells_key(said):
            return ""
        line = " ".join("".join(one if one.isprintable() else " " for one in said).split())
        return f": {line[:_LONGEST_QUOTE]}"

    def _tells_key(self, text: str) -> bool:
        key = self._key
        if key is None:
            return False
        length = min(_TELLING, len(key))
        return any(key[at : at + length] in text for at in range(len(key) - length + 1))


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        secret = parts.username is not None
    except ValueError:
        usable = secret = False
    if secret:
        problem = "base_url of the model: leave out the user; a key comes from the environment"
        raise ModelError(problem, "MODEL_UNAVAILABLE")
    if not usable:
        problem = f"base_url of the model: {url!r} is no http or https address"
        raise ModelError(problem, "MODEL_UNAVAILABLE")


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    # a file that was read into the variable often ends with a line break
    key = os.environ.get(variable, "").strip()
    if not key:
        problem = (
            f"the model needs a key: set the environment variable {variable}, or name another one"
            " as api_key_env in the composition"
        )
        raise ModelError(problem, "MODEL_REFUSED")
    if not re.fullmatch("[!-~]+", key):
        problem = f"the environment variable {variable} holds no key: only visible ASCII is one"
        raise ModelError(problem, "MODEL_REFUSED")
    return key


def _check_type(content_type: str) -> None:
    kind = content_type.partition(";")[0].strip().lower()
    if kind != _STREAM:
        problem = (
            f"the server answered with {kind[:80]!r} in the place of {_STREAM}; is base_url right?"
        )
        raise ModelError(problem, "MODEL_INVALID_ANSWER")
