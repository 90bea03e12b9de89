#include "platform/workload/plan_load.h"

#include <algorithm>

#include "collectives/plans/plan.h"

namespace weft {

void PlanLoad::apply(CollectiveRequest& request) const
{
    request.op = schedule->op;
    request.algorithm = schedule->name;
    request.bytes = bytes;
    request.schedule = schedule;
}

namespace {

std::string other_protocol(const std::string& plan_has, Protocol own, Protocol protocol)
{
    return "the plan " + plan_has + " and runs with engine.protocol = " + name_of(protocol) +
        "; --set engine.protocol=" + name_of(own) + " runs it as stated";
}

// MSCCL states a protocol and leaves its packets to whoever runs the plan; here engine.protocol decides.
std::string msccl_remark(const Plan& plan, Protocol protocol)
{
    for (const Protocol own : {Protocol::simple, Protocol::ll, Protocol::ll128}) {
        const std::string stated = own == Protocol::simple ? "Simple" : own == Protocol::ll ? "LL" : "LL128";
        if (stated == plan.protocol && own != protocol)
            return other_protocol("states protocol " + stated, own, protocol);
    }
    return {};
}

// MSCCL++ says by its operations which data are packets.
std::string mscclpp_remark(const Plan& plan, ProtocolSetting setting)
{
    const std::vector<RankPlan>& ranks = plan.schedule.ranks;
    const bool packets =
        std::any_of(ranks.begin(), ranks.end(), [](const RankPlan& rank) { return rank.packet_chunks > 0; });
    const Protocol own = packets ? Protocol::ll : Protocol::simple;
    if (own == setting.protocol) return {};
    if (setting.protocol == Protocol::simple)
        return setting.set ? "the plan stores packets by its own operations and runs with ll; engine.protocol = simple "
                             "changes nothing"
                           : "";
    return other_protocol(packets ? "has operations of packets (ll)" : "has operations without packets", own,
        setting.protocol);
}

std::string protocol_remark(const Plan& plan, ProtocolSetting setting)
{
    if (plan.format == "msccl_xml") return msccl_remark(plan, setting.protocol);
    if (plan.format == "mscclpp_json") return mscclpp_remark(plan, setting);
    return {};
}

const char* reduction_name(ReduceOp op) { return op == ReduceOp::min ? "min" : op == ReduceOp::max ? "max" : "sum"; }

bool reduces(const Schedule& schedule)
{
    const auto adds = [](const Step& step) {
        return is_data(step.kind) && (step.sources.size() > 1 || step.kind == StepKind::push_reduce);
    };
    if (has_reduction(schedule.op)) return true;
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            if (std::any_of(thread.steps.begin(), thread.steps.end(), adds)) return true;
    return false;
}

// The plan's own, or that of the workload.
void choose_reduction(Plan& plan, const Workload& workload, const std::string& file)
{
    if (workload.lines.count("reduction") > 0 && plan.problems.empty() && !reduces(plan.schedule))
        throw InputError(workload.file_of("reduction", file), workload.line_of("reduction"),
            "reduction " + workload.reduction + " for a plan that reduces nothing", "no reduction");
    if (!plan.own_reduction) {
        plan.schedule.reduction = workload.reduction == "min" ? ReduceOp::min
            : workload.reduction == "max"                     ? ReduceOp::max
                                                              : ReduceOp::sum;
        return;
    }
    const std::string own = reduction_name(plan.schedule.reduction);
    if (workload.lines.count("reduction") > 0 && workload.reduction != own)
        throw InputError(workload.file_of("reduction", file), workload.line_of("reduction"),
            "reduction " + workload.reduction + " for a plan whose operations state " + own, own + ", or no reduction");
}

}  // namespace

PlanLoad load_plan(const Workload& workload, const std::string& file, ProtocolSetting protocol)
{
    PlanOptions options;
    options.bytes = workload.bytes;
    ElementType type{};
    const bool known = element_type_from_name(workload.element, type);
    if (known) options.element_bytes = size_of(type);
    Plan plan = read_plan(workload.plan, options);
    PlanLoad out;
    out.bytes = workload.bytes != 0 ? workload.bytes : plan.bytes;
    if (out.bytes == 0 && !plan.problems.empty()) throw InputError(plan.problems);
    if (out.bytes == 0)
        throw InputError(workload.file_of("plan", file), workload.line_of("plan"),
            "the size of the plan's message is missing", "'bytes', or --bytes N, such as 1MiB");
    if (!known || out.bytes % size_of(type) != 0)
        throw InputError(workload.file_of("bytes", file), workload.line_of("bytes"),
            std::to_string(out.bytes) + " bytes are not a whole number of " + workload.element + " elements",
            "a whole number of elements");
    if (workload.rank_count != 0 && workload.rank_count != plan.schedule.size() && plan.problems.empty())
        throw InputError(workload.file_of("ranks", file), workload.line_of("ranks"),
            std::to_string(workload.rank_count) + " ranks for a plan of " + std::to_string(plan.schedule.size()),
            "the number of ranks of the plan");
    choose_reduction(plan, workload, file);
    const Judgement verdict = judge(plan, message_of(out.bytes, static_cast<std::uint32_t>(size_of(type))));
    if (!verdict.ok) throw InputError(verdict.problems);
    out.notices = plan.notices;
    out.notices.insert(out.notices.end(), verdict.notices.begin(), verdict.notices.end());
    for (const std::string& remark : {size_remark(plan, out.bytes), protocol_remark(plan, protocol)})
        if (!remark.empty()) out.notices.push_back({plan.file, 0, remark, ""});
    out.schedule = std::make_shared<const Schedule>(std::move(plan.schedule));
    return out;
}

}  // namespace weft
