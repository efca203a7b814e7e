"""Prints records of the first operator of an overview: OVERVIEW COUNT."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    operator = json.load(file)["operators"][0]
for i in range(int(sys.argv[2])):
    rows = 16 << i
    whole = {"shape": {"m": 80, "n": 2304, "k": 768}, "seconds": 123e-6 + i * 1e-6}
    whole["blocks"] = -(-80 // rows) * 2304 // 64
    cut = dict(whole, blocks=3, seconds=20e-6)
    record = {
        "v": 1,
        "operator": operator["signature"],
        "source": operator["source"],
        "schedule": f"{rows}x64x16_2x4",
        "twin": "aligned",
        "device": "virtual:t4",
        "toolchain": "x",
        "status": "ok",
        "runs": [whole, cut],
    }
    print(json.dumps(record))
