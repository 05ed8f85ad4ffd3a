# Random programs for a machine that has GPUs (docs/device.md): their texts, and what the oracle says of their launches.
# Nothing runs here, and there `sh KIT/run` judges.
import re

TARGET = "sm_90a"

# What is said of a run that has a meaning on a GPU: the other options are the emulator's. Two launches show another extent; more of them are
# more arrays to carry there, and those two are repeated.
OF_LAUNCHES = ("--seed=", "--extents-from=")


def prepare(runner, case, kit, is_of_schedule):
    """Writes one program into the kit, under the number of its seed."""
    launches = ["--launches=2"] + [option for option in case.running[0] if option.startswith(OF_LAUNCHES)]

    def attempt():
        text = re.sub(r"tile\.program @\w+", f"tile.program @p{case.seed}", case.text, count=1)
        return runner.run(text, [*case.target, *case.compiling, *launches, f"--prepare={kit}"])

    result = attempt()
    if "cannot be expanded" in result.output:
        case.drop_access()
        result = attempt()
    if is_of_schedule(result):
        case.drop_schedules()
        result = attempt()
    return result
