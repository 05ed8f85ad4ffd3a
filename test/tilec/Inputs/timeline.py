"""Reads a timeline of `tilec run --trace` for a program in which every wait waits for signals that some task sends. Each wait has an arrow that begins
before the wait ends, on a track that was doing a task; tasks of one track follow each other."""
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
world = int(sys.argv[2])
slices = [e for e in events if e["ph"] == "X"]
tasks = [e for e in slices if not e["name"].startswith(("wait ", "signal "))]
waits = [e for e in slices if e["name"].startswith("wait ")]
begins = {e["id"]: e for e in events if e["ph"] == "s"}
ends = {e["id"]: e for e in events if e["ph"] == "f"}
assert {e["pid"] for e in tasks} == set(range(world)), "every rank has tasks"
assert begins.keys() == ends.keys() and len(ends) == len(waits) > 0, (len(begins), len(ends), len(waits))
assert not [e for e in slices if e["args"].get("ended") is False], "everything ended"


def track(event):
    return event["pid"], event["tid"]


for wait in waits:
    assert any(track(e) == track(wait) and abs(e["ts"] - wait["ts"] - wait["dur"]) < 0.01 for e in ends.values()), wait
for number, begin in begins.items():
    assert begin["ts"] <= 0.01 + ends[number]["ts"], (begin, ends[number])
    inside = [t for t in tasks if track(t) == track(begin) and t["ts"] - 0.01 <= begin["ts"] <= t["ts"] + t["dur"] + 0.01]
    assert inside, begin
assert any(begins[n]["pid"] != ends[n]["pid"] for n in begins) or world == 1, "some signals cross ranks"
for of in {track(t) for t in tasks}:
    own = sorted((t["ts"], t["ts"] + t["dur"]) for t in tasks if track(t) == of)
    assert all(first[1] <= second[0] + 0.01 for first, second in zip(own, own[1:])), of
print("tracks:", len({track(t) for t in tasks}), "tasks:", len(tasks), "arrows:", len(begins))
