"""How many of the tokens had been sent when the first product of a rank could begin: the greatest share over the ranks. Reads a timeline of
`tilec run --trace`; the first product begins when the last wait of its task is over. Tiles without a token wait for none and are no products.
first_product.py TIMELINE SENDER MULTIPLIER"""
import json
import sys

events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]


def end(event):
    return event["ts"] + event["dur"]


def of_role(name):
    return [e for e in events if e["name"].rstrip("0123456789") == name + " "]


def waits(task):
    return [e for e in events if (e["pid"], e["tid"]) == (task["pid"], task["tid"]) and e["name"].startswith("wait ") and task["ts"] <= e["ts"] <= end(task)]


def begins(task):
    """When a task has waited for all that it waits for; none where that is no tokens."""
    last = max(waits(task), key=end)
    return None if last["name"].endswith(":0]") else end(last)


sent = sorted(map(end, of_role(sys.argv[2])))
first = {}
for product in of_role(sys.argv[3]):
    if at := begins(product):
        first[product["pid"]] = min(at, first.get(product["pid"], float("inf")))
print("ranks:", len(first), "tasks:", len(sent), "percent:", 100 * max(sum(t <= at for t in sent) for at in first.values()) // len(sent))
