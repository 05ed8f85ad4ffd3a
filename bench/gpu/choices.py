"""How good `choose` is at patterns: 24 rows of fused products on several GPUs, 12 of them held out, each in every pattern that compiles.

  choices.py --prepare KIT WORLD [WORD]...   compiles them, on a machine with tilec (TILEC names the command), with what the model predicts
  sh run --build KIT; ranks.py KIT KIT/build WORLD --choices --json FILE      builds and times them, where the GPUs are
  choices.py --report KIT FILE               regrets: the time of the first choice, and the best of the first three, over the best of all

Patterns with equal texts are one. A row's order is that of `tilec explain`, the cheapest by its prediction first."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys

from ranks_rows import FITTED, HELD_OUT, ROOT, chosen_rows, extents_of

CANDIDATE = re.compile(r"^    ([a-z-]+)(?:, [a-z0-9-]+)? +([0-9.]+) us  \(compute", re.M)


def tilec(*words):
    command = [os.environ.get("TILEC", ROOT / "build/bin/tilec"), *words]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def prepare_row(row, kit, world):
    """Predicted microseconds of each pattern, in order of cost."""
    options = [ROOT / row.operator.program, "--target", "sm_90a", "--world", world, "--extent", extents_of(row, world)]
    explained = tilec("explain", *options)
    if explained.returncode != 0:
        sys.exit(explained.stderr)
    predicted, texts = {}, set()
    for pattern, microseconds in CANDIDATE.findall(explained.stdout):
        folder = kit / "programs" / f"{row.label(world)}@{pattern}"
        if tilec(*options, "--pattern", pattern, "-o", folder).returncode != 0:
            print(f"{folder.name} is not prepared", file=sys.stderr)
            continue
        text = next(folder.glob("*.hip")).read_text()
        body = text[text.index("#include"):]
        if body in texts:
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
            continue
        texts.add(body)
        predicted[pattern] = float(microseconds)
    return predicted


def prepare(kit, world, words):
    kit.mkdir(parents=True, exist_ok=True)
    rows = {}
    for held, among in ((False, FITTED), (True, HELD_OUT)):
        for row in chosen_rows(world, words, among):
            rows[row.label(world)] = {"held_out": held, "predicted": prepare_row(row, kit, world)}
            print(row.label(world), *rows[row.label(world)]["predicted"], flush=True)
    (kit / "choices.json").write_text(json.dumps(rows, indent=1) + "\n")


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) - 1


def report(kit, measured):
    rows = json.loads((kit / "choices.json").read_text())
    regrets = {False: [], True: []}
    for entry in json.loads(measured.read_text())["rows"]:
        row = rows[entry["row"]]
        times = {result["contestant"].split()[1]: result["microseconds"] for result in entry["results"] if result["contestant"].startswith("tilec ")}
        order = [pattern for pattern in row["predicted"] if pattern in times]
        best = min(times.values())
        first, three = times[order[0]] / best, min(times[pattern] for pattern in order[:3]) / best
        regrets[row["held_out"]].append((first, three))
        print(f"{entry['row']:24} {'held out' if row['held_out'] else 'fitted':8}  first {first - 1:6.1%}  of three {three - 1:6.1%}  " +
              ", ".join(f"{pattern} {times[pattern]:.0f} ({row['predicted'][pattern]:.0f})" for pattern in order))
    for held, name in ((False, "fitted"), (True, "held out")):
        if regrets[held]:
            firsts, threes = zip(*regrets[held])
            print(f"{name}: {len(firsts)} rows, regret of the first choice {mean(firsts):.1%}, worst {max(firsts) - 1:.1%}; best of three {mean(threes):.1%}")


def main():
    mode, kit, *rest = sys.argv[1:] if len(sys.argv) > 3 else ("", "")
    if mode == "--prepare":
        prepare(pathlib.Path(kit), int(rest[0]), rest[1:])
    elif mode == "--report":
        report(pathlib.Path(kit), pathlib.Path(rest[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
