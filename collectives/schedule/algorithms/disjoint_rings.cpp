// Rings that share no directed link.
//
// Walecki's: n - 1 points on a circle and one in the middle. A zigzag over the circle, closed through the
// middle and turned from point to point, covers no pair twice. For odd n that gives (n-1)/2 undirected rings,
// which cover all; for even n, n/2 - 1, which leave a perfect matching over. Each is run in both directions.
//
// The last ring of an even n has to use both directions of the matching, so some rings must be taken apart
// again: the links of the matching and of a few rings together are divided anew into rings.
#include <algorithm>
#include <random>

#include "collectives/schedule/algorithms/shapes.h"

namespace weft::shapes {

namespace {

// The middle, then a zigzag i, i + 1, i - 1, i + 2, ... over the circle. Its links join points whose numbers
// add up to 2i or 2i + 1, so no two turns i share one.
std::vector<Ring> walecki(std::uint32_t n, std::uint32_t count)
{
    std::vector<Ring> rings;
    const std::uint32_t circle = n - 1;
    for (std::uint32_t i = 0; rings.size() < count; ++i) {
        Ring ring{n - 1};
        for (std::uint32_t j = 0; j < circle; ++j) {
            const std::uint32_t distance = (j + 1) / 2;
            ring.push_back((i + (j % 2 == 1 ? distance : circle - distance)) % circle);
        }
        rings.push_back(ring);
        if (rings.size() == count) break;
        rings.emplace_back(ring.rbegin(), ring.rend());
    }
    return rings;
}

using Follower = std::vector<std::uint32_t>;  // of every rank, the next one in a factor of one or several rings

std::uint32_t rings_in(const Follower& next)
{
    std::vector<bool> seen(next.size());
    std::uint32_t rings = 0;
    for (std::uint32_t start = 0; start < next.size(); ++start) {
        if (seen[start]) continue;
        ++rings;
        for (std::uint32_t at = start; !seen[at]; at = next[at]) seen[at] = true;
    }
    return rings;
}

Follower follower_of(const Ring& ring)
{
    Follower next(ring.size());
    for (std::size_t i = 0; i < ring.size(); ++i) next[ring[i]] = ring[(i + 1) % ring.size()];
    return next;
}

Ring ring_of(const Follower& next)
{
    Ring ring{0};
    while (next[ring.back()] != 0) ring.push_back(next[ring.back()]);
    return ring;
}

// Divides links, as many out of every rank as into it, into rings through all ranks.
class Divider {
public:
    explicit Divider(std::vector<Follower> factors)
        : factors_(std::move(factors)), n_(static_cast<std::uint32_t>(factors_.front().size()))
    {
    }

    bool run()
    {
        for (int attempt = 0; attempt < 400; ++attempt) {
            draw();
            for (std::uint32_t i = 0; i < 40 * n_ && rings() > factors_.size(); ++i) exchange();
            if (rings() == factors_.size()) return true;
        }
        return false;
    }
    const std::vector<Follower>& factors() const { return factors_; }

private:
    std::uint32_t below(std::size_t limit) { return random_() % static_cast<std::uint32_t>(limit); }

    std::uint32_t rings() const
    {
        std::uint32_t rings = 0;
        for (const Follower& factor : factors_) rings += rings_in(factor);
        return rings;
    }

    // Two factors swap the links of one alternating circuit, unless that makes more rings of them.
    void exchange()
    {
        const std::uint32_t a = below(factors_.size());
        const std::uint32_t b = (a + 1 + below(factors_.size() - 1)) % factors_.size();
        Follower one = factors_[a];
        Follower other = factors_[b];
        std::vector<std::uint32_t> before(n_);
        for (std::uint32_t rank = 0; rank < n_; ++rank) before[one[rank]] = rank;
        const std::uint32_t start = below(n_);
        std::uint32_t at = start;
        do {
            std::swap(one[at], other[at]);
            at = before[one[at]];
        } while (at != start);
        if (rings_in(one) + rings_in(other) > rings_in(factors_[a]) + rings_in(factors_[b])) return;
        factors_[a] = std::move(one);
        factors_[b] = std::move(other);
    }

    // The same links in new factors: exchanges of circuits alone cannot reach every division (they keep a
    // parity).
    void draw()
    {
        std::vector<std::vector<std::uint32_t>> links(n_);
        for (std::uint32_t rank = 0; rank < n_; ++rank)
            for (const Follower& factor : factors_) links[rank].push_back(factor[rank]);
        for (Follower& factor : factors_) {
            std::vector<std::uint32_t> from(n_, n_);
            for (std::vector<std::uint32_t>& choice : links)
                for (std::size_t i = choice.size(); i > 1; --i) std::swap(choice[i - 1], choice[below(i)]);
            for (std::uint32_t rank = 0; rank < n_; ++rank) {
                std::vector<bool> tried(n_);
                match(links, rank, from, tried);
            }
            for (std::uint32_t to = 0; to < n_; ++to) {
                factor[from[to]] = to;
                std::vector<std::uint32_t>& choice = links[from[to]];
                choice.erase(std::find(choice.begin(), choice.end(), to));
            }
        }
    }

    // Finds a link for `rank`, moving others to other links of theirs.
    bool match(const std::vector<std::vector<std::uint32_t>>& links, std::uint32_t rank,
        std::vector<std::uint32_t>& from, std::vector<bool>& tried)
    {
        for (std::uint32_t to : links[rank]) {
            if (tried[to]) continue;
            tried[to] = true;
            if (from[to] != n_ && !match(links, from[to], from, tried)) continue;
            from[to] = rank;
            return true;
        }
        return false;
    }

    std::vector<Follower> factors_;
    std::uint32_t n_;
    std::mt19937 random_{1980};
};

// Links that no ring uses; every rank has one.
Follower left_over(const std::vector<Ring>& rings, std::uint32_t n)
{
    std::vector<std::vector<bool>> used(n, std::vector<bool>(n));
    for (const Ring& ring : rings)
        for (std::uint32_t i = 0; i < n; ++i) used[ring[i]][ring[(i + 1) % n]] = true;
    Follower next(n);
    for (std::uint32_t from = 0; from < n; ++from)
        for (std::uint32_t to = 0; to < n; ++to)
            if (to != from && !used[from][to]) next[from] = to;
    return next;
}

}  // namespace

std::uint32_t most_disjoint_rings(std::uint32_t n)
{
    constexpr std::uint32_t largest_searched = 24;  // above, the search takes seconds
    const bool one_less = n % 2 == 0 && (n == 4 || n == 6 || n > largest_searched);
    return one_less ? n - 2 : n - 1;
}

std::vector<Ring> disjoint_rings(std::uint32_t n, std::uint32_t count)
{
    if (n == 2) return {identity_ring(2)};
    const std::uint32_t by_turning = n % 2 == 1 ? n - 1 : n - 2;
    std::vector<Ring> rings = walecki(n, std::min(count, by_turning));
    if (count <= by_turning) return rings;
    for (std::uint32_t again = 2; again < rings.size(); ++again) {
        std::vector<Follower> factors{left_over(rings, n)};
        for (std::uint32_t i = 0; i <= again; ++i) factors.push_back(follower_of(rings[rings.size() - 1 - i]));
        Divider divider(std::move(factors));
        if (!divider.run()) continue;
        rings.resize(rings.size() - again - 1);
        for (const Follower& factor : divider.factors()) rings.push_back(ring_of(factor));
        break;
    }
    return rings;
}

}  // namespace weft::shapes
