// Trying out what ranks need.
#include "runner/Doctor.h"
#include "runner/Session.h"
#include "runner/Words.h"
#include <iostream>
#include <memory>

using namespace tilec::runner;

namespace {

struct Destroy {
  void operator()(tilec_world *world) const { tilec_world_destroy(world); }
};

std::unique_ptr<tilec_world, Destroy> join() {
  tilec_world_options options{};
  options.heap_bytes = options.signal_bytes = 1 << 20;
  options.device = kindOfDevice;
  options.device_index = -1;
  options.join_deadline_ns = 20ull * 1000 * 1000 * 1000;
  tilec_world *made = nullptr;
  check(tilec_world_join(&options, &made), "joining a world");
  check(hipSetDevice(tilec_world_device(made)), "making the device of the world current");
  return std::unique_ptr<tilec_world, Destroy>(made);
}

int *allocate(tilec_world *world, int count) {
  void *memory = nullptr;
  check(tilec_heap_alloc(world, size_t(count) * sizeof(int), &memory), "allocating in the heap");
  return static_cast<int *>(memory);
}

} // namespace

Report tilec::runner::examineRank() {
  try {
    const auto world = join();
    const int rank = tilec_world_rank(world.get()), size = tilec_world_size(world.get()), mine = rank + 1;
    int *const words = allocate(world.get(), size);
    for (int to = 0; to < size; ++to) {
      void *there = nullptr;
      check(tilec_heap_remote(world.get(), words + rank, to, &there), "addressing another rank");
      check(hipMemcpy(there, &mine, sizeof(mine), hipMemcpyHostToDevice), "writing into another rank's memory");
    }
    check(hipDeviceSynchronize(), "writing into the other ranks' memory");
    (void)allocate(world.get(), 1); // all ranks have written
    std::vector<int> got(static_cast<size_t>(size));
    check(hipMemcpy(got.data(), words, got.size() * sizeof(int), hipMemcpyDeviceToHost),
          "reading the memory of a rank");
    for (int from = 0; from < size; ++from)
      require(got[size_t(from)] == from + 1, "what rank " + std::to_string(from) + " wrote did not come");
    return {0, "device " + std::to_string(tilec_world_device(world.get())) + ", reaches the memory of all " +
                   std::to_string(size) + " ranks"};
  } catch (const std::exception &error) {
    return {1, std::string("FAILED: ") + error.what()};
  }
}

bool tilec::runner::examineMachine() {
  int count = 0;
  check(hipGetDeviceCount(&count), "asking for the devices");
  for (int device = 0; device < count; ++device) {
    char name[256];
    check(hipDeviceGetName(name, sizeof(name), device), "asking for the name of a device");
    std::cout << "device " << device << ": " << name << std::endl;
  }
  Ranks ranks(count, {"--doctor"});
  bool well = true;
  const std::vector<Report> reports = ranks.next();
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    std::cout << "rank " << rank << ": " << reports[rank].words << std::endl;
    well &= reports[rank].verdict == 0;
  }
  std::cout << (well ? "ready for worlds of up to " + std::to_string(count) + (count == 1 ? " rank" : " ranks")
                     : "not ready for ranks on several devices")
            << std::endl;
  return well;
}
