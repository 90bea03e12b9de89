#include "collectives/plans/plan.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>

#include "base/text_file.h"
#include "collectives/plans/chakra_plan.h"
#include "collectives/plans/msccl_reader.h"
#include "collectives/plans/mscclpp_reader.h"
#include "collectives/plans/relaxed.h"

namespace weft {

namespace {

// Plans of the largest systems have some megabytes.
constexpr std::size_t largest_file = std::size_t{1} << 28;

char first_letter(const std::string& text)
{
    std::size_t at = text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at < text.size() ? text[at] : '\0';
}

// "rank 2 thread 0 step 3" at `at`, for the words "rank ", " thread ", " step ": the numbers, and the place behind them.
template <std::size_t count>
bool numbers_named(const std::string& text, std::size_t at, const char* const (&words)[count],
    std::uint32_t (&numbers)[count], std::size_t& end)
{
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t length = std::char_traits<char>::length(words[i]);
        if (text.compare(at, length, words[i]) != 0) return false;
        at += length;
        const std::size_t begin = at;
        while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
        if (at == begin || at - begin > 9) return false;
        numbers[i] = static_cast<std::uint32_t>(std::stoul(text.substr(begin, at - begin)));
    }
    end = at;
    return true;
}

// The line of the first step that the problem names; 0 where it names none.
int line_of(const Plan& plan, const std::string& problem)
{
    constexpr const char* words[] = {"rank ", " thread ", " step "};
    for (std::size_t at = problem.find("rank "); at != std::string::npos; at = problem.find("rank ", at + 1)) {
        std::uint32_t numbers[3];
        std::size_t end = 0;
        if (!numbers_named(problem, at, words, numbers, end)) continue;
        const auto [rank, thread, step] = std::tie(numbers[0], numbers[1], numbers[2]);
        if (rank >= plan.origins.size() || thread >= plan.origins[rank].size() ||
            step >= plan.origins[rank][thread].size())
            continue;
        return plan.origins[rank][thread][step].line;
    }
    return 0;
}

// Slots that the file does not name, as what they are to its author: messages of a connection.
std::string in_terms_of_plan(const Plan& plan, std::string problem)
{
    constexpr const char* words[] = {" chunk ", " of rank "};
    for (const std::string& buffer : {std::string("scratch"), std::string("packets")})
        for (std::size_t at = problem.find(buffer); at != std::string::npos; at = problem.find(buffer, at + 1)) {
            std::uint32_t numbers[2];
            std::size_t end = 0;
            if (!numbers_named(problem, at + buffer.size(), words, numbers, end)) continue;
            const auto [slot, rank] = std::tie(numbers[0], numbers[1]);
            if (rank >= plan.arrivals.size()) continue;
            const std::vector<PlanArrival>& arrivals = plan.arrivals[rank];
            const auto later = std::upper_bound(arrivals.begin(), arrivals.end(), slot,
                [](std::uint32_t index, const PlanArrival& arrival) { return index < arrival.slot; });
            if (later == arrivals.begin()) continue;
            const PlanArrival& arrival = *(later - 1);
            problem.replace(at, end - at,
                fmt::format("chunk {} of message {} of connection {} -> {}, channel {}", slot - arrival.slot,
                    arrival.message, arrival.from, rank, arrival.channel));
        }
    return problem;
}

// A message with fewer elements than chunks, where the plan is right for others.
std::string too_small(const Plan& plan, const VerifyOptions& options)
{
    const std::uint64_t elements = options.bytes / options.element_bytes;
    if (options.bytes == 0 || elements >= plan.schedule.chunks) return "";
    VerifyOptions even = options;
    even.bytes = 0;
    if (!verify(plan.schedule, even).ok) return "";
    return fmt::format("{} element{} for {} chunks, and the plan moves chunks of none", elements,
        elements == 1 ? "" : "s", plan.schedule.chunks);
}

}  // namespace

std::uint64_t Plan::steps() const
{
    std::uint64_t sum = 0;
    for (const auto& [name, count] : operations) sum += count;
    return sum;
}

Plan read_plan(const std::string& path, const PlanOptions& options)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        if (is_chakra_prefix(path)) return read_chakra_plan(path, options);
        if (std::filesystem::is_directory(path, error))
            throw InputError(path, 0, "a folder", "a plan, or the prefix PREFIX of traces PREFIX.0.et, ...");
    }
    const std::string text = read_text_file(path, largest_file);
    switch (first_letter(text)) {
    case '<': return read_msccl_xml(text, path, options);
    case '{': return read_mscclpp_json(text, path, options);
    default: break;
    }
    throw InputError(path, 0, "this is not a plan: it starts neither as XML nor as JSON",
        "MSCCL XML, an MSCCL++ execution plan, or the prefix of Chakra traces");
}

Judgement judge(const Plan& plan, const VerifyOptions& options)
{
    Judgement out;
    out.problems = plan.problems;
    if (!out.problems.empty()) return out;
    out.verification = verify(plan.schedule, options);
    if (!out.verification.ok)
        if (std::string small = too_small(plan, options); !small.empty()) {
            out.problems.push_back({plan.file, 0, std::move(small),
                fmt::format("at least {} bytes", std::uint64_t{plan.schedule.chunks} * options.element_bytes)});
            return out;
        }
    for (const std::string& problem : out.verification.problems)
        out.problems.push_back({plan.file, line_of(plan, problem), in_terms_of_plan(plan, problem), ""});
    out.ok = out.verification.ok;
    if (!out.ok || plan.relaxed.empty()) return out;
    const char* const ordering = "signal and wait in place of rlxsignal and rlxwait, which order no data";
    VerifyOptions without = options;
    without.without_relaxed = true;
    const Verification strict = verify(without_relaxed(plan.schedule, plan.relaxed), without);
    for (const std::string& problem : strict.problems) {
        const std::string what = problem.substr(0, problem.find("; expected "));
        out.problems.push_back({plan.file, line_of(plan, problem), in_terms_of_plan(plan, what), ordering});
    }
    if (strict.late_switch_stores > 0) {
        const std::uint64_t others = strict.late_switch_stores - 1;
        const std::string more =
            others == 0 ? "" : fmt::format(" (and {} other output chunk{})", others, others == 1 ? "" : "s");
        out.notices.push_back(
            {plan.file, line_of(plan, strict.late_switch_store), strict.late_switch_store + more, ordering});
    }
    out.ok = out.problems.empty();
    return out;
}

std::string size_remark(const Plan& plan, std::uint64_t bytes)
{
    if (plan.bytes != 0 && bytes != plan.bytes)
        return fmt::format("the plan is for a message of {} bytes, not {}", plan.bytes, bytes);
    if (bytes < plan.min_bytes || bytes > plan.max_bytes)
        return fmt::format("the plan is for messages of {} to {} bytes, not {}", plan.min_bytes, plan.max_bytes, bytes);
    const std::uint64_t grain = plan.alignment * std::max(1u, plan.schedule.chunks);
    if (plan.alignment > 1 && bytes % grain != 0)
        return fmt::format("the plan's own executor needs multiples of {} bytes ({} chunks of whole {} bytes), not {}",
            grain, plan.schedule.chunks, plan.alignment, bytes);
    return "";
}

}  // namespace weft
