// Reads descriptions: words separated by blanks, each construct introduced by its name.
#include "Description.h"

#include <cstdlib>
#include <iostream>

namespace truth {

namespace {

[[noreturn]] void fail(const std::string &what) {
  std::cerr << "malformed description: " << what << "\n";
  std::exit(2);
}

int number(std::istream &in) {
  int value;
  if (!(in >> value))
    fail("expected a number");
  return value;
}

std::vector<int> numbers(std::istream &in) {
  std::vector<int> list(number(in));
  for (int &value : list)
    value = number(in);
  return list;
}

std::vector<Name> names(std::istream &in) {
  std::vector<Name> list(number(in));
  for (Name &name : list) {
    name.prologue = number(in) != 0;
    name.op = number(in);
  }
  return list;
}

bool readOp(const std::string &word, std::istream &in, Thread &thread) {
  Op op;
  if (word == "load" || word == "store" || word == "atomic") {
    op.kind = word == "load" ? Kind::Load : word == "store" ? Kind::Store : Kind::Atomic;
    op.buffer = number(in);
    op.owner = number(in);
    op.first = number(in);
    op.count = number(in);
    op.names = names(in);
  } else if (word == "wait" || word == "signal") {
    op.kind = word == "wait" ? Kind::Wait : Kind::Signal;
    op.grid = number(in);
    op.index = numbers(in);
    op.box = numbers(in);
    op.lag = number(in);
    op.to = number(in);
    op.system = number(in) != 0;
    op.names = names(in);
  } else {
    return false;
  }
  thread.push_back(op);
  return true;
}

void readRole(std::istream &in, int world, Role &role) {
  role.turn = static_cast<Turn>(number(in));
  role.workgroups = number(in);
  role.grid = number(in);
  role.ranks.resize(world);
  Thread *thread = nullptr;
  Role::Part *part = nullptr;
  for (std::string word; in >> word && word != "end";) {
    if (word == "rank") {
      part = &role.ranks.at(number(in));
      thread = &part->prologue;
    } else if (word == "task") {
      part->numbers.push_back(number(in));
      thread = &part->tasks.emplace_back();
    } else if (!thread || !readOp(word, in, *thread)) {
      fail("'" + word + "' in a role");
    }
  }
}

} // namespace

bool read(std::istream &in, Program &program) {
  program = Program();
  std::string word;
  if (!(in >> word))
    return false;
  if (word != "program")
    fail("expected 'program', got '" + word + "'");
  in >> program.name;
  program.world = number(in);
  program.launches = number(in);
  while (in >> word && word != "end") {
    if (word == "buffer") {
      Buffer &buffer = program.buffers.emplace_back();
      buffer.argument = number(in) != 0;
      buffer.persistent = number(in) != 0;
      buffer.copies = number(in);
      buffer.size = number(in);
    } else if (word == "grid") {
      program.gridBegin.push_back(program.words);
      int words = 1;
      for (int size : program.grids.emplace_back(numbers(in)))
        words *= size;
      program.words += words;
    } else if (word == "kernel") {
      Kernel &kernel = program.kernels.emplace_back();
      kernel.resident = number(in);
      kernel.all = number(in) != 0;
    } else if (word == "role") {
      readRole(in, program.world, program.kernels.back().roles.emplace_back());
    } else {
      fail("'" + word + "' in a program");
    }
  }
  return true;
}

bool Program::inGrid(const Op &op) const {
  for (int count : op.box)
    if (count <= 0)
      return true;
  for (size_t dim = 0; dim < op.index.size(); ++dim)
    if (op.index[dim] < 0 || op.index[dim] + op.box[dim] > grids[op.grid][dim])
      return false;
  return true;
}

std::vector<int> Program::wordsOf(const Op &op) const {
  std::vector<int> linear{0};
  for (size_t dim = 0; dim < op.index.size(); ++dim) {
    std::vector<int> next;
    for (int outer : linear)
      for (int i = 0; i < op.box[dim]; ++i)
        next.push_back(outer * grids[op.grid][dim] + op.index[dim] + i);
    linear = next;
  }
  for (int &word : linear)
    word += gridBegin[op.grid];
  return linear;
}

} // namespace truth
