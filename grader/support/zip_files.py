"""Zip files that are the same bytes for the same files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping


def packed(files: Mapping[str, str | bytes], programs: Collection[str] = ()) -> bytes:
    """A zip file of ``files``, by their names in it; those of ``programs`` can be run.

    Raises UnicodeEncodeError for a name that is not UTF-8.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # of the first moment that a zip file can name
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()
