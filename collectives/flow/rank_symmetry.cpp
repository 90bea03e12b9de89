#include "collectives/flow/rank_symmetry.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "collectives/flow/links/path_book.h"

namespace weft {

namespace {

constexpr std::uint64_t most_paths = 1 << 15;
constexpr std::uint32_t none = ~std::uint32_t{0};

// A path of one link at each stage, in few bytes.
struct ShortPath {
    std::uint64_t put_ps = 0;
    std::uint64_t answer_ps = 0;
    std::vector<std::uint64_t> before_ps;
    std::vector<std::uint32_t> links;

    bool like(const ShortPath& other) const
    {
        return put_ps == other.put_ps && answer_ps == other.answer_ps && before_ps == other.before_ps;
    }
};

class Finder {
public:
    Finder(const FlowProgram& program, const std::vector<CostLink>& links) : program_(program), links_(links) {}

    RankSymmetry find(const FlowRanks& ranks, const std::function<CostPath(std::uint32_t, std::uint32_t)>& path)
    {
        RankSymmetry out;
        if (!program_.first.empty() || program_.in_switches || program_.has_packets || !program_.by_signaller)
            return {{}, "not all ranks run the same program of loads and stores"};
        for (std::uint32_t rank = 1; rank < program_.ranks(); ++rank)
            if (ranks.kind_of[rank] != ranks.kind_of[0]) return {{}, "ranks are of several kinds"};
        collect_differences();
        if (std::uint64_t{program_.ranks()} * differences_.size() > most_paths)
            return {{}, "ranks have too many peers for a check of all paths"};
        for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank)
            for (const std::uint32_t difference : differences_) {
                const std::uint32_t peer = program_.grid.peer(rank, difference);
                if (!add(path(rank, peer)) || (loads_ && !add(path(peer, rank)))) return {{}, why_};
            }
        of_.resize(links_.size());
        std::iota(of_.begin(), of_.end(), 0U);
        const std::size_t each = differences_.size() * (loads_ ? 2 : 1);
        if (!apart(each)) return {{}, "ranks share links at the same place of their paths"};
        std::uint32_t stride = 1;
        for (const std::uint32_t size : program_.grid.sizes()) {
            image_.assign(links_.size(), none);
            source_.assign(links_.size(), none);
            for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank) {
                const std::uint32_t here = rank / stride % size;
                const std::uint32_t next = here + 1 < size ? rank + stride : rank - here * stride;
                for (std::size_t i = 0; i < each; ++i)
                    if (!map(paths_[rank * each + i], paths_[next * each + i]))
                        return {{}, "paths of ranks are not those of their neighbours, turned"};
            }
            stride *= size;
        }
        for (std::uint32_t link = 0; link < of_.size(); ++link) out.stands_for.push_back(root(link));
        return out;
    }

private:
    void collect_differences()
    {
        std::set<std::uint32_t> found;
        for (const FlowTemplate& one : program_.templates)
            for (const FlowOp& op : one.ops) {
                if (op.kind == FlowKind::signal && op.peer != 0) found.insert(op.peer);
                loads_ = loads_ || op.sources > 0;
                for (std::uint32_t i = 0; i < std::uint32_t{op.sources} + op.destinations; ++i)
                    if (one.operands[op.first + i].peer != 0) found.insert(one.operands[op.first + i].peer);
            }
        differences_.assign(found.begin(), found.end());
    }

    bool add(const CostPath& path)
    {
        ShortPath made;
        made.put_ps = path.put_ps;
        made.answer_ps = path.answer_ps;
        if (!path.neighbours) why_ = "paths pass other ranks";
        if (path.stages.empty()) why_ = "some ranks do not reach each other";
        for (const PathStage& stage : path.stages) {
            if (stage.links.size() != 1 || stage.links.front().share != 1) {
                why_ = "there are several equal paths";
                break;
            }
            made.before_ps.push_back(stage.before_ps);
            made.links.push_back(stage.links.front().link);
        }
        paths_.push_back(std::move(made));
        return why_.empty();
    }

    // At each place of its paths every rank has a link of its own: one transfer stands for one on each of them.
    bool apart(std::size_t each) const
    {
        std::vector<std::uint32_t> taken(links_.size(), none);
        std::uint32_t place = 0;
        for (std::size_t i = 0; i < each; ++i)
            for (std::size_t stage = 0; stage < paths_[i].links.size(); ++stage, ++place)
                for (std::size_t at = i; at < paths_.size(); at += each) {
                    if (stage >= paths_[at].links.size()) continue;  // which is seen below
                    std::uint32_t& of = taken[paths_[at].links[stage]];
                    if (of == place) return false;
                    of = place;
                }
        return true;
    }

    bool map(const ShortPath& a, const ShortPath& b)
    {
        if (!a.like(b)) return false;
        for (std::size_t i = 0; i < a.links.size(); ++i)
            if (!map(a.links[i], b.links[i])) return false;
        return true;
    }

    // One link to another, and their other directions.
    bool map(std::uint32_t a, std::uint32_t b)
    {
        if (image_[a] == b) return true;
        if (image_[a] != none || source_[b] != none || !PathBook::alike(links_[a], links_[b])) return false;
        image_[a] = b;
        source_[b] = a;
        of_[std::max(root(a), root(b))] = std::min(root(a), root(b));
        const std::int32_t back = links_[a].reverse;
        const std::int32_t other = links_[b].reverse;
        if ((back < 0) != (other < 0)) return false;
        return back < 0 || map(static_cast<std::uint32_t>(back), static_cast<std::uint32_t>(other));
    }

    std::uint32_t root(std::uint32_t link)
    {
        while (of_[link] != link) link = of_[link] = of_[of_[link]];
        return link;
    }

    const FlowProgram& program_;
    const std::vector<CostLink>& links_;
    std::vector<std::uint32_t> differences_;
    bool loads_ = false;
    std::vector<ShortPath> paths_;
    std::vector<std::uint32_t> image_;  // of each link, by the rotation that is looked at
    std::vector<std::uint32_t> source_;
    std::vector<std::uint32_t> of_;
    std::string why_;
};

}  // namespace

RankSymmetry find_symmetry(const FlowProgram& program, const FlowRanks& ranks, const std::vector<CostLink>& links,
    const std::function<CostPath(std::uint32_t, std::uint32_t)>& path)
{
    return Finder(program, links).find(ranks, path);
}

}  // namespace weft
