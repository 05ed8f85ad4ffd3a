"""syntax_words.py SOURCES: exit status 1 where an op of the tile dialect has a word in its format or its parser that dialect/Misspelling.cpp does
not know: a slip in it would get no hint."""
import pathlib
import re
import sys

dialect = pathlib.Path(sys.argv[1]) / "dialect"
known = re.search(r"syntaxWords\[\] = \{(.*?)\};", (dialect / "Misspelling.cpp").read_text(), re.DOTALL).group(1)
known = set(re.findall(r'"(\w+)"', known))
words = set()
for file in dialect.glob("Tile*Ops.td"):
    for form in re.findall(r"assemblyFormat = (.*?);\n", file.read_text(), re.DOTALL):
        words |= set(re.findall(r"`([a-z_]+)`", form))
for file in dialect.glob("*.cpp"):
    if file.name.startswith(("Tile", "Extents")):
        words |= set(re.findall(r'arse(?:Optional)?Keyword\("([a-z_]+)"', file.read_text()))
assert words, "the formats are elsewhere"
missing = sorted(words - known)
print("not in syntaxWords:", *missing if missing else ["none"])
sys.exit(bool(missing))
