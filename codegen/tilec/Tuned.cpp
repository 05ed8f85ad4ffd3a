// JSON of tuned choices, and which of them a compilation takes.
#include "codegen/tilec/Tuned.h"
#include "passes/ProgramTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tilec;
namespace json = llvm::json;
using llvm::createStringError;

static std::string hashOf(StringRef text) {
  constexpr size_t digits = 16;
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, digits);
}

static std::string hashOfCompiler() {
  static const char inThisProgram = 0;
  std::string path = llvm::sys::fs::getMainExecutable(nullptr, const_cast<char *>(&inThisProgram));
  auto content = llvm::MemoryBuffer::getFile(path);
  return content ? hashOf((*content)->getBuffer()) : "unknown";
}

json::Value tilec::toJSON(const Binding &binding) { return spell(binding); }

bool tilec::fromJSON(const json::Value &value, Binding &binding, json::Path path) {
  std::optional<Binding> parsed = parseBinding(value.getAsString().value_or(""));
  if (!parsed)
    path.report("expected NAME=VALUE with an integer value");
  else
    binding = *parsed;
  return parsed.has_value();
}

TunedKey TunedKey::of(tile::ProgramOp program, StringRef target, ArrayRef<Binding> extents) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  program->print(stream, OpPrintingFlags().printGenericOpForm());
  TunedKey key{program.getSymName().str(), hashOf(text), hashOfCompiler(), target.str(), extents};
  llvm::sort(key.extents);
  return key;
}

static json::Value toJson(const TunedEntry &entry) {
  return json::Object{{"program", entry.key.program},
                      {"source", entry.key.source},
                      {"compiler", entry.key.compiler},
                      {"target", entry.key.target},
                      {"device", entry.device},
                      {"extents", json::Array(entry.key.extents)},
                      {"parameters", json::Array(entry.choices.parameters)},
                      {"order", entry.choices.order},
                      {"schedule", entry.choices.schedule},
                      {"microseconds", entry.microseconds},
                      {"chosen_microseconds", entry.chosen},
                      {"candidates", entry.candidates}};
}

static bool fromJson(const json::Value &value, TunedEntry &entry, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("program", entry.key.program) && map.map("source", entry.key.source) &&
         map.map("compiler", entry.key.compiler) && map.map("target", entry.key.target) &&
         map.map("device", entry.device) && map.map("extents", entry.key.extents) &&
         map.map("parameters", entry.choices.parameters) && map.map("order", entry.choices.order) &&
         map.mapOptional("schedule", entry.choices.schedule) && map.map("microseconds", entry.microseconds) &&
         map.map("chosen_microseconds", entry.chosen) && map.map("candidates", entry.candidates);
}

llvm::Expected<std::vector<TunedEntry>> tilec::readTuned(StringRef path, bool mayLack) {
  std::vector<TunedEntry> entries;
  if (mayLack && !llvm::sys::fs::exists(path))
    return entries;
  auto content = llvm::MemoryBuffer::getFile(path);
  if (!content)
    return createStringError("cannot read '" + path + "': " + content.getError().message());
  llvm::Expected<json::Value> parsed = json::parse((*content)->getBuffer());
  if (!parsed)
    return createStringError("'" + path + "' is no file of 'tilec tune': " + llvm::toString(parsed.takeError()));
  json::Path::Root root("tuned");
  const json::Array *all = parsed->getAsArray();
  bool right = all;
  for (size_t i = 0; right && i < all->size(); ++i)
    right = fromJson((*all)[i], entries.emplace_back(), json::Path(root).index(i));
  if (!right)
    return createStringError(
        "'" + path + "' is no file of 'tilec tune': " + (all ? llvm::toString(root.getError()) : "expected an array"));
  return entries;
}

llvm::Error tilec::mergeTuned(StringRef path, ArrayRef<TunedEntry> entries) {
  auto known = readTuned(path, /*mayLack=*/true);
  if (!known)
    return known.takeError();
  for (const TunedEntry &entry : entries) {
    llvm::erase_if(*known, [&](const TunedEntry &old) { return old.key == entry.key && old.device == entry.device; });
    known->push_back(entry);
  }
  json::Array all;
  for (const TunedEntry &entry : *known)
    all.push_back(toJson(entry));
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (!error) {
    file.os() << llvm::formatv("{0:2}\n", json::Value(std::move(all)));
    file.os().flush();
    error = file.os().error();
    file.os().clear_error();
  }
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  file.keep();
  return llvm::Error::success();
}

Options tilec::withChoices(tile::ProgramOp program, const Options &options, const TunedChoices &choices) {
  Options result = options;
  for (const Binding &chosen : choices.parameters)
    if (!valueOf(options.pipeline.parameters, chosen.name))
      result.pipeline.parameters.push_back(chosen);
  if (!choices.order.empty() && !program.getOrder())
    program.setOrderAttr(tile::OrderRuleAttr::ofSpelling(program.getContext(), choices.order));
  std::string why;
  if (tile::ScheduleAttr schedule = choices.schedule.empty()
                                        ? tile::ScheduleAttr()
                                        : tile::ScheduleAttr::ofSpelling(program.getContext(), choices.schedule, why))
    program.setScheduleAttr(program.getSchedule() ? schedule.withGivenOf(*program.getSchedule()) : schedule);
  return result;
}

FailureOr<Options> tilec::withTuned(ModuleOp module, const Options &options) {
  if (options.tuned.empty())
    return options;
  auto programs = module.getOps<tile::ProgramOp>();
  tile::ProgramOp program = *programs.begin();
  if (!llvm::hasSingleElement(programs))
    return program.emitError() << "--tuned holds choices of single programs, got a file with "
                               << std::distance(programs.begin(), programs.end());
  auto entries = readTuned(options.tuned, /*mayLack=*/false);
  if (!entries) {
    llvm::WithColor::error(llvm::errs(), "tilec") << llvm::toString(entries.takeError()) << "\n";
    return failure();
  }
  FailureOr<Target> target = programTarget(program, options.pipeline.target);
  if (failed(target))
    return failure();
  const TunedKey key = TunedKey::of(program, target->name, options.pipeline.extents);
  for (const TunedEntry &entry : *entries)
    if (entry.key == key && StringRef(entry.device).contains(target->product))
      return withChoices(program, options, entry.choices);
  program.emitWarning() << "'" << options.tuned << "' has no entry for this program, compiler and target with "
                        << (key.extents.empty() ? "no extents given" : spell(key.extents)) << ": the compiler chooses";
  return options;
}
