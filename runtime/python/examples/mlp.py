"""A tensor-parallel MLP with tilec's operators: torchrun --nproc-per-node 2 mlp.py FOLDER"""
import sys
import torch
import torch.distributed as dist
import tilec
from tilec import operators

gpu = torch.cuda.is_available()
dist.init_process_group("nccl" if gpu else "gloo")
rank, world, group = dist.get_rank(), dist.get_world_size(), dist.group.WORLD.group_name
if gpu:
    torch.cuda.set_device(rank)
    torch.set_default_device("cuda")
tilec.init(group=dist.group.WORLD)
of = f"-world{world}" if world > 1 else ""  # as `tilec --package` names programs
operators.register("fused_all_gather_matmul", f"{sys.argv[1]}/all_gather_matmul{of}.json")
operators.register("fused_matmul_reduce_scatter", f"{sys.argv[1]}/matmul_reduce_scatter{of}.json")
rows, hidden, inner = 20, 64, 128 // world  # of each rank
x = tilec.empty((rows, hidden), torch.bfloat16).copy_(torch.randn(rows, hidden))  # gathered from the symmetric heap, without a copy
up, down = torch.randn(inner, hidden).bfloat16() / 8, torch.randn(hidden, inner).bfloat16() / 8

def mlp():
    _, (h,) = torch.ops.tilec.fused_all_gather_matmul(x, [up.t()], 0, group, return_A=False)
    return torch.ops.tilec.fused_matmul_reduce_scatter(torch.relu(h), down.t(), "sum", 0, group)
y = mlp()  # the first launch loads the programs
if gpu:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = mlp()
    graph.replay()
print(f"rank {rank}: {y.shape[0]} x {y.shape[1]} of norm {y.float().norm():.3f}")
