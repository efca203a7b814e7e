# Configuration of the lit tests; lit.site.cfg.py, which the build writes, loads
# it with the paths of the build.

import os

import lit.formats

config.name = "DietCode"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Consumer", "Inputs", "Unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dietcode_obj_root, "test")

path = [config.dietcode_tools_dir, config.llvm_tools_dir, os.environ["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
# The device that tests run on does not depend on the machine.
config.environment["DIETCODE_DEVICE"] = "virtual:t4"
config.environment["DIETCODE_VGPU_CHECK"] = "all"
config.environment["DIETCODE_PTXAS"] = "none"

runtime = os.path.join(config.dietcode_lib_dir, "libdietcode_runtime.so")
config.substitutions += [
    ("%dietcode_runtime", runtime),
    ("%dietcode_plugin", os.path.join(config.dietcode_lib_dir, "libDietCodePlugin.so")),
    ("%mlir_runner_utils", os.path.join(config.llvm_lib_dir, "libmlir_runner_utils.so")),
    ("%mlir_c_runner_utils", os.path.join(config.llvm_lib_dir, "libmlir_c_runner_utils.so")),
    ("%extract_ptx", f"{config.python} {config.dietcode_src_root}/build_tools/extract-ptx.py"),
    ("%dietcode_tools_dir", config.dietcode_tools_dir),
    ("%dietcode_tune", os.path.join(config.dietcode_tools_dir, "dietcode-tune")),
    ("%unit", os.path.join(config.dietcode_obj_root, "test", "Unit")),
    ("%dietcode_lib", config.dietcode_lib_dir),
    ("%dietcode_src", config.dietcode_src_root),
    ("%dietcode_docs", os.path.join(config.dietcode_obj_root, "docs")),
    ("%python", config.python),
]

if config.ptxas and os.path.exists(config.ptxas):
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", config.ptxas))
    # The serializer of gpu modules looks for ptxas on the path.
    config.environment["PATH"] += os.pathsep + os.path.dirname(config.ptxas)
