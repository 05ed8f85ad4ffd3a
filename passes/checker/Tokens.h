// What the tokens of one workgroup stand for: its waits and accesses, and joins of them. A container; it knows nothing
// of what they order.
#pragma once

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
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
  void forEachLeaf(int64_t root, Visit visit) const {
    if (root == 0)
      return;
    if (!nodes[root].isJoin())
      return visit(nodes[root].leaf, root);
    llvm::SmallVector<int64_t, 16> stack{root};
    llvm::SmallDenseSet<int64_t, 16> joins;
    while (!stack.empty()) {
      int64_t number = stack.pop_back_val();
      const Node &node = nodes[number];
      if (!node.isJoin())
        visit(node.leaf, number);
      else if (joins.insert(number).second)
        stack.append({node.left, node.right});
    }
  }

private:
  struct Node {
    Leaf leaf;
    int64_t left, right; ///< of a join, which is of two that are not nothing
    bool isJoin() const { return left != 0; }
  };
  std::vector<Node> nodes{{{}, 0, 0}};
};

} // namespace tilec::checker
