"""Reads what `tilec explain` prints of one program: the chosen pattern stands in the first table with its chosen granularity, and with the time that
this has in the second."""
import re
import sys

text = sys.stdin.read()
pattern, granularity = re.match(r"\S+: pattern (\S+) .*granularity (\S+) ", text).groups()
tables = re.findall(r"^  (candidates|granularity)[^\n]*:\n((?:    [^\n]*\n)+)", text, re.MULTILINE)
rows = {name: re.findall(r"^    (\S+)(?:, (\S+))? +([0-9.]+) us", table, re.MULTILINE) for name, table in tables}
chosen = next(row for row in rows["candidates"] if row[0] == pattern)
own = next(row for row in rows["granularity"] if row[0] == granularity)
assert chosen[1] in ("", granularity) and chosen[2] == own[2], (chosen, own)
times = [float(row[2]) for row in rows["candidates"]]
assert times == sorted(times), times
