// Messages about names of options.
#include "dialect/UnknownName.h"
#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static SmallVector<StringRef> namesOf(ArrayRef<BlockArgument> arguments) {
  SmallVector<StringRef> names;
  for (BlockArgument argument : arguments)
    if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
      names.push_back(name.getName());
  return names;
}

/// `, expected M or N; did you mean 'M'?`
static std::string alternatives(StringRef name, ArrayRef<StringRef> known) {
  return known.empty() ? ": the program has none" : ", expected " + listNames(known) + didYouMean(name, known);
}

InFlightDiagnostic tilec::tile::unknownExtent(ProgramOp program, StringRef name) {
  return program.emitError() << "unknown extent '" << name << "' in --extent"
                             << alternatives(name, namesOf(program.getExtents()));
}

InFlightDiagnostic tilec::tile::unknownParameter(ProgramOp program, StringRef name) {
  SmallVector<StringRef> known;
  for (ParamOp param : program.getBody().getOps<ParamOp>())
    known.push_back(param.getSymName());
  if (DictionaryAttr chosen = program.getParametersAttr())
    for (NamedAttribute parameter : chosen)
      known.push_back(parameter.getName());
  return program.emitError() << "unknown parameter '" << name << "' in --param" << alternatives(name, known);
}

InFlightDiagnostic tilec::tile::unknownArgument(ProgramOp program, StringRef name) {
  return program.emitError() << "unknown argument '" << name << "'"
                             << alternatives(name, namesOf(program.getArguments()));
}
