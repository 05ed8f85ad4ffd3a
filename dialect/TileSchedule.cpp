// The record of what is decided of the loops of products: its keys and their values, in the text of a program and on
// the command line.
#include "dialect/Keywords.h"
#include "dialect/Schedules.h"
#include "dialect/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// What stands before what `choose` has taken.
static constexpr StringLiteral kChosen = "chosen";

static constexpr unsigned kKeys = 10;

/// `'x' for 'waves', expected ...`, as the end of a message.
static std::string unexpected(ScheduleKey key, StringRef word, StringRef expected) {
  return ("'" + word + "' for '" + stringifyScheduleKey(key) + "', expected " + expected).str();
}

static Attribute numberFor(MLIRContext *context, ScheduleKey key, StringRef word, std::string &why) {
  const int64_t most = key == ScheduleKey::Behind ? 1 << 20 : 4096;
  int64_t number, least = key == ScheduleKey::Depth ? 8 : 1;
  bool isPower = key == ScheduleKey::Waves || key == ScheduleKey::Depth;
  if (!word.getAsInteger(10, number) && number >= least && number <= most &&
      (!isPower || llvm::isPowerOf2_64(static_cast<uint64_t>(number))))
    return Builder(context).getI64IntegerAttr(number);
  std::string range = " from " + std::to_string(least) + " to " + std::to_string(most);
  why = unexpected(key, word, (isPower ? "a power of two" : "a number") + range);
  return {};
}

/// The attribute of an enum that a word names; null, and why, where it names none.
template <class Attr, class Enum>
static Attribute keywordFor(MLIRContext *context, ScheduleKey key, StringRef word, std::optional<Enum> named,
                            std::string &why) {
  if (named)
    return Attr::get(context, *named);
  SmallVector<StringRef> known = keywordsOf<Enum>();
  why = unexpected(key, word, listNames(known) + didYouMean(word, known));
  return {};
}

/// The value that a word says; null, and why, where it says none of the key's.
static Attribute valueFor(MLIRContext *context, ScheduleKey key, StringRef word, std::string &why) {
  if (key == ScheduleKey::Dealing)
    return keywordFor<DealingAttr>(context, key, word, symbolizeDealing(word), why);
  if (key == ScheduleKey::Halves)
    return keywordFor<HalvesAttr>(context, key, word, symbolizeHalves(word), why);
  if (key == ScheduleKey::Swapped || key == ScheduleKey::Pairs) {
    if (word == "true" || word == "false")
      return BoolAttr::get(context, word == "true");
    why = unexpected(key, word, "true or false");
    return {};
  }
  if (key != ScheduleKey::Instruction)
    return numberFor(context, key, word, why);
  if (!word.empty())
    return StringAttr::get(context, word);
  why = unexpected(key, word, "the name of a matrix instruction");
  return {};
}

/// Sets a key of `values`; says why it cannot.
static bool setValue(MLIRContext *context, MutableArrayRef<Attribute> values, StringRef name, StringRef word,
                     std::string &why, unsigned *number = nullptr) {
  std::optional<ScheduleKey> key = symbolizeScheduleKey(name);
  SmallVector<StringRef> known = keywordsOf<ScheduleKey>();
  if (!key) {
    why = "unknown key '" + name.str() + "', expected " + listNames(known) + didYouMean(name, known);
    return false;
  }
  Attribute &value = values[static_cast<unsigned>(*key)];
  if (value) {
    why = "key '" + name.str() + "' is given twice";
    return false;
  }
  value = valueFor(context, *key, word, why);
  if (number)
    *number = static_cast<unsigned>(*key);
  return value != nullptr;
}

static std::string spelled(Attribute value) {
  if (auto number = dyn_cast<IntegerAttr>(value); number && !isa<BoolAttr>(value))
    return std::to_string(number.getInt());
  if (auto truth = dyn_cast<BoolAttr>(value))
    return truth.getValue() ? "true" : "false";
  if (auto dealing = dyn_cast<DealingAttr>(value))
    return stringifyDealing(dealing.getValue()).str();
  if (auto halves = dyn_cast<HalvesAttr>(value))
    return stringifyHalves(halves.getValue()).str();
  return cast<StringAttr>(value).getValue().str();
}

ScheduleAttr ScheduleAttr::getEmpty(MLIRContext *context) {
  return get(context, SmallVector<Attribute>(kKeys), /*chosen=*/0);
}

ScheduleAttr ScheduleAttr::ofSpelling(MLIRContext *context, StringRef spelling, std::string &why) {
  SmallVector<Attribute> values(kKeys);
  for (StringRef pair : llvm::split(spelling, ',')) {
    auto [name, word] = pair.split('=');
    if (!pair.contains('=')) {
      why = "'" + pair.str() + "', expected KEY=VALUE";
      return {};
    }
    if (!setValue(context, values, name, word, why))
      return {};
  }
  return get(context, values, /*chosen=*/0);
}

std::string ScheduleAttr::spellGiven() const {
  SmallVector<std::string> pairs;
  for (auto [i, name] : llvm::enumerate(keywordsOf<ScheduleKey>()))
    if (isGiven(static_cast<ScheduleKey>(i)))
      pairs.push_back(name.str() + "=" + spelled(getValues()[i]));
  return llvm::join(pairs, ",");
}

std::optional<int64_t> ScheduleAttr::numberOf(ScheduleKey key) const {
  auto number = dyn_cast_or_null<IntegerAttr>(valueOf(key));
  return number ? std::optional(number.getInt()) : std::nullopt;
}
std::optional<int64_t> ScheduleAttr::givenNumber(ScheduleKey key) const {
  return isGiven(key) ? numberOf(key) : std::nullopt;
}
StringRef ScheduleAttr::givenInstruction() const {
  return isGiven(ScheduleKey::Instruction) ? cast<StringAttr>(valueOf(ScheduleKey::Instruction)).getValue() : "";
}

bool ScheduleAttr::alternatesHalves() const {
  return isGiven(ScheduleKey::Halves) &&
         cast<HalvesAttr>(valueOf(ScheduleKey::Halves)).getValue() == Halves::Alternating;
}

bool ScheduleAttr::hasGiven() const {
  return llvm::any_of(llvm::seq(kKeys), [&](unsigned key) { return isGiven(static_cast<ScheduleKey>(key)); });
}

ScheduleAttr ScheduleAttr::withoutChosen() const {
  SmallVector<Attribute> values(getValues());
  for (auto [i, value] : llvm::enumerate(values))
    if (isChosen(static_cast<ScheduleKey>(i)))
      value = {};
  return get(getContext(), values, /*chosen=*/0);
}

ScheduleAttr ScheduleAttr::withChosen(ScheduleKey key, Attribute value) const {
  if (valueOf(key))
    return *this;
  SmallVector<Attribute> values(getValues());
  auto number = static_cast<unsigned>(key);
  values[number] = value;
  return get(getContext(), values, getChosen() | 1u << number);
}

ScheduleAttr ScheduleAttr::withGivenOf(ScheduleAttr other) const {
  SmallVector<Attribute> values(getValues());
  unsigned chosen = getChosen();
  for (unsigned key = 0; key < kKeys; ++key)
    if (other.isGiven(static_cast<ScheduleKey>(key))) {
      values[key] = other.getValues()[key];
      chosen &= ~(1u << key);
    }
  return get(getContext(), values, chosen);
}

ScheduleAttr ScheduleAttr::over(ScheduleAttr other) const {
  SmallVector<Attribute> values(getValues());
  unsigned chosen = getChosen();
  for (unsigned number = 0; number < kKeys; ++number) {
    auto key = static_cast<ScheduleKey>(number);
    if (isGiven(key) || !other.valueOf(key) || (values[number] && other.isChosen(key)))
      continue;
    values[number] = other.valueOf(key);
    chosen = (chosen & ~(1u << number)) | (other.getChosen() & 1u << number);
  }
  return get(getContext(), values, chosen);
}

ScheduleAttr ScheduleAttr::withoutGivenOf(ScheduleAttr other) const {
  SmallVector<Attribute> values(getValues());
  unsigned chosen = getChosen();
  for (unsigned key = 0; key < kKeys; ++key)
    if (other.isGiven(static_cast<ScheduleKey>(key))) {
      values[key] = {};
      chosen &= ~(1u << key);
    }
  return get(getContext(), values, chosen);
}

ScheduleAttr tilec::tile::scheduleOf(Operation *op) {
  ScheduleAttr found;
  for (; op; op = op->getParentOp())
    if (auto scheduled = dyn_cast<ScheduledOpInterface>(op))
      if (ScheduleAttr own = scheduled.getScheduleAttr())
        found = found ? found.over(own) : own;
  return found;
}

ScheduleAttr tilec::tile::withDone(ScheduleAttr schedule, ScheduleKey key) {
  if (!schedule || !schedule.isGiven(key))
    return schedule;
  return ScheduleAttr::get(schedule.getContext(), schedule.getValues(),
                           schedule.getChosen() | 1u << static_cast<unsigned>(key));
}

SmallVector<Attribute> tilec::tile::givenIn(KernelOp kernel, ScheduleKey key) {
  llvm::SmallSetVector<Attribute, 2> all;
  kernel.walk([&](ForallOp tasks) {
    if (ScheduleAttr schedule = scheduleOf(tasks); schedule && schedule.isGiven(key))
      all.insert(schedule.valueOf(key));
  });
  return all.takeVector();
}

LogicalResult tilec::tile::verifyOwnSchedule(ScheduledOpInterface op) {
  ScheduleAttr schedule = op.getScheduleAttr();
  if (!schedule)
    return success();
  if (schedule.isGiven(ScheduleKey::Instruction))
    return op->emitOpError() << "names an instruction in its schedule, expected it in the program's: all products are "
                                "by the same";
  for (ScheduleKey key : {ScheduleKey::Split, ScheduleKey::Behind, ScheduleKey::Swapped})
    if (schedule.isGiven(key))
      return op->emitOpError() << "says '" << stringifyScheduleKey(key)
                               << "' in its schedule, expected the word of that name in 'tile.matmul', or the key in "
                                  "the program's schedule";
  if (schedule.isGiven(ScheduleKey::Depth) && !isa<MatmulOp>(op))
    return op->emitOpError()
           << "says 'depth' in its schedule, expected it of a 'tile.matmul': steps that are written are "
              "as deep as their tiles";
  return success();
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  SmallVector<StringRef> names = keywordsOf<ScheduleKey>();
  printer << "<";
  bool isFirst = true;
  for (bool chosen : {false, true}) {
    bool isBehindWord = false;
    for (unsigned key = 0; key < kKeys; ++key) {
      if (!getValues()[key] || isChosen(static_cast<ScheduleKey>(key)) != chosen)
        continue;
      printer << (isFirst ? "" : ", ");
      if (chosen && !isBehindWord)
        printer << kChosen << " ";
      printer << names[key] << " = " << spelled(getValues()[key]);
      isFirst = false;
      isBehindWord = true;
    }
  }
  printer << ">";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> values(kKeys);
  unsigned chosen = 0;
  bool isBehindWord = false;
  auto parsePair = [&]() -> ParseResult {
    isBehindWord |= succeeded(parser.parseOptionalKeyword(kChosen));
    SMLoc loc = parser.getCurrentLocation();
    StringRef name, word;
    std::string text, why;
    int64_t integer;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    // MLIR takes 'true' for the integer -1.
    if (succeeded(parser.parseOptionalKeyword(&word))) {
      text = word.str();
    } else {
      if (parser.parseInteger(integer))
        return failure();
      text = std::to_string(integer);
    }
    unsigned number;
    if (!setValue(parser.getContext(), values, name, text, why, &number))
      return parser.emitError(loc) << "schedule: " << why;
    chosen |= isBehindWord ? 1u << number : 0;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parsePair))
    return {};
  return get(parser.getContext(), values, chosen);
}
