"""bound_ratio.py OUTPUT MOST: prints, for each rank of a `tilec run`, its bound as a multiple of its largest error; exit status 1 where that
is more than MOST."""
import re
import sys

lines = re.findall(r"^rank (\d+): largest error (\S+), bound (\S+) at", open(sys.argv[1]).read(), re.MULTILINE)
ratios = [(rank, float(bound) / float(error)) for rank, error, bound in lines]
for rank, ratio in ratios:
    print(f"rank {rank}: the bound is {ratio:.1f} times the largest error")
sys.exit(not ratios or any(ratio > float(sys.argv[2]) for _, ratio in ratios))
