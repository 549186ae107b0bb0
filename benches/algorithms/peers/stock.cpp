// `std::reduce` of doubles in a build without any OpenMP flag: GCC then skips the simd pragmas of libstdc++'s
// parallel algorithms, and the sum stays scalar. A separate library, loaded beside the other. There is one TBB in a
// process, so the limit of threads that the other library sets applies here too.
#define ELEMENT double
#include "peers.hpp"

#include <execution>
#include <numeric>

template <class Policy> static double reduce(const Args* p, Policy&& policy) {
    return std::reduce(policy, a_begin(p), a_end(p), T{}, Add<T>{});
}
static double sequenced(const Args* p) { return reduce(p, std::execution::par); }
static double unsequenced(const Args* p) { return reduce(p, std::execution::par_unseq); }

extern "C" void peer_init(int) {}

extern "C" Call peer_find(const char* backend, const char* algorithm, int element) {
    if (std::strcmp(algorithm, "reduce") || element != 2) return nullptr;
    if (!std::strcmp(backend, "tbb")) return &sequenced;
    if (!std::strcmp(backend, "tbb_unseq")) return &unsequenced;
    return nullptr;
}
