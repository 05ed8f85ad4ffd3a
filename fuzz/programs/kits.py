# Random programs for a machine that has GPUs (docs/device.md): their texts, and what the oracle says of their launches.
# Nothing runs here, and there `sh KIT/run` judges.
import re

from execution import without_access, without_schedule

# What is said of a run that has a meaning on a GPU: the other options are the emulator's.
OF_LAUNCHES = ("--launches=", "--seed=", "--extents-from=")


def prepare(runner, case, kit, is_of_schedule):
    """Writes one program into the kit, under the number of its seed."""
    text = re.sub(r"tile\.program @\w+", f"tile.program @p{case.seed}", case.text, count=1)
    launches = [option for option in case.running[0] if option.startswith(OF_LAUNCHES)]

    def attempt(compiling):
        return runner.run(text, ["--target=sm_90a", *compiling, *launches, f"--prepare={kit}"])

    result = attempt(case.compiling)
    for forgoes in (without_access, without_schedule):
        meets = "cannot be expanded" in result.output if forgoes is without_access else is_of_schedule(result)
        if meets:
            case.compiling = forgoes(case.compiling)
            result = attempt(case.compiling)
    return result
