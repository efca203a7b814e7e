"""DietCode: kernels for tensor operators whose shapes are known only at run time.

>>> import dietcode as dc
>>> T = dc.DynShapeVar("T", 1, 128)
>>> dense = dc.Workload(lambda x, w: dc.matmul(x, w, transpose_b=True, epilogue=dc.relu),
...                     args=[(16 * T, 32), (48, 32)], instances=[(5,), (128,)], name="dense")
>>> kernel = dc.compile(dense)
>>> import numpy as np
>>> kernel(np.ones((16 * 37, 32), "float32"), np.ones((48, 32), "float32")).shape
(592, 48)

See docs/python.md of the project. Times of virtual devices are a model's, and no
measurements.
"""

from ._version import __version__

try:
    from . import _native as _native
except ImportError as error:
    if "libMLIR" in str(error) or "libLLVM" in str(error) or "libxgboost" in str(error):
        raise ImportError(
            f"{error}. DietCode needs LLVM and MLIR 22.1 and XGBoost as shared libraries; on "
            "Debian, install libmlir-22, libllvm22 and libxgboost0"
        ) from error
    raise

from . import errors, ops
from .array import Array, Tensor
from .dims import Dim, DynShapeVar
from .errors import DietCodeError
from .explanation import Explanation
from .frontends import from_onnx, from_torch
from .kernel import DietCodeWarning, Kernel, compile, device, load, set_device
from .ops import *  # noqa: F403
from .ops import __all__ as _operators
from .tuning import Progress, Tuned, tune
from .workload import Workload, from_mlir, placeholder

__all__ = [
    "Array",
    "DietCodeError",
    "DietCodeWarning",
    "Dim",
    "DynShapeVar",
    "Explanation",
    "Kernel",
    "Progress",
    "Tensor",
    "Tuned",
    "Workload",
    "__version__",
    "compile",
    "device",
    "errors",
    "from_mlir",
    "from_onnx",
    "from_torch",
    "load",
    "ops",
    "placeholder",
    "set_device",
    "tune",
    *_operators,
]
