"""Numbers of target files without an entry in `sources`, and entries for what no file has: one a line."""
import json
import pathlib
import sys

NAMES = ("sources", "name", "arch", "compiler", "product", "similar_products")


def leaves(value, path):
    if isinstance(value, dict):
        return set().union(*(leaves(inner, f"{path}.{key}" if path else key) for key, inner in value.items()))
    if isinstance(value, list) and value:
        return set().union(*(leaves(inner, path) for inner in value))
    return {path}


for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    target = json.loads(file.read_text())
    fields = leaves({key: value for key, value in target.items() if key not in NAMES}, "")
    named = {key.strip() for entry in target["sources"] for key in entry.split(",")}

    def covers(key, field):
        return field == key or field.startswith(key + ".")

    for field in sorted(fields):
        if not any(covers(key, field) for key in named):
            print(f"{file.name}: nothing says where {field} comes from")
    for key in sorted(named):
        if not any(covers(key, field) for field in fields):
            print(f"{file.name}: there is no {key}")
