// One instance of a program.
#include "host/Launch.h"
#include <algorithm>
#include <hip/hip_runtime.h>
#include <utility>

using namespace tilec;
using namespace tilec::host;

namespace {

/// More than any device holds, and few enough to run one after the other.
constexpr int mostWorkgroups = 65536;

struct Range {
  std::uintptr_t start, end;
  std::string name;
};

void requireApart(std::vector<Range> ranges, const std::string &program) {
  std::erase_if(ranges, [](const Range &range) { return range.start == range.end; });
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.start < b.start; });
  for (size_t i = 1; i < ranges.size(); ++i)
    require(ranges[i - 1].end <= ranges[i].start, TILEC_OVERLAP,
            "'" + program + "': " + ranges[i - 1].name + " and " + ranges[i].name + " overlap by " +
                std::to_string(std::min(ranges[i - 1].end, ranges[i].end) - ranges[i].start) + " bytes");
}

/// `M=200, N=40`, without extents that have no value.
std::string listed(const std::vector<std::string> &names, const Manifest::Sample &values, const char *between) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    if (values[i])
      text += (text.empty() ? "" : between) + names[i] + "=" + std::to_string(*values[i]);
  return text;
}

} // namespace

void Launch::checkBuffers(const std::vector<std::int64_t> &values) const {
  const Manifest &manifest = program.manifest;
  std::vector<Range> ranges;
  auto add = [&](const std::string &name, const void *pointer, std::int64_t bytes, bool symmetric) {
    require(pointer || bytes == 0, TILEC_INVALID_ARGUMENT, "'" + manifest.program + "': " + name + " is null");
    require(!symmetric || bytes == 0 || program.world.inHeap(pointer, bytes), TILEC_NOT_SYMMETRIC,
            "'" + manifest.program + "': " + name + " must lie in the symmetric heap");
    const auto start = reinterpret_cast<std::uintptr_t>(pointer);
    ranges.push_back({start, start + std::uintptr_t(bytes), name});
  };
  // All that the text assumes of a pointer: what is wider than an element asks at run time.
  auto align = [&](const std::string &name, const void *pointer, std::int64_t offset, const Buffer &buffer) {
    const std::uintptr_t past =
        (reinterpret_cast<std::uintptr_t>(pointer) + std::uintptr_t(offset)) % std::uintptr_t(buffer.elementBytes);
    require(past == 0 || manifest.bytes(buffer, values.data()) == 0, TILEC_INVALID_ARGUMENT,
            "'" + manifest.program + "': " + name + " lies " + std::to_string(past) +
                " bytes past a multiple of its elements' " + std::to_string(buffer.elementBytes) +
                ", expected an aligned pointer");
  };
  for (const Buffer &argument : manifest.arguments)
    manifest.requireElementsApart(argument, values.data());
  for (int i = 0; i < argumentCount; ++i)
    align("argument '" + manifest.arguments[i].name + "'", arguments[i], 0, manifest.arguments[i]);
  for (const Scratch &scratch : manifest.scratch)
    align("'" + scratch.name + "' in the workspace", workspace, scratch.offset.evaluate(values.data()), scratch);
  for (int i = 0; i < argumentCount; ++i) {
    const Buffer &argument = manifest.arguments[i];
    const std::string name = "argument '" + argument.name + "'";
    // A number lies in memory of the host, which several may share.
    if (argument.isNumber())
      require(arguments[i], TILEC_INVALID_ARGUMENT,
              "'" + manifest.program + "': " + name + " is null, expected the address of its number");
    else
      add(name, arguments[i], manifest.bytes(argument, values.data()), argument.symmetric);
  }
  add("the workspace", workspace, manifest.workspaceBytes(values.data()), manifest.needsSymmetricWorkspace());
  requireApart(std::move(ranges), manifest.program);
}

/// A number of workgroups that was proven for some extents says nothing of others: it may grow with them, or shrink.
void Launch::checkProof() const {
  const Manifest &manifest = program.manifest;
  const Manifest::Sample given(extents, extents + extentCount);
  const auto needy = std::find_if(manifest.kernels.begin(), manifest.kernels.end(),
                                  [](const Kernel &kernel) { return kernel.resident > 0; });
  if (needy == manifest.kernels.end() || manifest.isVerifiedFor(extents)) {
    for (size_t i = 0; i < manifest.limits.size(); ++i)
      require(!manifest.limits[i] || extents[i] <= *manifest.limits[i], TILEC_NOT_PROVEN,
              "'" + manifest.program + "' is verified up to " + listed(manifest.extents, manifest.limits, ", ") +
                  ", got " + listed(manifest.extents, given, ", ") + "; compile for these extents: tilec --extent " +
                  listed(manifest.extents, given, ","));
    return;
  }
  constexpr size_t mostListed = 8;
  std::string proven;
  for (size_t i = 0; i < std::min(manifest.verified.size(), mostListed); ++i)
    proven += (i ? "; " : "") + listed(manifest.extents, manifest.verified[i], ", ");
  if (manifest.verified.size() > mostListed)
    proven += "; ...";
  throw Error(TILEC_NOT_PROVEN,
              "kernel '" + needy->name + "' needs " + std::to_string(needy->resident) +
                  " resident workgroups, which is proven for " + (proven.empty() ? "no extents" : proven) + ", got " +
                  listed(manifest.extents, given, ", ") + "; compile for these extents: tilec --extent " +
                  listed(manifest.extents, given, ","));
}

/// Of two kernels that run at once, the workgroups of the first and one of the second must be resident: tasks of either
/// may wait for the other's.
void Launch::requireBeside(std::int64_t chosen) const {
  const std::vector<Kernel> &kernels = program.manifest.kernels;
  for (std::size_t i = 0; i + 1 < kernels.size(); ++i) {
    if (!kernels[i].beside)
      continue;
    const std::int64_t held =
        std::min<std::int64_t>({chosen, program.capacity(kernels[i]), program.capacity(kernels[i + 1])});
    require(kernels[i].beside <= held, TILEC_NOT_RESIDENT,
            "kernels '" + kernels[i].name + "' and '" + kernels[i + 1].name + "' run at once and need " +
                std::to_string(kernels[i].beside) + " resident workgroups, got " + std::to_string(held));
  }
}

/// As many as the device holds and the roles have work for; the same for every kernel of the program.
int Launch::chooseWorkgroups(const std::vector<std::int64_t> &values) const {
  require(workgroups >= 0 && workgroups <= mostWorkgroups, TILEC_INVALID_ARGUMENT,
          "a launch cannot have " + std::to_string(workgroups) + " workgroups, expected 0 to " +
              std::to_string(mostWorkgroups));
  std::int64_t chosen = workgroups, beside = 0;
  for (const Kernel &kernel : program.manifest.kernels) {
    const std::int64_t capacity = program.capacity(kernel);
    std::int64_t useful = std::exchange(beside, 0); // two kernels that run at once share the workgroups of a launch
    for (const Role &role : kernel.roles) {
      const auto &number = role.workgroups ? role.workgroups : role.tasks;
      // A role that does not say can use whatever there is.
      const std::int64_t wanted = number ? std::max<std::int64_t>(number->evaluate(values.data()), 1) : capacity;
      useful = std::min(capacity, useful + std::min(capacity, wanted));
    }
    if (kernel.roles.empty())
      useful = capacity;
    if (kernel.beside)
      beside = useful;
    if (!workgroups)
      chosen = std::max({chosen, useful, std::int64_t(kernel.resident), std::int64_t(kernel.beside)});
  }
  for (const Kernel &kernel : program.manifest.kernels)
    if (!workgroups && kernel.allResident)
      chosen = std::min<std::int64_t>(chosen, program.capacity(kernel));
  for (const Kernel &kernel : program.manifest.kernels)
    if (kernel.resident) {
      const int capacity = program.capacity(kernel);
      require(kernel.resident <= std::min<std::int64_t>(chosen, capacity), TILEC_NOT_RESIDENT,
              "kernel '" + kernel.name + "' needs " + std::to_string(kernel.resident) + " resident workgroups, got " +
                  std::to_string(std::min<std::int64_t>(chosen, capacity)));
    }
  for (const Kernel &kernel : program.manifest.kernels)
    require(!kernel.allResident || chosen <= program.capacity(kernel), TILEC_NOT_RESIDENT,
            "all workgroups of kernel '" + kernel.name + "' must be resident" +
                (kernel.proven ? "" : ", as its progress is not proven") + ": got " + std::to_string(chosen) +
                ", the device holds " + std::to_string(program.capacity(kernel)));
  requireBeside(chosen);
  return int(chosen);
}

/// Calls back with each buffer that must lie at the same place on all ranks. One without bytes may be anywhere.
template <typename Callback>
void Launch::forEachSymmetric(const std::vector<std::int64_t> &values, Callback &&callback) const {
  const Manifest &manifest = program.manifest;
  auto visit = [&](const std::string &name, const void *pointer) {
    callback(name,
             reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(program.world.heapBase()));
  };
  for (int i = 0; i < argumentCount; ++i)
    if (manifest.arguments[i].symmetric && manifest.bytes(manifest.arguments[i], values.data()))
      visit("'" + manifest.arguments[i].name + "'", arguments[i]);
  if (manifest.needsSymmetricWorkspace() && manifest.workspaceBytes(values.data()))
    visit("the workspace", workspace);
}

/// All that ranks must agree about, such as 'shift', M=5, max_M=40, "the workspace at byte 256 of the heap".
std::vector<std::string> Launch::given(const std::vector<std::int64_t> &values) const {
  const Manifest &manifest = program.manifest;
  std::vector<std::string> all{"'" + manifest.program + "'"};
  for (size_t i = 0; i < values.size(); ++i)
    all.push_back(manifest.names[i] + "=" + std::to_string(values[i]));
  forEachSymmetric(values, [&](const std::string &name, std::uintptr_t offset) {
    all.push_back(name + " at byte " + std::to_string(offset) + " of the heap");
  });
  return all;
}

Context Launch::context(const std::vector<std::int64_t> &values) const {
  const tilec_world &world = program.world;
  // Equal on all ranks: the program, the extents, their maxima and where the symmetric buffers lie.
  std::uint64_t hash = hashBytes(values.data(), values.size() * sizeof(std::int64_t), program.manifest.hash);
  forEachSymmetric(
      values, [&](const std::string &, std::uintptr_t offset) { hash = hashBytes(&offset, sizeof(offset), hash); });
  Context context = {};
  context.rank = world.rank;
  context.world = world.group->size;
  context.heap_bases = program.tables;
  context.signal_bases = program.tables + world.group->size;
  context.state = program.state;
  context.failure = world.failure;
  context.deadline_ns = world.deadline;
  context.program = program.number;
  if (program.trace)
    context.trace = program.trace->buffer();
  context.hash = unsigned(hash ^ hash >> 32);
  return context;
}

/// What the engine is asked for waits until all ranks have been launched. Where one process launches them all, its
/// calls must not wait for room in the engine's stream; and none may where the kernel that is launched behind the call
/// is what the engine waits for.
void Launch::checkCopies(LaunchArguments launch) const {
  if (program.manifest.engines.empty() || program.world.group->size == 1)
    return;
  launch.workgroups = 0; // nothing starts
  const int full = program.launch(&launch);
  const bool awaitsKernel = full == 2;
  require(full == 0 || (full == 1 && program.world.processes()), TILEC_INVALID_ARGUMENT,
          "'" + program.manifest.program + "' asks the copy engine for more than " +
              std::to_string(most_engine_copies) + " copies and signals in a launch" +
              (awaitsKernel ? ", and its kernel can only be launched behind them: expected smaller extents, larger "
                              "pieces, or another pattern"
                            : ", which a process that launches all ranks cannot: expected smaller extents, a process "
                              "for each rank, or another pattern"));
}

void Launch::run() {
  const Manifest &manifest = program.manifest;
  require(argumentCount == int(manifest.arguments.size()), TILEC_INVALID_ARGUMENT,
          "'" + manifest.program + "' has " + std::to_string(manifest.arguments.size()) + " arguments, got " +
              std::to_string(argumentCount));
  require(argumentCount == 0 || arguments, TILEC_INVALID_ARGUMENT, "the arguments are null");
  program.world.requireHealthy();
  const std::vector<std::int64_t> values = program.values(extents, extentCount);
  manifest.requireConditions(values);
  manifest.requireLaidOut(values);
  manifest.requireNarrow(values);
  program.requireCleared(workspace);
  // What has no task leaves nothing to order: it is as if the launch had not been.
  const bool empty = !manifest.nonzero.empty() && manifest.isEmpty(values.data());
  manifest.requireNonzero(values.data());
  if (!empty)
    checkProof();
  checkBuffers(values);
  const std::vector<long long> now(extents, extents + extentCount);
  const std::vector<long long> most(program.maxExtents.begin(), program.maxExtents.end());
  LaunchArguments launch = {};
  launch.context = context(values);
  launch.stream = stream;
  launch.pointers = arguments;
  launch.extents = now.data();
  launch.max_extents = most.data();
  launch.workspace = static_cast<char *>(workspace);
  launch.pointer_count = argumentCount;
  launch.extent_count = extentCount;
  launch.workgroups = chooseWorkgroups(values);
  launch.engine = program.engine ? &program.engine->engine() : nullptr;
  CurrentDevice current(program.world.device);
  checkCopies(launch);
  const unsigned number = program.launches + 1;
  const bool compares = program.world.comparesLaunches();
  if (compares)
    program.world.compareLaunch(program.number, number, launch.context.hash, given(values));
  program.launches = number;
  // A program that was loaded twice counts its launches twice.
  const std::string which = program.number ? " (program " + std::to_string(program.number) + ")" : "";
  if (Link *others = program.world.processes())
    others->launching("launch " + std::to_string(number) + " of '" + manifest.program + "'" + which,
                      launch.context.hash);
  const int error = empty ? 0 : program.launch(&launch);
  if (error && compares) {
    // The others wait for this launch, which may be tried again.
    program.world.withdrawLaunch(program.number, number);
    --program.launches;
  }
  check(error, ("launching '" + manifest.program + "'").c_str());
}
