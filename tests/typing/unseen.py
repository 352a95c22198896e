# pyright: strict
"""What no type can tell: right for every type checker, and reported by the plugin at each line marked `# here`."""

from resilience4cata import (
    Classifier,
    FallbackContext,
    FallbackHandler,
    Outcome,
    fallback,
    resilience_policy,
    retry,
    timeout,
)

timeout("5 s")  # here
retry(max_attempts=0)  # here
retry(config="missing")  # here


class Texts(FallbackHandler[str]):
    def apply(self, context: FallbackContext) -> str:
        return ""


class JudgesTexts(Classifier[str]):
    def classify(self, result: str | None, failure: BaseException | None) -> Outcome:
        return Outcome.SUCCESS


quick = resilience_policy("quick", timeout("1s"))
slow = resilience_policy("slow", timeout("9s"))


class Client:
    @fallback(method="missing")  # here
    def find(self, key: str) -> int:
        return 1

    @fallback(method="other")  # here
    def get(self, key: str) -> int:
        return 1

    def other(self, key: str) -> str:
        return ""

    @quick
    @slow  # here
    def disagreed(self) -> None: ...

    @fallback(handler=Texts)  # here
    def handled(self) -> int:
        return 1

    @retry(classifier=JudgesTexts)  # here
    def judged(self) -> int:
        return 1
