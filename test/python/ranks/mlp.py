"""A rank of the example, whose result is compared: mlp.py EXAMPLE PROGRAMS"""
import runpy
import sys

import torch
import torch.distributed as dist

torch.manual_seed(1)
sys.argv = sys.argv[1:]
left = runpy.run_path(sys.argv[0])
rank, size = left["rank"], left["world"]


def of_all(tensor):
    parts = [torch.empty_like(tensor) for _ in range(size)]
    dist.all_gather(parts, tensor.contiguous())
    return parts


x = torch.cat(of_all(left["x"])).float()
ups, downs = of_all(left["up"]), of_all(left["down"])
total = sum(torch.relu(x @ up.float().t()).bfloat16().float() @ down.float().t() for up, down in zip(ups, downs))
torch.testing.assert_close(left["y"].float(), total.chunk(size)[rank], rtol=1 / 64, atol=1 / 16)
print(f"rank {rank} is right")
dist.destroy_process_group()
