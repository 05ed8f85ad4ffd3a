# How lit runs the tests of this folder: programs, substitutions and features.
#   %source    the root of the sources       %examples  its examples/
#   %clang     clang++ of the same LLVM   %runtime   the runtime's shared object
#   %machine   compiles text for a GPU of AMD's to machine code, without ROCm: `%machine --offload-arch=gfx942 program.hip`. Warnings that nobody
#              asked for are errors
#   %generate  the same up to the IR that the device compiler would optimise, which takes a third of the time: all templates are instantiated and
#              all builtins are known to the target. With TILEC_FULL=1 it is %machine
#   %worlds    sizes of worlds in which an example runs: a sample of those from 1 to 8, with TILEC_FULL=1 all
#   %walks     how communication and products share kernels, %moves who moves, %shots of all-reduces: samples, with TILEC_FULL=1 all
#   %some      `$(%some a b c d)`: the first of these and every fifth after it, with TILEC_FULL=1 all
#   %heads     numbers of heads that are no powers of two: a sample, with TILEC_FULL=1 12, 20 and 28
# Features: amdgpu-target, nvptx-target (clang knows them); hip-device (a GPU that HIP sees: TILEC_HIP_DEVICE=1); full (TILEC_FULL=1).
# TILEC_ROUNDTRIP=1 makes every tilec-opt print and parse its input again (--verify-roundtrip).
import os
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "tilec"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test", ".hip"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tilec_binary_dir, "test")

# The system's clang++ may be a wrapper of another version; device code is always compiled by LLVM's own.
clang = os.path.join(config.llvm_tools_dir, "clang++")
if not os.path.exists(clang):
    clang = config.clang

llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "TMPDIR", "TILEC_HIP_DEVICE", "TILEC_FULL"])
# Text is compiled in a third of the time and runs slower, which small problems do not feel.
if os.environ.get("TILEC_FULL") != "1":
    llvm_config.with_environment("TILEC_CXXFLAGS", "-O0")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.tilec_tools_dir, append_path=True)

config.substitutions.append(("%source", config.tilec_source_dir))
config.substitutions.append(("%examples", os.path.join(config.tilec_source_dir, "examples")))
config.substitutions.append(("%clang", clang))
config.substitutions.append(("%runtime", os.path.join(config.tilec_binary_dir, "runtime", "libtilec_runtime.so")))

full = os.environ.get("TILEC_FULL") == "1"
machine = (f"{clang} -std=c++20 -x hip --cuda-device-only -nogpulib -nogpuinc -Werror -I{config.tilec_source_dir}/test/isa/include "
           f"-I{config.tilec_source_dir}/runtime/include -O1 -S -o /dev/null")
config.substitutions.append(("%machine", machine))
config.substitutions.append(("%generate", machine if full else f"{machine} -Xclang -disable-llvm-passes -emit-llvm"))
config.substitutions.append(("%worlds", "1 2 3 4 5 6 7 8" if full else "3"))
config.substitutions.append(("%walks", "bulk sequential specialized" if full else "sequential"))
config.substitutions.append(("%moves", "pull push staged" if full else "push"))
config.substitutions.append(("%shots", "-one-shot -two-shot" if full else "-two-shot"))
config.substitutions.append(("%some", os.path.join(config.tilec_source_dir, "test", "some.sh")))
config.substitutions.append(("%heads", "12 20 28" if full else "12"))
if full:
    config.available_features.add("full")

roundtrip = ["--verify-roundtrip"] if os.environ.get("TILEC_ROUNDTRIP") else []
tools = [
    ToolSubst("tilec-opt", extra_args=roundtrip, unresolved="ignore"),
    ToolSubst("tilec-reduce", unresolved="ignore"),
    ToolSubst("tilec-lsp-server", unresolved="ignore"),
    ToolSubst("tilec-runner", unresolved="ignore"),
    ToolSubst("tilec", unresolved="ignore"),
]
llvm_config.add_tool_substitutions(tools, [config.tilec_tools_dir])
llvm_config.add_tool_substitutions(["FileCheck", "count", "not", "split-file"], [config.llvm_tools_dir])


def known_targets():
    try:
        return subprocess.run([clang, "--print-targets"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


targets = known_targets()
if "amdgcn" in targets:
    config.available_features.add("amdgpu-target")
if "nvptx64" in targets:
    config.available_features.add("nvptx-target")
if os.environ.get("TILEC_HIP_DEVICE") == "1":
    config.available_features.add("hip-device")
