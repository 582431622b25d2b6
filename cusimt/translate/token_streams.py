"""A token stream as the compiler's parser would receive it, with its brackets and declarations."""

from __future__ import annotations

from functools import cached_property

from cusimt.translate.lexer import Kind, Token

__all__ = ["TokenStream"]

_CLOSERS = {")": "(", "]": "[", "}": "{"}
_BEFORE_DECLARATION = frozenset(["", ";", "{", "}", ":", ")", ">"])


class TokenStream:
    """Tokens without blanks, and which brackets belong together.

    Of a macro's body also the macro's `name` and its `parameters`; None for a macro that has none.
    """

    def __init__(
        self,
        tokens: list[Token],
        *,
        macro: bool,
        uncertain: frozenset[int] = frozenset(),
        name: str = "",
        parameters: tuple[str, ...] | None = None,
    ) -> None:
        self.tokens = tokens
        self.macro = macro
        self.name = name
        self.parameters = parameters
        self._uncertain = uncertain
        self._starts: dict[int, int] = {}  # of declarations, by the tokens that led there

    @cached_property
    def partner(self) -> dict[int, int]:
        """Index of each round, square or curly bracket to the index of its counterpart, both ways."""
        pairs: dict[int, int] = {}
        open_brackets: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.kind is not Kind.MARK:
                continue
            if token.text in "([{":
                open_brackets.append(index)
            elif token.text in _CLOSERS:
                while open_brackets and self.tokens[open_brackets[-1]].text != _CLOSERS[token.text]:
                    open_brackets.pop()
                if open_brackets:
                    opener = open_brackets.pop()
                    pairs[opener], pairs[index] = index, opener
        return pairs

    @cached_property
    def angles(self) -> dict[int, int]:
        """Index of each `<` to that of its `>`, both ways, if no bracket or statement ends between them.

        One walk serves all questions about template arguments, so none needs a limit on how far it looks.
        """
        pairs: dict[int, int] = {}
        pending: list[list[int]] = [[]]  # of each open bracket, the `<` that nothing has closed yet
        for index, token in enumerate(self.tokens):
            if token.kind is not Kind.MARK:
                continue
            text, other = token.text, self.partner.get(index, index)
            if text == "<":
                pending[-1].append(index)
            elif text == ">" and pending[-1]:
                opener = pending[-1].pop()
                pairs[opener], pairs[index] = index, opener
            elif other > index:
                pending.append([])
            elif other < index:
                pending.pop()
            elif text in (";", "<<<", *_CLOSERS):
                pending[-1].clear()
        return pairs

    def declaration_start(self, index: int) -> int:
        """Index of the first token of the declaration whose specifiers include the one at `index`.

        A template's parameter list does not belong to it.
        """
        passed = []
        while index not in self._starts:
            opener = self.template_open(index - 1) if self.text(index - 1) == ">" else None
            in_type = opener is not None and self.text(opener - 1) != "template"
            if not in_type and self.text(index - 1) in _BEFORE_DECLARATION:
                break
            passed.append(index)
            index = opener if opener is not None and in_type else index - 1
        start = self._starts.get(index, index)
        self._starts.update(dict.fromkeys(passed, start))
        return start

    def template_open(self, end: int) -> int | None:
        """Index of the `<` that the `>` at `end` closes, or None when they hold no template arguments."""
        opener = self.angles.get(end)
        return opener if opener is not None and self.is_word(opener - 1) else None

    def template_close(self, opener: int) -> int | None:
        """Index of the `>` that closes the `<` at `opener`, or None when that opens no template arguments."""
        return self.angles.get(opener) if self.is_word(opener - 1) else None

    @cached_property
    def enclosing(self) -> list[int]:
        """For each token, and the end, the index of the innermost bracket open before it; -1 for none."""
        found: list[int] = []
        open_brackets: list[int] = []
        for index, token in enumerate(self.tokens):
            opener = self.partner.get(index, index)
            if opener < index:  # what is still open within a pair is never closed
                while open_brackets.pop() != opener:
                    pass
            found.append(open_brackets[-1] if open_brackets else -1)
            if token.kind is Kind.MARK and token.text in "([{":
                open_brackets.append(index)
        return [*found, open_brackets[-1] if open_brackets else -1]

    def is_uncertain(self, index: int) -> bool:
        """Does a token stand under a condition that only the compiler can decide?"""
        return index in self._uncertain

    def text(self, index: int) -> str:
        """Text of a token; empty outside the stream and for literals, which are neither mark nor name."""
        if not 0 <= index < len(self.tokens):
            return ""
        token = self.tokens[index]
        return "" if token.kind is Kind.TEXT else token.text

    def is_word(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind is Kind.WORD

    def positions(self, word: str) -> list[int]:
        """Indices of every use of `word` as a name or keyword."""
        return self._positions.get(word, [])

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, token in enumerate(self.tokens):
            if token.kind is Kind.WORD:
                found.setdefault(token.text, []).append(index)
        return found

    def skip(self, index: int) -> int:
        """The index after `index`, or after the bracket that closes there when one opens at `index`."""
        return max(self.partner.get(index, index), index) + 1
