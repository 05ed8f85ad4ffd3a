// A program may be called as a system header is: the generated signal.h must not stand in for the system's.
#include <csignal>

static_assert(SIGABRT > 0);
