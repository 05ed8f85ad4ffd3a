// A world whose ranks are processes of this program: starts them, hears what each found. How they meet is the host
// library's.
#ifndef TILEC_RUNNER_RANKS_H
#define TILEC_RUNNER_RANKS_H

#include <string>
#include <vector>

namespace tilec::runner {

/// What a rank says of a program.
struct Report {
  int verdict = 1; ///< a Verdict
  std::string words;
};

/// The rank that this process is, from TILEC_RANK; -1 where it is none.
int rankOfProcess();
/// Tells whoever started this rank; prints it where nobody listens.
void tell(const std::string &label, const Report &report);

/// Processes of this program, one for each rank of a world.
class Ranks {
public:
  /// `words`: what each is given on its command line. Throws std::runtime_error.
  Ranks(int world, const std::vector<std::string> &words);
  /// Ends those that are left.
  ~Ranks();
  Ranks(const Ranks &) = delete;

  /// What the ranks say of the next program, by rank. Waits for them; a rank that ended says so.
  std::vector<Report> next();

private:
  struct Process {
    int number = 0; ///< 0: it has ended
    int report = -1;
    std::string heard, end; ///< not yet a whole line; how the process ended
  };
  void start(int rank, int world, const std::string &job, const std::vector<std::string> &words);
  Report hear(Process &process);
  std::vector<Process> processes;
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_RANKS_H
