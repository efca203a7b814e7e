"""Which operators of ATen DietCode gets, and which it leaves to torch."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from . import graphs

_ELEMENTWISE = """abs add bitwise_and bitwise_not bitwise_or clamp clamp_max clamp_min clone cos
    div elu eq erf exp exp2 expm1 ge gelu gt hardsigmoid hardswish hardtanh le leaky_relu log
    log1p log2 logical_and logical_not logical_or lt masked_fill maximum minimum mul ne neg pow
    reciprocal relu rsqrt rsub sigmoid silu sin sqrt square sub tanh threshold where _to_copy"""
_PRODUCTS = "addmm baddbmm bmm convolution linear matmul mm"
_ROWS = """_log_softmax _softmax amax amin log_softmax mean native_layer_norm
    _native_batch_norm_legit_no_training softmax sum var var_mean"""
_LOOKUPS = "cat constant_pad_nd embedding tril triu"
_CREATIONS = "arange full full_like ones ones_like scalar_tensor zeros zeros_like"
_VIEWS = """_unsafe_view alias detach expand lift_fresh_copy permute reshape select slice split
    split_with_sizes squeeze t transpose unbind unsqueeze view"""

_ATEN = " ".join((_ELEMENTWISE, _PRODUCTS, _ROWS, _LOOKUPS, _CREATIONS, _VIEWS))
_SUPPORTED = frozenset(("prims.convert_element_type", *(f"aten.{name}" for name in _ATEN.split())))
NO_WORK = frozenset(f"aten.{name}" for name in f"{_VIEWS} {_CREATIONS}".split())
"""Operators that are no reason to make a kernel."""

_DTYPES = frozenset("bool float16 float32 int8 int16 int32 int64".split())


def kind(node: Any) -> str:
    """What torch calls an operator, without its overload: ``aten.mm``."""
    packet = getattr(node.target, "overloadpacket", None)
    return str(packet) if packet is not None else getattr(node.target, "__name__", str(node.target))


def is_operator(node: Any) -> bool:
    """Whether a node computes tensors, rather than sizes."""
    if node.op != "call_function" or node.target is operator.getitem:
        return False
    return any(True for _ in _tensors(node.meta.get("val")))


class Support:
    """Which nodes become parts of kernels, in the interface that torch.fx's partitioner has.

    ``denied``: reasons by kind of operator, of what has turned out not to work; ``on_gpu``:
    whether kernels run on a GPU.
    """

    def __init__(self, denied: Mapping[str, str], on_gpu: bool) -> None:
        self._denied, self._on_gpu = denied, on_gpu

    def is_node_supported(self, submodules: Any, node: Any) -> bool:
        if node.op != "call_function":
            return False
        if node.target is operator.getitem:
            source = node.args[0]
            return is_operator(source) and self.reason(source) is None
        return is_operator(node) and self.reason(node) is None

    def reason(self, node: Any) -> str | None:
        """Why an operator is left to torch; None if it is not."""
        name = kind(node)
        if name in self._denied:
            return self._denied[name]
        if name not in _SUPPORTED:
            return "DietCode has no kernel for it"
        values = [node.meta.get("val"), *(n.meta.get("val") for n in node.all_input_nodes)]
        for tensor in _tensors(values):
            dtype = str(tensor.dtype).removeprefix("torch.")
            if dtype not in _DTYPES:
                return f"DietCode has no kernels for elements of {dtype}"
            if tensor.device.type not in (("cpu", "cuda") if self._on_gpu else ("cpu",)):
                return f"kernels of this process do not run on {tensor.device.type}"
        return None


def _tensors(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
    elif graphs.is_tensor_value(value):
        yield value
