"""The stylesheet of a verdict in HTML.

A verdict appears in pages of others: JupyterLab, Colab, VS Code, nbgrader's feedback. So every rule is held
to ``.cu2grad``, text and background are inherited, and each host's own word for dark chooses the palette.
"""

from __future__ import annotations

from grader.simt.canvas import DARK, LIGHT, SHAPES, variables

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

LOOK = f"""
.cu2grad {{ {_LIGHT} }}
{_DARK_HOSTS} {{ {_DARK} }}
.cu2grad {{ font: 14px/1.5 system-ui, sans-serif; max-width: 60rem; overflow-wrap: anywhere; }}
.cu2grad header {{ border-bottom: 1px solid var(--rule); padding-bottom: 4px; }}
.cu2grad .standing {{ font-weight: 700; }}
.cu2grad .good {{ color: var(--good); }}
.cu2grad .bad {{ color: var(--bad); }}
.cu2grad .open {{ color: var(--open); }}
.cu2grad .dim {{ opacity: 0.75; }}
.cu2grad .bar {{ display: flex; gap: 2px; height: 8px; margin: 8px 0; }}
.cu2grad .bar span {{ background: var(--rule); border-radius: 2px; overflow: hidden; }}
.cu2grad .bar i {{ display: block; height: 100%; background: var(--good); }}
.cu2grad section {{ display: grid; grid-template-columns: 1.2rem 8.5rem 1fr max-content; gap: 0 8px;
  padding: 5px 0; border-bottom: 1px solid var(--rule); }}
.cu2grad section > * {{ margin: 0; font-size: 1em; }}
.cu2grad .mark, .cu2grad h4 {{ font-weight: 700; }}
.cu2grad .points {{ font-variant-numeric: tabular-nums; white-space: nowrap; }}
.cu2grad p {{ margin: 0 0 4px; }}
.cu2grad dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0 10px; margin: 4px 0;
  align-items: baseline; }}
.cu2grad dt {{ opacity: 0.75; font-weight: 400; }}
.cu2grad dd {{ margin: 0; }}
.cu2grad code, .cu2grad pre, .cu2grad dd {{ font: 12.5px/1.5 ui-monospace, monospace; }}
.cu2grad pre {{ background: var(--soft); color: inherit; padding: 6px 8px; margin: 4px 0; border-radius: 3px;
  white-space: pre-wrap; max-height: 24rem; overflow: auto; }}
.cu2grad .finding {{ border-left: 3px solid var(--bad); padding-left: 8px; margin: 6px 0; }}
.cu2grad summary {{ cursor: pointer; opacity: 0.75; }}
.cu2grad svg {{ max-width: 44rem; width: 100%; height: auto; display: block; }}
@media (max-width: 40em) {{ .cu2grad section {{ grid-template-columns: 1.2rem 1fr max-content; }}
  .cu2grad .told {{ grid-column: 2 / -1; }} .cu2grad .points {{ grid-row: 1; grid-column: 3; }} }}
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
