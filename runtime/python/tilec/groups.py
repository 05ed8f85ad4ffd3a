"""Process groups of torch: their ranks agree on a job, under which they meet."""
import uuid

import torch
import torch.distributed as dist


def agree(group):
    """(rank, size, job) of a process group."""
    job = [f"torch {uuid.uuid4()}"]
    dist.broadcast_object_list(job, src=dist.get_global_rank(group, 0), group=group)
    return dist.get_rank(group), dist.get_world_size(group), job[0]


def symmetric(group, heap_bytes, signal_bytes):
    """torch's handles of a heap and of zeroed signals, and this rank's tensors, which keep them."""
    import torch.distributed._symmetric_memory as memory
    handles, tensors = [], []
    for size in (heap_bytes, signal_bytes):
        tensor = memory.empty(size, dtype=torch.uint8, device=torch.device("cuda", device()) if device() >= 0 else torch.device("cpu"))
        tensor.zero_()
        tensors.append(tensor)
        handles.append(memory.rendezvous(tensor, group))
    # No rank signals before every rank's signals are zero.
    if device() >= 0:
        torch.cuda.synchronize()
    dist.barrier(group)
    return handles, tensors


def device():
    """The GPU that this process computes on; -1 on the CPU."""
    return torch.cuda.current_device() if torch.cuda.is_available() else -1
