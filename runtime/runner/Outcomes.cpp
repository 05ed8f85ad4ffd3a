// Files of outcomes.
#include "runner/Outcomes.h"
#include "runner/Words.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tilec::runner;
namespace fs = std::filesystem;

/// Of one launch. A program without atomics has one: more show that sums are added in another order each time.
static constexpr size_t mostOutcomes = 8;

static void writeBytes(const fs::path &path, const std::vector<char> &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  require(bool(file.flush()), "cannot write '" + path.string() + "'");
}

Outcomes::Outcomes(const PreparedProgram &program) : program(program), kept(program.launches.size()) {
  // The oracle would have to follow all ranks at once: nothing is kept of several.
  if (program.world > 1)
    return;
  std::vector<fs::path> old;
  for (const fs::directory_entry &entry : fs::directory_iterator(program.folder))
    if (entry.path().filename().string().rfind("outcome", 0) == 0)
      old.push_back(entry.path());
  for (const fs::path &path : old)
    fs::remove_all(path);
}

bool Outcomes::keep(size_t launch, std::vector<std::vector<char>> arguments, std::vector<std::vector<char>> scratch) {
  Outcome outcome{std::move(arguments), std::move(scratch)};
  std::vector<Outcome> &known = kept[launch];
  if (std::find(known.begin(), known.end(), outcome) != known.end())
    return true;
  if (known.size() == mostOutcomes)
    return false;
  const PreparedLaunch &prepared = program.launches[launch];
  const fs::path folder =
      fs::path(program.folder) / ("outcome-" + std::to_string(launch) + "-" + std::to_string(known.size()));
  fs::create_directories(folder);
  for (size_t i = 0; i < outcome.arguments.size(); ++i)
    writeBytes(folder / (prepared.arguments[i].name + ".bin"), outcome.arguments[i]);
  for (size_t i = 0; i < outcome.scratch.size(); ++i)
    if (!outcome.scratch[i].empty())
      writeBytes(folder / (prepared.scratch[i].name + ".scratch"), outcome.scratch[i]);
  known.push_back(std::move(outcome));
  return true;
}

void Outcomes::finish(bool wrong, bool unjudged) const {
  if (program.world > 1)
    return;
  nlohmann::json counts = nlohmann::json::array();
  for (const std::vector<Outcome> &known : kept)
    counts.push_back(known.size());
  const std::string text = nlohmann::json{{"kept", counts}, {"wrong", wrong}, {"unjudged", unjudged}}.dump(2) + "\n";
  writeBytes(fs::path(program.folder) / "outcomes.json", {text.begin(), text.end()});
}

size_t Outcomes::count() const {
  size_t all = 0;
  for (const std::vector<Outcome> &known : kept)
    all += known.size();
  return all;
}
