// The syntax of bindings.
#include "dialect/Binding.h"

using namespace mlir;
using namespace tilec;

std::optional<Binding> tilec::parseBinding(StringRef text) {
  auto [name, value] = text.split('=');
  Binding result{name.str(), 0};
  if (name.empty() || value.getAsInteger(10, result.value))
    return std::nullopt;
  return result;
}

std::string tilec::spell(const Binding &binding) { return binding.name + "=" + std::to_string(binding.value); }

std::string tilec::spell(ArrayRef<Binding> bindings) {
  return llvm::join(llvm::map_range(bindings, [](const Binding &binding) { return spell(binding); }), ",");
}

llvm::raw_ostream &tilec::operator<<(llvm::raw_ostream &stream, const Binding &binding) {
  return stream << spell(binding);
}

std::optional<int64_t> tilec::valueOf(ArrayRef<Binding> bindings, StringRef name) {
  const Binding *found = llvm::find_if(bindings, [&](const Binding &binding) { return binding.name == name; });
  return found == bindings.end() ? std::nullopt : std::optional(found->value);
}

std::vector<Binding> tilec::bindingsOf(DictionaryAttr values) {
  std::vector<Binding> result;
  if (values)
    for (NamedAttribute value : values)
      result.push_back({value.getName().str(), cast<IntegerAttr>(value.getValue()).getInt()});
  return result;
}

bool llvm::cl::parser<Binding>::parse(Option &option, StringRef, StringRef text, Binding &result) {
  std::optional<Binding> parsed = parseBinding(text);
  if (!parsed)
    return option.error("'" + text + "', expected NAME=VALUE with an integer value");
  result = *parsed;
  return false;
}

void llvm::cl::parser<Binding>::anchor() {}
