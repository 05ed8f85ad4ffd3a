// Types to C++ spellings.
#include "codegen/HipTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

static std::string spellInteger(IntegerType type) {
  switch (type.getWidth()) {
  case 1:
    return "bool";
  case 8:
    return "signed char";
  case 16:
    return "short";
  case 32:
    return "int";
  case 64:
    return "long long";
  default:
    return "";
  }
}

std::string tilec::dtypeOf(Type element) {
  return llvm::TypeSwitch<Type, std::string>(element)
      .Case([](IntegerType integer) { return "i" + std::to_string(integer.getWidth()); })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float64Type) { return "f64"; })
      .Case([](Float8E4M3FNType) { return "fp8_e4m3"; })
      .Case([](Float8E5M2Type) { return "fp8_e5m2"; })
      .Case([](Float8E4M3FNUZType) { return "fp8_e4m3_fnuz"; })
      .Case([](Float8E5M2FNUZType) { return "fp8_e5m2_fnuz"; })
      .Default([](Type) { return ""; });
}

std::string tilec::spellType(Type type) {
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case([](Float32Type) { return "float"; })
      .Case([](Float64Type) { return "double"; })
      .Case([](FloatType narrow) {
        std::string name = dtypeOf(narrow);
        return name.empty() ? name : "tilec::" + name;
      })
      .Case([](IndexType) { return "int"; })
      .Case([](NoneType) { return "char"; })
      .Case([](IntegerType integer) { return spellInteger(integer); })
      .Case([](hip::ContextType) { return "tilec::Context"; })
      .Case([](hip::LaunchType) { return "tilec::Launch"; })
      .Case([](hip::TraceType) { return "tilec::Trace"; })
      .Case([](hip::TensorMapType) { return "tilec::TensorMap"; })
      .Case([](hip::PointerType pointer) {
        return (pointer.getIsConst() ? "const " : "") + spellType(pointer.getElement()) + " *";
      })
      .Default([](Type) { return ""; });
}

static std::string spellBases(StringRef list, ArrayRef<int32_t> flat, unsigned rank) {
  std::string text = ("tilec::" + list + "<").str();
  for (size_t i = 0; i < flat.size(); i += rank) {
    text += i ? ", tilec::at(" : "tilec::at(";
    for (unsigned d = 0; d < rank; ++d)
      text += (d ? ", " : "") + std::to_string(flat[i + d]);
    text += ")";
  }
  return text + ">";
}

static std::string spellShape(ArrayRef<int64_t> shape) {
  std::string text = "tilec::Shape<";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ">";
}

std::string tilec::spellLayout(RankedTensorType tile) {
  auto layout = cast<tile::LayoutAttr>(tile.getEncoding());
  unsigned rank = tile.getRank();
  return "tilec::Layout<" + spellShape(tile.getShape()) + ",\n    " +
         spellBases("Registers", layout.getRegisters(), rank) + ",\n    " +
         spellBases("Lanes", layout.getLanes(), rank) + ",\n    " + spellBases("Waves", layout.getWaves(), rank) + ">";
}

std::string tilec::spellShared(hip::SharedType type) {
  tile::SharedAttr swizzle = type.getSwizzle();
  std::string panel = swizzle.getPanel() ? std::to_string(swizzle.getPanel()) + ", " : std::string();
  return (panel.empty() ? "tilec::Shared<" : "tilec::Panels<") + spellType(type.getElement()) + ", " +
         spellShape(type.getShape()) + ", " + panel + "tilec::Swizzle<" + std::to_string(swizzle.getVector()) + ", " +
         std::to_string(swizzle.getPerPhase()) + ", " + std::to_string(swizzle.getPhases()) +
         (swizzle.getFold() ? ", " + std::to_string(swizzle.getFold()) : std::string()) + ">>";
}
