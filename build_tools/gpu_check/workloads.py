"""The products of the GPU check that are timed: tuned for all of their shapes at once,
and compared with cuBLAS."""

import pathlib
from dataclasses import dataclass

QKV = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "bert" / "qkv.mlir"


@dataclass
class Workload:
    name: str
    text: str
    type: str  # Of the factors, as dietcode-cublas calls them.
    layout: str
    trials: int
    kernels: int  # Most that the dispatch has.


def square(element, sizes):
    """A product of square matrices of 16 t rows. What is verified is a small one of
    the range, so that its operands do not fill the bundle."""
    instances = ", ".join(f"[{size // 16}]" for size in sizes)
    matrix = f"memref<?x?x{element}>"
    bind = "\n".join(
        f"  dietcode.bind_shape %{name} [@T], affine_map<()[t] -> (16 * t, 16 * t)> : {matrix}" for name in "abc")
    return f"""dietcode.shape_var @T range [1, {max(sizes) // 16}]
dietcode.workload @sizes over [@T] instances [{instances}]
func.func @f(%a: {matrix}, %b: {matrix}, %c: {matrix}) attributes {{dietcode.workload = @sizes}} {{
{bind}
  dietcode.matmul ins(%a, %b : {matrix}, {matrix}) outs(%c : {matrix})
  return
}}
"""


def full():
    yield Workload("sgemm", square("f32", [512, 1024, 2048]), "f32", "nn", 24, 4)
    yield Workload("hgemm", square("f16", [512, 1024, 2048]), "f16", "nn", 24, 4)
    yield Workload("bert_qkv", QKV.read_text(), "f32", "nt", 32, 8)


def small():
    yield Workload("sgemm", square("f32", [64]), "f32", "nn", 4, 1)
