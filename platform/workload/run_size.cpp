#include "platform/workload/run_size.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"
#include "base/units.h"

namespace weft {

namespace {

constexpr double long_seconds = 60;
constexpr double large_share = 0.25;

std::string gigabytes_of(double bytes) { return fmt::format("{:.3g} GB", bytes * 1e-9); }

// Runs that differ from a request in one thing and fit.
class Alternatives {
public:
    Alternatives(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveRequest& request, bool data_on,
        double room)
        : system_(system), plan_(plan), request_(request), data_on_(data_on), room_(room)
    {
    }

    std::vector<std::string> texts() const
    {
        std::vector<std::string> out;
        const auto add = [&out](const std::string& text) {
            if (!text.empty()) out.push_back(text);
        };
        if (data_on_) add(of(request_, false, "--no-data"));
        add(fewer_bytes());
        add(other_algorithm());
        add(fewer_ranks());
        return out;
    }

private:
    // Empty where it does not fit or cannot be.
    std::string of(const CollectiveRequest& request, bool data_on, const std::string& option) const
    {
        const double bytes = bytes_of(request, data_on);
        return bytes > 0 && bytes <= room_ ? option + " (" + gigabytes_of(bytes) + ")" : "";
    }
    double bytes_of(const CollectiveRequest& request, bool data_on) const
    {
        try {
            return estimate_run(system_, plan_, &request, data_on).bytes();
        } catch (const InputError&) {  // not with these options
            return 0;
        }
    }

    std::string fewer_bytes() const
    {
        CollectiveRequest request = request_;
        for (request.bytes /= 2; request.bytes >= 4096; request.bytes /= 2) {
            request.bytes -= request.bytes % size_of(request.type);
            const std::string text = of(request, data_on_, "--bytes " + fmt::format("{}", request.bytes));
            if (!text.empty()) return text;
        }
        return "";
    }

    std::string fewer_ranks() const
    {
        if (request_.schedule) return "";  // a plan has its own number
        CollectiveRequest request = request_;
        for (std::size_t ranks = request_.members.size() / 2; ranks >= 2; ranks /= 2) {
            request.members.resize(ranks);
            const std::string text = of(request, data_on_, fmt::format("--ranks {}", ranks));
            if (!text.empty()) return text;
        }
        return "";
    }

    std::string other_algorithm() const
    {
        if (request_.schedule) return "";
        CollectiveRequest request = request_;
        double least = room_;
        std::string best;
        for (const std::string& name : algorithm_names(request_.op)) {
            if (name == request_.algorithm || algorithm_info(request_.op, name)->carrier == Carrier::in_switch)
                continue;
            request.algorithm = name;
            const double bytes = bytes_of(request, data_on_);
            if (bytes <= 0 || bytes > least) continue;
            least = bytes;
            best = name;
        }
        return best.empty() ? "" : fmt::format("--algorithm {} ({})", best, gigabytes_of(least));
    }

    const ResolvedSystem& system_;
    const FabricPlan& plan_;
    const CollectiveRequest& request_;
    bool data_on_;
    double room_;
};

}  // namespace

std::string size_notice(const RunEstimate& estimate, const MachineMemory& memory, bool timed)
{
    const bool large = memory.total > 0 && estimate.bytes() > large_share * static_cast<double>(memory.total);
    const bool lengthy = timed && estimate.seconds > long_seconds;
    if (!large && !lengthy) return "";
    std::string out = "this run takes " + estimate.memory_text();
    if (timed && estimate.seconds > 0)
        out += fmt::format(" and {} for {:.3g} M transactions", estimate.time_text(), estimate.transactions * 1e-6);
    return out;
}

void require_fit(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveRequest* request, bool data_on,
    const RunEstimate& estimate, const MachineMemory& memory)
{
    const auto room = static_cast<double>(memory.available);
    if (memory.total == 0 || estimate.bytes() <= room) return;
    std::vector<std::string> alternatives;
    if (request != nullptr) alternatives = Alternatives(system, plan, *request, data_on, room).texts();
    const std::string known = request == nullptr ? "a smaller system" : "fewer GPUs";
    throw InputError("", 0,
        fmt::format("this run takes {}, but {}", estimate.memory_text(),
            memory.asked ? fmt::format("--memory-limit allows {}", gigabytes_of(room))
                         : fmt::format("{} are available", gigabytes_of(room))),
        fmt::format("{}, or {}", alternatives.empty() ? known : fmt::format("one of {}", fmt::join(alternatives, ", ")),
            memory.asked ? "a higher --memory-limit" : "--memory-limit to run it nevertheless"));
}

}  // namespace weft
