// The interface to the C++ peers: GNU parallel mode, TBB behind the C++17 execution policies, and empty OpenMP and TBB
// regions. `peer_find` returns a function for (backend, algorithm, element type), or null if the backend has no such
// algorithm. Every function takes the same arguments, so that the Rust side needs one wrapper for all of them.
//
// Built by xtask with the best options: -O3 -march=native -fopenmp -fopenmp-simd; `std.cpp` and `gnu.cpp` once for each type.
#include "peers.hpp"

#include <omp.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <memory>
#include <parallel/algorithm>

Call find_std(const int32_t*, bool unsequenced, const char* algorithm);
Call find_std(const float*, bool unsequenced, const char* algorithm);
Call find_std(const double*, bool unsequenced, const char* algorithm);
Call find_gnu(const int32_t*, const char* algorithm);
Call find_gnu(const float*, const char* algorithm);
Call find_gnu(const double*, const char* algorithm);

namespace {

double openmp_region(const Args*) {
#pragma omp parallel
    { asm volatile("" ::: "memory"); }
    return 0;
}
double tbb_region(const Args*) {
    tbb::parallel_invoke([] { asm volatile("" ::: "memory"); }, [] { asm volatile("" ::: "memory"); });
    return 0;
}
double tbb_for_region(const Args*) {
    tbb::parallel_for(0, 2, [](int) { asm volatile("" ::: "memory"); }, tbb::static_partitioner());
    return 0;
}

template <class T> Call find(const char* backend, const char* algorithm) {
    const T* type = nullptr;
    if (!std::strcmp(backend, "tbb")) return find_std(type, false, algorithm);
    if (!std::strcmp(backend, "tbb_unseq")) return find_std(type, true, algorithm);
    if (!std::strcmp(backend, "gnu")) return find_gnu(type, algorithm);
    return nullptr;
}

std::unique_ptr<tbb::global_control> tbb_limit;

} // namespace

// Limits both runtimes to `threads` threads, the caller among them, and makes GNU parallel mode parallel at any size.
extern "C" void peer_init(int threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    tbb_limit.reset();
    tbb_limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
    __gnu_parallel::_Settings settings;
    settings.algorithm_strategy = __gnu_parallel::force_parallel;
    __gnu_parallel::_Settings::set(settings);
}

// `element` is 0 for int32_t, 1 for float, 2 for double.
extern "C" Call peer_find(const char* backend, const char* algorithm, int element) {
    if (!std::strcmp(algorithm, "region")) {
        if (!std::strcmp(backend, "openmp")) return &openmp_region;
        if (!std::strcmp(backend, "tbb")) return &tbb_region;
        if (!std::strcmp(backend, "tbb_for")) return &tbb_for_region;
        return nullptr;
    }
    switch (element) {
        case 0: return find<int32_t>(backend, algorithm);
        case 1: return find<float>(backend, algorithm);
        case 2: return find<double>(backend, algorithm);
        default: return nullptr;
    }
}
