// Line tables, read by LLVM's symbolizer.
#include "codegen/tilec/run/Places.h"

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace tilec;

struct Places::Reader {
  llvm::symbolize::LLVMSymbolizer symbolizer;
};

Places::Places() : reader(std::make_unique<Reader>()) {}
Places::~Places() = default;

std::string Places::lineOf(const void *returnAddress) {
  Dl_info info;
  if (!dladdr(returnAddress, &info) || !info.dli_fname)
    return "";
  // The call lies before the address to which it returns.
  uint64_t offset = reinterpret_cast<uintptr_t>(returnAddress) - reinterpret_cast<uintptr_t>(info.dli_fbase) - 1;
  llvm::Expected<llvm::DIInliningInfo> frames = reader->symbolizer.symbolizeInlinedCode(
      std::string(info.dli_fname), {offset, llvm::object::SectionedAddress::UndefSection});
  if (!frames) {
    llvm::consumeError(frames.takeError());
    return "";
  }
  std::string line;
  for (uint32_t i = 0; i < frames->getNumberOfFrames(); ++i) {
    const llvm::DILineInfo &frame = frames->getFrame(i);
    if (frame.Line == 0 || frame.FileName == llvm::DILineInfo::BadString)
      continue;
    bool ofText = llvm::sys::path::extension(frame.FileName) == ".hip";
    if (ofText || line.empty())
      line = (llvm::sys::path::filename(frame.FileName) + ":" + llvm::Twine(frame.Line)).str();
    if (ofText)
      break;
  }
  return line;
}
