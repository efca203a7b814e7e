"""What ptxas makes of the kernels of a program."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

EXTRACT = pathlib.Path(__file__).resolve().parents[2] / "build_tools" / "extract-ptx.py"


def find_ptxas():
    """As lib/Target/Ptxas.cpp does; None if there is none."""
    chosen = os.environ.get("DIETCODE_PTXAS")
    if chosen:
        return None if chosen == "none" else chosen
    folders = [os.environ.get("PATH", "")]
    if os.environ.get("CUDA_HOME"):
        folders.append(os.path.join(os.environ["CUDA_HOME"], "bin"))
    return shutil.which("ptxas", path=os.pathsep.join(folders + ["/usr/local/cuda/bin"]))


class Assembly:
    """How many kernels there are, the bytes that they spill, and what is wrong."""

    def __init__(self, kernels=0, spilled=0, mistakes=()):
        self.kernels, self.spilled, self.mistakes = kernels, spilled, list(mistakes)


class Assembler:
    chip = "sm_75"

    def __init__(self, opt, ptxas):
        self.opt, self.ptxas = opt, ptxas

    def command(self, file, options):
        """The pipeline of dietcode-run with these options."""
        return [self.opt, file, f"--dietcode-to-llvm={' '.join(options)}"]

    def assemble(self, file, options):
        compiled = subprocess.run(self.command(file, options), capture_output=True, text=True)
        if compiled.returncode:
            return Assembly(mistakes=compiled.stderr.splitlines()[:1])
        if "gpu.binary" not in compiled.stdout:
            return Assembly()
        ptx = subprocess.run([sys.executable, EXTRACT], input=compiled.stdout,
                             capture_output=True, text=True, check=True).stdout
        with open(file + ".ptx", "w") as stream:
            stream.write(ptx)
        process = subprocess.run([self.ptxas, f"-arch={self.chip}", "-v", file + ".ptx", "-o",
                                  os.devnull], capture_output=True, text=True)
        return self.read(process, ptx)

    def read(self, process, ptx):
        """Each kernel is reported once, and must spill nothing."""
        result = Assembly()
        kernel = "a kernel"
        for line in (process.stdout + process.stderr).splitlines():
            if re.search("error|fatal|warning", line):
                result.mistakes.append(line)
            if found := re.search("Compiling entry function '(.+?)'", line):
                kernel = found[1]
                result.kernels += 1
            if found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
                spilled = int(found[1]) + int(found[2])
                result.spilled += spilled
                if spilled:
                    result.mistakes.append(f"{kernel} spills {spilled} bytes")
        entries = ptx.count(".visible .entry")
        if not result.mistakes and (process.returncode or result.kernels != entries):
            result.mistakes.append(f"ptxas ended with status {process.returncode} after "
                                   f"{result.kernels} of {entries} kernels")
        return result
