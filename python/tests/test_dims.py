"""Arithmetic of dimensions."""

import pytest

import dietcode as dc
from dietcode.dims import divide, parse_dim

T = dc.DynShapeVar("T", 1, 128)
B = dc.DynShapeVar("B", 1, 16)


@pytest.mark.parametrize("dim, text", [
    (16 * T, "16*T"),
    (T + 1, "T + 1"),
    (1 - T, "-T + 1"),
    (B * T * 3 - 2, "3*B*T - 2"),
    ((T + 1) // 2, "(T + 1)//2"),
    (16 * T // 8, "2*T"),
    ((T + 1) * (T - 1), "T*T - 1"),
    (((T + 3) // 2) * 4 + B, "B + 4*((T + 3)//2)"),
])
def test_text(dim, text):
    assert str(dim) == text


def test_equality_is_that_of_polynomials():
    assert 4 * T * T == T * (T + T) * 2
    assert (B + T) * 2 == 2 * T + 2 * B
    assert T + 1 != T
    assert T * 1 is T and T - T == 0 and (T + 1) - 1 == T
    assert len({16 * T, T * 16, T + T * 15}) == 1
    assert dc.DynShapeVar("T", 1, 128) == T != dc.DynShapeVar("T", 1, 64)


def test_values():
    dim = ((T + 2) // 2) * 3 + B * T - 1
    assert dim.evaluate({"T": 5, "B": 2}) == 18
    with pytest.raises(KeyError):
        dim.evaluate({"T": 5})
    assert {v.name for v in dim.variables()} == {"T", "B"}


def test_division():
    assert divide(B * T * 4, B * T) == 4
    assert divide(B * T * 4, 3) is None
    assert divide(T + 1, T) is None
    with pytest.raises(ValueError, match="cannot divide T by 0"):
        T // 0
    with pytest.raises(ValueError, match=r"cannot divide T \+ 1 by B"):
        (T + 1) // B


@pytest.mark.parametrize("dim", [16 * T + 1, B * T - 3, -T, (B * T + 7) // 3 * 2])
def test_text_is_read_back(dim):
    assert parse_dim(str(dim), {"T": T, "B": B}) == dim


@pytest.mark.parametrize("text", ["H", "T ** 2", "f(T)", "T +", "T / 2", "1.5", "T // 0"])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="is no dimension|cannot divide"):
        parse_dim(text, {"T": T})


def test_the_value_is_not_known():
    for use in (bool, int, range, lambda dim: [0] * dim):
        with pytest.raises(TypeError):
            use(16 * T)
    with pytest.raises(TypeError):
        T + 1.5


@pytest.mark.parametrize("arguments, message", [
    (("T", 9, 8), "holds no size"),
    (("T", -1, 8), "holds no size"),
    (("T", 9, 15, 8), r"\[9, 15\] holds no size that is a multiple of 8"),
    (("T", 1, 8, 0), "multiple_of must be positive, got 0"),
    (("1T", 1, 8), "the name is no identifier"),
])
def test_bad_variables(arguments, message):
    with pytest.raises(dc.errors.InvalidArgumentError, match=message):
        dc.DynShapeVar(*arguments)
    with pytest.raises(TypeError):
        dc.DynShapeVar("T", 1.0, 8)


def test_dimensions_have_no_order():
    T, U = dc.DynShapeVar("T", 1, 9), dc.DynShapeVar("U", 1, 9)
    for compare in (lambda: T < U, lambda: T < 5, lambda: max(T, U), lambda: T >= U):
        with pytest.raises(TypeError):
            compare()
