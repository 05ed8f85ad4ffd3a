// Names with the numbers that a user gives them, as in --extent M=4096: read where the command line is, and passed on
// as they are. Also as options of passes and commands.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/CommandLine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

struct Binding {
  std::string name;
  int64_t value = 0;

  auto operator<=>(const Binding &other) const = default;
};

/// NAME=VALUE with a name and an integer; nothing for any other text.
std::optional<Binding> parseBinding(llvm::StringRef text);

/// As it was parsed: NAME=VALUE.
std::string spell(const Binding &binding);
/// The same of several, with commas between.
std::string spell(llvm::ArrayRef<Binding> bindings);
llvm::raw_ostream &operator<<(llvm::raw_ostream &stream, const Binding &binding);

/// The value of a name; nothing where none is given. The first of several.
std::optional<int64_t> valueOf(llvm::ArrayRef<Binding> bindings, llvm::StringRef name);

/// A dictionary of integers, in its order. `values` may be null, which has none.
std::vector<Binding> bindingsOf(mlir::DictionaryAttr values);

} // namespace tilec

template <>
class llvm::cl::parser<tilec::Binding> : public llvm::cl::basic_parser<tilec::Binding> {
public:
  parser(Option &option) : basic_parser(option) {}
  /// True for an error, which it reports.
  bool parse(Option &option, StringRef name, StringRef text, tilec::Binding &result);
  StringRef getValueName() const override { return "NAME=VALUE"; }
  void anchor() override;
};
