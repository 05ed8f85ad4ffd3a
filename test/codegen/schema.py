#!/usr/bin/env python3
"""Says where a manifest breaks docs/manifest.schema.json. Knows the keywords that the schema uses and refuses others, so
that no rule is passed over in silence. Every manifest is also tried with each required key taken out, and with a key
added: both must be found, or the check checks nothing.

    schema.py manifest.schema.json a.json b.json ...
"""
import copy
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
WORDS = {"$schema", "$id", "$defs", "title", "description"}


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


class Schema:
    def __init__(self, root):
        self.root = root

    def resolve(self, reference):
        node = self.root
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]
        return node

    def errors(self, value, rule=None, at="manifest"):
        """Every place where the value breaks the rule, in words."""
        for keyword, argument in (self.root if rule is None else rule).items():
            if keyword in WORDS:
                continue
            check = getattr(self, "check_" + keyword.replace("$", ""), None)
            if check is None:
                sys.exit(f"schema.py does not know the keyword '{keyword}' at {at}")
            yield from check(value, argument, at, self.root if rule is None else rule)

    def check_ref(self, value, reference, at, rule):
        yield from self.errors(value, self.resolve(reference), at)

    def check_type(self, value, names, at, rule):
        names = [names] if isinstance(names, str) else names
        if not any(is_type(value, name) for name in names):
            yield f"{at}: expected {' or '.join(names)}, got {json.dumps(value)}"

    def check_const(self, value, expected, at, rule):
        if value != expected or isinstance(value, bool) != isinstance(expected, bool):
            yield f"{at}: expected {json.dumps(expected)}, got {json.dumps(value)}"

    def check_enum(self, value, choices, at, rule):
        if value not in choices:
            yield f"{at}: expected one of {', '.join(map(str, choices))}, got {json.dumps(value)}"

    def check_pattern(self, value, pattern, at, rule):
        if isinstance(value, str) and not re.search(pattern, value):
            yield f"{at}: '{value}' does not match {pattern}"

    def check_minimum(self, value, least, at, rule):
        if is_type(value, "integer") and value < least:
            yield f"{at}: expected at least {least}, got {value}"

    def check_maximum(self, value, most, at, rule):
        if is_type(value, "integer") and value > most:
            yield f"{at}: expected at most {most}, got {value}"

    def check_required(self, value, keys, at, rule):
        for key in keys if isinstance(value, dict) else []:
            if key not in value:
                yield f"{at}: '{key}' is missing"

    def check_properties(self, value, rules, at, rule):
        for key in value if isinstance(value, dict) else []:
            if key in rules:
                yield from self.errors(value[key], rules[key], f"{at}.{key}")

    def check_additionalProperties(self, value, allowed, at, rule):
        for key in value if isinstance(value, dict) else []:
            if key in rule.get("properties", {}):
                continue
            if allowed is False:
                yield f"{at}: unknown key '{key}'"
            elif isinstance(allowed, dict):
                yield from self.errors(value[key], allowed, f"{at}.{key}")

    def check_items(self, value, items, at, rule):
        for index, element in enumerate(value if isinstance(value, list) else []):
            yield from self.errors(element, items, f"{at}[{index}]")

    def check_minItems(self, value, least, at, rule):
        if isinstance(value, list) and len(value) < least:
            yield f"{at}: expected at least {least} elements, got {len(value)}"

    def check_maxItems(self, value, most, at, rule):
        if isinstance(value, list) and len(value) > most:
            yield f"{at}: expected at most {most} elements, got {len(value)}"

    def check_uniqueItems(self, value, unique, at, rule):
        if unique and isinstance(value, list) and len({json.dumps(element) for element in value}) != len(value):
            yield f"{at}: an element stands twice"

    def count_fitting(self, value, choices, at):
        return sum(not list(self.errors(value, choice, at)) for choice in choices)

    def check_anyOf(self, value, choices, at, rule):
        if self.count_fitting(value, choices, at) == 0:
            yield f"{at}: {json.dumps(value)} fits none of the choices"

    def check_oneOf(self, value, choices, at, rule):
        if (fitting := self.count_fitting(value, choices, at)) != 1:
            yield f"{at}: {json.dumps(value)} fits {fitting} of the choices, expected one"


def broken_copies(manifest, required):
    """The manifest, each time with one thing wrong."""
    for key in required:
        broken = copy.deepcopy(manifest)
        del broken[key]
        yield f"without '{key}'", broken
    yield "with a key too many", {**manifest, "surplus": 1}
    for part in ("arguments", "scratch", "signals", "kernels"):
        for index, element in enumerate(manifest[part]):
            for key in ("name", "surplus"):
                broken = copy.deepcopy(manifest)
                broken[part][index][key] = 1
                yield f"with {part}[{index}].{key} = 1", broken


def main():
    with open(sys.argv[1]) as file:
        schema = Schema(json.load(file))
    wrong = []
    for path in sys.argv[2:]:
        with open(path) as file:
            manifest = json.load(file)
        wrong += [f"{path}: {error}" for error in schema.errors(manifest)]
        for what, broken in [] if wrong else broken_copies(manifest, schema.root["required"]):
            if not list(schema.errors(broken)):
                wrong.append(f"{path}: passes even {what}")
    print("\n".join(wrong) or f"{len(sys.argv) - 2} manifests follow the schema")
    sys.exit(1 if wrong or len(sys.argv) < 3 else 0)


main()
