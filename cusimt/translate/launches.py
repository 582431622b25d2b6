"""Rewrite `kernel<<<grid, block, shared, stream>>>(arguments)` to a call of `simt::launch_named`.

The pieces keep their order and their lines:

    (::simt::launch_named(
        [&](auto simt_f) {
            if constexpr (requires { simt_f(kernel); }) return simt_f(kernel); else return 0; },
        [&](auto... simt_p) SIMT_HOST { return kernel(simt_p...); },
        ::simt::site{SIMT_TEXT(kernel), __FILE__, 12},
        ::simt::configuration(grid, block, shared, stream)).with(arguments))

Arguments are evaluated once on the host and copied, as kernel parameters are. Where `kernel` names one
function, `with` has its parameters: an object that converts to a pointer is converted, `0` and `{1, 2}` get a
type. Where template arguments are to be deduced, arguments keep their own types. A null pointer constant has
none to be copied as, so its text goes into the second lambda. So does a braced list; and because no deduced
parameter takes one, such a launch (outside of macros, where the arguments are unknown) becomes

    (::simt::launch(
        [&](auto, auto simt_p1) SIMT_HOST { return kernel({1, 2}, simt_p1); },
        ::simt::site{...}, ::simt::configuration(...), 0, argument))

A kernel that is an expression, such as `table.pick(i)`, is evaluated on the host too: it is passed to
`launch_pointer`, whose parameters are the kernel's. The whole is in parentheses, so that a macro which
takes the launch as its argument sees no bare comma.
"""

from __future__ import annotations

import re

from cusimt.translate.expressions import arguments, postfix_start, spelled
from cusimt.translate.rewrite import Refused, Rewrite
from cusimt.translate.token_streams import TokenStream

_NULL = re.compile(r"NULL|0[uUlL]*|0x0+")


def rewrite_launches(stream: TokenStream, rewrite: Rewrite) -> None:
    """Rewrite every launch of a stream. Refused: a launch that is not whole."""
    for index, token in enumerate(stream.tokens):
        is_operator = stream.text(index - 1) == "operator" or stream.text(index + 1).startswith("<")
        if token.text == "<<<" and not is_operator:
            _rewrite_launch(stream, index, rewrite)


def _rewrite_launch(stream: TokenStream, opener: int, rewrite: Rewrite) -> None:
    tokens = stream.tokens
    first = postfix_start(stream, opener - 1)
    if first is None:
        raise Refused(tokens[opener].start, "there is no kernel before <<<")
    closer = _configuration_end(stream, opener)
    call = closer + 3
    if closer == opener + 1:
        raise Refused(tokens[opener].start, "<<<>>> holds no grid and no block")
    if call not in stream.partner:
        raise Refused(tokens[opener].start, "the arguments of the launch are not closed by )")
    line = "__LINE__" if stream.macro else str(rewrite.line(tokens[opener].start))
    site = f"::simt::site{{SIMT_TEXT({spelled(stream, first, opener)}), __FILE__, {line}}}"
    is_bound_later = False  # the arguments go to what the launch returns
    if _is_name(stream, first, opener):
        parameters, passed, has_list = _parameters(stream, call, rewrite)
        is_bound_later = not has_list
        launch = "::simt::launch("
        if is_bound_later:
            call_of = f"simt_f({spelled(stream, first, opener)})"
            question = f"if constexpr (requires {{ {call_of}; }}) return {call_of}; else return 0;"
            launch = f"::simt::launch_named([&](auto simt_f) {{ {question} }}, "
        before = f"({launch}[&]({parameters}) SIMT_HOST {{ return "
        between = f"({passed}); }}, {site}, ::simt::configuration("
    else:
        before, between = "(::simt::launch_pointer(", f", {site}, ::simt::configuration("
    rewrite.insert(tokens[first].start, before)
    rewrite.replace(tokens[opener], tokens[opener], between)
    rewrite.replace(tokens[closer], tokens[closer + 2], ")")
    takes = ", " if stream.partner[call] != call + 1 else ""
    rewrite.replace(tokens[call], tokens[call], ").with(" if is_bound_later else takes)
    rewrite.insert(tokens[stream.partner[call]].end, ")")


def _is_name(stream: TokenStream, first: int, past: int) -> bool:
    """`k`, `ns::k<T, 3>`, `(k<T>)`: a function by its name; anything else is an expression to evaluate."""
    if stream.text(first) == "(" and stream.partner.get(first) == past - 1:
        return _is_name(stream, first + 1, past - 1)
    index = first
    while index < past:
        if stream.text(index) == "<":
            close = stream.template_close(index)
            index = past + 1 if close is None else close + 1
        elif stream.is_word(index) or stream.text(index) in ("::", "##"):
            index += 1
        else:
            return False
    return index == past


def _configuration_end(stream: TokenStream, opener: int) -> int:
    """Index of the first `>` of the `>>>` that ends the configuration: the one that closes no template.

    When a comparison (`n < 4`) makes that rule find none, the first `>>>` that a call follows.
    """
    index, fallback = opener + 1, None
    while index < len(stream.tokens) and stream.text(index) not in (";", ")", "]", "}", "<<<"):
        if _is_triple(stream, index) and stream.text(index + 3) == "(":
            return index
        close = stream.template_close(index) if stream.text(index) == "<" else None
        if close is not None and fallback is None:
            fallback = _triple_within(stream, index, close)
        index = stream.skip(index) if close is None else close + 1
    if fallback is None:
        raise Refused(
            stream.tokens[opener].start,
            "the launch configuration opened by <<< is not closed by >>> and a list of arguments",
        )
    return fallback


def _triple_within(stream: TokenStream, first: int, close: int) -> int | None:
    """Where a `>>>` that a call follows holds the `>` at `close`."""
    for index in range(max(first, close - 2), close + 1):
        if _is_triple(stream, index) and stream.text(index + 3) == "(":
            return index
    return None


def _is_triple(stream: TokenStream, index: int) -> bool:
    """`>>>`, or `>> >`, which nvcc takes for the same."""
    tokens = stream.tokens[index : index + 3]
    is_three = len(tokens) == 3 and all(token.text == ">" for token in tokens)
    return is_three and tokens[0].end == tokens[1].start


def _parameters(stream: TokenStream, call: int, rewrite: Rewrite) -> tuple[str, str, bool]:
    """The lambda's parameters, what it passes on, and whether a braced argument moved into the latter."""
    spans = arguments(stream, call)
    inner = [_untyped(stream, first, past) for first, past in spans]
    if not any(inner) or any(spelled(stream, *span) == "__VA_ARGS__" for span in spans):
        return "auto... simt_p", "simt_p...", False
    parameters, passed, has_list = [], [], False
    for number, ((first, past), text) in enumerate(zip(spans, inner, strict=True)):
        pack = "..." if stream.text(past - 1) == "..." else ""
        parameters.append("auto" if text else f"auto{pack} simt_p{number}")
        passed.append(text or f"simt_p{number}{pack}")
        if text.startswith("{"):
            rewrite.replace(stream.tokens[first], stream.tokens[past - 1], "0")
            has_list = True
    return ", ".join(parameters), ", ".join(passed), has_list


def _untyped(stream: TokenStream, first: int, past: int) -> str:
    """The argument's text if it is a null pointer constant or a braced list, else nothing.

    In a macro's body a braced list stays where it is, for the parameter to give it a type.
    """
    text = spelled(stream, first, past)
    is_braced = stream.text(first) == "{" and stream.partner.get(first) == past - 1
    return text if (is_braced and not stream.macro) or _NULL.fullmatch(text) else ""
