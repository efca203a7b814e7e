"""Workloads: what is traced, declared and refused."""

import re

import pytest

import dietcode as dc

T = dc.DynShapeVar("T", 1, 128)
H = dc.DynShapeVar("H", 64, 512, multiple_of=64)


def matmul(x, w):
    return x @ w


def test_mlir_declares_what_was_said():
    workload = dc.Workload(matmul, args=[(16 * T, H), dc.Tensor((H, 48), "f32")],
                           instances=[(5, 64), {"H": 512, "T": 128}], weights=[1, 2.5])
    text = workload.mlir
    assert "dietcode.shape_var @T range [1, 128]\n" in text
    assert "dietcode.shape_var @H range [64, 512] multiple_of 64\n" in text
    assert ("dietcode.workload @matmul_instances over [@T, @H] instances [[5, 64], [128, 512]] "
            "weights [1.0, 2.5]\n") in text
    assert "func.func @matmul(%x: tensor<?x?xf32>" in text
    assert "affine_map<()[s_T, s_H] -> (s_T * 16, s_H)>" in text
    assert workload.variables == (T, H)
    assert [a.name for a in workload.arguments] == ["x", "w"]
    # It is what the compiler reads.
    assert dc.from_mlir(text).name == "matmul"


def test_numbers_are_passed_as_such():
    """As the paper's workloads are written."""

    def dense(rows, columns, inner):
        x = dc.placeholder((rows, inner), name="x")
        w = dc.placeholder((columns, inner), name="w")
        return dc.matmul(x, w, transpose_b=True)

    workload = dc.Workload(dense, args=[16 * T, 48, 32], instances=[5, 24])
    assert repr(workload) == "Workload(dense(x: f32(16*T, 32), w: f32(48, 32)))"
    with pytest.raises(ValueError, match="no workload is being traced"):
        dc.placeholder((1,))


def test_names():
    assert dc.Workload(lambda x: x + 1, args=[(T, 4)]).name == "lambda"
    assert dc.Workload(lambda x: x + 1, args=[(T, 4)], name="static").name == "f_static"
    assert dc.Workload(lambda x: x + 1, args=[(T, 4)], name="3 x").name == "workload"
    assert [a.name for a in dc.Workload(lambda *x: x[0] + x[1], args=[(T,), (T,)]).arguments] == [
        "x0", "x1"]
    # What the builder itself uses, and what C has words for.
    dc.compile(dc.Workload(lambda c0, d0, int_, _1: c0 + d0 * int_ + _1, args=[(T, 4)] * 4))


def test_a_size_may_come_from_any_argument():
    """17 is only there once the variable is solved for."""
    kernel = dc.compile(dc.Workload(lambda x, y: x[:T] + y, args=[(2 * T + 3, 4), (T, 4)],
                                    name="solved"))
    import numpy as np

    x, y = np.ones((13, 4), "float32"), np.ones((5, 4), "float32")
    assert kernel(x, y).shape == (5, 4)


@pytest.mark.parametrize("options, error, message", [
    (dict(fn=3), TypeError, "fn is a int; expected a function"),
    (dict(args=["x"]), TypeError, r"args\[0\] is a str"),
    (dict(args=[(T, -4), (4, 8)]), ValueError, r"args\[0\]: -4 is negative"),
    (dict(args=[(T, 4.0), (4, 8)]), TypeError, r"args\[0\]: 4.0 is no dimension"),
    (dict(args=[(T, 4)]), TypeError, "does not take 1 arguments: missing a required argument: 'w'"),
    (dict(args=[(T, 4), (dc.DynShapeVar("T", 1, 8), 8)]), ValueError,
     "two shape variables are called T"),
    (dict(name="T"), ValueError, "the workload is called T, like a shape variable"),
    (dict(instances=[(5, 6)]), ValueError, r"instances\[0\] has 2 values for 1 shape variables, T"),
    (dict(instances=[5, 129]), ValueError, r"instances\[1\]: T = 129 is not in \[1, 128\]"),
    (dict(instances=[{"H": 5}]), ValueError, r"instances\[0\] gives H instead of T"),
    (dict(instances=[("5",)]), TypeError, r"instances\[0\]: '5' is no size"),
    (dict(instances=[5], weights=[1, 2]), ValueError, "there are 2 weights for 1 instances"),
    (dict(instances=[5], weights=[0]), ValueError, "weights must be positive and finite, got 0.0"),
    (dict(fn=lambda x, w: None), TypeError, "result 0 of the function is a NoneType"),
    (dict(fn=lambda x, w: ()), ValueError, "the function returns no array"),
    (dict(fn=lambda x, w: 1 / 0), ZeroDivisionError, "division by zero"),
    (dict(fn=lambda x, w: dc.concatenate([x, x[:H]], 0)), ValueError, "determines the shape variable H"),
])
def test_mistakes(options, error, message):
    given = dict(fn=matmul, args=[(T, 32), (32, 48)])
    given.update(options)
    with pytest.raises(error, match=message):
        dc.Workload(**given)


MLIR = """
dietcode.shape_var @T range [1, 64]
func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}
"""


def test_mlir_is_read_from_text_and_files(tmp_path):
    path = tmp_path / "f.mlir"
    path.write_text(MLIR)
    for source in (MLIR, path, str(path)):
        workload = dc.from_mlir(source)
        assert workload.name == "f" and workload.arguments is None
        assert [(v.name, v.low, v.high) for v in workload.variables] == [("T", 1, 64)]


def test_front_ends_say_what_arguments_are():
    import numpy as np

    T = dc.DynShapeVar("T", 1, 64)
    kernel = dc.compile(dc.from_mlir(MLIR, arguments=[dc.Tensor((T, 4), "f32", "tokens")]))
    assert kernel(np.ones((5, 4), "float32")).shape == (5, 4)
    with pytest.raises(ValueError, match=r"argument 'tokens' has shape \(5, 3\); expected \(T, 4\)"):
        kernel(np.ones((5, 3), "float32"))
    with pytest.raises(ValueError, match="but have types and ranks f32 of rank 2"):
        dc.compile(dc.from_mlir(MLIR, arguments=[dc.Tensor((T,))]))


def test_mistakes_in_mlir_are_located(tmp_path):
    path = tmp_path / "bad.mlir"
    path.write_text("func.func @f() {\n  return %x : f32\n}\n")
    with pytest.raises(dc.errors.CompileError,
                       match=re.escape(f"{path}:2:10: use of undeclared SSA value name")):
        dc.from_mlir(path)
    with pytest.raises(OSError):
        dc.from_mlir(tmp_path / "none.mlir")
    with pytest.raises(ValueError, match="has no public function g"):
        dc.from_mlir(MLIR, entry="g")
    two = MLIR + MLIR.split("\n", 2)[2].replace("@f", "@g")
    with pytest.raises(ValueError, match="has 2 public functions, f, g; choose one"):
        dc.from_mlir(two)
    assert dc.from_mlir(two, entry="g").name == "g"
    with pytest.raises(ValueError, match="has 0 public functions"):
        dc.from_mlir("module {}")


def test_arrays_of_another_workload_are_refused():
    T, seen = dc.DynShapeVar("T", 1, 9), []
    dc.Workload(lambda x: (seen.append(x), x + 1)[1], [(T, 4)], name="one")
    for use in (lambda y: y + seen[0], lambda y: dc.concatenate([y, seen[0]]),
                lambda y: dc.matmul(y, seen[0], transpose_b=True)):
        with pytest.raises(dc.errors.InvalidArgumentError, match="of another workload"):
            dc.Workload(use, [(T, 4)], name="two")
