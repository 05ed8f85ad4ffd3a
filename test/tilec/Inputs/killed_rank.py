"""Kills one rank of a run in the middle of its launches: killed_rank.py RANK COMMAND...
Prints what the command says, then whether it ended within five seconds."""
import os
import signal
import subprocess
import sys
import time


def process_of(rank, parent):
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/stat") as stat, open(f"/proc/{number}/environ", "rb") as environ:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == parent and f"TILEC_RANK={rank}".encode() in environ.read().split(b"\0"):
                    return int(number)
        except (OSError, IndexError):
            continue  # it has ended
    return None


run = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
victim = None
while victim is None and run.poll() is None:
    victim = process_of(int(sys.argv[1]), run.pid)
time.sleep(2)  # the ranks meet, load their program and launch it
os.kill(victim, signal.SIGKILL)
killed = time.monotonic()
print(run.communicate()[0], end="")
print("ended within five seconds:", time.monotonic() - killed < 5, "exit code", run.returncode)
