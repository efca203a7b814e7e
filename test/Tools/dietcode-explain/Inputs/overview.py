"""Prints the parts of an overview that a test looks at, a line for each."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    overview = json.load(file)
print(
    overview["function"],
    overview["device"],
    [entry["operator"] for entry in overview["operators"]],
)
for entry in overview["operators"]:
    print(entry["signature"], sorted(entry))
    dispatch = entry["dispatch"]
    print(
        dispatch["name"],
        dispatch["dims"],
        dispatch["domain"],
        "otherwise",
        dispatch["otherwise"],
    )
    for kernel in dispatch["kernels"]:
        print(kernel["kernel"], kernel["schedule"])
    for case in dispatch["cases"]:
        print(case["box"], case["kernel"])
    for instance in entry.get("instances", []):
        chosen = instance["chosen"]
        below = chosen["predicted_seconds"] < instance["bound_seconds"]
        print(
            f"{instance['values']} weight {instance['weight']:.1f} "
            f"{chosen['kernel']} at {instance['shape']}, "
            f"{'' if below else 'not '}below its bound"
        )
    for point in entry.get("curve", []):
        print(point["kernels"], "kernels in", point["cases"], "cases")
