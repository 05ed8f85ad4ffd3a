// `tilec doctor`.
#include "codegen/tilec/commands/Doctor.h"
#include "codegen/tilec/run/DeviceRun.h"

#include "llvm/Support/WithColor.h"

using namespace tilec;

int tilec::examineMachine() {
  llvm::Expected<std::string> kit = ownKit();
  llvm::Expected<int> status = kit ? runKit(*kit, {"--doctor"}) : llvm::Expected<int>(kit.takeError());
  if (status)
    return *status;
  llvm::WithColor::error(llvm::errs(), "tilec") << llvm::toString(status.takeError()) << "\n";
  return 1;
}
