// What the tokens of one workgroup stand for: its waits and accesses, and joins of them. A container; it knows nothing
// of what they order.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tilec::checker {

/// Tokens are numbered from 1; 0 stands for nothing.
class Tokens {
public:
  struct Leaf {
    bool isWait = false; ///< else an access
    uint32_t number = 0;
  };

  int64_t add(Leaf leaf) {
    nodes.push_back({leaf, 0, 0});
    return nodes.size() - 1;
  }

  int64_t join(int64_t left, int64_t right) {
    if (left == 0 || left == right)
      return right;
    if (right == 0)
      return left;
    nodes.push_back({{}, left, right});
    return nodes.size() - 1;
  }

  int64_t size() const { return nodes.size(); }

  /// Keeps the first `count`, and nothing.
  void forget(int64_t count) { nodes.resize(std::max<int64_t>(count, 1)); }

  /// Calls `visit(leaf, number)` for the waits and accesses that a token stands for.
  template <typename Visit>
  void forEachLeaf(int64_t root, Visit visit) {
    ++numVisits;
    walk(root, &Node::seen, numVisits, visit);
  }

  /// The same without those behind a join that was looked into before in the turn `turn`, a number above 0. Of another
  /// turn nothing is remembered.
  template <typename Visit>
  void forEachNewLeaf(int64_t root, uint64_t turn, Visit visit) {
    walk(root, &Node::seenInTurn, turn, visit);
  }

private:
  struct Node {
    Leaf leaf;
    int64_t left, right; ///< of a join, which is of two that are not nothing
    uint64_t seen = 0, seenInTurn = 0;
    bool isJoin() const { return left != 0; }
  };

  template <typename Visit>
  void walk(int64_t root, uint64_t Node::*seen, uint64_t now, Visit visit) {
    if (root == 0)
      return;
    llvm::SmallVector<int64_t, 16> stack{root};
    while (!stack.empty()) {
      int64_t number = stack.pop_back_val();
      Node &node = nodes[number];
      if (!node.isJoin())
        visit(node.leaf, number);
      else if (std::exchange(node.*seen, now) != now)
        stack.append({node.left, node.right});
    }
  }

  std::vector<Node> nodes{{{}, 0, 0}};
  uint64_t numVisits = 0;
};

} // namespace tilec::checker
