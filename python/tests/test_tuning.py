"""Tuning: reports, records, progress, interruption."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import dietcode as dc


# A search of 100000 trials takes hours; interrupted, it ends within two seconds on a machine
# that nobody else uses, and within these in any case.
SECONDS = 60


def count_lines(path):
    return sum(1 for _ in open(path))


def await_records(path):
    """Until something was measured, and a little longer."""
    while not path.exists() or not count_lines(path):
        time.sleep(0.1)
    time.sleep(0.3)


def test_tunes_and_compiles(dense, operands, agrees, tmp_path):
    seen = []
    records = tmp_path / "records.jsonl"
    tuned = dc.tune(dense, trials=4, batch=2, records=records, on_progress=seen.append)
    assert [(p.trials, p.max_trials) for p in seen] == [(2, 4), (4, 4)]
    assert seen[0].operator == "@dense matmul" and 0 < seen[0].seconds <= seen[1].seconds
    assert tuned.report["trials"] == 4 and tuned.report["device"] == "virtual:t4"
    assert "dietcode.dispatch @dense_matmul" in tuned.mlir
    assert tuned.explain(T=37).operators[0]["chosen"]["kernel"]
    given = operands(37)
    kernel = dc.compile(tuned)
    assert agrees(kernel(*given), given)
    assert kernel.mlir == tuned.mlir and kernel.arguments == dense.arguments
    # What was measured is known.
    lines = count_lines(records)
    assert lines >= 4
    dc.tune(dense, trials=2, records=records, model_only=True)
    assert count_lines(records) == lines


def test_instances_and_weights_reach_the_report(dense):
    report = dc.tune(dense, model_only=True).report
    text = str(report)
    assert "80" in text and "2048" in text


@pytest.mark.parametrize("options, error, message", [
    (dict(trials=0), ValueError, "give a budget"),
    (dict(seconds=-1.0), ValueError, "seconds must not be negative"),
    (dict(batch=0), ValueError, "batch and max_kernels must be at least 1"),
    (dict(timeout=0.0), ValueError, "timeout_seconds must be positive"),
    (dict(trials=-1), TypeError, "incompatible function arguments"),
    (dict(device="virtual:none"), dc.errors.CompileError, "virtual:none: there is no such device"),
    (dict(model_only=True, max_regret=-0.0, max_kernels=1), dc.errors.CompileError, "regret"),
    (dict(records="/nowhere/records"), dc.errors.CompileError, "/nowhere/records"),
])
def test_mistakes(dense, options, error, message):
    with pytest.raises(error, match=message):
        dc.tune(dense, **options)


def test_exceptions_of_progress_end_it(dense, tmp_path):
    records = tmp_path / "records.jsonl"

    def stop(progress):
        raise RuntimeError("that is enough")

    with pytest.raises(RuntimeError, match="that is enough"):
        dc.tune(dense, trials=1000, batch=2, records=records, on_progress=stop)
    assert count_lines(records) >= 2


def test_a_signal_ends_it(dense, tmp_path):
    """As Ctrl-C, and as Jupyter's interrupt."""
    records = tmp_path / "records.jsonl"
    sent = []

    def interrupt():
        await_records(records)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        dc.tune(dense, trials=100000, batch=8, records=records)
    assert time.monotonic() - sent[0] < SECONDS
    assert count_lines(records) >= 1
    # The next one works.
    assert dc.tune(dense, trials=1, records=records).report["trials"] >= 1


def test_a_terminal_ends_it(dense, tmp_path):
    """Where the measuring processes get the signal as well."""
    script, records = tmp_path / "script.py", tmp_path / "records.jsonl"
    script.write_text(f"""
import dietcode as dc
if __name__ == "__main__":
    dense = dc.from_mlir({dense.mlir!r})
    print("ready", flush=True)
    dc.tune(dense, trials=100000, batch=8, records={str(records)!r})
""")
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    await_records(records)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert "KeyboardInterrupt" in errors
    assert count_lines(records) >= 1


def test_threads_tune_side_by_side(dense):
    done = []
    threads = [threading.Thread(target=lambda: done.append(dc.tune(dense, model_only=True)))
               for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 2 and done[0].mlir == done[1].mlir
