// Reads the manifest as JSON; compiles its kernel form and compares the manifest that comes out, entry by entry.
#include "codegen/tilec/commands/ManifestProof.h"
#include "codegen/Manifest.h"
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/KernelForm.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <map>
#include <set>

using namespace mlir;
using namespace tilec;
using Json = nlohmann::ordered_json;

/// A string of the manifest, or of its `hashes`; empty when there is none.
static std::string text(const Json &object, const char *key) {
  auto it = object.is_object() ? object.find(key) : object.end();
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

/// A line ends, for a compiler, at other characters than '\n' too, and a comment with it.
static bool hasControls(StringRef text) {
  return llvm::any_of(text, [](char c) { return (llvm::isASCII(c) && !llvm::isPrint(c)) && c != '\n' && c != '\t'; });
}

/// The text without the places that `--locations` puts at the end of its lines.
static std::string withoutLocations(StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    auto [before, place] = line.rsplit("  // ");
    auto [file, digits] = place.rsplit(':');
    bool isPlace = !file.empty() && !digits.empty() && llvm::all_of(digits, llvm::isDigit) && !file.contains('/');
    result += (isPlace ? before : line).str() + "\n";
    text = rest;
  }
  return result;
}

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
    OwningOpRef<ModuleOp> module = parseKernelForm(sources, &context);
    if (!module)
      return failure();
    auto programs = module->getOps<tile::ProgramOp>();
    if (!llvm::hasSingleElement(programs) || !llvm::hasSingleElement(*module->getBody()))
      return fail("the kernel form is no single 'tile.program'");
    tile::ProgramOp program = *programs.begin();
    name = program.getSymName();
    FailureOr<Outputs> outputs = compileAgain(*module, program);
    if (failed(outputs) || failed(compareWith(*outputs)))
      return failure();
    llvm::outs() << path << ": '@" << name
                 << "' is verified again from its kernel form, and every entry follows from it; "
                 << (hip ? "the text beside it has its hash" : "no text stands beside it") << "\n";
    return success();
  }

private:
  LogicalResult fail(const Twine &message) {
    llvm::WithColor::error(llvm::errs(), path) << message << "\n";
    return failure();
  }

  LogicalResult read() {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return fail("cannot be read: " + buffer.getError().message());
    if (failed(parse((*buffer)->getBuffer())))
      return failure();
    if (std::string source = text(manifest, "source"); hasControls(source) || StringRef(source).contains('\n'))
      return fail("source is no name of a file: expected no control characters");
    form = text(manifest, "kernel_form");
    if (form.empty())
      return fail("has no 'kernel_form': the program was compiled without verification");
    if (manifest.contains("hashes"))
      hashes = manifest["hashes"];
    located = manifest.value("locations", Json(false)) == true;
    return checkHash("kernel_form", form);
  }

  /// Values nest less deep in any manifest. Of two entries with one key, readers do not agree on which counts.
  LogicalResult parse(StringRef content) {
    constexpr int deepest = 32;
    bool tooDeep = false;
    std::map<int, std::set<std::string>> keys; // of the objects that are open, by their depth
    std::string twice;
    auto look = [&](int depth, Json::parse_event_t event, Json &value) {
      tooDeep |= depth > deepest;
      if (event == Json::parse_event_t::object_start)
        keys[depth + 1].clear();
      if (event == Json::parse_event_t::key && !keys[depth].insert(value.get<std::string>()).second)
        twice = value.get<std::string>();
      return !tooDeep;
    };
    manifest = Json::parse(content.str(), look, /*allow_exceptions=*/false);
    if (tooDeep)
      return fail("is no manifest: values nest deeper than " + Twine(deepest));
    if (!manifest.is_object())
      return fail("is no manifest: expected a JSON object");
    if (!twice.empty())
      return fail("has the key '" + twice + "' twice in one object, expected each once");
    return success();
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
    if (!buffer)
      return success();
    hip = (*buffer)->getBuffer().str();
    if (hasControls(*hip))
      return fail("the text beside it has control characters, which tilec does not print");
    return checkHash("text", *hip);
  }

  /// The outputs of the kernel form, after every stage from `verify` to `check`.
  FailureOr<Outputs> compileAgain(ModuleOp module, tile::ProgramOp program) {
    Options options;
    options.input = text(manifest, "source");
    options.pipeline.target = program.getTarget().value_or(options.pipeline.target).str();
    KernelForms forms;
    if (failed(runLaterStages(module, options, form, &forms)))
      return fail("the kernel form is rejected");
    if (forms.lookup(name) != form)
      return fail("kernel_form is not what 'verify' says of it: a proof, a progress class or a spelling differs");
    if (isUnproven(program))
      return requireProofs(program);
    FailureOr<std::vector<Outputs>> all = makeOutputs(module, options, "", forms);
    if (failed(all) || all->size() != 1)
      return fail("the kernel form cannot be printed");
    return std::move(all->front());
  }

  LogicalResult compareWith(const Outputs &outputs) {
    Json follows = Json::parse(outputs.manifest);
    // The source is not there.
    follows["hashes"]["source"] = text(hashes, "source");
    if (located) {
      // Nor are its places, so that the hash is that of the text beside it or of none.
      if (!hip)
        return fail("hashes.text is of a text with places of the source, expected that text beside it");
      follows["locations"] = true;
      follows["hashes"]["text"] = text(hashes, "text");
      if (withoutLocations(*hip) != withoutLocations(outputs.hip))
        return fail("the text beside it is not the text that follows from the kernel form");
    }
    compare(manifest, follows, "");
    SmallString<128> file(path);
    llvm::sys::path::replace_extension(file, ".h");
    if (auto header = llvm::MemoryBuffer::getFile(file); header && (*header)->getBuffer() != outputs.header)
      differ("the header beside it is not the one that follows from the kernel form");
    return success(differences == 0);
  }

  static std::string shown(const Json &value) {
    std::string all = value.dump();
    return all.size() <= 80 ? all : StringRef(all).take_front(77).str() + "...";
  }

  void differ(const Twine &message) {
    ++differences;
    (void)fail(message);
  }

  /// Reports each entry that is not what follows from the kernel form.
  void compare(const Json &says, const Json &follows, const std::string &at) {
    if (says.is_object() && follows.is_object()) {
      std::string prefix = at.empty() ? at : at + ".";
      for (auto &[key, value] : follows.items())
        if (auto it = says.find(key); it != says.end())
          compare(*it, value, prefix + key);
        else
          differ(prefix + key + " is missing, " + shown(value) + " follows from the kernel form");
      for (auto &[key, value] : says.items())
        if (!follows.contains(key))
          differ(prefix + key + " is " + shown(value) + ", nothing of the kernel form says it");
    } else if (says.is_array() && follows.is_array() && says.size() == follows.size()) {
      for (size_t i = 0; i < says.size(); ++i)
        compare(says[i], follows[i], at + "[" + std::to_string(i) + "]");
    } else if (says.dump() != follows.dump()) {
      differ(at + " is " + shown(says) + ", " + shown(follows) + " follows from the kernel form");
    }
  }

  StringRef path;
  Json manifest, hashes;
  std::string form, name;
  std::optional<std::string> hip; ///< the text beside the manifest
  bool located = false;           ///< the text has places of the source at the end of its lines
  unsigned differences = 0;
};

} // namespace

LogicalResult tilec::repeatProof(StringRef path) { return ManifestProof(path).run(); }
