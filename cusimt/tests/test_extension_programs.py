"""Programs on the simulated GPU: torch's own build tools unmodified, and what `python -m cusimt`
promises.

The libraries built here go into the user's cache, as they would outside of tests: the simulated GPU's own
libraries take half a minute to compile, and are compiled once.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from cusimt.tests.scaling_project import KERNEL, PLAIN_ENTRY, PLAIN_PROGRAM, run, script, write_project

pytestmark = pytest.mark.slow("torch's own build tools compile")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    return tmp_path


# ---- torch.utils.cpp_extension
# --------------------------------------------------------------------------------


def test_load_builds_and_rebuilds(project: Path) -> None:
    program = script(
        project,
        """
        import torch
        from torch.utils.cpp_extension import load

        path = load("scaling", ["kernel.cu", "binding.cpp"], is_python_module=False)
        print(path.rpartition("/")[2], torch.ops.scaling.scale(torch.arange(4.0, device="cuda")).tolist())
        """,
    )
    first = run(project, program)
    assert first.stdout == "scaling.so [0.0, 3.0, 6.0, 9.0]\n", first.stderr
    (project / "factor.cuh").write_text("#define FACTOR 5\n")
    second = run(project, program)
    assert second.stdout == "scaling.so [0.0, 5.0, 10.0, 15.0]\n", "torch's ninja file knows the header"


def test_load_builds_again_after_the_translator_changed(tmp_path: Path) -> None:
    """As after an update: the sources, the flags and the package's place are the same."""
    (tmp_path / "kernel.cu").write_text('__global__ void k() {}\nextern "C" int f() { return 7; }\n')
    script(
        tmp_path,
        """
        import ctypes
        from torch.utils.cpp_extension import load

        print(ctypes.CDLL(load("plain", ["kernel.cu"], is_python_module=False)).f())
        """,
        "program.py",
    )
    updated = script(
        tmp_path,
        """
        import sys
        from cusimt.compiler import toolkit
        from cusimt.__main__ import main

        toolkit.translator = lambda: sys.argv[1]
        main(["program.py"])
        """,
    )
    library, built = tmp_path / "extensions/plain/plain.so", []
    for version in ("first", "first", "second"):
        done = run(tmp_path, updated, version, simulated=False)
        assert done.stdout == "7\n", done.stderr
        built.append(library.stat().st_mtime_ns)
    assert built[0] == built[1] < built[2]


def test_setup_py_builds_in_place(project: Path) -> None:
    script(
        project,
        """
        from setuptools import setup
        from torch.utils.cpp_extension import BuildExtension, CUDAExtension

        flags = {"nvcc": ["-O3"]}
        extension = CUDAExtension("scaling", ["kernel.cu", "binding.cpp"], extra_compile_args=flags)
        setup(name="scaling", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
        """,
        "setup.py",
    )
    built = run(project, "setup.py", "build_ext", "--inplace")
    assert built.returncode == 0, built.stderr
    (library,) = project.glob("scaling*.so")
    program = script(
        project,
        f"""
        import torch
        torch.ops.load_library("{library}")
        print(torch.ops.scaling.scale(torch.ones(2, device="cuda")).tolist())
        """,
    )
    assert run(project, program).stdout == "[3.0, 3.0]\n"


def test_setup_py_that_names_a_real_toolkit_outright(project: Path) -> None:
    """Its headers would redefine this one's, and its runtime would ask for a GPU."""
    for name in ("include/cuda_runtime_api.h", "include/driver_types.h", "lib64/libcudart.so"):
        (project / "toolkit" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "toolkit" / name).write_text("#error a real toolkit\n")
    (project / "kernel.cu").write_text(KERNEL + 'extern "C" void entry() {}\n')
    script(
        project,
        """
        import shutil
        from setuptools import setup
        from torch.utils.cpp_extension import BuildExtension, CUDAExtension

        folders = {"include_dirs": ["toolkit/include"], "library_dirs": ["toolkit/lib64"]}
        extension = CUDAExtension("scaling", ["kernel.cu", "host.cpp"], **folders)
        setup(name="scaling", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
        print("nvcc on PATH:", shutil.which("nvcc"))
        """,
        "setup.py",
    )
    host = "#include <cuda_runtime_api.h>\nint host() { return cudaDeviceSynchronize(); }\n"
    (project / "host.cpp").write_text(host)
    built = run(project, "setup.py", "build_ext", "--inplace")
    assert built.returncode == 0, built.stdout + built.stderr
    assert "/toolkits/" in built.stdout.partition("nvcc on PATH:")[2], "build scripts look for it there"


@pytest.mark.release("about torch's load_inline, which the sample late_error/overrun.py calls, too")
def test_load_inline(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        '''
        import torch
        from torch.utils.cpp_extension import load_inline

        cuda = """
        __global__ void negate_kernel(const float* x, float* y) { y[threadIdx.x] = -x[threadIdx.x]; }
        torch::Tensor negate(torch::Tensor x) {
            auto y = torch::empty_like(x);
            negate_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>());
            return y;
        }
        """
        module = load_inline("negating", "torch::Tensor negate(torch::Tensor x);", cuda, functions=["negate"])
        print(module.negate(torch.ones(3, device="cuda")).tolist())
        ''',
    )
    done = run(tmp_path, program)
    assert done.stdout == "[-1.0, -1.0, -1.0]\n", done.stderr


def test_a_compile_error_names_the_learners_file(project: Path) -> None:
    (project / "kernel.cu").write_text(KERNEL.replace("FACTOR * x[i]", "FACTOR * z[i]"))
    program = script(
        project,
        """
        from torch.utils.cpp_extension import load
        load("scaling", ["kernel.cu"], is_python_module=False, verbose=True)
        """,
    )
    failed = run(project, program)
    assert failed.returncode == 1
    assert f"{project}/kernel.cu:6:" in failed.stdout + failed.stderr
    assert "‘z’ was not declared" in failed.stdout + failed.stderr


# ---- what a program sees
# ------------------------------------------------------------------------------------------


def test_arguments_main_and_folder(tmp_path: Path) -> None:
    script(tmp_path, "NAME = 'beside the script'", "neighbour.py")
    program = script(
        tmp_path,
        """
        import pickle, sys, torch, neighbour
        class Local: pass
        print(__name__, __file__, sys.argv, neighbour.NAME, torch.cuda.is_available())
        print(type(pickle.loads(pickle.dumps(Local()))) is Local, sys.modules["__main__"].Local is Local)
        """,
    )
    done = run(tmp_path, program, "-x", "one two")
    assert done.stdout.splitlines() == [
        f"__main__ {tmp_path}/script.py ['script.py', '-x', 'one two'] beside the script True",
        "True True",
    ]
    assert done.returncode == 0


def test_a_module_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    script(tmp_path, "", "package/__init__.py")
    script(tmp_path, "VALUE = 7", "package/part.py")
    script(tmp_path, "import sys; from .part import VALUE; print(VALUE, sys.argv[1:])", "package/__main__.py")
    done = run(tmp_path, "-m", "package", "argument")
    assert done.stdout == "7 ['argument']\n", done.stderr


@pytest.mark.parametrize(
    ("text", "status", "error"),
    [
        ("raise SystemExit", 0, ""),
        ("import sys; sys.exit(7)", 7, ""),
        ("import sys; sys.exit('in words')", 1, "in words\n"),
    ],
)
def test_exit_codes(tmp_path: Path, text: str, status: int, error: str) -> None:
    done = run(tmp_path, script(tmp_path, text))
    assert done.returncode == status
    assert done.stderr == error


def test_processes_that_a_program_starts(project: Path) -> None:
    (project / "sitecustomize.py").write_text("import builtins; builtins.customised = True\n")
    script(
        project,
        """
        import sys
        assert "torch" not in sys.modules
        import torch, importlib.util
        print(torch.ones(2, device="cuda").sum().item(), torch is sys.modules["torch"], customised)
        print(importlib.util.find_spec("torch").origin == torch.__file__)
        """,
        "child.py",
    )
    program = script(
        project,
        """
        import multiprocessing, os, subprocess, sys
        import torch

        def work(queue):
            queue.put(torch.cuda.device_count())

        if __name__ == "__main__":
            first, *rest = os.environ["PYTHONPATH"].split(os.pathsep)
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([first, ".", *rest])}
            subprocess.run([sys.executable, "child.py"], env=environment, check=True)
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            process = context.Process(target=work, args=(queue,))
            process.start()
            print(queue.get() == torch.cuda.device_count())
            process.join()
        """,
    )
    done = run(project, program)
    assert done.stdout == "2.0 True True\nTrue\nTrue\n", done.stderr


@pytest.mark.release("about pip and setuptools")
def test_pip_builds_a_wheel(project: Path) -> None:
    script(
        project,
        """
        from setuptools import setup
        from torch.utils.cpp_extension import BuildExtension, CUDAExtension

        extension = CUDAExtension("scaling", ["kernel.cu", "binding.cpp"])
        setup(name="scaling", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
        """,
        "setup.py",
    )
    built = run(project, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", "wheels", ".")
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (project / "wheels").glob("scaling-*.whl")
    assert any(name.endswith(".so") for name in zipfile.ZipFile(wheel).namelist())


def test_a_traceback_begins_in_the_program(tmp_path: Path) -> None:
    done = run(tmp_path, script(tmp_path, "def f():\n    1 / 0\nf()\n"))
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{tmp_path}/script.py", line 3, in <module>'
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "grader" not in done.stderr


def test_a_syntax_error_is_shown_as_python_shows_it(tmp_path: Path) -> None:
    done = run(tmp_path, script(tmp_path, "def f(:\n    pass\n"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == f'  File "{tmp_path}/script.py", line 1'
    assert done.stderr.splitlines()[-1] == "SyntaxError: invalid syntax"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "No program was named. * Name one: python -m cusimt script.py"),
        (
            ["missing.py"],
            "missing.py cannot be read: No such file or directory. * Correct the path, which counts from {}.",
        ),
        (
            ["-m", "no_such_module"],
            "There is no module no_such_module to run. * Correct the name, or start from the folder that "
            "holds it; this one is {}.",
        ),
    ],
)
def test_a_program_that_is_not_there(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    what, advice = sentence.format(tmp_path).split("*")
    assert done.stderr.startswith(what)
    assert done.stderr.splitlines()[0].endswith(advice)
    assert "usage: python -m cusimt" in done.stderr


OVERRUN = KERNEL.replace("if (i < n) ", "")


def test_findings_are_printed_and_fail_the_program(project: Path) -> None:
    (project / "kernel.cu").write_text(OVERRUN + PLAIN_ENTRY)
    program = script(project, PLAIN_PROGRAM)
    checked = run(project, program)
    assert checked.stdout == "[3.0, 3.0, 3.0, 3.0]\n", "the answers are right"
    assert checked.returncode == 1
    assert "kernel.cu:6" in checked.stderr
    assert "--no-checks runs without them" in checked.stderr
    unchecked = run(project, "--no-checks", program)
    assert unchecked.stdout == "[3.0, 3.0, 3.0, 3.0]\n"
    assert unchecked.returncode == 0
    assert unchecked.stderr == ""


def test_a_program_may_end_right_after_a_backward(tmp_path: Path) -> None:
    """The thread of the backward still needs the GIL then, which the main thread keeps until the end."""
    program = """
        import sys
        import torch

        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return a @ b

            @staticmethod
            def backward(ctx, grad):
                a, b = ctx.saved_tensors
                return grad @ b.t(), a.t() @ grad

        a, b = (torch.rand(16, 16, device="cuda", requires_grad=True) for _ in range(2))
        sys.setswitchinterval(1000)
        Product.apply(a, b).sum().backward()
        print(a.grad.device)
    """
    done = run(tmp_path, script(tmp_path, program))
    assert (done.returncode, done.stdout, done.stderr) == (0, "cuda:0\n", "")
