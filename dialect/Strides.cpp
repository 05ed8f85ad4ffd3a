// Elements of strided arguments that lie apart.
#include "dialect/Strides.h"
#include "dialect/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

static constexpr int64_t mostElements = std::numeric_limits<int64_t>::max();
/// Beyond it no memory is; below it sums stay in 64 bits.
static constexpr int64_t mostPitch = int64_t(1) << 50;

/// What dimensions reach with one more of `size` elements: `reach + (size - 1) * stride`, cut at the end of 64 bits.
static int64_t extended(int64_t reach, int64_t size, int64_t stride) {
  int64_t more = 0;
  bool overflows = __builtin_mul_overflow(size - 1, stride, &more) || __builtin_add_overflow(reach, more, &more);
  return overflows ? mostElements : more;
}

static SmallVector<unsigned> innermostFirst(ArrayRef<int64_t> strides) {
  auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, strides.size())));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return strides[a] < strides[b]; });
  return order;
}

std::optional<Overlap> tilec::tile::findOverlap(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  if (llvm::is_contained(sizes, 0))
    return std::nullopt;
  int64_t reach = 1;
  for (unsigned dim : innermostFirst(strides)) {
    if (sizes[dim] <= 1)
      continue;
    if (strides[dim] < reach)
      return Overlap{dim, strides[dim], reach};
    reach = extended(reach, sizes[dim], strides[dim]);
  }
  return std::nullopt;
}

namespace {
/// Expressions of the header at given extents.
struct Values {
  Values(ProgramOp program, int64_t world, ArrayRef<int64_t> extents) : context(program.getContext()) {
    symbols.push_back(number(world));
    for (int64_t extent : extents)
      symbols.push_back(number(extent));
  }

  Attribute number(int64_t value) const { return IntegerAttr::get(IndexType::get(context), value); }

  /// Nothing where an expression has no value, as one that divides by zero: others report that.
  std::optional<SmallVector<int64_t>> of(AffineMap map) const {
    SmallVector<Attribute> results;
    if (failed(map.constantFold(symbols, results)))
      return std::nullopt;
    return llvm::map_to_vector(results, [](Attribute result) { return cast<IntegerAttr>(result).getInt(); });
  }

  std::optional<int64_t> of(AffineExpr expression) const {
    auto list = of(AffineMap::get(0, symbols.size(), expression, context));
    return list ? std::optional(list->front()) : std::nullopt;
  }

  MLIRContext *context;
  SmallVector<Attribute> symbols;
};

/// One argument and what keeps its elements apart.
struct Argument {
  BlockArgument buffer;
  AffineMap sizes, strides;
};
} // namespace

static SmallVector<Argument> stridedArguments(ProgramOp program) {
  SmallVector<Argument> result;
  for (auto [i, buffer] : llvm::enumerate(program.getArguments()))
    if (AffineMap strides = program.getStridesOf(i))
      result.push_back({buffer, cast<AffineMapAttr>(program.getShapes()[i]).getValue(), strides});
  return result;
}

static std::optional<Overlap> overlapOf(const Argument &argument, const Values &values) {
  auto sizes = values.of(argument.sizes), strides = values.of(argument.strides);
  return sizes && strides ? findOverlap(*sizes, *strides) : std::nullopt;
}

bool tilec::tile::lieApart(ProgramOp program, int64_t world, ArrayRef<int64_t> extents) {
  Values values(program, world, extents);
  return llvm::none_of(stridedArguments(program),
                       [&](const Argument &argument) { return overlapOf(argument, values).has_value(); });
}

LogicalResult tilec::tile::verifyApart(ProgramOp program, int64_t world, ArrayRef<int64_t> extents) {
  Values values(program, world, extents);
  for (const Argument &argument : stridedArguments(program)) {
    std::optional<Overlap> overlap = overlapOf(argument, values);
    if (!overlap)
      continue;
    InFlightDiagnostic diagnostic = mlir::emitError(argument.buffer.getLoc())
                                    << "elements share memory: dimension " << overlap->dim << " has stride "
                                    << overlap->stride << ", expected at least " << overlap->least
                                    << ", as many as the dimensions inside it reach over";
    std::string text;
    for (auto [extent, value] : llvm::zip(program.getExtents(), extents)) {
      auto name = dyn_cast<NameLoc>(extent.getLoc());
      text += (text.empty() ? "" : ", ") +
              (name ? name.getName().str() : "extent " + std::to_string(extent.getArgNumber())) + " = " +
              std::to_string(value);
    }
    if (!text.empty())
      diagnostic.attachNote(program.getLoc()) << "in a launch with " << text;
    return diagnostic;
  }
  return success();
}

bool tilec::tile::isPitch(ProgramOp program, unsigned extent) {
  auto dependsOn = [&](AffineMap map) { return map && map.isFunctionOfSymbol(1 + extent); };
  bool steps = llvm::any_of(llvm::seq<unsigned>(0, program.getArguments().size()),
                            [&](unsigned i) { return dependsOn(program.getStridesOf(i)); });
  return steps && program.getExtents()[extent].use_empty() && llvm::none_of(program.getShapes(), [&](Attribute shape) {
           return dependsOn(cast<AffineMapAttr>(shape).getValue());
         });
}

namespace {

/// Moves extents until the elements of every argument lie apart.
class Separation {
public:
  Separation(ProgramOp program, int64_t world, MutableArrayRef<int64_t> extents, function_ref<bool(unsigned)> given,
             int64_t unlike)
      : program(program), world(world), extents(extents), unlike(unlike) {
    for (unsigned i = 0; i < extents.size(); ++i) {
      free.push_back(!given(i));
      pitch.push_back(!given(i) && isPitch(program, i));
    }
  }

  void run() {
    // The first time pitches may follow sizes that make way for another argument.
    for (int time = 0; time < 2; ++time) {
      for (unsigned i = 0; i < extents.size(); ++i)
        if (pitch[i])
          extents[i] = 0;
      settle();
    }
  }

private:
  void settle() {
    SmallVector<Argument> arguments = stridedArguments(program);
    // What one argument needs may change what another does; few rounds settle what can be settled.
    constexpr unsigned rounds = 8;
    for (unsigned round = 0; round < rounds; ++round) {
      changed = false;
      for (const Argument &argument : arguments)
        separate(argument);
      if (!changed)
        return;
    }
  }

  std::optional<int64_t> valueOf(AffineExpr expression) { return Values(program, world, extents).of(expression); }

  /// Pitches without a value step over everything else, those farther from the innermost dimension over the nearer
  /// ones.
  SmallVector<unsigned> orderOf(const Argument &argument) {
    unsigned rank = argument.strides.getNumResults(), known = 0;
    SmallVector<int64_t> strides(rank, mostElements);
    for (auto [dim, stride] : llvm::enumerate(argument.strides.getResults()))
      if (!isOpen(stride)) {
        strides[dim] = valueOf(stride).value_or(0);
        ++known;
      }
    SmallVector<unsigned> order = innermostFirst(strides);
    // Of two that step alike, one of a single element steps over nothing: the other one goes on from there.
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return std::pair(strides[a], !hasOneElement(argument, a)) < std::pair(strides[b], !hasOneElement(argument, b));
    });
    int64_t innermost = known ? order.front() : rank - 1;
    std::stable_sort(order.begin() + known, order.end(), [&](unsigned a, unsigned b) {
      return std::abs(int64_t(a) - innermost) < std::abs(int64_t(b) - innermost);
    });
    // Multiples of a pitch come right behind it: what they need makes it longer.
    SmallVector<unsigned> together(order.begin(), order.begin() + known);
    for (unsigned dim : ArrayRef(order).drop_front(known)) {
      unsigned extent = pitchOf(argument, dim);
      auto isNew = [&](unsigned other) {
        return pitchOf(argument, other) == extent && !llvm::is_contained(together, other);
      };
      SmallVector<unsigned> multiples = llvm::filter_to_vector(ArrayRef(order).drop_front(known), isNew);
      std::stable_sort(multiples.begin(), multiples.end(), [&](unsigned a, unsigned b) {
        return slopeOf(argument.strides.getResult(a), extent) < slopeOf(argument.strides.getResult(b), extent);
      });
      together.append(multiples);
    }
    return together;
  }

  /// The first pitch that a stride is made of; as many as there are extents where it is made of none.
  unsigned pitchOf(const Argument &argument, unsigned dim) {
    unsigned i = 0;
    while (i < pitch.size() && !(pitch[i] && argument.strides.getResult(dim).isFunctionOfSymbol(1 + i)))
      ++i;
    return i;
  }

  bool hasOneElement(const Argument &argument, unsigned dim) { return valueOf(argument.sizes.getResult(dim)) == 1; }

  /// Part of it is a pitch that has no value yet.
  bool isOpen(AffineExpr expression) {
    for (unsigned i = 0; i < pitch.size(); ++i)
      if (pitch[i] && !extents[i] && expression.isFunctionOfSymbol(1 + i))
        return true;
    return false;
  }

  bool hasPitch(AffineExpr expression) {
    for (unsigned i = 0; i < pitch.size(); ++i)
      if (pitch[i] && expression.isFunctionOfSymbol(1 + i))
        return true;
    return false;
  }

  /// Another dimension, of more than one element, needs the pitch of this one, which has a single element.
  bool isSetElsewhere(const Argument &argument, unsigned dim) {
    for (unsigned other = 0; other < argument.strides.getNumResults(); ++other)
      if (other != dim && pitchOf(argument, other) == pitchOf(argument, dim) && !hasOneElement(argument, other))
        return true;
    return false;
  }

  void separate(const Argument &argument) {
    int64_t reach = 1;
    SmallVector<unsigned> inside;
    for (unsigned dim : orderOf(argument)) {
      AffineExpr stride = argument.strides.getResult(dim);
      std::optional<int64_t> size = valueOf(argument.sizes.getResult(dim)), step = valueOf(stride);
      if (!size || !step)
        return;
      bool steps = *size > 1 || (hasPitch(stride) && !isSetElsewhere(argument, dim));
      if (steps && *step < reach && !raise(stride, reach - *step))
        for (unsigned other : llvm::reverse(inside))
          if (lower(argument, other, reach - *step, reach))
            break;
      inside.push_back(dim);
      if (*size > 1)
        reach = extended(reach, *size, valueOf(stride).value_or(*step));
    }
  }

  /// How much an expression grows with a free extent; 0 where it does not.
  int64_t slopeOf(AffineExpr expression, unsigned extent) {
    if (!free[extent] || !expression.isFunctionOfSymbol(1 + extent))
      return 0;
    std::optional<int64_t> now = valueOf(expression);
    ++extents[extent];
    std::optional<int64_t> next = valueOf(expression);
    --extents[extent];
    return now && next ? std::max<int64_t>(0, *next - *now) : 0;
  }

  bool raise(AffineExpr stride, int64_t missing) {
    for (bool pitches : {true, false})
      for (unsigned i = 0; i < extents.size(); ++i)
        if (int64_t slope = pitch[i] == pitches ? slopeOf(stride, i) : 0) {
          int64_t least = extents[i] + static_cast<int64_t>(llvm::divideCeil(missing, slope));
          if (least > mostPitch)
            return false;
          // Rows of vectors, and a gap that shows who steps over other strides.
          constexpr int64_t gap = 8;
          extents[i] = pitches ? static_cast<int64_t>(llvm::alignTo(least, gap)) + gap + unlike * i : least;
          return changed = true;
        }
    return false;
  }

  /// Takes elements from a dimension, which reach over `excess` too many.
  bool lower(const Argument &argument, unsigned dim, int64_t excess, int64_t &reach) {
    AffineExpr size = argument.sizes.getResult(dim);
    int64_t step = valueOf(argument.strides.getResult(dim)).value_or(0);
    for (unsigned i = 0; step > 0 && i < extents.size(); ++i)
      if (int64_t slope = slopeOf(size, i)) {
        int64_t elements = static_cast<int64_t>(llvm::divideCeil(excess, step));
        int64_t less = static_cast<int64_t>(llvm::divideCeil(elements, slope));
        if (extents[i] - less < 1)
          continue;
        extents[i] -= less;
        reach -= less * slope * step;
        return changed = true;
      }
    return false;
  }

  ProgramOp program;
  int64_t world;
  MutableArrayRef<int64_t> extents;
  int64_t unlike;
  SmallVector<bool> free, pitch;
  bool changed = false;
};

} // namespace

void tilec::tile::separateElements(ProgramOp program, int64_t world, MutableArrayRef<int64_t> extents,
                                   function_ref<bool(unsigned)> given, int64_t unlike) {
  if (program.getStrides())
    Separation(program, world, extents, given, unlike).run();
}
