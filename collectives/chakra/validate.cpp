#include "collectives/chakra/validate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "collectives/chakra/agreement.h"
#include "collectives/chakra/dry_run.h"
#include "collectives/chakra/findings.h"
#include "collectives/chakra/scan.h"

namespace weft::chakra {

namespace {

class Validation {
public:
    Validation(const TraceSet& set, const Policy& policy) : set_(set), policy_(policy) {}

    Verdict run()
    {
        const GroupTable::Ranks all_ranks = GroupTable::first_ranks(set_.ranks());
        for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) {
            scans_.push_back(scan_rank(set_, rank, policy_, transfers_, findings_));
            verdict_.summaries.push_back(scans_.back().summary);
            verdict_.groups.emplace_back(all_ranks, set_.groups(), scans_.back().groups);
            verdict_.groups.back().set_dimensions(rank, policy_.dimensions);
            for (const auto& [number, mask] : scans_.back().narrowed) verdict_.groups.back().narrow(number, mask);
            verdict_.absent.push_back(scans_.back().absent_ids);
            verdict_.read_ahead.push_back(scans_.back().read_ahead);
        }
        choose_dependencies();
        report_absent_parents();
        check_groups();
        dry_run_all();
        const auto unbalanced = transfers_.unbalanced();
        if (!unbalanced.empty())
            report_unmatched_transfers(set_, policy_, unbalanced, findings_);
        else
            compare_transfers();
        compare_collectives();
        add_notices();
        verdict_.problems = findings_.list(set_.prefix());
        return std::move(verdict_);
    }

private:
    void notice(std::string what) { verdict_.notices.push_back({set_.prefix(), 0, std::move(what), ""}); }

    std::uint64_t total(std::uint64_t RankScan::*member) const
    {
        std::uint64_t sum = 0;
        for (const RankScan& scan : scans_) sum += scan.*member;
        return sum;
    }

    std::uint64_t control_dependencies() const
    {
        std::uint64_t sum = 0;
        for (const RankScan& scan : scans_) sum += scan.summary.ctrl_deps;
        return sum;
    }

    void choose_dependencies()
    {
        verdict_.control = policy_.dependencies != Dependencies::data;
        const std::uint64_t absent = total(&RankScan::absent_control);
        if (policy_.dependencies == Dependencies::automatic && absent > 0)
            ignore_control(std::to_string(absent) + " of them name nodes that the trace does not hold");
        else if (policy_.dependencies == Dependencies::data && control_dependencies() > 0)
            ignore_control("only data dependencies were requested");
    }

    void ignore_control(const std::string& reason)
    {
        verdict_.control = false;
        notice("control dependencies are ignored (" + std::to_string(control_dependencies()) + "): " + reason);
    }

    void report_absent_parents()
    {
        const bool refuse_control = policy_.dependencies == Dependencies::data_and_control;
        for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) {
            for (const auto& [id, absent] : scans_[rank].absent) {
                if (absent.data == 0 && !refuse_control) continue;
                findings_.add(set_.file(rank), absent.line,
                    absent.child + (absent.data > 0 ? ": data_deps" : ": ctrl_deps") + " names node " +
                        std::to_string(id) + ", which the file does not hold",
                    "ids of nodes in the same file");
            }
        }
    }

    void check_groups()
    {
        for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank)
            for (const auto& [group, mention] : scans_[rank].mentions) check_group(rank, group, mention);
    }

    void check_group(std::uint32_t rank, const std::string& group, const RankScan::Mention& mention)
    {
        const std::string where = mention.node + ": attribute pg_name is \"" + printable(group, 40) + "\"";
        if (!GroupTable::number_of(group)) {
            findings_.add(set_.file(rank), mention.line, where, "the number of a process group");
            return;
        }
        const std::vector<std::uint32_t>* members = verdict_.groups[rank].members(group);
        if (members == nullptr) {
            std::string known = "\"0\" for all ranks";
            for (const std::uint64_t number : verdict_.groups[rank].numbers()) known += ", " + std::to_string(number);
            findings_.add(set_.file(rank), mention.line, where + ", a group without a definition",
                "one of " + known + "; groups come from a group file or a metadata node");
        } else if (std::find(members->begin(), members->end(), rank) == members->end()) {
            findings_.add(set_.file(rank), mention.line, where + ", a group without rank " + std::to_string(rank),
                "groups that the rank belongs to");
        } else if (*std::max_element(members->begin(), members->end()) >= set_.ranks()) {
            findings_.add(set_.file(rank), mention.line, where + ", a group with ranks that have no trace",
                "ranks from 0 to " + std::to_string(set_.ranks() - 1));
        }
    }

    void dry_run_all()
    {
        // A second node of the same id has no meaning for dependencies.
        const auto has_duplicates = [](const RankScan& scan) { return scan.summary.duplicates > 0; };
        if (std::any_of(scans_.begin(), scans_.end(), has_duplicates)) return;
        for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) {
            DryRun run = dry_run(set_, policy_, verdict_, transfers_, rank);
            if (!run.cycle.empty() && verdict_.control && policy_.dependencies == Dependencies::automatic) {
                verdict_.control = false;
                DryRun without_control = dry_run(set_, policy_, verdict_, transfers_, rank);
                if (without_control.cycle.empty()) {
                    ignore_control("together with the data dependencies they close a cycle in " + set_.file(rank) +
                        " (" + text_of(run.cycle) + ")");
                    runs_.clear();
                    all_finish_ = true;
                    dry_run_all();
                    return;
                }
                verdict_.control = true;
                run = std::move(without_control);
            }
            if (run.cycle.size() > 1)  // a node that waits for itself is reported where it stands
                findings_.add(set_.file(rank), run.cycle.front().line, text_of(run.cycle),
                    "dependencies without cycles");
            all_finish_ = all_finish_ && run.cycle.empty();
            runs_.push_back(std::move(run));
        }
    }

    // Both sides of each pair of ranks: the k-th send of a tag meets its k-th receive.
    void compare_transfers()
    {
        if (runs_.size() != set_.ranks() || !all_finish_) return;
        std::map<TransferBalance::Pair, TransferOrder::Sums> sums;
        for (const DryRun& run : runs_)
            for (const auto& [pair, part] : run.transfers.sums()) {
                sums[pair].first += part.first;
                sums[pair].second += part.second;
            }
        for (const auto& [pair, sum] : sums)
            if (sum.first != 0 || sum.second != 0) report_transfer_difference(set_, policy_, verdict_, pair, findings_);
    }

    // Each member against the first one of its group, as its own trace defines the group.
    void compare_collectives()
    {
        if (runs_.size() != set_.ranks() || !all_finish_) return;
        constexpr int most_reported = 8;
        int reported = 0;
        for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) {
            for (const auto& [number, digest] : runs_[rank].collectives) {
                const std::vector<std::uint32_t>* members = verdict_.groups[rank].members(number);
                if (members == nullptr || std::find(members->begin(), members->end(), rank) == members->end()) continue;
                // The first member looks whether the others take part at all.
                const bool first = members->front() == rank;
                const std::vector<std::uint32_t> others = first ? *members : std::vector{members->front()};
                for (const std::uint32_t other : others) {
                    if (other >= set_.ranks() || other == rank || reported == most_reported) continue;
                    const bool differs =
                        first ? runs_[other].collectives.count(number) == 0 : digest_of(other, number) != digest;
                    if (!same_members(*members, number, other))
                        findings_.add(set_.file(other), 0,
                            "group " + GroupTable::text_of(number) + " differs from that on rank " +
                                std::to_string(rank),
                            "the same ranks in the same order on every member");
                    else if (differs)
                        report_collective_difference(set_, verdict_, number, rank, other, findings_);
                    else
                        continue;
                    ++reported;
                }
            }
        }
    }

    bool same_members(const std::vector<std::uint32_t>& members, std::uint64_t number, std::uint32_t other) const
    {
        const std::vector<std::uint32_t>* there = verdict_.groups[other].members(number);
        return there != nullptr && *there == members;
    }

    CollectiveDigest digest_of(std::uint32_t rank, std::uint64_t number) const
    {
        const auto found = runs_[rank].collectives.find(number);
        return found == runs_[rank].collectives.end() ? CollectiveDigest{} : found->second;
    }

    void add_notices()
    {
        if (const std::uint64_t count = total(&RankScan::launchers))
            notice(std::to_string(count) +
                " collectives on the CPU side without comm_type and comm_size run as CPU "
                "work of their recorded duration, 1 ns without one");
        if (const std::uint64_t count = total(&RankScan::invalid_nodes))
            notice(std::to_string(count) + " nodes of type INVALID finish immediately");
        if (const std::uint64_t count = total(&RankScan::partial_dimensions); count > 0 && policy_.dimensions.empty())
            notice(std::to_string(count) +
                " nodes leave out network dimensions (involved_dim); collectives span all "
                "ranks of their group");
        if (const std::uint64_t count = total(&RankScan::skipped))
            notice(std::to_string(count) +
                " compute nodes have operations and a tensor_size of 0: under roofline they take no time");
        if (const std::uint64_t count = total(&RankScan::timeless))
            notice(std::to_string(count) +
                " compute nodes state neither a duration nor operations and bytes: they take 1 ns");
        if (const std::uint64_t count = total(&RankScan::timeless_on_cpu))
            notice(std::to_string(count) +
                " compute nodes on the CPU (is_cpu_op) state no duration: they take 1 ns, as rooflines are those of "
                "accelerators");
        if (const std::uint64_t count = total(&RankScan::contradictions)) {
            const auto first = std::find_if(scans_.begin(), scans_.end(),
                [](const RankScan& scan) { return scan.contradictions > 0; });
            notice(std::to_string(count) +
                " compute nodes state a product of matrices (gemm_m, gemm_n, gemm_k, gemm_count) whose operations are "
                "not their num_ops: cycles of systolic arrays follow the product, rooflines and energy num_ops; the "
                "first is " +
                first->contradiction);
        }
        const auto has_operations = [](const RankScan& scan) { return scan.has_operations; };
        const auto has_no_time = [](const RankScan& scan) { return scan.summary.duration_us == 0; };
        if (!policy_.roofline && std::any_of(scans_.begin(), scans_.end(), has_operations) &&
            std::all_of(scans_.begin(), scans_.end(), has_no_time))
            notice("no durations are recorded: compute nodes with num_ops and tensor_size take their roofline time, "
                   "others 1 ns");
    }

    const TraceSet& set_;
    const Policy& policy_;
    Findings findings_;
    TransferBalance transfers_;
    std::vector<RankScan> scans_;
    std::vector<DryRun> runs_;
    bool all_finish_ = true;
    Verdict verdict_;
};

}  // namespace

void Verdict::require_runnable() const
{
    if (!runnable()) throw InputError(problems);
}

Verdict validate(const TraceSet& set, const Policy& policy) { return Validation(set, policy).run(); }

Feeder make_feeder(const TraceSet& set, const Verdict& verdict, std::uint32_t rank)
{
    FeederOptions options;
    options.control = verdict.control;
    options.absent = verdict.absent.at(rank);
    options.read_ahead = verdict.read_ahead.at(rank);
    return Feeder(set.reader(rank), std::move(options));
}

}  // namespace weft::chakra
