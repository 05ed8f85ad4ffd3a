// What a program's manifest says.
#include "host/Manifest.h"
#include "host/Status.h"
#include "tilec/abi.h"
#include "tilec/constants.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace tilec::host;
using nlohmann::json;

namespace {

constexpr int formatVersion = 1;

/// A value of the document and the words that lead to it.
class Node {
public:
  Node(const json &value, std::string path) : value(value), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &what) const {
    throw Error(TILEC_BAD_MANIFEST, "manifest: " + (path.empty() ? std::string("document") : path) + ": " + what);
  }
  void expect(bool condition, const std::string &what) const {
    if (!condition)
      fail("expected " + what + ", got " + value.type_name());
  }

  bool has(const char *key) const {
    expect(value.is_object(), "an object");
    return value.contains(key) && !value[key].is_null();
  }
  Node operator[](const char *key) const {
    const std::string inner = path.empty() ? key : path + "." + key;
    if (!has(key))
      throw Error(TILEC_BAD_MANIFEST, "manifest: " + inner + ": missing");
    return Node(value[key], inner);
  }

  template <typename Each>
  void each(Each &&visit) const {
    expect(value.is_array(), "an array");
    for (size_t i = 0; i < value.size(); ++i)
      visit(Node(value[i], path + "[" + std::to_string(i) + "]"));
  }

  std::string string() const {
    expect(value.is_string(), "a string");
    return value.get<std::string>();
  }
  bool boolean() const {
    expect(value.is_boolean(), "true or false");
    return value.get<bool>();
  }
  int integer(std::int64_t least, std::int64_t most = 0x7fffffff) const {
    expect(value.is_number_integer(), "an integer");
    const auto number = value.get<std::int64_t>();
    if (number < least || number > most)
      fail("expected an integer in [" + std::to_string(least) + ", " + std::to_string(most) + "], got " + value.dump());
    return int(number);
  }
  std::optional<std::int64_t> extentOrNull() const {
    if (value.is_null())
      return std::nullopt;
    expect(value.is_number_integer(), "an integer or null");
    const auto number = value.get<std::int64_t>();
    if (number < 0)
      fail("expected 0 or more, got " + value.dump());
    return number;
  }
  std::string oneOf(std::initializer_list<const char *> choices) const {
    const std::string got = string();
    std::string all;
    for (const char *choice : choices) {
      if (got == choice)
        return got;
      all += (all.empty() ? "" : ", ") + std::string(choice);
    }
    fail("expected one of " + all + ", got '" + got + "'");
  }
  Expression expression(const std::vector<std::string> &names) const {
    if (value.is_number_integer())
      return Expression::constant(value.get<std::int64_t>());
    expect(value.is_string(), "an integer or an expression");
    try {
      return Expression::parse(value.get<std::string>(), names);
    } catch (const Error &error) {
      fail(error.words);
    }
  }
  std::vector<Expression> shape(const std::vector<std::string> &names) const {
    std::vector<Expression> result;
    each([&](const Node &node) { result.push_back(node.expression(names)); });
    return result;
  }

private:
  const json &value;
  std::string path;
};

std::int64_t elementBytes(const Node &node) {
  const std::string dtype = node.oneOf(
      {"f64", "f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2", "fp8_e4m3_fnuz", "fp8_e5m2_fnuz", "i8", "i32", "i64"});
  if (dtype == "f64" || dtype == "i64")
    return 8;
  if (dtype == "f32" || dtype == "i32")
    return 4;
  return dtype == "f16" || dtype == "bf16" ? 2 : 1;
}

void readBuffer(const Node &node, const Manifest &manifest, Buffer &buffer) {
  buffer.name = node["name"].string();
  buffer.elementBytes = elementBytes(node["dtype"]);
  buffer.shape = node["shape"].shape(manifest.names);
  buffer.symmetric = node["symmetric"].boolean();
}

Buffer readArgument(const Node &node, const Manifest &manifest) {
  Buffer argument;
  readBuffer(node, manifest, argument);
  if (node.has("strides"))
    argument.strides = node["strides"].shape(manifest.names);
  if (node.has("strides") && argument.strides.size() != argument.shape.size())
    node["strides"].fail("expected " + std::to_string(argument.shape.size()) + " as in the shape, got " +
                         std::to_string(argument.strides.size()));
  if (argument.isNumber() && argument.symmetric)
    node["symmetric"].fail("the argument '" + argument.name + "' is a number, which is not symmetric");
  if (node["peers"].oneOf({"none", "read", "write", "both"}) != "none" && !argument.symmetric)
    node["peers"].fail("peers address the argument '" + argument.name + "', which is not symmetric");
  return argument;
}

Kernel readKernel(const Node &node, const Manifest &manifest) {
  Kernel kernel;
  kernel.name = node["name"].string();
  kernel.threads = node["threads"].integer(1, tilec::most_threads);
  kernel.ldsBytes = node["lds_bytes"].integer(0);
  kernel.beside = node.has("beside") ? node["beside"].integer(2) : 0;
  const Node progress = node["progress"];
  const std::string progressClass = progress["class"].oneOf({"any", "resident", "all", "unproven"});
  kernel.proven = progressClass != "unproven";
  if (kernel.proven && progressClass != "any")
    kernel.resident = progress["workgroups"].integer(1);
  kernel.allResident = progressClass == "all" || !kernel.proven;
  node["roles"].each([&](const Node &inner) {
    Role role;
    role.name = inner["name"].string();
    if (inner.has("workgroups"))
      role.workgroups = inner["workgroups"].expression(manifest.names);
    if (inner.has("tasks"))
      role.tasks = inner["tasks"].expression(manifest.names);
    kernel.roles.push_back(std::move(role));
  });
  return kernel;
}

void readExtents(const Node &root, Manifest &manifest) {
  root["extents"].each([&](const Node &node) {
    manifest.extents.push_back(node.string());
    const auto &all = manifest.extents;
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      node.fail("extent '" + all.back() + "' is named twice");
  });
  manifest.names = manifest.extents;
  for (const std::string &extent : manifest.extents)
    manifest.names.push_back("max_" + extent);
}

void readConditions(const Node &root, Manifest &manifest) {
  if (!root.has("conditions"))
    return;
  root["conditions"].each([&](const Node &node) {
    manifest.conditions.push_back({node["left"].expression(manifest.names), node["right"].expression(manifest.names),
                                   node["relation"].oneOf({"==", "<="}) == "=="});
  });
}

void readVerified(const Node &root, Manifest &manifest) {
  if (!root.has("verified"))
    return;
  root["verified"]["extents"].each([&](const Node &node) {
    Manifest::Sample sample;
    node.each([&](const Node &value) { sample.push_back(value.extentOrNull()); });
    if (sample.size() != manifest.extents.size())
      node.fail("expected " + std::to_string(manifest.extents.size()) + " values, got " +
                std::to_string(sample.size()));
    manifest.verified.push_back(std::move(sample));
  });
  if (root["verified"].has("limits")) {
    const Node &limits = root["verified"]["limits"];
    limits.each([&](const Node &value) { manifest.limits.push_back(value.extentOrNull()); });
    if (manifest.limits.size() != manifest.extents.size())
      limits.fail("expected " + std::to_string(manifest.extents.size()) + " values, got " +
                  std::to_string(manifest.limits.size()));
  }
  if (root["verified"].has("least"))
    manifest.least = root["verified"]["least"].shape(manifest.names);
  if (root["verified"].has("greatest"))
    manifest.greatest = root["verified"]["greatest"].shape(manifest.names);
  if (!root["verified"].has("nonzero"))
    return;
  manifest.worksWithoutTasks =
      root["verified"].has("works_without_tasks") && root["verified"]["works_without_tasks"].boolean();
  root["verified"]["nonzero"].each([&](const Node &node) {
    std::vector<int> set;
    node.each([&](const Node &name) {
      const auto found = std::find(manifest.extents.begin(), manifest.extents.end(), name.string());
      if (found == manifest.extents.end())
        name.fail("no extent has the name '" + name.string() + "'");
      set.push_back(int(found - manifest.extents.begin()));
    });
    if (set.empty())
      node.fail("expected one extent at least");
    manifest.nonzero.push_back(std::move(set));
  });
}

std::int64_t product(const std::vector<Expression> &shape, std::int64_t size, const std::int64_t *values) {
  for (const Expression &extent : shape) {
    const std::int64_t n = extent.evaluate(values);
    require(n >= 0, TILEC_BAD_EXTENTS, "expression '" + extent.text() + "' gives " + std::to_string(n));
    require(!__builtin_mul_overflow(size, n, &size), TILEC_BAD_EXTENTS, "a size does not fit 64 bits");
  }
  return size;
}

/// A dimension of more than one element.
struct Step {
  size_t dim;
  std::int64_t size, stride;
};

std::vector<Step> stepsOf(const Buffer &buffer, const std::int64_t *values) {
  std::vector<Step> steps;
  for (size_t dim = 0; dim < buffer.strides.size(); ++dim)
    if (const std::int64_t size = buffer.shape[dim].evaluate(values); size > 1)
      steps.push_back({dim, size, buffer.strides[dim].evaluate(values)});
  return steps;
}

/// What dimensions reach over with one more, which steps over what they reach.
std::int64_t reachWith(std::int64_t reach, const Step &step) {
  std::int64_t more = 0;
  require(!__builtin_mul_overflow(step.size - 1, step.stride, &more) && !__builtin_add_overflow(reach, more, &reach),
          TILEC_BAD_EXTENTS, "a size does not fit 64 bits");
  return reach;
}

} // namespace

Manifest Manifest::parse(const std::string &text) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  require(!document.is_discarded(), TILEC_BAD_MANIFEST, "manifest: not a JSON document");
  const Node root(document, "");
  Manifest manifest;
  const int version = root["tilec"].integer(1);
  if (version != formatVersion)
    root["tilec"].fail("expected format " + std::to_string(formatVersion) + ", got " + std::to_string(version));
  manifest.program = root["program"].string();
  manifest.target = root["target"].string();
  manifest.world = root["world"].integer(1);
  readExtents(root, manifest);
  readConditions(root, manifest);
  root["arguments"].each([&](const Node &node) { manifest.arguments.push_back(readArgument(node, manifest)); });
  root["scratch"].each([&](const Node &node) {
    Scratch scratch;
    readBuffer(node, manifest, scratch);
    scratch.copies = node["copies"].integer(1);
    scratch.offset = node["offset"].expression(manifest.names);
    scratch.persistent = node.has("persistent") && node["persistent"].boolean();
    manifest.scratch.push_back(std::move(scratch));
  });
  root["signals"].each([&](const Node &node) {
    node["scope"].oneOf({"agent", "system"});
    manifest.signals.push_back(
        {node["name"].string(), node["shape"].shape(manifest.names), node["offset"].expression(manifest.names)});
  });
  root["kernels"].each([&](const Node &node) { manifest.kernels.push_back(readKernel(node, manifest)); });
  if (manifest.kernels.empty())
    root["kernels"].fail("a program has at least one kernel");
  if (root.has("engines"))
    root["engines"].each([&](const Node &node) { manifest.engines.push_back(node["name"].string()); });
  readVerified(root, manifest);
  manifest.traced = root.has("traced") && root["traced"].boolean();
  manifest.hash = hashBytes(text.data(), text.size());
  if (root.has("hashes") && root["hashes"].has("facts"))
    manifest.facts = root["hashes"]["facts"].string();
  return manifest;
}

std::vector<std::int64_t> Manifest::values(const std::int64_t *given, int count,
                                           const std::vector<std::int64_t> &most) const {
  require(count == int(extents.size()), TILEC_BAD_EXTENTS,
          "'" + program + "' has " + std::to_string(extents.size()) + " extents, got " + std::to_string(count));
  require(count == 0 || given, TILEC_INVALID_ARGUMENT, "the extents are null");
  for (int i = 0; i < count; ++i)
    require(given[i] >= 0 && given[i] <= most[i], TILEC_BAD_EXTENTS,
            "extent '" + extents[i] + "' of '" + program + "': expected a value in [0, " + std::to_string(most[i]) +
                "], got " + std::to_string(given[i]));
  std::vector<std::int64_t> result(given, given + count);
  result.insert(result.end(), most.begin(), most.end());
  return result;
}

void Manifest::requireConditions(const std::vector<std::int64_t> &values) const {
  for (const Condition &condition : conditions) {
    const std::int64_t left = condition.left.evaluate(values.data()), right = condition.right.evaluate(values.data());
    if (condition.isEquality ? left == right : left <= right)
      continue;
    std::string got;
    for (size_t i = 0; i < extents.size(); ++i)
      if (condition.left.names(i) || condition.right.names(i))
        got += (got.empty() ? "" : ", ") + extents[i] + "=" + std::to_string(values[i]);
    throw Error(TILEC_BAD_EXTENTS, "'" + program + "' is for extents with " + condition.left.text() +
                                       (condition.isEquality ? " == " : " <= ") + condition.right.text() + ", got " +
                                       got);
  }
}

bool Manifest::isVerifiedFor(const std::int64_t *given) const {
  return std::any_of(verified.begin(), verified.end(), [&](const Sample &sample) {
    for (size_t i = 0; i < sample.size(); ++i)
      if (sample[i] && *sample[i] != given[i])
        return false;
    return true;
  });
}

void Manifest::requireNonzero(const std::int64_t *values) const {
  if (nonzero.empty() || isEmpty(values))
    return;
  for (const std::vector<int> &set : nonzero) {
    std::string zeros;
    for (int position : set)
      if (values[position] == 0)
        zeros += (zeros.empty() ? "'" : ", '") + extents[position] + "'";
    require(size_t(std::count_if(set.begin(), set.end(), [&](int position) { return values[position] == 0; })) <
                set.size(),
            TILEC_BAD_EXTENTS,
            "extent " + zeros + " of '" + program +
                "' is 0, expected more: a launch without its tiles is not proven, alone or between others; a pattern "
                "with credits or a barrier may take it");
  }
}

bool Manifest::isEmpty(const std::int64_t *values) const {
  if (worksWithoutTasks || !engines.empty())
    return false;
  for (const Kernel &kernel : kernels)
    for (const Role &role : kernel.roles)
      if (!role.tasks || role.tasks->evaluate(values) > 0)
        return false;
  return true;
}

std::int64_t Manifest::bytes(const Buffer &buffer, const std::int64_t *values) const {
  const std::int64_t dense = product(buffer.shape, buffer.elementBytes, values);
  if (buffer.strides.empty() || dense == 0)
    return dense;
  std::int64_t elements = 1, result = 0;
  for (const Step &step : stepsOf(buffer, values))
    elements = reachWith(elements, step);
  require(!__builtin_mul_overflow(elements, buffer.elementBytes, &result), TILEC_BAD_EXTENTS,
          "a size does not fit 64 bits");
  return result;
}

void Manifest::requireElementsApart(const Buffer &argument, const std::int64_t *values) const {
  if (argument.strides.empty() || product(argument.shape, 1, values) == 0)
    return;
  std::vector<Step> steps = stepsOf(argument, values);
  std::sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) { return a.stride < b.stride; });
  std::int64_t reach = 1;
  for (const Step &step : steps) {
    require(step.stride >= reach, TILEC_BAD_EXTENTS,
            "'" + program + "': elements of argument '" + argument.name + "' share memory: dimension " +
                std::to_string(step.dim) + " has stride " + std::to_string(step.stride) + ", expected at least " +
                std::to_string(reach));
    reach = reachWith(reach, step);
  }
}

std::int64_t Manifest::words(const Signal &signal, const std::int64_t *values) const {
  return product(signal.shape, 1, values);
}

std::string Manifest::scratchAt(std::int64_t offset, const std::int64_t *values) const {
  for (const Scratch &buffer : scratch) {
    const std::int64_t inside = offset - buffer.offset.evaluate(values), one = bytes(buffer, values);
    if (inside >= 0 && inside < one * buffer.copies)
      return buffer.name + (buffer.copies > 1 ? ", copy " + std::to_string(inside / one) : "") + ", element " +
             std::to_string(inside % one / buffer.elementBytes);
  }
  return "";
}

std::optional<std::int64_t> Manifest::scratchOffset(const std::string &name, unsigned epoch,
                                                    const std::int64_t *values) const {
  for (const Scratch &buffer : scratch)
    if (buffer.name == name)
      return buffer.offset.evaluate(values) + epoch % buffer.copies * bytes(buffer, values);
  return std::nullopt;
}

std::int64_t Manifest::workspaceBytes(const std::int64_t *values) const {
  std::int64_t most = 0;
  for (const Scratch &buffer : scratch) {
    std::int64_t end = 0;
    const std::int64_t start = buffer.offset.evaluate(values);
    require(start >= 0 && !__builtin_mul_overflow(bytes(buffer, values), buffer.copies, &end) &&
                !__builtin_add_overflow(end, start, &end),
            TILEC_BAD_EXTENTS, "scratch buffer '" + buffer.name + "' does not fit 64 bits");
    most = std::max(most, end);
  }
  return most;
}

bool Manifest::needsSymmetricWorkspace() const {
  return std::any_of(scratch.begin(), scratch.end(), [](const Scratch &buffer) { return buffer.symmetric; });
}

void Manifest::requireLaidOut(const std::vector<std::int64_t> &values) const {
  const auto count = std::ptrdiff_t(extents.size());
  // Shapes speak of the greatest extents: with those of the launch in their place they say what the launch touches.
  std::vector<std::int64_t> now(values.begin(), values.begin() + count);
  now.insert(now.end(), values.begin(), values.begin() + count);
  const auto inside = [&](const std::vector<Expression> &shape, bool eachDimension) {
    double needed = 1, there = 1;
    for (const Expression &size : shape) {
      const std::int64_t n = std::max<std::int64_t>(size.evaluate(now.data()), 0), most = size.evaluate(values.data());
      if (eachDimension && n > most)
        return false;
      needed *= double(n), there *= double(most);
    }
    return needed <= there;
  };
  const auto refuse = [&](const std::string &what) {
    throw Error(TILEC_BAD_EXTENTS, "'" + program + "': " + what +
                                       " is larger for these extents than for the greatest ones, for which it is laid "
                                       "out: expected a size that grows with the extents");
  };
  for (const Scratch &buffer : scratch)
    if (!inside(buffer.shape, buffer.persistent))
      refuse("scratch buffer '" + buffer.name + "'");
  for (const Signal &signal : signals)
    if (!inside(signal.shape, true))
      refuse("signal grid '" + signal.name + "'");
}

void Manifest::requireNarrow(const std::vector<std::int64_t> &values) const {
  const auto narrow = [&](const std::vector<Expression> &shape) {
    for (const Expression &size : shape)
      size.requireNarrow(values.data());
  };
  for (const Buffer &argument : arguments)
    narrow(argument.shape);
  for (const Signal &signal : signals)
    narrow(signal.shape);
  // Where copies lie apart, the shape is one number of elements.
  for (const Scratch &buffer : scratch)
    if (buffer.copies == 1)
      narrow(buffer.shape);
  for (const Kernel &kernel : kernels)
    for (const Role &role : kernel.roles)
      if (role.tasks)
        role.tasks->requireNarrow(values.data());
  // Where no task computes it, a number may lie far on the other side.
  const auto hold = [&](const std::vector<Expression> &ends, bool isGreatest) {
    for (const Expression &end : ends) {
      const std::int64_t value = end.evaluate(values.data());
      require(isGreatest ? value <= INT32_MAX : value >= INT32_MIN, TILEC_BAD_EXTENTS,
              "'" + program + "': an index of a task may be as " + (isGreatest ? "great" : "small") + " as '" +
                  end.text() + "', " + std::to_string(value) +
                  " for these extents, which does not fit the 32 bits that it is computed in");
    }
  };
  hold(least, false);
  hold(greatest, true);
}

std::int64_t Manifest::signalBytes(const std::int64_t *values) const {
  struct Range {
    std::int64_t start, end;
    const Signal *signal;
  };
  std::vector<Range> ranges;
  std::int64_t most = 0;
  for (const Signal &signal : signals) {
    const std::int64_t start = signal.offset.evaluate(values);
    require(start >= 0 && start % signal_stride == 0, TILEC_BAD_MANIFEST,
            "manifest: signal '" + signal.name + "' lies at byte " + std::to_string(start) +
                ", expected a multiple of " + std::to_string(signal_stride));
    std::int64_t end = 0;
    require(!__builtin_mul_overflow(words(signal, values), std::int64_t(signal_stride), &end) &&
                !__builtin_add_overflow(end, start, &end),
            TILEC_BAD_EXTENTS, "signal '" + signal.name + "' does not fit 64 bits");
    ranges.push_back({start, end, &signal});
    most = std::max(most, end);
  }
  std::erase_if(ranges, [](const Range &range) { return range.start == range.end; });
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.start < b.start; });
  for (size_t i = 1; i < ranges.size(); ++i)
    require(ranges[i - 1].end <= ranges[i].start, TILEC_BAD_MANIFEST,
            "manifest: signals '" + ranges[i - 1].signal->name + "' and '" + ranges[i].signal->name + "' share flags");
  return most;
}

const Signal *Manifest::signalAt(std::uint64_t offset, const std::int64_t *values) const {
  for (const Signal &signal : signals)
    if (std::uint64_t(signal.offset.evaluate(values)) == offset && words(signal, values) > 0)
      return &signal;
  return nullptr;
}

std::uint64_t tilec::host::hashBytes(const void *bytes, size_t count, std::uint64_t hash) {
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<const unsigned char *>(bytes)[i]) * 0x100000001b3ull;
  return hash;
}
