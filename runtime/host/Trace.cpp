// The records that a program's launches leave on one rank.
#include "host/Trace.h"
#include "host/Program.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <hip/hip_runtime.h>
#include <nlohmann/json.hpp>

using namespace tilec;
using namespace tilec::host;
using nlohmann::json;

Trace::Trace(const tilec_program &program, int records) : program(program) {
  constexpr int most = 1 << 20;
  require(program.manifest.traced, TILEC_INVALID_ARGUMENT,
          "'" + program.manifest.program + "' records nothing, expected one compiled with --trace");
  require(records >= 1 && records <= most, TILEC_INVALID_ARGUMENT,
          std::to_string(records) + " records, expected 1 to " + std::to_string(most));
  tracks.capacity = records;
  for (const Kernel &kernel : program.manifest.kernels)
    tracks.workers = std::max(tracks.workers, program.capacity(kernel));
  CurrentDevice current(program.world.device);
  check(hipMalloc(reinterpret_cast<void **>(&tracks.tracks), bytes()), "allocating the tracks");
  check(hipMemset(tracks.tracks, 0, bytes()), "clearing the tracks");
  check(hipDeviceSynchronize(), "clearing the tracks");
}

Trace::~Trace() {
  CurrentDevice current(program.world.device);
  (void)hipFree(tracks.tracks);
}

size_t Trace::bytes() const {
  return program.manifest.kernels.size() * size_t(tracks.workers) * trace_parts * trackBytes();
}

static json jsonOf(const TraceRecord &record) {
  json result = {{"time", record.time}, {"kind", record.kind}, {"epoch", record.epoch}};
  if (record.kind == trace_task_begins)
    result.update({{"role", record.role}, {"task", record.number}});
  if (record.kind == trace_signal)
    result["to"] = record.number;
  if (record.kind == trace_wait_begins || record.kind == trace_signal)
    result.update({{"signal", record.signal}, {"first", record.first}, {"count", record.count}});
  return result;
}

void Trace::save(const std::string &path) const {
  std::vector<char> copy(bytes());
  {
    CurrentDevice current(program.world.device);
    check(hipDeviceSynchronize(), "waiting for the launches");
    check(hipMemcpy(copy.data(), tracks.tracks, copy.size(), hipMemcpyDeviceToHost), "reading the tracks");
  }
  const Manifest &manifest = program.manifest;
  json document = {{"tilec_trace", 1},        {"program", manifest.program}, {"rank", program.world.rank},
                   {"world", manifest.world}, {"kernels", json::array()},    {"signals", json::array()},
                   {"tracks", json::array()}};
  for (const Kernel &kernel : manifest.kernels) {
    json roles = json::array();
    for (const Role &role : kernel.roles)
      roles.push_back(role.name);
    document["kernels"].push_back({{"name", kernel.name}, {"roles", roles}});
  }
  for (const Signal &signal : manifest.signals)
    document["signals"].push_back({{"name", signal.name},
                                   {"offset", signal.offset.evaluate(program.maxValues.data())},
                                   {"dimensions", signal.shape.size()}});
  for (size_t number = 0; number * trackBytes() < copy.size(); ++number) {
    const char *at = copy.data() + number * trackBytes();
    TraceTrack track;
    std::memcpy(&track, at, sizeof(track));
    if (!track.written)
      continue;
    const unsigned capacity = unsigned(tracks.capacity), kept = std::min(track.written, capacity);
    json records = json::array();
    for (unsigned i = track.written - kept; i != track.written; ++i) {
      TraceRecord record;
      std::memcpy(&record, at + sizeof(TraceTrack) + i % capacity * sizeof(record), sizeof(record));
      records.push_back(jsonOf(record));
    }
    document["tracks"].push_back({{"kernel", number / trace_parts / size_t(tracks.workers)},
                                  {"workgroup", number / trace_parts % size_t(tracks.workers)},
                                  {"part", number % trace_parts},
                                  {"lost", track.written - kept},
                                  {"records", records}});
  }
  std::ofstream file(path);
  file << document.dump(1) << "\n";
  file.close();
  require(bool(file), TILEC_NOT_FOUND, "cannot write '" + path + "'");
}
