// launch.json and the arrays beside it.
#include "runner/Launches.h"
#include "runner/Words.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tilec::runner;

namespace {

std::vector<char> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  require(bool(file), "cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The elements of a .npy file, as bytes.
std::vector<char> readArray(const std::string &path) {
  const std::vector<char> bytes = readFile(path);
  constexpr char magic[] = "\x93NUMPY";
  constexpr size_t magicBytes = sizeof(magic) - 1, preamble = magicBytes + 2;
  require(bytes.size() > preamble + 4 && std::memcmp(bytes.data(), magic, magicBytes) == 0,
          "'" + path + "' is no .npy file");
  // Version 1 has two bytes for the length of the header, later ones four.
  const size_t lengthBytes = bytes[magicBytes] == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(static_cast<unsigned char>(bytes[preamble + i])) << 8 * i;
  const size_t start = preamble + lengthBytes + length;
  require(bytes.size() >= start, "'" + path + "' is truncated");
  return {bytes.begin() + std::ptrdiff_t(start), bytes.end()};
}

template <class T>
std::vector<T> readValues(const std::string &path) {
  const std::vector<char> bytes = readArray(path);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

Expected readExpected(const std::string &path, const Argument &argument) {
  Expected expected;
  expected.before = readArray(path + ".before.npy");
  if (argument.element.isFloat)
    expected.after = readValues<double>(path + ".after.npy");
  else
    expected.whole = readValues<std::int64_t>(path + ".after.npy");
  for (const std::int64_t value : expected.whole)
    expected.after.push_back(double(value));
  expected.bound = readValues<double>(path + ".bound.npy");
  const size_t count = size_t(argument.elements());
  require(expected.after.size() == count && expected.bound.size() == count &&
              expected.before.size() == count * size_t(argument.element.bytes),
          "the arrays of '" + path + "' have not the size that launch.json says");
  return expected;
}

} // namespace

std::int64_t Argument::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes)
    count *= size;
  return count;
}

size_t Argument::bytes() const {
  std::int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d)
    last += (sizes[d] - 1) * strides[d];
  return elements() ? size_t(last + 1) * size_t(element.bytes) : 0;
}

size_t Argument::offset(std::int64_t number) const {
  std::int64_t offset = 0;
  for (size_t d = sizes.size(); d-- > 0; number /= sizes[d])
    offset += number % sizes[d] * strides[d];
  return size_t(offset) * size_t(element.bytes);
}

std::string Argument::place(std::int64_t number) const {
  std::string text;
  for (size_t d = sizes.size(); d-- > 0; number /= sizes[d])
    text = std::to_string(number % sizes[d]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

std::string PreparedProgram::labelOf(const std::string &folder) {
  const size_t end = folder.find_last_not_of('/') + 1;
  return folder.substr(0, end).substr(folder.find_last_of('/', end - 1) + 1);
}

int PreparedProgram::worldOf(const std::string &folder) {
  const int world = nlohmann::json::parse(readFile(folder + "/launch.json")).at("world");
  require(world >= 1, "the launches are of a world of " + std::to_string(world));
  return world;
}

PreparedProgram PreparedProgram::read(const std::string &folder, int rank) {
  const std::vector<char> text = readFile(folder + "/launch.json");
  const nlohmann::json json = nlohmann::json::parse(text);
  PreparedProgram program;
  program.world = json.at("world");
  program.rank = rank;
  program.label = labelOf(folder);
  program.name = json.at("program");
  program.folder = folder;
  program.manifest = folder + "/" + program.name + ".json";
  program.code = folder + "/" + program.name + ".so";
  program.keepsScratch = json.at("keeps_scratch");
  for (const nlohmann::json &one : json.at("launches")) {
    const std::string number = std::to_string(program.launches.size());
    PreparedLaunch &launch = program.launches.emplace_back();
    launch.extents = one.at("extents").get<std::vector<std::int64_t>>();
    for (const nlohmann::json &scratch : one.value("scratch", nlohmann::json::array()))
      launch.scratch.push_back({scratch.at("name"), scratch.at("bytes")});
    for (const nlohmann::json &argument : one.at("arguments")) {
      launch.arguments.push_back(
          {argument.at("name"), Element::of(argument.at("type")), argument.at("sizes"), argument.at("strides")});
      const Argument &read = launch.arguments.back();
      if (json.at("expected"))
        launch.expected.push_back(
            readExpected(folder + "/" + read.name + "-" + std::to_string(rank) + "-" + number, read));
    }
  }
  require(!program.launches.empty(), "'" + folder + "' holds no launch");
  return program;
}

std::vector<std::int64_t> PreparedProgram::greatest() const {
  std::vector<std::int64_t> most = launches.front().extents;
  for (const PreparedLaunch &launch : launches)
    for (size_t i = 0; i < most.size(); ++i)
      most[i] = std::max(most[i], launch.extents[i]);
  return most;
}

std::vector<size_t> PreparedProgram::capacity() const {
  std::vector<size_t> most(launches.front().arguments.size());
  for (const PreparedLaunch &launch : launches)
    for (size_t i = 0; i < most.size(); ++i)
      most[i] = std::max(most[i], launch.arguments[i].bytes());
  return most;
}
