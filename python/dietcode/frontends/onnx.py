"""Models of ONNX as workloads, through torch-mlir."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from ..array import Tensor
from ..dims import DynShapeVar, Size
from ..errors import InvalidArgumentError
from ..workload import Instance, _identifier
from ._require import require
from .graphs import unique
from .linalg import Imported
from .lowering import LEGAL, Session, UnsupportedError
from .sizes import MAX_SIZE, identifier

_PURPOSE = "from_onnx"
# What the child process exits with where torch-mlir says what it does not take.
_REFUSED = 3


def from_onnx(
    model: Any,
    *,
    variables: Sequence[DynShapeVar] = (),
    instances: Sequence[Instance] = (),
    weights: Sequence[float] | None = None,
    name: str | None = None,
) -> Imported:
    """A workload from a model of ONNX: a ``ModelProto``, or the path of a file.

    Each name that the model gives to dimensions of its inputs becomes a shape variable. Those
    in ``variables`` have their range and come first; others are in [1, 4096]. Initializers are
    constants. ``instances``, ``weights``, ``name``: as of :class:`dietcode.Workload`.

    Raises an ``ImportError`` without onnx or torch-mlir, an ``InvalidArgumentError`` for a
    variable that the model does not have, and a ``CompileError`` that names what cannot be
    lowered.
    """
    onnx = require("onnx", _PURPOSE)
    require("torch_mlir", _PURPOSE)
    if isinstance(model, (str, os.PathLike)):
        source, proto = os.fspath(model), onnx.load(model)
    elif isinstance(model, onnx.ModelProto):
        source, proto = "the ONNX model", model
    else:
        raise TypeError(f"model is a {type(model).__name__}; expected an onnx.ModelProto or a path")
    chosen = _identifier(name or proto.graph.name, "model")
    arguments, used = _arguments(onnx, proto.graph, variables)
    text = _to_linalg(proto, chosen)
    return Imported(text, arguments, used, instances, weights, source=source)


def _arguments(
    onnx: Any, graph: Any, given: Sequence[DynShapeVar]
) -> tuple[list[Tensor], list[DynShapeVar]]:
    """What the model takes, and the shape variables in it."""
    known = {variable.name: variable for variable in given}
    initialized = {tensor.name for tensor in graph.initializer}
    arguments: list[Tensor] = []
    found: set[str] = set()
    taken: set[str] = set()
    for value in graph.input:
        if value.name in initialized:
            continue
        name, tensor = unique(identifier(value.name), taken), value.type.tensor_type
        if not tensor.HasField("shape"):
            raise UnsupportedError(f"input '{value.name}' has no rank")
        shape: list[Size] = []
        for index, dim in enumerate(tensor.shape.dim):
            if dim.HasField("dim_value"):
                shape.append(dim.dim_value)
                continue
            symbol = identifier(dim.dim_param or f"{name}_{index}")
            shape.append(known.setdefault(symbol, DynShapeVar(symbol, 1, MAX_SIZE)))
            found.add(symbol)
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        arguments.append(Tensor(shape, dtype, name))
    for variable in given:
        if variable.name not in found:
            raise InvalidArgumentError(
                f"no dimension of an input is called {variable.name}; there are "
                f"{', '.join(sorted(found)) or 'none'}"
            )
    return arguments, list(known.values())


def _to_linalg(proto: Any, name: str) -> str:
    """The model as one function in MLIR. In another process, as torch-mlir 20261001 crashes
    on some operators that it does not know."""
    program = f"import sys; from {__name__} import main; sys.exit(main(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", program, name], capture_output=True,
                          input=proto.SerializeToString())
    if done.returncode == 0:
        return str(done.stdout, "utf-8")
    if done.returncode == _REFUSED:
        raise UnsupportedError(done.stderr.decode().strip())
    if done.returncode < 0:
        kinds = ", ".join(sorted({node.op_type for node in proto.graph.node}))
        raise UnsupportedError(
            f"torch-mlir crashed (signal {-done.returncode}) and does not say of what; the "
            f"model has {kinds}"
        )
    raise UnsupportedError(f"torch-mlir failed: {done.stderr.decode().strip()}")


def _lower(proto: Any, name: str) -> str:
    onnx = require("onnx", _PURPOSE)
    importing = require("torch_mlir.extras.onnx_importer", _PURPOSE)
    utilities = require("torch_mlir.compiler_utils", _PURPOSE)
    pipeline = f"torch-onnx-to-torch-backend-pipeline{{backend-legal-ops={','.join(LEGAL)}}}"
    proto.graph.name = name
    with Session() as session:
        # The importer needs the types of all values.
        inferred = onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True)
        info = importing.ModelInfo(inferred, config=importing.Config())
        module = info.create_module(context=session.context)
        importing.NodeImporter.define_function(info.main_graph, module.operation).import_all()
        for function in module.body.operations:
            session.trust_sizes(function)
        utilities.run_pipeline_with_repro_report(module, f"builtin.module({pipeline})", "ONNX")
        lowered = utilities.lower_mlir_module(
            False, utilities.OutputType.LINALG_ON_TENSORS, module)
        return str(lowered.operation.get_asm())


def main(name: str) -> int:
    """From a model on standard input to MLIR on standard output."""
    proto = require("onnx", _PURPOSE).ModelProto.FromString(sys.stdin.buffer.read())
    try:
        sys.stdout.write(_lower(proto, name))
    except UnsupportedError as error:
        sys.stderr.write(f"{error}\n")
        return _REFUSED
    return 0
