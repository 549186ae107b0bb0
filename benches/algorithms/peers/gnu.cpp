// GNU parallel mode, on OpenMP; compiled once for each element type.
//
// It has no in-place merge, minmax, exclusive scan, copy or fill. Here any, all and none are its find_if, as libstdc++
// defines the sequential ones.
#include "peers.hpp"

#include <functional>
#include <parallel/algorithm>
#include <parallel/numeric>

namespace {

struct Gnu {
    static auto tag() { return __gnu_parallel::parallel_tag(0); } // 0: as many threads as OpenMP has

    // Its set operations and merge require iterators to mutable elements, although they write to none.
    static T* a_mut(const Args* p) { return const_cast<T*>(a_begin(p)); }
    static T* b_mut(const Args* p) { return const_cast<T*>(b_begin(p)); }

    // Reductions.
    static double min_element(const Args* p) { return *__gnu_parallel::min_element(a_begin(p), a_end(p), std::less<T>()); }
    static double max_element(const Args* p) { return *__gnu_parallel::max_element(a_begin(p), a_end(p), std::less<T>()); }
    static double reduce(const Args* p) { return __gnu_parallel::accumulate(a_begin(p), a_end(p), T{}, Add<T>{}); }
    static double transform_reduce(const Args* p) {
        return __gnu_parallel::inner_product(a_begin(p), a_end(p), a_begin(p), T{}, Add<T>{}, Times<T>{});
    }
    static double count(const Args* p) { return __gnu_parallel::count(a_begin(p), a_end(p), needle(p)); }
    static double count_if(const Args* p) { return __gnu_parallel::count_if(a_begin(p), a_end(p), IsEven{}); }
    static double count_above(const Args* p) {
        return __gnu_parallel::count_if(a_begin(p), a_end(p), [x = needle(p)](T y) { return y > x; });
    }

    // Searches.
    template <class Predicate> static bool finds(const Args* p, Predicate predicate) {
        return a_end(p) != __gnu_parallel::find_if(a_begin(p), a_end(p), predicate);
    }
    static double find(const Args* p) { return __gnu_parallel::find(a_begin(p), a_end(p), needle(p)) - a_begin(p); }
    static double adjacent_find(const Args* p) {
        return __gnu_parallel::adjacent_find(a_begin(p), a_end(p)) - a_begin(p);
    }
    static double search(const Args* p) {
        return __gnu_parallel::search(a_begin(p), a_end(p), b_begin(p), b_end(p)) - a_begin(p);
    }
    static double any_of(const Args* p) { return finds(p, [x = needle(p)](T y) { return y == x; }); }
    static double any_above(const Args* p) { return finds(p, [x = needle(p)](T y) { return y > x; }); }
    static double all_of(const Args* p) { return !finds(p, [x = needle(p)](T y) { return !(y > x); }); }
    static double all_upto(const Args* p) { return !finds(p, [x = needle(p)](T y) { return y > x; }); }
    static double none_of(const Args* p) { return !finds(p, [x = needle(p)](T y) { return y > x; }); }

    // Comparisons.
    static double mismatch(const Args* p) {
        return __gnu_parallel::mismatch(a_begin(p), a_end(p), b_begin(p)).first - a_begin(p);
    }
    static double equal(const Args* p) { return __gnu_parallel::equal(a_begin(p), a_end(p), b_begin(p)); }
    static double lexicographical_compare(const Args* p) {
        return __gnu_parallel::lexicographical_compare(a_begin(p), a_end(p), b_begin(p), b_end(p));
    }

    // Maps and scans.
    static double generate(const Args* p) {
        __gnu_parallel::generate(out(p), out_end(p), [] { return T{}; });
        return 0;
    }
    static double transform(const Args* p) {
        __gnu_parallel::transform(a_begin(p), a_end(p), out(p), SinTan{});
        return 0;
    }
    static double affine(const Args* p) {
        __gnu_parallel::transform(a_begin(p), a_end(p), out(p), Affine<T>{});
        return 0;
    }
    static double affine_in_place(const Args* p) {
        __gnu_parallel::transform(out(p), out_end(p), out(p), Affine<T>{});
        return 0;
    }
    static double for_each(const Args* p) {
        __gnu_parallel::for_each(out(p), out_end(p), Count{p->k});
        return 0;
    }
    static double adjacent_difference(const Args* p) {
        __gnu_parallel::adjacent_difference(a_begin(p), a_end(p), out(p), Minus<T>{});
        return 0;
    }
    static double inclusive_scan(const Args* p) {
        __gnu_parallel::partial_sum(a_begin(p), a_end(p), out(p), Add<T>{});
        return 0;
    }

    // Algorithms that reorder.
    static double merge(const Args* p) {
        __gnu_parallel::merge(a_mut(p), a_mut(p) + p->a_len, b_mut(p), b_mut(p) + p->b_len, out(p));
        return 0;
    }
    static double stable_sort(const Args* p) {
        __gnu_parallel::stable_sort(out(p), out_end(p), std::less<T>(), tag());
        return 0;
    }
    static double sort(const Args* p) {
        __gnu_parallel::sort(out(p), out_end(p), std::less<T>(), tag());
        return 0;
    }
    static double partial_sort(const Args* p) {
        __gnu_parallel::partial_sort(out(p), out(p) + p->b_len, out_end(p), std::less<T>());
        return 0;
    }
    static double partition(const Args* p) { return __gnu_parallel::partition(out(p), out_end(p), IsEven{}) - out(p); }

    // Sets.
    static double set_difference(const Args* p) {
        return __gnu_parallel::set_difference(a_mut(p), a_mut(p) + p->a_len, b_mut(p), b_mut(p) + p->b_len, out(p)) - out(p);
    }
    static double set_intersection(const Args* p) {
        return __gnu_parallel::set_intersection(a_mut(p), a_mut(p) + p->a_len, b_mut(p), b_mut(p) + p->b_len, out(p))
            - out(p);
    }
};

} // namespace

#define ROW(NAME) {#NAME, &Gnu::NAME}
Call find_gnu(const ELEMENT*, const char* algorithm) {
    static const Entry table[] = {
        ROW(min_element), ROW(max_element), ROW(reduce), ROW(transform_reduce), ROW(count), ROW(count_if),
        ROW(count_above), ROW(find), ROW(adjacent_find), ROW(search), ROW(any_of), ROW(any_above), ROW(all_of),
        ROW(all_upto), ROW(none_of), ROW(mismatch), ROW(equal), ROW(lexicographical_compare), ROW(generate),
        ROW(transform), ROW(affine), ROW(affine_in_place), ROW(for_each), ROW(adjacent_difference),
        ROW(inclusive_scan), ROW(merge), ROW(stable_sort), ROW(sort), ROW(partial_sort), ROW(partition),
        ROW(set_difference), ROW(set_intersection), {nullptr, nullptr},
    };
    return find_entry(table, algorithm);
}
