// Reads the manifest as JSON; everything that it says of the proof is computed again.
#include "codegen/tilec/ManifestProof.h"
#include "codegen/Manifest.h"
#include "dialect/ParseTile.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace tilec;
using Json = nlohmann::ordered_json;

namespace {

class ManifestProof {
public:
  explicit ManifestProof(StringRef path) : path(path) {}

  LogicalResult run() {
    if (failed(read()) || failed(checkText()))
      return failure();
    DialectRegistry registry;
    registerDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.printOpOnDiagnostic(false);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(form, (path + ":kernel_form").str()), SMLoc());
    SourceMgrDiagnosticHandler diagnostics(sources, &context);
    OwningOpRef<ModuleOp> module = parseTile(sources, &context);
    if (!module)
      return failure();
    auto programs = module->getOps<tile::ProgramOp>();
    if (!llvm::hasSingleElement(programs))
      return fail("the kernel form has no single 'tile.program'");
    return prove(*programs.begin());
  }

private:
  LogicalResult fail(const Twine &message) {
    llvm::WithColor::error(llvm::errs(), path) << message << "\n";
    return failure();
  }

  /// A string of the manifest, or of its `hashes`; empty when there is none.
  static std::string text(const Json &object, const char *key) {
    auto it = object.is_object() ? object.find(key) : object.end();
    return it != object.end() && it->is_string() ? it->get<std::string>() : "";
  }

  LogicalResult read() {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return fail("cannot be read: " + buffer.getError().message());
    manifest = Json::parse((*buffer)->getBuffer().str(), nullptr, /*allow_exceptions=*/false);
    if (!manifest.is_object())
      return fail("is no manifest: expected a JSON object");
    form = text(manifest, "kernel_form");
    if (form.empty())
      return fail("has no 'kernel_form': the program was compiled without verification");
    if (manifest.contains("hashes"))
      hashes = manifest["hashes"];
    return checkHash("kernel_form", form);
  }

  LogicalResult checkHash(const char *key, StringRef content) {
    std::string expected = text(hashes, key), got = hashOfText(content);
    if (got != expected)
      return fail(Twine("hash of '") + key + "' is " + got + ", expected " + (expected.empty() ? "one" : expected));
    return success();
  }

  LogicalResult checkText() {
    SmallString<128> file(path);
    llvm::sys::path::replace_extension(file, ".hip");
    auto buffer = llvm::MemoryBuffer::getFile(file);
    hasText = static_cast<bool>(buffer);
    return hasText ? checkHash("text", (*buffer)->getBuffer()) : success();
  }

  LogicalResult prove(tile::ProgramOp program) {
    if (program.getSymName() != text(manifest, "program"))
      return fail("the kernel form is of '" + program.getSymName() + "', expected '" + text(manifest, "program") + "'");
    if (!manifest.contains("world") || manifest["world"] != program.getWorld().value_or(1))
      return fail("the kernel form has a world of " + Twine(program.getWorld().value_or(1)) +
                  " ranks, the manifest another");
    PassManager manager(program.getContext());
    manager.nest<tile::ProgramOp>().addPass(createVerify());
    if (failed(manager.run(program->getParentOfType<ModuleOp>())))
      return fail("the kernel form is rejected");
    if (manifest.value("verified", Json()) != Json::parse(describeVerified(program)))
      return fail("claims to be verified for " + manifest.value("verified", Json()).dump() + ", the proof is for " +
                  describeVerified(program));
    if (failed(compareProgress(program)))
      return failure();
    llvm::outs() << path << ": '@" << program.getSymName() << "' is verified again from its kernel form; "
                 << (hasText ? "the text beside it has its hash" : "no text stands beside it") << "\n";
    return success();
  }

  LogicalResult compareProgress(tile::ProgramOp program) {
    Json kernels = manifest.value("kernels", Json::array());
    size_t index = 0;
    for (auto kernel : program.getBody().getOps<tile::KernelOp>()) {
      Json proven = {{"class", kernel.getProgress().value_or("any").str()}};
      if (auto resident = kernel.getResident(); resident && proven["class"] != "any")
        proven["workgroups"] = *resident;
      Json claimed =
          index < kernels.size() && kernels[index].is_object() ? kernels[index].value("progress", Json()) : Json();
      if (claimed != proven)
        return fail("kernel '@" + kernel.getSymName() + "' has progress " + proven.dump() + ", the manifest claims " +
                    claimed.dump());
      ++index;
    }
    return success();
  }

  StringRef path;
  Json manifest, hashes;
  std::string form;
  bool hasText = false;
};

} // namespace

LogicalResult tilec::repeatProof(StringRef path) { return ManifestProof(path).run(); }
