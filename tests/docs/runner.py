"""Runs the blocks of one page in a process of its own, in the working folder.

Standard input has the page's path and its blocks as JSON; standard output gets what each block printed, and the
traceback of the one that failed. The first failure ends the page.
"""

import contextlib
import io
import json
import linecache
import socket
import subprocess
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

LONGEST_SLEEP = 0.1


def keep_honest() -> None:
    """Pages reach no network, and do not make their readers wait."""
    sleep = time.sleep

    def short_sleep(seconds: float) -> None:
        if seconds > LONGEST_SLEEP:
            msg = f"a page must not sleep for {seconds}s"
            raise RuntimeError(msg)
        sleep(seconds)

    def connect(*_: object) -> NoReturn:
        msg = "a page must not use the network"
        raise OSError(msg)

    time.sleep = short_sleep  # type: ignore[assignment]
    socket.socket.connect = connect  # type: ignore[method-assign]


class Session:
    """What one page has made so far: a namespace, and files."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.main = sys.modules["__main__"] = ModuleType("__main__")
        self.modules: dict[str, str] = {}
        self.source = ""

    def run(self, block: dict[str, Any]) -> None:
        if block["file"]:
            self.write(block["file"], block["text"])
        elif block["language"] == "python":
            self.execute(block["text"], block["line"])
        elif block["language"] == "console":
            self.command(block["text"])

    def write(self, name: str, text: str) -> None:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix == ".py":
            self.modules[".".join(path.with_suffix("").parts)] = name

    def execute(self, text: str, line: int) -> None:
        # Lines are those of the page; whoever asks for the source gets all of it up to here.
        self.source += "\n" * (line - 1 - self.source.count("\n")) + text
        linecache.cache[self.page] = (len(self.source), None, self.source.splitlines(keepends=True), self.page)
        exec(compile("\n" * (line - 1) + text, self.page, "exec", dont_inherit=True), vars(self.main))

    def command(self, text: str) -> None:
        for line in text.splitlines():
            if line.startswith("$ "):
                print(line, flush=True)
                done = subprocess.run(
                    line[2:], shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
                )
                print(done.stdout, end="")
                self.modules = {module: name for module, name in self.modules.items() if name not in line}

    def finish(self) -> None:
        """Run what was only written so far: nothing imported it, and no command names it."""
        for module in self.modules:
            import_module(module)


def main() -> None:
    page, blocks = json.load(sys.stdin)
    keep_honest()
    sys.path.insert(0, "")
    session = Session(page)
    printed: list[str] = []
    failure = ""
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            try:
                session.run(block)
                if block is blocks[-1]:
                    session.finish()
            except BaseException:
                failure = traceback.format_exc()
                break
        printed.append(output.getvalue())
    json.dump({"printed": printed, "failure": failure}, sys.stdout)


if __name__ == "__main__":
    main()
