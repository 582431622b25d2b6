"""Refuse C++ spellings that a reader and the compiler can understand differently.

Nothing that people write by hand is lost: a digraph for a keyboard without brackets, a word that goes on in
the next line, a quote in a skipped block behind which one of the two sees a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cusimt.translate.lexer import Kind, Token, scan
from grader.audit.objection import Objection

_RULE = "A source is read as plain text before it is compiled, so each has to have one reading."
_DIGRAPHS = ("<:", ":>", "<%", "%>", "%:")
_JOINS = re.compile(r"[\w$\"']|[^\x00-\x7f]")
_PUNCTUATION = "#%:<>=&|+-*/.^!?~"
_MAY_CONTINUE = re.compile(r"#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|define)\b")
_TRIGRAPH = re.compile(r"\?\?[/=(<]")
_ODD_CONTINUATION = re.compile(r"\\[ \t\v\f]+\r?$", re.MULTILINE)
_HEADER_NAME = re.compile(
    r"(?:\binclude(?:_next)?|__has_include(?:_next)?)[ \t]*\(?[ \t]*<[^>\n]*(?:/[/*]|[\"'\\])[^>\n]*>"
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]|\r(?!\n)|(?<!^)\ufeff")
_MARKER_LINE = re.compile(r"^[ \t]*#[ \t]*\d", re.MULTILINE)
_CONTINUED_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*\\\r?$", re.MULTILINE)
_PREFIXES = ("R", "u", "U", "L")


def audit(content: bytes, file: str) -> Iterator[Objection]:
    """Objections to the bytes of a source, the ones that hide most first."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        yield Objection(file, line, "is not UTF-8", f"{_RULE} Save the file as UTF-8.")
        return
    for pattern, what, remedy in (
        (_CONTROL, "has a control character", "Delete it."),
        (
            _TRIGRAPH,
            "has a trigraph",
            "Write the character itself, or put a blank between the question marks.",
        ),
        (_ODD_CONTINUATION, "has blanks after the backslash that ends it", "Delete the blanks."),
        (
            _HEADER_NAME,
            "has a quote, a backslash or a comment in a header's name",
            "Name the header as it is.",
        ),
    ):
        if found := pattern.search(text):
            yield _object(text, found.start(), file, what, remedy)
    yield from _tokens(text, file)


def _object(text: str, at: int, file: str, what: str, remedy: str) -> Objection:
    return Objection(file, text.count("\n", 0, at) + 1, what, f"{_RULE} {remedy}")


def _tokens(text: str, file: str) -> Iterator[Objection]:
    tokens = scan(text)
    for index, token in enumerate(tokens):
        spelled = text[token.start : token.end]
        if token.kind is Kind.MARK and spelled in _DIGRAPHS:
            yield _object(text, token.start, file, f"has the digraph `{spelled}`", f"Write `{token.text}`.")
        elif token.kind is Kind.MARK and spelled in "\"'" and _may_open_a_comment(text, token):
            remedy = "Close it, or make the line a comment."
            yield _object(text, token.start, file, "has a quote that nothing closes", remedy)
        elif token.kind is Kind.TEXT:
            yield from _literal(text, token, tokens[index + 1 : index + 2], file)
        elif _splits_a_word(text, token):
            remedy = "End the line between two words, with a blank before the backslash."
            yield _object(text, token.start, file, "continues a word in the next line", remedy)
    for line in _CONTINUED_DIRECTIVE.finditer(text):
        if not _MAY_CONTINUE.match(line[0].strip()):
            yield _object(
                text, line.start(), file, "continues a directive in the next line", "Write it on one line."
            )


def _may_open_a_comment(text: str, quote: Token) -> bool:
    """For one reader the rest of the line is text, for the other there may be a comment in it."""
    rest = text[quote.end :].partition("\n")[0]
    return "/*" in rest or "//" in rest or '"' in rest


def _literal(text: str, token: Token, following: list[Token], file: str) -> Iterator[Objection]:
    spelled = text[token.start : token.end]
    raw = re.match(r'(?:u8|[uUL])?R"([^(]*)\(', spelled)
    if raw and not re.fullmatch(r"\w{0,16}", raw[1]):
        yield _object(
            text, token.start, file, f"begins a raw string with `{raw[1]}`", "Use letters, or nothing."
        )
    elif raw and (found := _MARKER_LINE.search(spelled)):
        at = token.start + found.start()
        yield _object(
            text, at, file, "has a line in a raw string that reads like a directive", "Begin it otherwise."
        )
    if following and following[0].kind is Kind.TEXT and following[0].text.startswith(_PREFIXES):
        remedy = "Put a blank between the two."
        yield _object(text, token.start, file, "has a text directly before another with a prefix", remedy)


def _splits_a_word(text: str, token: Token) -> bool:
    """Whether a line is continued within a word, a number, an operator or before a quote."""
    spelled = text[token.start : token.end]
    if token.kind in (Kind.WORD, Kind.NUMBER):
        return "\\" in spelled
    if token.kind is not Kind.BLANK or not spelled.startswith("\\"):
        return False
    before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    words = bool(_JOINS.match(before)) and bool(_JOINS.match(after))
    return words or bool(before and after and before in _PUNCTUATION and after in _PUNCTUATION)
