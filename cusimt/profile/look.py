"""The stylesheet of a profile's page; the colours of the pictures are `cusimt.counters.canvas.STYLE`."""

from __future__ import annotations

LOOK = """
:root { color-scheme: light dark; --page: #fff; --soft: #f4f5f8; --bad: #b3261e; --dim: #5c6170; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181f; --soft: #20232d; --bad: #ff8a80; --dim: #a3a9bb; }
}
body {
  background: var(--page); color: var(--fig-ink); font: 15px/1.5 system-ui, sans-serif;
  max-width: 74rem; margin: 2rem auto; padding: 0 1rem;
}
h1 { font-size: 1.5rem; }
h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.dim { color: var(--dim); }
.remarks li { margin: 0.4rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th {
  font-weight: 600; font-size: 0.8rem; color: var(--dim); padding: 2px 10px; text-align: right;
  white-space: nowrap;
}
th:first-child, th:nth-child(2) { text-align: left; }
td { padding: 1px 10px; text-align: right; white-space: nowrap; vertical-align: top; }
td.line, td.code { font: 13px/1.5 ui-monospace, monospace; }
td.line { color: var(--dim); }
td.code { text-align: left; max-width: 0; white-space: pre-wrap; }
td.what { text-align: left; padding-left: 2.2rem; width: 100%; }
tr.counted td { background: var(--soft); }
tr.bad td { color: var(--bad); font-weight: 600; }
td.picture { text-align: left; padding: 0 0 8px 2.2rem; white-space: normal; }
td.picture svg { max-width: 46rem; width: 100%; height: auto; display: block; }
summary { cursor: pointer; color: var(--dim); font-size: 0.85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 1rem; }
dt { color: var(--dim); }
dd { margin: 0; }
"""
