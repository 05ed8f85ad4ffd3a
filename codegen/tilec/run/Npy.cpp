// Reading and writing of .npy files. Source of the layout: numpy's NEP 1, "A simple file format for NumPy arrays".
#include "codegen/tilec/run/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::createStringError;
using llvm::StringRef;

static constexpr StringRef magic("\x93NUMPY", 6);

StringRef tilec::npyDtype(const interpreter::Format &format) {
  if (format.isFloat) {
    if (format.bits == 64)
      return "<f8";
    if (format.bits == 32)
      return "<f4";
    if (format.bits == 16)
      return format.precision == 11 ? "<f2" : "<V2";
    return "|V1";
  }
  switch (format.bits) {
  case 1:
    return "|b1";
  case 8:
    return "|i1";
  case 16:
    return "<i2";
  case 32:
    return "<i4";
  default:
    return "<i8";
  }
}

namespace {

/// The header: a Python dictionary literal with the keys 'descr', 'fortran_order' and 'shape'.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  bool parse(NpyArray &array, bool &fortran) {
    if (!consume("{"))
      return false;
    bool seen[3] = {};
    while (!consume("}")) {
      StringRef key;
      if (!parseString(key) || !consume(":"))
        return false;
      if (key == "descr")
        seen[0] = parseDescriptor(array.dtype);
      else if (key == "fortran_order")
        seen[1] = parseBool(fortran);
      else if (key == "shape")
        seen[2] = parseShape(array);
      else
        return false;
      if (!consume(",") && !rest.ltrim().starts_with("}"))
        return false;
    }
    return seen[0] && seen[1] && seen[2] && rest.trim().empty();
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool parseString(StringRef &value) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return false;
    value = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool parseDescriptor(std::string &dtype) {
    StringRef text;
    if (!parseString(text))
      return false;
    dtype = text.str();
    return true;
  }
  bool parseBool(bool &value) {
    value = consume("True");
    return value || consume("False");
  }
  bool parseShape(NpyArray &array) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      int64_t size;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      array.shape.push_back(size);
      if (!consume(",") && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
};

} // namespace

/// Bytes of one element of a descriptor that this file knows; 0 for others.
static unsigned elementBytes(StringRef dtype) {
  unsigned bytes;
  if (dtype.size() < 3 || !StringRef("<|=").contains(dtype[0]) || !StringRef("fiubV").contains(dtype[1]) ||
      dtype.drop_front(2).getAsInteger(10, bytes) || bytes > 8)
    return 0;
  return bytes;
}

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "(";
  llvm::interleaveComma(shape, stream);
  stream << (shape.size() == 1 ? ",)" : ")");
  return text;
}

static llvm::Error malformed(StringRef path, const llvm::Twine &why) {
  return createStringError("'" + path + "' " + why);
}

/// Splits off the header; `content` keeps the elements.
static llvm::Error readHeader(StringRef path, StringRef &content, NpyArray &array) {
  if (!content.consume_front(magic) || content.size() < 4)
    return malformed(path, "is no .npy file");
  unsigned version = static_cast<unsigned char>(content[0]), width = version == 1 ? 2 : 4;
  if (version < 1 || version > 3)
    return malformed(path, "has format version " + llvm::Twine(version) + ", expected 1, 2 or 3");
  content = content.drop_front(2);
  size_t length = 0;
  if (content.size() < width)
    return malformed(path, "is truncated in its header");
  for (unsigned i = 0; i < width; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(content[i])) << (8 * i);
  content = content.drop_front(width);
  if (content.size() < length)
    return malformed(path, "is truncated in its header");
  bool fortran = false;
  if (!HeaderParser(content.take_front(length)).parse(array, fortran))
    return malformed(path, "has a malformed header");
  if (fortran)
    return malformed(path, "is in Fortran order, expected C order");
  if (!elementBytes(array.dtype))
    return malformed(path, "has elements of type '" + array.dtype + "', expected little-endian numbers");
  content = content.drop_front(length);
  return llvm::Error::success();
}

/// A device has no end and a fifo may have no writer.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openRegular(StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return createStringError("cannot read '" + path + "': " + error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return malformed(path, "is no regular file, expected a .npy file");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot read '" + path + "': " + file.getError().message());
  return std::move(*file);
}

/// Reads all; `check` sees the type and the shape before any element is read.
static llvm::Expected<NpyArray> readArray(StringRef path, llvm::function_ref<llvm::Error(const NpyArray &)> check) {
  auto file = openRegular(path);
  if (!file)
    return file.takeError();
  StringRef content = (*file)->getBuffer();
  NpyArray array;
  if (llvm::Error error = readHeader(path, content, array))
    return std::move(error);
  uint64_t bytes = elementBytes(array.dtype);
  for (int64_t size : array.shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
      return malformed(path, "has an impossible shape " + shapeText(array.shape));
  if (content.size() != bytes)
    return malformed(path, "has " + llvm::Twine(content.size()) + " bytes of elements, expected " + llvm::Twine(bytes));
  if (llvm::Error error = check(array))
    return std::move(error);
  array.bytes.assign(content.begin(), content.end());
  return array;
}

llvm::Expected<NpyArray> tilec::readNpy(StringRef path) {
  return readArray(path, [](const NpyArray &) { return llvm::Error::success(); });
}

llvm::Expected<llvm::SmallVector<int64_t, 4>> tilec::readNpyShape(StringRef path) {
  auto file = openRegular(path);
  if (!file)
    return file.takeError();
  StringRef content = (*file)->getBuffer();
  NpyArray array;
  if (llvm::Error error = readHeader(path, content, array))
    return std::move(error);
  return array.shape;
}

llvm::Expected<NpyArray> tilec::readNpy(StringRef path, const interpreter::Format &format,
                                        llvm::ArrayRef<int64_t> shape) {
  return readArray(path, [&](const NpyArray &array) -> llvm::Error {
    StringRef expected = npyDtype(format), got = array.dtype;
    bool raw = expected[1] == 'V' && (got[1] == 'V' || got[1] == 'u');
    bool same = got.drop_front(1) == expected.drop_front(1) || (raw && elementBytes(got) == format.bytes());
    if (!same)
      return malformed(path, "has elements of type '" + got + "', expected '" + expected + "'");
    if (llvm::ArrayRef<int64_t>(array.shape) != shape)
      return malformed(path, "has shape " + shapeText(array.shape) + ", expected " + shapeText(shape));
    return llvm::Error::success();
  });
}

/// A stream whose error nobody looks at ends the program.
static llvm::Error finish(llvm::raw_fd_ostream &stream) {
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return llvm::errorCodeToError(error);
}

/// A device or a link is written to: a renamed file would take its place.
static llvm::Error writeFile(StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  using namespace llvm::sys::fs;
  file_status status;
  if (!llvm::sys::fs::status(path, status, /*follow=*/false) && !is_regular_file(status)) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    if (error)
      return llvm::errorCodeToError(error);
    write(stream);
    return finish(stream);
  }
  llvm::Expected<TempFile> file = TempFile::create(path + ".temp-%%%%%%", all_read | all_write);
  if (!file)
    return file.takeError();
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  write(stream);
  if (llvm::Error error = finish(stream))
    return llvm::joinErrors(std::move(error), file->discard());
  return file->keep(path);
}

llvm::Error tilec::writeNpy(StringRef path, const NpyArray &array) {
  std::string header =
      "{'descr': '" + array.dtype + "', 'fortran_order': False, 'shape': " + shapeText(array.shape) + ", }";
  // The elements start at a multiple of 64; the header ends with a line feed.
  bool large = header.size() > 65000;
  size_t width = large ? 4 : 2, prefix = magic.size() + 2 + width;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  return writeFile(path, [&](llvm::raw_ostream &stream) {
    stream << magic << static_cast<char>(large ? 2 : 1) << '\0';
    for (size_t i = 0; i < width; ++i)
      stream << static_cast<char>(header.size() >> (8 * i));
    stream << header;
    stream.write(array.bytes.data(), array.bytes.size());
  });
}
