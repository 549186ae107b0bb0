// Shared by all parts of the C++ peers: the signature of a function, and the kernels that it runs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Mirrored by `RawArgs` in ../src/peers/cxx.rs.
struct Args {
    const void* a;      // first input
    size_t a_len;
    const void* b;      // second input
    size_t b_len;       // its length; the middle of `out` for inplace_merge and partial_sort
    void* out;          // output, or the data of an algorithm that works in place
    double needle;      // the value that find and count search; the bound of the predicates
    size_t k;           // for_each: number of increments of an element
};

// The answer of a function, which is compared with the sequential result: an index, a count or a value.
using Call = double (*)(const Args*);

// A name and its function; tables of these end with a null name.
struct Entry { const char* algorithm; Call call; };

inline Call find_entry(const Entry* table, const char* algorithm) {
    for (; table->algorithm; ++table)
        if (!std::strcmp(table->algorithm, algorithm)) return table->call;
    return nullptr;
}

// Each part is compiled once for each element type; `ELEMENT` is that type.
#ifdef ELEMENT
namespace {

// Sums of integers wrap around, as in Rust.
template <class T> struct Add {
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) + std::make_unsigned_t<T>(y));
        else return x + y;
    }
};
template <class T> struct Minus {
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) - std::make_unsigned_t<T>(y));
        else return x - y;
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
        else return x * T(0.5) + 1;
    }
};
template <class T> struct Times { // for inner_product
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) * std::make_unsigned_t<T>(y));
        else return x * y;
    }
};
using T = ELEMENT;

struct SinTan {
    T operator()(T x) const {
        const auto sine = std::sin(x), tangent = std::tan(x);
        return T(tangent < sine ? tangent : sine);
    }
};
struct IsEven { bool operator()(T x) const { return static_cast<int>(x) % 2 == 0; } };
// Increments each element k times, with a bound that the compiler cannot see through.
struct Count {
    size_t k;
    void operator()(T& x) const {
        volatile size_t opaque = k;
        const size_t bound = opaque;
        T sum{};
        for (size_t i = 0; i < bound; ++i) sum++;
        x = sum;
    }
};

inline const T* a_begin(const Args* p) { return static_cast<const T*>(p->a); }
inline const T* a_end(const Args* p) { return a_begin(p) + p->a_len; }
inline const T* b_begin(const Args* p) { return static_cast<const T*>(p->b); }
inline const T* b_end(const Args* p) { return b_begin(p) + p->b_len; }
inline T* out(const Args* p) { return static_cast<T*>(p->out); }
inline T* out_end(const Args* p) { return out(p) + p->a_len; }
inline T needle(const Args* p) { return T(p->needle); }

} // namespace
#endif
