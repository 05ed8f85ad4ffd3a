"""Process groups of torch: their ranks agree on a job, under which they meet."""
import uuid

import torch
import torch.distributed as dist


def agree(group):
    """(rank, size, job) of a process group."""
    job = [f"torch {uuid.uuid4()}"]
    dist.broadcast_object_list(job, src=dist.get_global_rank(group, 0), group=group)
    return dist.get_rank(group), dist.get_world_size(group), job[0]


def device():
    """The GPU that this process computes on; -1 on the CPU."""
    return torch.cuda.current_device() if torch.cuda.is_available() else -1
