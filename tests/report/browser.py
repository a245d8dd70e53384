"""Chromium without a window, driven through its DevTools protocol on a pair of pipes."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# The protocol is on file descriptors 3 and 4 of the browser.
_START = """
import os, sys
# Copies first, with numbers above both, so that neither overwrites the other.
copies = [os.dup(int(number)) for number in sys.argv[1:3]]
while min(copies) < 5:
    copies = [os.dup(number) for number in copies]
for place, number in zip((3, 4), copies):
    os.dup2(number, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
# A browser that does not answer is broken; nothing is measured by this.
_PATIENCE = 120.0


def browser_path() -> str | None:
    """The browser of the system, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One page: what it asked for, what it said, and commands to it."""

    def __init__(self, browser: "Browser", session: str) -> None:
        self._browser, self._session = browser, session
        self.requests: list[str] = []
        self.messages: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.send(method, params, self._session, self)

    def received(self, event: dict[str, Any]) -> None:
        """Keep what matters of an event."""
        name, params = event["method"], event["params"]
        if name == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif name == "Runtime.consoleAPICalled":
            texts = [str(one.get("value", one.get("description"))) for one in params["args"]]
            self.messages.append(f"{params['type']}: {' '.join(texts)}")
        elif name == "Runtime.exceptionThrown":
            self.messages.append(f"exception: {params['exceptionDetails']}")
        elif name == "Log.entryAdded":
            self.messages.append(f"{params['entry']['level']}: {params['entry']['text']}")

    def open(self, path: Path, *, ready: str = "document.documentElement.dataset.ready") -> None:
        """Load a file, and wait until its script has ended."""
        self.requests.clear()
        self.messages.clear()
        self.send("Page.navigate", url=path.resolve().as_uri())
        self.wait(f"document.readyState === 'complete' && ({ready}) !== undefined")

    def wait(self, condition: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not self.run(condition):
            assert time.monotonic() < end, f"never true: {condition}; said: {self.messages}"
            time.sleep(0.02)

    def run(self, code: str) -> Any:
        """The value of an expression on the page."""
        found = self.send(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press a key such as Tab or Enter."""
        for kind in ("rawKeyDown", "char", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "char" else {}
            if kind == "char" and not text:
                continue
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text
            )

    def look(self, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Set the size of the window and the colour scheme."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        found = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))


class Browser:
    """A running browser."""

    def __init__(self, process: "subprocess.Popen[bytes]", to: int, back: int) -> None:
        self.process, self._to, self._back = process, to, back
        self._number, self._rest = 0, b""

    def send(
        self, method: str, params: dict[str, Any], session: str | None = None, page: Any = None
    ) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                assert "error" not in found, (method, found["error"])
                return dict(found["result"])
            if page is not None and "method" in found:
                page.received(found)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._back, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(text))

    def new_page(self) -> Page:
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})
        return Page(self, attached["sessionId"])

    def save_downloads(self, folder: Path) -> None:
        """Downloads go into this folder."""
        params = {"behavior": "allow", "downloadPath": str(folder), "eventsEnabled": False}
        self.send("Browser.setDownloadBehavior", params)


@contextmanager
def running_browser(path: str) -> Iterator[Browser]:
    """Start the browser with an empty profile, and end it afterwards."""
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = [*_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(
            [sys.executable, "-c", _START, str(their_in), str(their_out), path, *options],
            pass_fds=(their_in, their_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        try:
            yield Browser(process, our_out, our_in)
        finally:
            process.terminate()
            process.wait(30)
            os.close(our_out)
            os.close(our_in)
