"""A real Slurm in one folder: munged with a key and a socket of its own, slurmctld, slurmd, two GPUs.

The GPUs are links to /dev/null: Slurm counts them, hands them out and sets CUDA_VISIBLE_DEVICES, which is
all that the grader's part in it depends on. Nothing outside of the folder is read or written, no port is a
fixed one, and every daemon ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.ports import reserved_port

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo", "setpriv")
START_SECONDS = 300.0
_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
_CONF = """\
ClusterName=cu2grad
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=10000
GresTypes=gpu
KillWait=2
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 Boards=1 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 \
RealMemory=2000 Gres=gpu:2 State=UNKNOWN
PartitionName=gpu Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def missing_programs() -> list[str]:
    """The programs of Slurm and munge that this machine lacks."""
    return [name for name in PROGRAMS if shutil.which(name, path=_PATH) is None]


class SlurmMachine:
    """Slurm with one node of two GPUs; its commands take `environment`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: Mapping[str, str] = {
            **os.environ,
            "PATH": _PATH,
            "SLURM_CONF": str(folder / "slurm.conf"),
        }
        self._daemons: list[subprocess.Popen[bytes]] = []
        self._reserved = contextlib.ExitStack()  # the ports, while the daemons start and as long as they run

    def start(self) -> None:
        """Write the configuration, start the three daemons and wait until the node takes jobs."""
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir()
        self._configure()
        self._start_munge()
        conf = str(self.folder / "slurm.conf")
        self._launch("slurmctld", "-D", "-i", "-f", conf)
        self._launch("slurmd", "-D", "-f", conf)
        self._wait_for("the node to become idle", lambda: "idle" in self.run("sinfo", "-h", "-o", "%t"))

    def run(self, *command: str) -> str:
        """What a Slurm command prints."""
        done = subprocess.run(
            command, env=dict(self.environment), capture_output=True, text=True, timeout=300
        )
        return done.stdout

    def jobs(self) -> dict[str, str]:
        """The state of each job in the queue, as `RUNNING`, by its number."""
        lines = self.run("squeue", "-h", "-r", "-o", "%i %T").splitlines()
        return {line.split()[0]: line.split()[1] for line in lines}

    def stop(self) -> None:
        """End every job, then the daemons, the last one first."""
        self.run("scancel", "--full", "-u", getpass.getuser())
        deadline = time.monotonic() + START_SECONDS
        while self.jobs() and time.monotonic() < deadline:
            time.sleep(0.1)
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._reserved.close()

    def _configure(self) -> None:
        host = socket.gethostname().partition(".")[0]
        controller, daemon = (self._reserved.enter_context(reserved_port()) for _ in range(2))
        facts = {"host": host, "user": getpass.getuser(), "folder": self.folder}
        text = _CONF.format(controller=controller, daemon=daemon, **facts)
        (self.folder / "slurm.conf").write_text(text)
        for number in range(2):
            (self.folder / f"gpu{number}").symlink_to("/dev/null")  # any device will do
        (self.folder / "gres.conf").write_text(f"NodeName={host} Name=gpu File={self.folder}/gpu[0-1]\n")

    def _start_munge(self) -> None:
        folder = self.folder / "munge"
        folder.chmod(0o755)
        key = folder / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        files = [f"--{name}-file={folder / name}" for name in ("key", "pid", "log", "seed")]
        self._launch("munged", "--foreground", "--force", f"--socket={folder / 'socket'}", *files)
        self._wait_for("munge's socket", (folder / "socket").exists)

    def _launch(self, program: str, *arguments: str) -> None:
        with (self.folder / f"{program}.out").open("wb") as output:
            command = ["setpriv", "--pdeathsig", "TERM", program, *arguments]
            daemon = subprocess.Popen(
                command, env=dict(self.environment), stdout=output, stderr=subprocess.STDOUT
            )
        self._daemons.append(daemon)

    def _wait_for(self, what: str, there: Callable[[], object]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not there():
            ended = next((daemon for daemon in self._daemons if daemon.poll() is not None), None)
            if ended is not None or time.monotonic() > deadline:
                words = "\n".join(f"{log.name}:\n{log.read_text()[-2000:]}" for log in self._logs())
                raise RuntimeError(f"Slurm did not start, waiting for {what}.\n{words}")
            time.sleep(0.05)

    def _logs(self) -> list[Path]:
        return sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")])
