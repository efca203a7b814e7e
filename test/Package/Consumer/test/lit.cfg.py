import os

import lit.formats

config.name = "mini"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [config.mini_tools_dir, config.dietcode_tools_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
config.substitutions.append(("%mini_tools", config.mini_tools_dir))
