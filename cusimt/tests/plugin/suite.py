"""The tests of a repository that knows nothing of cusimt. ../test_plugin.py says what becomes of each."""

import ctypes
import multiprocessing
import os
import subprocess
import sys
import unittest
from pathlib import Path

import pytest
import torch

kernels = ctypes.CDLL(str(Path(__file__).with_name("libkernels.so")))


def launch(name):
    x = torch.zeros(32, device="cuda")
    getattr(kernels, name)(ctypes.c_void_p(x.data_ptr()), x.numel())
    return x


def test_fill():
    assert launch("fill").sum().item() == 32


def test_leave_early():
    assert launch("leave_early").sum().item() == 32


def test_overrun():
    launch("overrun")


def test_fill_after_overrun():
    test_fill()


def test_race():
    launch("reverse")


def test_follow_null():
    launch("follow_null")


def test_fill_after_an_error_that_spoils_a_process():
    torch.cuda.synchronize()
    test_fill()


def test_error_is_raised():
    launch("follow_null")
    with pytest.raises(RuntimeError, match="illegal memory access"):
        torch.cuda.synchronize()


def test_wrong_and_overrun():
    launch("overrun")
    raise AssertionError("the answer is wrong, too")


@pytest.mark.xfail(reason="it is known")
def test_known_overrun():
    launch("overrun")


def test_skipped_after_overrun():
    launch("overrun")
    pytest.skip("half way")


def test_skip_is_raised():
    launch("overrun")
    raise unittest.SkipTest("half way")


def test_skipped():
    pytest.importorskip("no_such_module_anywhere")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a device")
def test_without_device():
    raise AssertionError("there is none")


@pytest.mark.parametrize("device", ["cpu", "cuda:0", "cuda:1"])
def test_on_each_device(device):
    assert torch.ones(2, device=device).sum().item() == 2


class TestInAClass(unittest.TestCase):
    def test_overrun_of_unittest(self):
        launch("overrun")

    def test_wrong_of_unittest(self):
        launch("overrun")
        self.fail("the answer is wrong, too")

    def test_skipped_of_unittest(self):
        launch("overrun")
        self.skipTest("half way")

    @unittest.expectedFailure
    def test_known_of_unittest(self):
        launch("overrun")
        self.fail("it is known")


@pytest.fixture
def overrun_before():
    launch("overrun")


@pytest.fixture
def overrun_behind():
    yield
    launch("overrun")


def test_with_fixture_before(overrun_before):
    pass


def test_with_fixture_behind(overrun_behind):
    pass


def test_overrun_in_a_process():
    subprocess.run([sys.executable, __file__, "overrun"], check=True)


def test_overrun_in_a_fork():
    process = multiprocessing.get_context("fork").Process(target=launch, args=("overrun",))
    process.start()
    process.join()
    assert process.exitcode == 0


def test_endless():
    launch("endless")


@pytest.mark.skipif("CAPABILITY" not in os.environ, reason="says nothing of the device")
def test_architecture():
    major, minor = torch.cuda.get_device_capability()
    assert f"{major}.{minor}" == os.environ["CAPABILITY"]


if __name__ == "__main__":
    launch(sys.argv[1])
