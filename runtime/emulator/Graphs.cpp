// HIP's graphs: what streams are given is kept, and given again with each launch. A graph of several streams has as
// many when it is launched; their events are those of the launch.
#include "Graphs.h"

using namespace tilec::emulator;

int tilec::emulator::recordCaptured(ihipStream_t &stream) {
  const int number = stream.capture->events++;
  stream.capture->joined.push_back(false);
  Entry entry;
  entry.kind = Entry::Copy;
  entry.records = number;
  Machine::get().enqueue(stream, std::move(entry));
  return number;
}

hipError_t tilec::emulator::awaitCaptured(ihipStream_t &stream, const std::shared_ptr<ihipGraph> &capture, int event) {
  if (stream.capture && stream.capture != capture)
    return hipErrorStreamCaptureUnsupported;
  if (!stream.capture) {
    stream.capture = capture;
    stream.lane = capture->lanes++;
  }
  capture->joined[size_t(event)] = true;
  Entry entry;
  entry.kind = Entry::Wait;
  entry.awaits = event;
  Machine::get().enqueue(stream, std::move(entry));
  return hipSuccess;
}

namespace {

/// Whether every other stream of a capture ends with an event that is waited for.
bool isJoined(const ihipGraph &graph) {
  std::vector<const Entry *> last(size_t(graph.lanes), nullptr);
  for (const Entry &entry : graph.entries)
    last[size_t(entry.lane)] = &entry;
  for (size_t lane = 1; lane < last.size(); ++lane)
    if (last[lane] && (last[lane]->records < 0 || !graph.joined[size_t(last[lane]->records)]))
      return false;
  return true;
}

/// The events of one launch.
struct Events {
  std::vector<bool> reached;
  std::vector<StreamClock> clocks;
};

/// What an entry does that records or waits, in a launch.
std::function<bool()> actionOf(const Entry &entry, const std::shared_ptr<Events> &events) {
  if (entry.records >= 0)
    return [events, number = size_t(entry.records)] {
      events->reached[number] = true;
      if (racing)
        events->clocks[number] = *RaceCheck::get().actionClock();
      return true;
    };
  return [events, number = size_t(entry.awaits)] {
    if (!events->reached[number])
      return false;
    if (racing)
      RaceCheck::get().actionClock()->join(events->clocks[number].done);
    return true;
  };
}

} // namespace

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  // The default stream cannot be captured.
  if (!stream || stream->capture)
    return hipErrorStreamCaptureUnsupported;
  stream->capture = std::make_shared<ihipGraph>();
  stream->lane = 0;
  return hipSuccess;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  if (!stream || !stream->capture || stream->lane != 0)
    return hipErrorInvalidValue;
  const std::shared_ptr<ihipGraph> captured = stream->capture;
  for (const auto &other : Machine::get().device(stream->device).streams)
    if (other->capture == captured) {
      other->capture = nullptr;
      other->lane = 0;
    }
  if (!isJoined(*captured))
    return hipErrorStreamCaptureUnjoined;
  *graph = new ihipGraph(std::move(*captured));
  return hipSuccess;
}

struct hipGraphExec {
  ihipGraph graph;
  std::vector<hipStream_t> lanes; ///< behind the stream of the launch; made with the first
};

hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph, void *, char *, size_t) {
  *executable = new hipGraphExec();
  ihipGraph &made = (*executable)->graph;
  made.lanes = graph->lanes;
  made.events = graph->events;
  for (const Entry &entry : graph->entries)
    made.entries.push_back(entry.copy());
  return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  Machine &machine = Machine::get();
  ihipStream_t &queue = stream ? *stream : *machine.device(machine.currentDevice).streams.front();
  const ihipGraph &graph = executable->graph;
  auto events = std::make_shared<Events>();
  events->reached.resize(size_t(graph.events));
  events->clocks.resize(size_t(graph.events));
  while (int(executable->lanes.size()) < graph.lanes - 1)
    executable->lanes.push_back(machine.createStream(queue.device, /*blocking=*/false));
  for (const Entry &entry : graph.entries) {
    Entry copy = entry.copy();
    if (copy.grid)
      copy.grid->device = queue.device;
    if (copy.records >= 0 || copy.awaits >= 0)
      copy.action = actionOf(copy, events);
    machine.enqueue(copy.lane ? *executable->lanes[size_t(copy.lane) - 1] : queue, std::move(copy));
  }
  return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  for (hipStream_t lane : executable->lanes)
    if (const hipError_t error = hipStreamDestroy(lane))
      return error;
  delete executable;
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  delete graph;
  return hipSuccess;
}
