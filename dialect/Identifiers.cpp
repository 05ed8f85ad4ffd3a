// What may be an identifier of the generated text.
#include "dialect/Identifiers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilec;

/// Macros that the headers of HIP, of C and of the operating system define and that an author may well choose.
static bool isMacro(StringRef name) {
  static constexpr StringRef words[] = {"INFINITY", "NAN",    "NULL",  "EOF",   "MAXFLOAT", "BUFSIZ", "EDOM",
                                        "ERANGE",   "EINVAL", "errno", "stdin", "stdout",   "stderr", "assert",
                                        "offsetof", "alloca", "linux", "unix",  "CHAR_BIT"};
  if (llvm::is_contained(words, name) || name.starts_with("HUGE_VAL") || name.starts_with("FP_"))
    return true;
  // M_PI, INT_MAX and their like.
  bool isConstant = name.consume_front("M_") || name.consume_back("_MAX") || name.consume_back("_MIN");
  return isConstant && llvm::any_of(name, [](char c) { return llvm::isUpper(c); }) &&
         llvm::none_of(name, [](char c) { return llvm::isLower(c); });
}

/// Words of C++ and of HIP, and what the text calls things of its own: `turn` counts tasks that are dealt out by
/// number.
static bool isReserved(StringRef name) {
  static constexpr StringRef words[] = {"alignas",       "alignof",      "and",          "asm",
                                        "auto",          "bool",         "break",        "case",
                                        "catch",         "char",         "class",        "const",
                                        "continue",      "default",      "delete",       "do",
                                        "double",        "else",         "enum",         "explicit",
                                        "export",        "extern",       "false",        "float",
                                        "for",           "friend",       "goto",         "if",
                                        "inline",        "int",          "long",         "mutable",
                                        "namespace",     "new",          "not",          "nullptr",
                                        "operator",      "or",           "private",      "protected",
                                        "public",        "register",     "requires",     "return",
                                        "short",         "signed",       "sizeof",       "static",
                                        "struct",        "switch",       "template",     "this",
                                        "throw",         "true",         "try",          "typedef",
                                        "typeid",        "typename",     "union",        "unsigned",
                                        "using",         "virtual",      "void",         "volatile",
                                        "while",         "xor",          "tilec",        "main",
                                        "constexpr",     "concept",      "error",        "arguments",
                                        "warpSize",      "threadIdx",    "blockIdx",     "blockDim",
                                        "gridDim",       "hip",          "max",          "min",
                                        "char8_t",       "char16_t",     "char32_t",     "wchar_t",
                                        "decltype",      "noexcept",     "consteval",    "constinit",
                                        "const_cast",    "static_cast",  "dynamic_cast", "reinterpret_cast",
                                        "static_assert", "thread_local", "co_await",     "co_return",
                                        "co_yield",      "and_eq",       "or_eq",        "not_eq",
                                        "xor_eq",        "bitand",       "bitor",        "compl",
                                        "turn"};
  return llvm::is_contained(words, name) || isMacro(name);
}

std::string tilec::legalName(StringRef text) {
  std::string name;
  for (char c : text) {
    char next = llvm::isAlnum(c) ? c : '_';
    if (next != '_' || name.empty() || name.back() != '_')
      name += next;
  }
  if (name.empty() || !llvm::isAlpha(name.front()))
    name = "v" + name;
  if (isReserved(name))
    name += "_";
  return name;
}
