// Files of outcomes to verdicts.
#include "codegen/tilec/run/Outcomes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

namespace {

/// outcomes.json.
struct Kept {
  SmallVector<int64_t> counts; ///< [launch]
  bool wrong = false, unjudged = false;
};

class Reader {
public:
  Reader(ProgramOp program, StringRef folder) : program(program), folder(folder) {}

  FailureOr<Kept> readKept(size_t launches) {
    const std::string path = folder + "/outcomes.json";
    auto text = llvm::MemoryBuffer::getFile(path);
    if (!text)
      return program.emitError() << "no '" << path << "': run the kit on the machine with the GPU first";
    llvm::Expected<llvm::json::Value> value = llvm::json::parse((*text)->getBuffer());
    if (!value)
      return program.emitError() << "'" << path << "': " << llvm::toString(value.takeError());
    const llvm::json::Object *object = value->getAsObject();
    const llvm::json::Array *counts = object ? object->getArray("kept") : nullptr;
    if (!counts || counts->size() != launches)
      return program.emitError() << "'" << path << "' is not of these " << launches
                                 << " launches: give the options that the kit was prepared with";
    Kept kept;
    for (const llvm::json::Value &count : *counts)
      kept.counts.push_back(count.getAsInteger().value_or(0));
    kept.wrong = object->getBoolean("wrong").value_or(true);
    kept.unjudged = object->getBoolean("unjudged").value_or(true);
    return kept;
  }

  /// An argument as an outcome left it.
  FailureOr<Buffer> readArgument(const std::string &outcome, unsigned argument, const Buffer &like) {
    const std::string path = folder + "/" + outcome + "/" + argumentName(program.getArguments()[argument]) + ".bin";
    Buffer result(like.format, like.shape);
    auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!bytes)
      return program.emitError() << "cannot read '" << path << "': " << bytes.getError().message();
    const auto size = static_cast<size_t>(result.size() * result.format.bytes());
    if ((*bytes)->getBufferSize() != size)
      return program.emitError() << "'" << path << "' holds " << (*bytes)->getBufferSize() << " bytes, expected "
                                 << size << ": give the options that the kit was prepared with";
    result.fromBytes({(*bytes)->getBufferStart(), size});
    return result;
  }

  /// Empty where the text has no such buffer.
  std::vector<char> readScratch(const std::string &outcome, StringRef name, size_t size) {
    auto bytes = llvm::MemoryBuffer::getFile(folder + "/" + outcome + "/" + name + ".scratch", /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
    if (!bytes || (*bytes)->getBufferSize() != size)
      return {};
    return {(*bytes)->getBufferStart(), (*bytes)->getBufferEnd()};
  }

private:
  ProgramOp program;
  std::string folder;
};

} // namespace

Verdict tilec::judgeOutcomes(Interpreter &oracle, std::vector<PreparedLaunch> &launches, StringRef folder,
                             llvm::raw_ostream &stream) {
  Reader reader(oracle.getProgram(), folder);
  FailureOr<Kept> kept = reader.readKept(launches.size());
  if (failed(kept))
    return Verdict::Wrong;
  Judgement judgement(oracle.getProgram(), launches, std::nullopt);
  int64_t all = 0;
  for (size_t launch = 0; launch < launches.size(); ++launch)
    for (int64_t number = 0; number < kept->counts[launch]; ++number, ++all) {
      const std::string outcome = "outcome-" + std::to_string(launch) + "-" + std::to_string(number);
      auto left = [&](int64_t, StringRef name, size_t size) { return reader.readScratch(outcome, name, size); };
      if (failed(judgement.follow(oracle, launch, /*overwritten=*/false, left)))
        return Verdict::Wrong;
      for (unsigned argument = 0; argument < oracle.getNumArguments(); ++argument) {
        auto got = reader.readArgument(outcome, argument, launches[launch].after[0][argument]);
        if (failed(got))
          return Verdict::Wrong;
        judgement.compare(launch, /*rank=*/0, argument, *got);
      }
    }
  stream << "followed by the oracle, " << all << (all == 1 ? " outcome" : " outcomes") << " of " << launches.size()
         << (launches.size() == 1 ? " launch:\n" : " launches:\n");
  Verdict verdict = judgement.print(stream, {});
  if (kept->wrong)
    stream << "the runner found a launch wrong\n";
  if (kept->unjudged)
    stream << "outcomes that were not kept are too weak to judge\n";
  if (kept->unjudged)
    verdict = worse(verdict, Verdict::TooWeak);
  return kept->wrong ? Verdict::Wrong : verdict;
}
