// Lines of generated text for addresses of its compiled code.
#pragma once

#include <memory>
#include <string>

namespace tilec {

/// Reads the line tables of loaded objects, and keeps what it has read.
class Places {
public:
  Places();
  ~Places();
  /// For an address behind a call, the line of the text whose code made it, as in "copy.hip:41"; when the object has no
  /// lines of a text, the innermost line known; empty without any.
  std::string lineOf(const void *returnAddress);

private:
  struct Reader;
  std::unique_ptr<Reader> reader;
};

} // namespace tilec
