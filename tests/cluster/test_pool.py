"""A block's pool of workers ends, too, when nobody answers whom it could notice the silence of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.conftest import ROOT

PATIENCE = 240  # seconds; a loaded machine may take a minute to import Parsl
PROGRAM = "from grader.instruct.cluster import worker_pool as pool; pool.ANSWER_SECONDS = 1.0; pool.main()"


def test_a_pool_whose_interchange_ends_before_it_is_registered_ends_with_it(tmp_path: Path) -> None:
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    import zmq

    keeper = [sys.executable, "-m", "grader.instruct.cluster.supervisor", sys.executable, "-c", PROGRAM]
    with zmq.Context() as context, context.socket(zmq.ROUTER) as interchange:
        interchange.setsockopt(zmq.RCVTIMEO, PATIENCE * 1000)
        port = interchange.bind_to_random_port("tcp://127.0.0.1")
        options = ["-a", "127.0.0.1", f"--port={port}", "--cert_dir=None", f"--logdir={tmp_path}", "-u"]
        options += ["pool", "--max_workers_per_node=1", "-c", "0.01", "--cpu-affinity", "none"]
        options += ["-m", "None", "--block_id=0", "--hb_period=2", "--hb_threshold=10", "--drain_period=None"]
        with subprocess.Popen([*keeper, *options], cwd=ROOT, stderr=subprocess.PIPE, text=True) as pool:
            try:
                name, _ = interchange.recv_multipart()
                interchange.send_multipart([name, b""])  # it is found; whoever found it hears no more of it
                _, said = pool.communicate(timeout=PATIENCE)
            finally:
                pool.kill()
    assert pool.returncode == 1
    assert "zmq.error.Again" in said
    assert "Failed to connect to interchange" in (tmp_path / "block-0" / "pool" / "manager.log").read_text()
