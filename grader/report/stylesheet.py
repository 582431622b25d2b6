"""The stylesheet of a verdict in HTML.

A verdict appears in pages of others: JupyterLab, Colab, VS Code, nbgrader's feedback. So every rule is held
to ``.cu2grad``, text and background are inherited, and each host's own word for dark chooses the palette.
Lengths are in pixels, like the font: the root of nbgrader's page has one of 10.
"""

from __future__ import annotations

from cusimt.counters.canvas import DARK, LIGHT, SHAPES, variables

# Okabe and Ito's colours serve the pictures; these, for statuses, reach 4.5:1 on their background as text.
_LIGHT = f"{variables(LIGHT)} --good: #1a7340; --bad: #b3261e; --open: #7b3f9d; --rule: #8886; --soft: #8881;"
_DARK = f"{variables(DARK)} --good: #6fcf97; --bad: #ff8a80; --open: #d7a6f0; --rule: #8886; --soft: #8882;"

# JupyterLab and nbconvert; Colab; VS Code; Material for MkDocs.
_DARK_HOSTS = ", ".join(
    f"{host} .cu2grad"
    for host in (
        '[data-jp-theme-light="false"]',
        'html[theme="dark"]',
        ".vscode-dark",
        '[data-md-color-scheme="slate"]',
    )
)


def _ours(selector: str) -> str:
    """Named twice, the class outranks what a host says of the same element, as JupyterLab does of `pre`."""
    return f".cu2grad.cu2grad {selector}"


LOOK = f"""
.cu2grad {{ {_LIGHT} }}
{_DARK_HOSTS} {{ {_DARK} }}
.cu2grad {{ font: 14px/1.5 system-ui, sans-serif; max-width: 960px; overflow-wrap: anywhere;
  container-type: inline-size; }}
{_ours("header")} {{ border-bottom: 1px solid var(--rule); padding-bottom: 4px; }}
{_ours(".standing")} {{ font-weight: 700; }}
{_ours(".good")} {{ color: var(--good); }}
{_ours(".bad")} {{ color: var(--bad); }}
{_ours(".open")} {{ color: var(--open); }}
{_ours(".dim")} {{ opacity: 0.75; }}
{_ours(".bar")} {{ display: flex; gap: 2px; height: 8px; margin: 8px 0; }}
{_ours(".bar span")} {{ background: var(--rule); border-radius: 2px; overflow: hidden; }}
{_ours(".bar i")} {{ display: block; height: 100%; background: var(--good); }}
{_ours("section")} {{ display: grid; grid-template-columns: 20px 136px minmax(0, 1fr) max-content;
  gap: 0 8px; padding: 5px 0; border-bottom: 1px solid var(--rule); }}
{_ours("section > *")} {{ margin: 0; font-size: 1em; line-height: 1.5; }}
{_ours(".mark")}, {_ours("h4")} {{ font-weight: 700; background: none; padding: 0; }}
{_ours(".points")} {{ font-variant-numeric: tabular-nums; white-space: nowrap; }}
{_ours("p")} {{ margin: 0 0 4px; }}
{_ours(".values")} {{ display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 10px;
  margin: 4px 0; align-items: baseline; }}
{_ours("code")}, {_ours("pre")} {{ font: 12.5px/1.5 ui-monospace, monospace; background: none;
  padding: 0; word-break: normal; overflow-wrap: anywhere; }}
{_ours("pre")} {{ background: var(--soft); color: inherit; border: 0; padding: 6px 8px; margin: 4px 0;
  border-radius: 3px; white-space: pre-wrap; max-height: 384px; overflow: auto; }}
{_ours(".finding")} {{ border-left: 3px solid var(--bad); padding-left: 8px; margin: 6px 0; }}
{_ours("summary")} {{ cursor: pointer; opacity: 0.75; }}
{_ours("svg")} {{ max-width: 704px; width: 100%; height: auto; display: block; }}
@container (max-width: 608px) {{
  {_ours("section")} {{ grid-template-columns: 20px minmax(0, 1fr) max-content; }}
  {_ours(".told")} {{ grid-column: 2 / -1; }}
  {_ours(".points")} {{ grid-row: 1; grid-column: 3; }}
}}
{SHAPES}
"""

PAGE = f"""
:root {{ color-scheme: light dark; }}
body {{ background: #fff; color: #1d1f27; margin: 2rem auto; padding: 0 1rem; max-width: 62rem; }}
.cu2grad {{ margin-bottom: 2.5rem; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #16181f; color: #e6e8f0; }}
  .cu2grad {{ {_DARK} }}
}}
"""
