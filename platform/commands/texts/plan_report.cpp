#include "platform/commands/texts/plan_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "collectives/plans/bounds.h"
#include "collectives/plans/longest_chain.h"
#include "platform/console/messages.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_problems = 20;
constexpr std::size_t most_transfers = 40;
constexpr std::size_t most_pairs = 12;
constexpr std::size_t most_links = 16;
constexpr std::size_t label_width = 13;

const char* long_name(const std::string& format)
{
    if (format == "msccl_xml") return "MSCCL XML";
    if (format == "mscclpp_json") return "MSCCL++ execution plan (JSON)";
    return "Chakra traces, one for each rank";
}

std::string plural(std::uint64_t count, const char* what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Whether switches carry out steps.
bool uses_switch(const Schedule& schedule)
{
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            for (const Step& step : thread.steps)
                if (in_switch(step.kind)) return true;
    return false;
}

// Where a step stands in its file.
std::string place(const Plan& plan, StepAt at)
{
    const PlanOrigin& origin = plan.origins[at.rank][at.thread][at.step];
    if (plan.format == "chakra") return fmt::format("node {}", origin.step);
    return fmt::format("block {} step {}, line {}", at.thread, origin.step, origin.line);
}

class Page {
public:
    explicit Page(const PlanReport& report) : report_(report), plan_(report.plan), schedule_(report.plan.schedule) {}

    std::string text()
    {
        head();
        verdict();
        for (const std::string& notice : report_.notices) line("notice", notice);
        if (report_.traffic) {
            traffic();
            path();
            links();
        }
        return std::move(out_);
    }

private:
    void line(const std::string& label, const std::string& value)
    {
        out_ += fmt::format("{:<{}}{}\n", label, label_width, wrapped(value, label_width, label_width));
    }

    void head()
    {
        line("plan", fmt::format("{} ({})", plan_.name, plan_.file));
        line("format", long_name(plan_.format) + (plan_.protocol.empty() ? "" : ", protocol " + plan_.protocol));
        std::string what = plan_.collective;
        if (what == "custom" && schedule_.op != CollectiveOp::custom) what = name_of(schedule_.op);
        if (schedule_.size() > 0)
            what += fmt::format(" over {}{}, message in {}", plural(schedule_.size(), "rank"),
                schedule_.in_place ? ", in place" : "", plural(schedule_.chunks, "chunk"));
        line("collective", what);
        std::string steps;
        for (const auto& [name, count] : plan_.operations)
            steps += fmt::format("{}{} {}", steps.empty() ? "" : ", ", name, count);
        line("threads",
            fmt::format("{}, {}", plural(plan_.blocks, "thread block"), plural(plan_.connections, "connection")));
        line("steps", fmt::format("{}: {}", plan_.steps(), steps));
    }

    void verdict()
    {
        if (report_.verdict.ok) {
            line("verified",
                schedule_.op == CollectiveOp::custom
                    ? "completes in every order that it allows; the required result of a custom collective is not known"
                    : "right: all outputs end as the collective requires, in every order that the plan allows");
            return;
        }
        line("verified", "wrong: " + plural(report_.verdict.problems.size(), "problem"));
        std::size_t shown = 0;
        for (const Diagnostic& problem : report_.verdict.problems) {
            if (++shown > most_problems) break;
            out_ += fmt::format("  {}\n", problem.text());
        }
        if (report_.verdict.problems.size() > most_problems)
            out_ += fmt::format("  and {} more (--json lists all)\n", report_.verdict.problems.size() - most_problems);
    }

    void traffic()
    {
        const Traffic& traffic = *report_.traffic;
        const auto bound = lower_bound(schedule_.op, schedule_.size(), report_.bytes);
        std::string steps = fmt::format("{} one after the other", report_.path.size());
        std::string bytes = fmt::format("of a message of {}: ", format_bytes(report_.bytes)) + sent(traffic);
        if (bound) {
            steps += fmt::format(" (the least possible: {}", bound->steps);
            if (bound->steps_with_bytes != bound->steps)
                steps += fmt::format("; with the fewest bytes: {}", bound->steps_with_bytes);
            steps += ")";
            bytes += fmt::format(" (the least possible: {} through the busiest rank{})", format_bytes(bound->bytes),
                uses_switch(schedule_) ? ", without a switch that adds or copies" : "");
        }
        line("transfers", steps);
        line("bytes", bytes);
        pairs(traffic);
    }

    static std::string sent(const Traffic& traffic)
    {
        const auto [least, most] = std::minmax_element(traffic.sent.begin(), traffic.sent.end());
        if (*least == *most) return fmt::format("every rank sends {}", format_bytes(*most));
        return fmt::format("ranks send {} (rank {}) to {} (rank {})", format_bytes(*least),
            least - traffic.sent.begin(), format_bytes(*most), most - traffic.sent.begin());
    }

    void pairs(const Traffic& traffic)
    {
        struct Pair {
            std::uint64_t bytes;
            std::uint32_t from;
            std::uint32_t to;
        };
        std::vector<Pair> used;
        for (std::uint32_t from = 0; from < traffic.ranks; ++from)
            for (std::uint32_t to = 0; to < traffic.ranks; ++to)
                if (from != to && traffic.between(from, to) > 0) used.push_back({traffic.between(from, to), from, to});
        if (used.empty() || uses_switch(schedule_)) return;
        std::stable_sort(used.begin(), used.end(), [](const Pair& a, const Pair& b) { return a.bytes > b.bytes; });
        std::string text =
            fmt::format("{} of {} exchange data", used.size(), std::uint64_t{traffic.ranks} * (traffic.ranks - 1));
        if (used.front().bytes == used.back().bytes) {
            text += ", " + format_bytes(used.front().bytes) + " each";
            if (used.size() > most_pairs) return line("pairs", text);
        }
        text += ": ";
        for (std::size_t i = 0; i < std::min(used.size(), most_pairs); ++i) {
            text += fmt::format("{}{}->{}", i == 0 ? "" : ", ", used[i].from, used[i].to);
            if (used.front().bytes != used.back().bytes) text += " " + format_bytes(used[i].bytes);
        }
        if (used.size() > most_pairs) text += ", ...";
        line("pairs", text);
    }

    void path()
    {
        if (report_.path.empty()) return;
        out_ += "\nthe longest chain of dependent transfers\n";
        for (std::size_t i = 0; i < std::min(report_.path.size(), most_transfers); ++i)
            out_ += fmt::format("{:>5}  {:<44}  {}\n", i + 1, transfer_text(plan_, report_.path[i]),
                place(plan_, report_.path[i]));
        if (report_.path.size() > most_transfers)
            out_ += fmt::format("       and {} more (--json lists all)\n", report_.path.size() - most_transfers);
    }

    void links()
    {
        if (report_.system.empty()) return;
        if (report_.links.empty()) {
            line("links",
                uses_switch(schedule_) ? "data that switches multicast and reduce are not listed"
                                       : "the plan uses no link");
            return;
        }
        out_ += fmt::format("\nthe busiest links of {}, by the time that their bytes take{}\n", report_.system,
            report_.link_protocol == "simple" ? "" : ", in packets of " + report_.link_protocol);
        std::vector<LinkBytes> links = report_.links;
        std::stable_sort(links.begin(), links.end(),
            [](const LinkBytes& a, const LinkBytes& b) { return a.seconds() > b.seconds(); });
        // Alike links are told once.
        struct Group {
            std::string label;
            const LinkBytes* link;
            std::size_t more;
        };
        std::vector<Group> groups;
        std::size_t width = 0;
        for (const LinkBytes& link : links) {
            if (!groups.empty() && groups.back().link->wire == link.wire &&
                groups.back().link->payload == link.payload && groups.back().link->rate == link.rate) {
                ++groups.back().more;
                continue;
            }
            groups.push_back({link.from + " -> " + link.to, &link, 0});
            if (groups.size() <= most_links) width = std::max(width, groups.back().label.size());
        }
        for (std::size_t i = 0; i < std::min(groups.size(), most_links); ++i) {
            const LinkBytes& link = *groups[i].link;
            out_ += fmt::format("  {:<{}}  payload {}, on the wire {} B: {} at {}\n", groups[i].label, width,
                format_bytes(link.payload), link.wire,
                format_time_ps(static_cast<std::uint64_t>(link.seconds() * 1e12)), format_rate(link.rate));
            if (groups[i].more > 0) out_ += fmt::format("  and {} more like it\n", groups[i].more);
        }
        if (groups.size() > most_links) out_ += "  and others with less traffic (--json lists all)\n";
        if (uses_switch(schedule_)) out_ += "  without data that switches multicast and reduce\n";
    }

    const PlanReport& report_;
    const Plan& plan_;
    const Schedule& schedule_;
    std::string out_;
};

Json path_json(const PlanReport& report)
{
    Json out = Json::array();
    for (const StepAt at : report.path) {
        const PlanOrigin& origin = report.plan.origins[at.rank][at.thread][at.step];
        out.push_back({{"rank", at.rank}, {"block", at.thread}, {"step", origin.step}, {"line", origin.line},
            {"transfer", transfer_text(report.plan, at)}});
    }
    return out;
}

Json pairs_json(const Traffic& traffic)
{
    Json out = Json::array();
    for (std::uint32_t from = 0; from < traffic.ranks; ++from)
        for (std::uint32_t to = 0; to < traffic.ranks; ++to)
            if (traffic.between(from, to) > 0)
                out.push_back({{"from", from}, {"to", to}, {"bytes", traffic.between(from, to)}});
    return out;
}

Json links_json(const PlanReport& report)
{
    Json out = Json::array();
    for (const LinkBytes& link : report.links)
        out.push_back({{"name", link.name}, {"from", link.from}, {"to", link.to}, {"payload_bytes", link.payload},
            {"wire_bytes", link.wire}, {"bytes_per_s", link.rate},
            {"time_ps", static_cast<std::uint64_t>(link.seconds() * 1e12)}});
    return out;
}

}  // namespace

std::string plan_text(const PlanReport& report) { return Page(report).text(); }

std::string plan_json(const PlanReport& report)
{
    const Plan& plan = report.plan;
    Json out;
    out["schema"] = "weft.plan/1";
    out["file"] = plan.file;
    out["format"] = plan.format;
    out["name"] = plan.name;
    out["collective"] = plan.collective;
    out["op"] = name_of(plan.schedule.op);
    out["protocol"] = plan.protocol;
    out["ranks"] = plan.schedule.size();
    out["chunks"] = plan.schedule.chunks;
    out["in_place"] = plan.schedule.in_place;
    out["blocks"] = plan.blocks;
    out["connections"] = plan.connections;
    out["steps"] = plan.steps();
    out["operations"] = plan.operations;
    out["chunks_moved"] = plan.moved;
    out["verified"] = report.verdict.ok;
    out["problems"] = Json::array();
    for (const Diagnostic& problem : report.verdict.problems) out["problems"].push_back(problem.text());
    out["notices"] = report.notices;
    if (!report.traffic) return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    out["transfers"] = report.path.size();
    out["critical_path"] = path_json(report);
    out["bytes"] = report.bytes;
    out["sent"] = report.traffic->sent;
    out["received"] = report.traffic->received;
    out["pairs"] = pairs_json(*report.traffic);
    if (const auto bound = lower_bound(plan.schedule.op, plan.schedule.size(), report.bytes))
        out["lower_bound"] = {{"transfers", bound->steps}, {"transfers_with_fewest_bytes", bound->steps_with_bytes},
            {"bytes", bound->bytes}};
    if (!report.system.empty()) out["links"] = links_json(report);
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft
