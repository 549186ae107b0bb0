// The C++ peers: GNU parallel mode, TBB behind the C++17 execution policies, and empty OpenMP and TBB regions, all
// behind one door. `peer_find` gives a function for (backend, algorithm, element type), or null where the backend has no
// such algorithm; every function takes the same arguments, so that the other side needs one wrapper for all of them.
//
// Built by `cargo xtask compare` at its best: -O3 -march=native -fopenmp -fopenmp-simd.

#include <omp.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <parallel/algorithm>
#include <parallel/numeric>
#include <type_traits>

// Mirrored by `Args` in ../src/peers/cxx.rs.
struct Args {
    const void* a;      // first input
    size_t a_len;
    const void* b;      // second input (merge)
    size_t b_len;       // its length; the middle of `out` for inplace_merge
    void* out;          // output, or the data of an algorithm that works in place
    double needle;      // what find and count look for; the bound of the predicates
    size_t k;           // for_each: increments an element
};

// What a function answers, for the comparison with the sequential result: an index, a count or a value.
using Call = double (*)(const Args*);

namespace {

struct Par { static constexpr const auto& policy() { return std::execution::par; } };
struct ParUnseq { static constexpr const auto& policy() { return std::execution::par_unseq; } };

// Sums wrap around on integers, as the Rust side's do.
template <class T> struct Add {
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) + std::make_unsigned_t<T>(y));
        else return x + y;
    }
};
template <class T> struct Square {
    T operator()(T x) const {
        if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) * std::make_unsigned_t<T>(x));
        else return x * x;
    }
};
template <class T> struct Affine {
    T operator()(T x) const {
        if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) * 3u + 1u);
        else return x * 0.5 + 1;
    }
};
template <class T> struct SquareTimes { // for inner_product
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) * std::make_unsigned_t<T>(y));
        else return x * y;
    }
};
// k increments with a bound the compiler cannot see through, once for each element.
template <class T> struct Count {
    size_t k;
    void operator()(T& x) const {
        volatile size_t opaque = k;
        const size_t bound = opaque;
        T sum{};
        for (size_t i = 0; i < bound; ++i) sum++;
        x = sum;
    }
};

template <class T> const T* a_begin(const Args* p) { return static_cast<const T*>(p->a); }
template <class T> const T* a_end(const Args* p) { return a_begin<T>(p) + p->a_len; }
template <class T> const T* b_begin(const Args* p) { return static_cast<const T*>(p->b); }
template <class T> const T* b_end(const Args* p) { return b_begin<T>(p) + p->b_len; }
template <class T> T* out(const Args* p) { return static_cast<T*>(p->out); }

// The C++17 parallel algorithms; libstdc++ runs them on TBB.
template <class P, class T> struct Std {
    static double min(const Args* p) { return *std::min_element(P::policy(), a_begin<T>(p), a_end<T>(p)); }
    static double max(const Args* p) { return *std::max_element(P::policy(), a_begin<T>(p), a_end<T>(p)); }
    static double minmax(const Args* p) {
        auto both = std::minmax_element(P::policy(), a_begin<T>(p), a_end<T>(p));
        return double(*both.first) + double(*both.second);
    }
    static double merge(const Args* p) {
        std::merge(P::policy(), a_begin<T>(p), a_end<T>(p), b_begin<T>(p), b_end<T>(p), out<T>(p));
        return 0;
    }
    static double inplace_merge(const Args* p) {
        std::inplace_merge(P::policy(), out<T>(p), out<T>(p) + p->b_len, out<T>(p) + p->a_len);
        return 0;
    }
    static double sort(const Args* p) { std::stable_sort(P::policy(), out<T>(p), out<T>(p) + p->a_len); return 0; }
    static double sort_unstable(const Args* p) { std::sort(P::policy(), out<T>(p), out<T>(p) + p->a_len); return 0; }
    static double for_each(const Args* p) {
        std::for_each(P::policy(), out<T>(p), out<T>(p) + p->a_len, Count<T>{p->k});
        return 0;
    }
    static double map(const Args* p) {
        std::transform(P::policy(), a_begin<T>(p), a_end<T>(p), out<T>(p), Affine<T>{});
        return 0;
    }
    static double map_in_place(const Args* p) {
        std::transform(P::policy(), out<T>(p), out<T>(p) + p->a_len, out<T>(p), Affine<T>{});
        return 0;
    }
    static double reduce(const Args* p) { return std::reduce(P::policy(), a_begin<T>(p), a_end<T>(p), T{}, Add<T>{}); }
    static double map_reduce(const Args* p) {
        return std::transform_reduce(P::policy(), a_begin<T>(p), a_end<T>(p), T{}, Add<T>{}, Square<T>{});
    }
    static double inclusive_scan(const Args* p) {
        std::inclusive_scan(P::policy(), a_begin<T>(p), a_end<T>(p), out<T>(p), Add<T>{});
        return 0;
    }
    static double exclusive_scan(const Args* p) {
        std::exclusive_scan(P::policy(), a_begin<T>(p), a_end<T>(p), out<T>(p), T{}, Add<T>{});
        return 0;
    }
    static double transform_inclusive_scan(const Args* p) {
        std::transform_inclusive_scan(P::policy(), a_begin<T>(p), a_end<T>(p), out<T>(p), Add<T>{}, Square<T>{});
        return 0;
    }
    static double position(const Args* p) {
        return std::find(P::policy(), a_begin<T>(p), a_end<T>(p), T(p->needle)) - a_begin<T>(p);
    }
    static double any(const Args* p) {
        return std::any_of(P::policy(), a_begin<T>(p), a_end<T>(p), [x = T(p->needle)](T y) { return y > x; });
    }
    static double all(const Args* p) {
        return std::all_of(P::policy(), a_begin<T>(p), a_end<T>(p), [x = T(p->needle)](T y) { return y <= x; });
    }
    static double none(const Args* p) {
        return std::none_of(P::policy(), a_begin<T>(p), a_end<T>(p), [x = T(p->needle)](T y) { return y > x; });
    }
    static double count(const Args* p) {
        return std::count(P::policy(), a_begin<T>(p), a_end<T>(p), T(p->needle));
    }
    static double count_if(const Args* p) {
        return std::count_if(P::policy(), a_begin<T>(p), a_end<T>(p), [x = T(p->needle)](T y) { return y > x; });
    }
};

// GNU parallel mode. It has no in-place merge, minmax or exclusive scan; any, all and none are its find_if, as
// libstdc++ defines them for the sequential ones.
template <class T> struct Gnu {
    static constexpr auto tag() { return __gnu_parallel::parallel_tag(2); }
    static double min(const Args* p) {
        return *__gnu_parallel::min_element(a_begin<T>(p), a_end<T>(p), std::less<T>());
    }
    static double max(const Args* p) {
        return *__gnu_parallel::max_element(a_begin<T>(p), a_end<T>(p), std::less<T>());
    }
    static double merge(const Args* p) {
        // Its merge wants iterators to mutable elements, though it writes none of them.
        T *a = const_cast<T*>(a_begin<T>(p)), *b = const_cast<T*>(b_begin<T>(p));
        __gnu_parallel::merge(a, a + p->a_len, b, b + p->b_len, out<T>(p));
        return 0;
    }
    static double sort(const Args* p) {
        __gnu_parallel::stable_sort(out<T>(p), out<T>(p) + p->a_len, std::less<T>(), tag());
        return 0;
    }
    static double sort_unstable(const Args* p) {
        __gnu_parallel::sort(out<T>(p), out<T>(p) + p->a_len, std::less<T>(), tag());
        return 0;
    }
    static double for_each(const Args* p) {
        __gnu_parallel::for_each(out<T>(p), out<T>(p) + p->a_len, Count<T>{p->k});
        return 0;
    }
    static double map(const Args* p) {
        __gnu_parallel::transform(a_begin<T>(p), a_end<T>(p), out<T>(p), Affine<T>{});
        return 0;
    }
    static double map_in_place(const Args* p) {
        __gnu_parallel::transform(out<T>(p), out<T>(p) + p->a_len, out<T>(p), Affine<T>{});
        return 0;
    }
    static double reduce(const Args* p) {
        return __gnu_parallel::accumulate(a_begin<T>(p), a_end<T>(p), T{}, Add<T>{});
    }
    static double map_reduce(const Args* p) {
        return __gnu_parallel::inner_product(a_begin<T>(p), a_end<T>(p), a_begin<T>(p), T{}, Add<T>{}, SquareTimes<T>{});
    }
    static double inclusive_scan(const Args* p) {
        __gnu_parallel::partial_sum(a_begin<T>(p), a_end<T>(p), out<T>(p), Add<T>{});
        return 0;
    }
    static double position(const Args* p) {
        return __gnu_parallel::find(a_begin<T>(p), a_end<T>(p), T(p->needle)) - a_begin<T>(p);
    }
    static double any(const Args* p) {
        return a_end<T>(p)
            != __gnu_parallel::find_if(a_begin<T>(p), a_end<T>(p), [x = T(p->needle)](T y) { return y > x; });
    }
    static double all(const Args* p) { return 1 - any(p); }
    static double none(const Args* p) { return 1 - any(p); }
    static double count(const Args* p) { return __gnu_parallel::count(a_begin<T>(p), a_end<T>(p), T(p->needle)); }
    static double count_if(const Args* p) {
        return __gnu_parallel::count_if(a_begin<T>(p), a_end<T>(p), [x = T(p->needle)](T y) { return y > x; });
    }
};

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

struct Entry { const char* algorithm; Call i32; Call f64; };

#define BOTH(NAME) {#NAME, &Family<int32_t>::NAME, &Family<double>::NAME}

template <class T> using StdPar = Std<Par, T>;
template <class T> using StdParUnseq = Std<ParUnseq, T>;

template <template <class> class Family> Call find_std(const char* algorithm, bool f64) {
    static const Entry table[] = {
        BOTH(min), BOTH(max), BOTH(minmax), BOTH(merge), BOTH(inplace_merge), BOTH(sort), BOTH(sort_unstable),
        BOTH(for_each), BOTH(map), BOTH(map_in_place), BOTH(reduce), BOTH(map_reduce), BOTH(inclusive_scan),
        BOTH(exclusive_scan), BOTH(transform_inclusive_scan), BOTH(position), BOTH(any), BOTH(all), BOTH(none), BOTH(count),
        BOTH(count_if),
    };
    for (const Entry& entry : table)
        if (!std::strcmp(entry.algorithm, algorithm)) return f64 ? entry.f64 : entry.i32;
    return nullptr;
}

template <template <class> class Family> Call find_gnu(const char* algorithm, bool f64) {
    static const Entry table[] = {
        BOTH(min), BOTH(max), BOTH(merge), BOTH(sort), BOTH(sort_unstable), BOTH(for_each), BOTH(map),
        BOTH(map_in_place), BOTH(reduce), BOTH(map_reduce), BOTH(inclusive_scan), BOTH(position), BOTH(any), BOTH(all),
        BOTH(none), BOTH(count), BOTH(count_if),
    };
    for (const Entry& entry : table)
        if (!std::strcmp(entry.algorithm, algorithm)) return f64 ? entry.f64 : entry.i32;
    return nullptr;
}

std::unique_ptr<tbb::global_control> tbb_limit;

} // namespace

// Limits both runtimes to `threads` threads, the caller among them, and makes GNU parallel mode parallel at any size.
extern "C" void peer_init(int threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    tbb_limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
    __gnu_parallel::_Settings settings;
    settings.algorithm_strategy = __gnu_parallel::force_parallel;
    __gnu_parallel::_Settings::set(settings);
}

extern "C" Call peer_find(const char* backend, const char* algorithm, int f64) {
    if (!std::strcmp(algorithm, "region")) {
        if (!std::strcmp(backend, "openmp")) return &openmp_region;
        if (!std::strcmp(backend, "tbb")) return &tbb_region;
        if (!std::strcmp(backend, "tbb_for")) return &tbb_for_region;
        return nullptr;
    }
    if (!std::strcmp(backend, "tbb")) return find_std<StdPar>(algorithm, f64);
    if (!std::strcmp(backend, "tbb_unseq")) return find_std<StdParUnseq>(algorithm, f64);
    if (!std::strcmp(backend, "gnu")) return find_gnu<Gnu>(algorithm, f64);
    return nullptr;
}
