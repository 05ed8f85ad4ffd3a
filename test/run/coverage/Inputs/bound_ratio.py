"""bound_ratio.py OUTPUT MOST SCRATCH: prints, for each rank of a `tilec run`, its bound as a multiple of its largest error, in results and in
the scratch that was followed; exit status 1 where that is more than MOST or SCRATCH. Without an error, a bound of 0 counts as 1."""
import re
import sys

LINE = re.compile(r"^(rank (\d+)| ( )in scratch): largest error (\S+), bound (\S+) at (%\w+)", re.MULTILINE)


def ratio(error, bound):
    return bound / error if error else 1 if bound == 0 else float("inf")


most, most_in_scratch = map(float, sys.argv[2:])
rank, failed = None, False
for _, number, in_scratch, error, bound, where in LINE.findall(open(sys.argv[1]).read()):
    rank = number or rank
    times = ratio(float(error), float(bound))
    print(f"rank {rank}: the bound of {where} is {times:.1f} times the largest error")
    failed |= times > (most_in_scratch if in_scratch else most)
sys.exit(rank is None or failed)
