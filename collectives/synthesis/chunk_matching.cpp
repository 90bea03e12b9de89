#include "collectives/synthesis/chunk_matching.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

namespace weft {

namespace {

std::uint64_t scattered(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27U) * 0x94d049bb133111ebULL;
    return x ^ x >> 31U;
}

class Matcher {
public:
    Matcher(const CostGraph& graph, const std::vector<std::uint32_t>& owners, double bytes, std::uint64_t seed)
        : graph_(graph), owners_(owners), seed_(seed), chunks_(static_cast<std::uint32_t>(owners.size())),
          has_(graph.size(), std::vector<bool>(owners.size())), wants_(has_), copies_(owners.size(), 1),
          missing_(graph.size(), chunks_), news_(graph.size()), free_(graph.links.size())
    {
        for (std::uint32_t rank = 0; rank < graph.size(); ++rank) wants_[rank].assign(chunks_, true);
        for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
            has_[owners[chunk]][chunk] = true;
            wants_[owners[chunk]][chunk] = false;
            --missing_[owners[chunk]];
        }
        // Senders in turn, each with the ranks behind it: no receiver is asked first by all.
        for (std::uint32_t turn = 1; turn < graph.size(); ++turn)
            for (std::uint32_t from = 0; from < graph.size(); ++from) {
                const std::uint32_t to = (from + turn) % graph.size();
                if (!graph.path(from, to).neighbours) continue;
                paths_.push_back({from, to, occupancy_ps(graph, graph.path(from, to), bytes), 0, {}});
                for (const PathStage& stage : graph.path(from, to).stages)
                    for (const LinkShare& part : stage.links)
                        paths_.back().links.emplace_back(part.link,
                            bytes * part.share * graph.links[part.link].ps_per_byte);
            }
        distances();
    }

    ChunkTransfers run()
    {
        std::uint64_t left = 0;
        for (const std::uint32_t missing : missing_) left += missing;
        moments_.insert(0);
        while (left > 0) {
            const std::uint64_t now = *moments_.begin();
            moments_.erase(moments_.begin());
            while (!arrivals_.empty() && std::get<0>(arrivals_.top()) <= now) {
                const std::uint32_t rank = std::get<1>(arrivals_.top());
                has_[rank][std::get<2>(arrivals_.top())] = true;
                news_[rank] = arrived_ + 1;
                ++arrived_;
                arrivals_.pop();
            }
            for (Path& path : paths_)
                while (path.looked <= news_[path.from] && missing_[path.to] > 0 && available(path, now)) {
                    if (send(path, now))
                        --left;
                    else
                        path.looked = arrived_ + 1;  // in vain until the sender has something new
                }
        }
        std::stable_sort(out_.transfers.begin(), out_.transfers.end(),
            [](const ChunkTransfer& a, const ChunkTransfer& b) {
                return std::tie(a.start_ps, a.from, a.to) < std::tie(b.start_ps, b.from, b.to);
            });
        return std::move(out_);
    }

private:
    struct Path {
        std::uint32_t from;
        std::uint32_t to;
        double ps;  // of a chunk, at its slowest link
        std::uint64_t looked;
        std::vector<std::pair<std::uint32_t, double>> links;
    };

    // In steps between neighbours.
    void distances()
    {
        std::vector<std::vector<std::uint32_t>> next(graph_.size());
        for (const Path& path : paths_) next[path.from].push_back(path.to);
        distance_.assign(graph_.size(), std::vector<std::uint32_t>(graph_.size(), graph_.size()));
        for (std::uint32_t from = 0; from < graph_.size(); ++from) {
            std::vector<std::uint32_t> reached{from};
            distance_[from][from] = 0;
            for (std::size_t i = 0; i < reached.size(); ++i)
                for (const std::uint32_t to : next[reached[i]]) {
                    if (distance_[from][to] <= distance_[from][reached[i]] + 1) continue;
                    distance_[from][to] = distance_[from][reached[i]] + 1;
                    reached.push_back(to);
                }
        }
    }

    // A link may still be busy for as long as the transfer leaves it idle.
    bool available(const Path& path, std::uint64_t now) const
    {
        const double room = path.ps * (1 + 1e-9) + 1;
        for (const auto& [link, ps] : path.links)
            if (free_[link] - static_cast<double>(now) + ps > room && free_[link] > static_cast<double>(now))
                return false;
        return true;
    }

    bool send(const Path& path, std::uint64_t now)
    {
        std::uint32_t best = chunks_;
        std::tuple<std::uint32_t, std::uint32_t, std::uint64_t> least;
        for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
            if (!has_[path.from][chunk] || !wants_[path.to][chunk]) continue;
            const std::vector<std::uint32_t>& from_owner = distance_[owners_[chunk]];
            const std::uint32_t detour = from_owner[path.from] + 1 - from_owner[path.to];
            const std::tuple rank{copies_[chunk], detour,
                scattered(seed_ << 48U ^ std::uint64_t{chunk} << 24U ^ std::uint64_t{path.from} << 12U ^ path.to)};
            if (best != chunks_ && !(rank < least)) continue;
            best = chunk;
            least = rank;
        }
        if (best == chunks_) return false;
        for (const auto& [link, ps] : path.links) {
            free_[link] = std::max(free_[link], static_cast<double>(now)) + ps;
            moments_.insert(static_cast<std::uint64_t>(std::ceil(free_[link])));
        }
        const std::uint64_t end =
            std::max(now + step_ps(graph_, path.from, path.to) + static_cast<std::uint64_t>(path.ps), now + 1);
        out_.transfers.push_back({best, path.from, path.to, now, end});
        out_.end_ps = std::max(out_.end_ps, end);
        wants_[path.to][best] = false;
        --missing_[path.to];
        ++copies_[best];
        arrivals_.push({end, path.to, best});
        moments_.insert(end);
        return true;
    }

    const CostGraph& graph_;
    const std::vector<std::uint32_t>& owners_;
    std::uint64_t seed_;
    std::uint32_t chunks_;
    std::vector<std::vector<bool>> has_;    // by rank and chunk
    std::vector<std::vector<bool>> wants_;  // lacks it and is not getting it
    std::vector<std::uint32_t> copies_;     // of each chunk, those on their way included
    std::vector<std::uint32_t> missing_;    // chunks that a rank lacks and is not getting
    std::vector<std::uint64_t> news_;       // arrivals anywhere up to the last one at a rank
    std::uint64_t arrived_ = 0;
    std::vector<double> free_;  // ps
    std::vector<Path> paths_;
    std::vector<std::vector<std::uint32_t>> distance_;
    using Arrival = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::set<std::uint64_t> moments_;
    ChunkTransfers out_;
};

}  // namespace

ChunkTransfers match_chunks(const CostGraph& graph, const std::vector<std::uint32_t>& owners, double bytes,
    std::uint64_t seed)
{
    require_connected(graph);
    return Matcher(graph, owners, bytes, seed).run();
}

ChunkTransfers gathered(const ChunkTransfers& sent)
{
    ChunkTransfers out;
    out.end_ps = sent.end_ps;
    for (const ChunkTransfer& transfer : sent.transfers)
        out.transfers.push_back({transfer.chunk, transfer.to, transfer.from, sent.end_ps - transfer.end_ps,
            sent.end_ps - transfer.start_ps});
    std::stable_sort(out.transfers.begin(), out.transfers.end(), [](const ChunkTransfer& a, const ChunkTransfer& b) {
        return std::tie(a.start_ps, a.from, a.to) < std::tie(b.start_ps, b.from, b.to);
    });
    return out;
}

}  // namespace weft
