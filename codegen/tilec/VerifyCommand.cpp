// The pipeline as far as `verify`.
#include "codegen/tilec/VerifyCommand.h"
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/Input.h"
#include "codegen/tilec/ManifestProof.h"
#include "codegen/tilec/Minimality.h"

using namespace mlir;
using namespace tilec;

int tilec::verify(const Options &options) {
  if (!options.manifest.empty())
    return failed(repeatProof(options.manifest));
  Input input(options);
  if (!input || failed(runStages(input.get(), options, "verify", input.text())))
    return 1;
  if (options.minimal)
    for (auto program : input.get().getOps<tile::ProgramOp>())
      reportRedundant(program, llvm::outs());
  return 0;
}
