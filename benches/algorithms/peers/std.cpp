// The C++17 parallel algorithms, which libstdc++ runs on TBB; compiled once for each element type.
#include "peers.hpp"

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

namespace {

struct Par { static constexpr const auto& policy() { return std::execution::par; } };
struct ParUnseq { static constexpr const auto& policy() { return std::execution::par_unseq; } };

template <class P> struct Std {
    // Reductions.
    static double min_element(const Args* p) { return *std::min_element(P::policy(), a_begin(p), a_end(p)); }
    static double max_element(const Args* p) { return *std::max_element(P::policy(), a_begin(p), a_end(p)); }
    static double minmax_element(const Args* p) {
        auto both = std::minmax_element(P::policy(), a_begin(p), a_end(p));
        return double(*both.first) + double(*both.second);
    }
    static double reduce(const Args* p) { return std::reduce(P::policy(), a_begin(p), a_end(p), T{}, Add<T>{}); }
    static double transform_reduce(const Args* p) {
        return std::transform_reduce(P::policy(), a_begin(p), a_end(p), T{}, Add<T>{}, Square<T>{});
    }
    static double count(const Args* p) { return std::count(P::policy(), a_begin(p), a_end(p), needle(p)); }
    static double count_if(const Args* p) { return std::count_if(P::policy(), a_begin(p), a_end(p), IsEven{}); }
    static double count_above(const Args* p) {
        return std::count_if(P::policy(), a_begin(p), a_end(p), [x = needle(p)](T y) { return y > x; });
    }

    // Searches.
    static double find(const Args* p) {
        return std::find(P::policy(), a_begin(p), a_end(p), needle(p)) - a_begin(p);
    }
    static double adjacent_find(const Args* p) {
        return std::adjacent_find(P::policy(), a_begin(p), a_end(p)) - a_begin(p);
    }
    static double search(const Args* p) {
        return std::search(P::policy(), a_begin(p), a_end(p), b_begin(p), b_end(p)) - a_begin(p);
    }
    static double any_of(const Args* p) {
        return std::any_of(P::policy(), a_begin(p), a_end(p), [x = needle(p)](T y) { return y == x; });
    }
    static double any_above(const Args* p) {
        return std::any_of(P::policy(), a_begin(p), a_end(p), [x = needle(p)](T y) { return y > x; });
    }
    static double all_of(const Args* p) {
        return std::all_of(P::policy(), a_begin(p), a_end(p), [x = needle(p)](T y) { return y > x; });
    }
    static double all_upto(const Args* p) {
        return std::all_of(P::policy(), a_begin(p), a_end(p), [x = needle(p)](T y) { return y <= x; });
    }
    static double none_of(const Args* p) {
        return std::none_of(P::policy(), a_begin(p), a_end(p), [x = needle(p)](T y) { return y > x; });
    }

    // Comparisons.
    static double mismatch(const Args* p) {
        return std::mismatch(P::policy(), a_begin(p), a_end(p), b_begin(p)).first - a_begin(p);
    }
    static double equal(const Args* p) { return std::equal(P::policy(), a_begin(p), a_end(p), b_begin(p)); }
    static double lexicographical_compare(const Args* p) {
        return std::lexicographical_compare(P::policy(), a_begin(p), a_end(p), b_begin(p), b_end(p));
    }
    static double is_sorted(const Args* p) { return std::is_sorted(P::policy(), a_begin(p), a_end(p)); }
    static double includes(const Args* p) {
        return std::includes(P::policy(), a_begin(p), a_end(p), b_begin(p), b_end(p));
    }

    // Copies and maps.
    static double copy(const Args* p) { std::copy(P::policy(), a_begin(p), a_end(p), out(p)); return 0; }
    static double copy_n(const Args* p) { std::copy_n(P::policy(), a_begin(p), p->a_len, out(p)); return 0; }
    static double copy_if(const Args* p) {
        return std::copy_if(P::policy(), a_begin(p), a_end(p), out(p), IsEven{}) - out(p);
    }
    static double fill(const Args* p) { std::fill(P::policy(), out(p), out_end(p), T{}); return 0; }
    static double generate(const Args* p) {
        std::generate(P::policy(), out(p), out_end(p), [] { return T{}; });
        return 0;
    }
    static double transform(const Args* p) {
        std::transform(P::policy(), a_begin(p), a_end(p), out(p), SinTan{});
        return 0;
    }
    static double affine(const Args* p) {
        std::transform(P::policy(), a_begin(p), a_end(p), out(p), Affine<T>{});
        return 0;
    }
    static double affine_in_place(const Args* p) {
        std::transform(P::policy(), out(p), out_end(p), out(p), Affine<T>{});
        return 0;
    }
    static double for_each(const Args* p) {
        std::for_each(P::policy(), out(p), out_end(p), Count{p->k});
        return 0;
    }
    static double adjacent_difference(const Args* p) {
        std::adjacent_difference(P::policy(), a_begin(p), a_end(p), out(p), Minus<T>{});
        return 0;
    }

    // Scans.
    static double inclusive_scan(const Args* p) {
        std::inclusive_scan(P::policy(), a_begin(p), a_end(p), out(p), Add<T>{});
        return 0;
    }
    static double exclusive_scan(const Args* p) {
        std::exclusive_scan(P::policy(), a_begin(p), a_end(p), out(p), T{}, Add<T>{});
        return 0;
    }
    static double transform_inclusive_scan(const Args* p) {
        std::transform_inclusive_scan(P::policy(), a_begin(p), a_end(p), out(p), Add<T>{}, Square<T>{});
        return 0;
    }
    static double transform_exclusive_scan(const Args* p) {
        std::transform_exclusive_scan(P::policy(), a_begin(p), a_end(p), out(p), T{}, Add<T>{}, Square<T>{});
        return 0;
    }

    // Algorithms that reorder.
    static double merge(const Args* p) {
        std::merge(P::policy(), a_begin(p), a_end(p), b_begin(p), b_end(p), out(p));
        return 0;
    }
    static double inplace_merge(const Args* p) {
        std::inplace_merge(P::policy(), out(p), out(p) + p->b_len, out_end(p));
        return 0;
    }
    static double stable_sort(const Args* p) { std::stable_sort(P::policy(), out(p), out_end(p)); return 0; }
    static double sort(const Args* p) { std::sort(P::policy(), out(p), out_end(p)); return 0; }
    static double partial_sort(const Args* p) {
        std::partial_sort(P::policy(), out(p), out(p) + p->b_len, out_end(p));
        return 0;
    }
    static double partition(const Args* p) {
        return std::partition(P::policy(), out(p), out_end(p), IsEven{}) - out(p);
    }

    // Sets.
    static double set_difference(const Args* p) {
        return std::set_difference(P::policy(), a_begin(p), a_end(p), b_begin(p), b_end(p), out(p)) - out(p);
    }
    static double set_intersection(const Args* p) {
        return std::set_intersection(P::policy(), a_begin(p), a_end(p), b_begin(p), b_end(p), out(p)) - out(p);
    }
};

#define ROW(NAME) {#NAME, &Std<P>::NAME}
template <class P> Call find(const char* algorithm) {
    static const Entry table[] = {
        ROW(min_element), ROW(max_element), ROW(minmax_element), ROW(reduce), ROW(transform_reduce), ROW(count),
        ROW(count_if), ROW(count_above), ROW(find), ROW(adjacent_find), ROW(search), ROW(any_of), ROW(any_above),
        ROW(all_of), ROW(all_upto), ROW(none_of), ROW(mismatch), ROW(equal), ROW(lexicographical_compare),
        ROW(is_sorted), ROW(includes), ROW(copy), ROW(copy_n), ROW(copy_if), ROW(fill), ROW(generate), ROW(transform),
        ROW(affine), ROW(affine_in_place), ROW(for_each), ROW(adjacent_difference), ROW(inclusive_scan),
        ROW(exclusive_scan), ROW(transform_inclusive_scan), ROW(transform_exclusive_scan), ROW(merge),
        ROW(inplace_merge), ROW(stable_sort), ROW(sort), ROW(partial_sort), ROW(partition), ROW(set_difference),
        ROW(set_intersection), {nullptr, nullptr},
    };
    return find_entry(table, algorithm);
}

} // namespace

// An overload for each element type; the pointer only chooses it.
Call find_std(const ELEMENT*, bool unsequenced, const char* algorithm) {
    return unsequenced ? find<ParUnseq>(algorithm) : find<Par>(algorithm);
}
