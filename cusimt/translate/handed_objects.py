"""Lets objects in memory that a call takes or returns by value pass through one of the caller's own.

    total = merge(total, of_warp[lane]);   becomes   total = merge(total, ::simt::handed(of_warp[lane]));
    out[i] = scaled(each);                 becomes   out[i] = ::simt::handed_back(scaled(each));
    out[i] = one + other;                  becomes   out[i] = ::simt::handed_back(one + other);

g++ puts the checked build's hooks before assignments only. A call that is not inlined reads such an argument,
and leaves such a result, without one. Rewritten, in code of the device, are calls of functions that the
program's own files declare (`declarations`), and what a statement assigns to a place in memory if such a
function, member or operator may have computed it: of a number, `handed_back` is the number.
"""

from __future__ import annotations

from cusimt.translate.expressions import arguments, postfix_start
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import device_bodies, opens_namespace
from cusimt.translate.signatures import Declarations, Signature
from cusimt.translate.statements import BEFORE_STATEMENT
from cusimt.translate.token_streams import TokenStream

__all__ = ["hand_over_objects"]

_HANDED, _HANDED_BACK = "::simt::handed(", "::simt::handed_back("
_BEFORE_EXPRESSION = ("return", "else", "do", "case", "co_return")
_IN_PLACE = frozenset(["::", ".", "->"])  # what joins the parts of an expression that names an object
_NO_VALUE = frozenset(["=", ",", "{"])  # marks of what is no plain expression


def hand_over_objects(stream: TokenStream, rewrite: Rewrite, declared: Declarations) -> None:
    """Rewrite calls and assignments in the code of the device; last of all passes over a stream."""
    if stream.macro:
        return
    bodies = device_bodies(stream, of_both=True)
    for index in sorted(bodies):
        text = stream.text(index)
        if text == "=":
            _hand_back(stream, rewrite, index, declared.returning)
        elif text in declared.functions and stream.is_word(index):
            _hand_over(stream, rewrite, index, declared.functions[text])


def _hand_over(stream: TokenStream, rewrite: Rewrite, index: int, signature: Signature) -> None:
    """Copy what the call of the function at `index` takes by value from memory."""
    opener = _opener(stream, index)
    if opener is None or opener not in stream.partner or not _is_called(stream, index, signature):
        return
    spans = arguments(stream, opener)
    if len(spans) > signature.most:
        return
    names = _names_of_memory(stream, index)
    for number in signature.by_value:
        if number < len(spans) and _is_place(stream, *spans[number], names):
            _wrap(stream, rewrite, *spans[number], _HANDED)


def _hand_back(stream: TokenStream, rewrite: Rewrite, index: int, returning: frozenset[str]) -> None:
    """Let the value of the assignment at `index` pass, if it is a whole statement that stores in memory."""
    first, end = index + 1, index + 1
    while stream.text(end) not in (";", ")", "]", "}") and end < len(stream.tokens):
        end = stream.skip(end)
    if stream.text(end) == ";" and _may_return_object(stream, first, end, returning):
        begin = _statement_start(stream, index)
        if _is_place(stream, begin, index, _names_of_memory(stream, index)):
            _wrap(stream, rewrite, first, end, _HANDED_BACK)


def _may_return_object(stream: TokenStream, first: int, past: int, returning: frozenset[str]) -> bool:
    """Whether one of the `returning` functions or operators gives the value of the expression."""
    if stream.text(first) == "(" and stream.partner.get(first) == past - 1:
        return _may_return_object(stream, first + 1, past - 1, returning)
    marks = {stream.text(index) for index in _outside_brackets(stream, first, past)}
    if marks & _NO_VALUE:
        return False
    index, found = first, bool(marks & returning)
    while index < past and not found:
        is_named = stream.is_word(index) and stream.text(index) in returning
        found = is_named and _opener(stream, index) is not None
        index = stream.skip(index)
    return found


def _opener(stream: TokenStream, index: int) -> int | None:
    """The bracket of the call whose name is at `index`; None if it is none, or may make a reference."""
    after = index + 1
    if stream.text(after) == "<":
        close = stream.template_close(after)
        if close is None or any(stream.text(each) == "&" for each in range(after, close)):
            return None
        after = close + 1
    return after if stream.text(after) == "(" else None


def _is_called(stream: TokenStream, index: int, signature: Signature) -> bool:
    """Whether the name at `index` is that function: no member, no variable, and not another namespace's."""
    joint = stream.text(index - 1)
    if joint != "::":
        is_declared = stream.is_word(index - 1) and joint not in _BEFORE_EXPRESSION
        return joint not in (".", "->") and not is_declared
    if stream.text(index - 2) in signature.namespaces:
        return postfix_start(stream, index) is not None
    return not stream.is_word(index - 2) and "" in signature.namespaces


def _statement_start(stream: TokenStream, index: int) -> int:
    """Where the statement with the token at `index` begins."""
    begin = index - 1
    while begin >= 0 and stream.text(begin) not in BEFORE_STATEMENT:
        opener = stream.partner.get(begin, begin)
        begin = min(begin, opener) - 1
    return begin + 1


def _is_place(stream: TokenStream, first: int, past: int, names: frozenset[str]) -> bool:
    """Whether the tokens name an object that may be in memory: `a[i]`, `*p`, `p->pair`, `c ? a[i] : none`."""
    if first >= past:
        return False
    if stream.text(first) == "(" and stream.partner.get(first) == past - 1:
        return _is_place(stream, first + 1, past - 1, names)
    marks = _outside_brackets(stream, first, past)
    question = next((index for index in marks if stream.text(index) == "?"), None)
    if question is not None:
        colon = next((index for index in reversed(marks) if stream.text(index) == ":"), past)
        is_plain = not any(stream.text(index) in ("=", ",", "{") for index in marks)
        halves = ((question + 1, colon), (colon + 1, past))
        return is_plain and any(_is_place(stream, *half, names) for half in halves)
    if stream.text(first) == "*":
        rest = [stream.text(index) for index in marks if index > first]
        return set(rest) <= _IN_PLACE and stream.text(first + 1) not in ("", "*", "&", "+", "-")
    if any(stream.text(index) not in _IN_PLACE for index in marks):
        return False
    last = stream.text(past - 1)
    if past - first == 1:
        return last in names
    if stream.is_word(past - 1) and stream.text(past - 2) == ".":
        return _is_place(stream, first, past - 2, names)
    is_reached = last == "]" or (stream.is_word(past - 1) and stream.text(past - 2) == "->")
    return is_reached and postfix_start(stream, past - 1) == first


def _outside_brackets(stream: TokenStream, first: int, past: int) -> list[int]:
    """Indices of the marks between the tokens that are in no bracket and in no template's arguments."""
    found, index = [], first
    while index < past:
        close = stream.template_close(index) if stream.text(index) == "<" else None
        if close is not None and close < past:
            index = close + 1
            continue
        text = stream.text(index)
        if text == "{" or (text and index not in stream.partner and not stream.is_word(index)):
            found.append(index)
        index = stream.skip(index)
    return found


def _names_of_memory(stream: TokenStream, index: int) -> frozenset[str]:
    """Names of references and shared variables that are declared in front of `index` in the same function."""
    outer = index
    while (opener := stream.enclosing[outer]) >= 0 and not opens_namespace(stream, opener):
        outer = opener
    begin = outer
    while begin > 0 and stream.text(begin - 1) not in (";", "{", "}"):
        begin = min(begin - 1, stream.partner.get(begin - 1, begin))
    references = {stream.text(each + 1) for each in range(begin, index) if stream.text(each) == "&"}
    shared = (each for each in stream.positions("__shared__") if begin <= each < index)
    return frozenset(references.union(*(_declared_names(stream, each) for each in shared)))


def _declared_names(stream: TokenStream, index: int) -> set[str]:
    """The words of the declaration at `index`, brackets left out."""
    words = set()
    while index < len(stream.tokens) and stream.text(index) != ";":
        words.add(stream.text(index))
        index = stream.skip(index)
    return words


def _wrap(stream: TokenStream, rewrite: Rewrite, first: int, past: int, opened: str) -> None:
    begin, end = stream.tokens[first], stream.tokens[past - 1]
    is_whole = stream.is_uncertain(first - 1) == stream.is_uncertain(past)
    if is_whole and not rewrite.replaces(begin, end):
        rewrite.insert(begin.start, opened)
        rewrite.insert(end.end, ")")
