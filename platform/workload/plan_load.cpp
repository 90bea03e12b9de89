#include "platform/workload/plan_load.h"

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

// MSCCL states a protocol and leaves its packets to whoever runs the plan; here engine.protocol decides.
std::string protocol_remark(const Plan& plan, Protocol protocol)
{
    if (plan.format != "msccl_xml") return {};
    for (const Protocol own : {Protocol::simple, Protocol::ll, Protocol::ll128}) {
        const std::string stated = own == Protocol::simple ? "Simple" : own == Protocol::ll ? "LL" : "LL128";
        if (stated == plan.protocol && own != protocol)
            return "the plan states protocol " + stated + " and runs with engine.protocol = " + name_of(protocol) +
                "; --set engine.protocol=" + name_of(own) + " runs it as stated";
    }
    return {};
}

}  // namespace

PlanLoad load_plan(const Workload& workload, const std::string& file, Protocol protocol)
{
    PlanOptions options;
    options.bytes = workload.bytes;
    Plan plan = read_plan(workload.plan, options);
    PlanLoad out;
    out.bytes = workload.bytes != 0 ? workload.bytes : plan.bytes;
    if (out.bytes == 0)
        throw InputError(workload.file_of("plan", file), workload.line_of("plan"),
            "the size of the plan's message is missing", "'bytes', or --bytes N, such as 1MiB");
    ElementType type{};
    if (!element_type_from_name(workload.element, type) || out.bytes % size_of(type) != 0)
        throw InputError(workload.file_of("bytes", file), workload.line_of("bytes"),
            std::to_string(out.bytes) + " bytes are not a whole number of " + workload.element + " elements",
            "a whole number of elements");
    if (workload.rank_count != 0 && workload.rank_count != plan.schedule.size() && plan.problems.empty())
        throw InputError(workload.file_of("ranks", file), workload.line_of("ranks"),
            std::to_string(workload.rank_count) + " ranks for a plan of " + std::to_string(plan.schedule.size()),
            "the number of ranks of the plan");
    if (!plan.own_reduction)
        plan.schedule.reduction = workload.reduction == "min" ? ReduceOp::min
            : workload.reduction == "max"                     ? ReduceOp::max
                                                              : ReduceOp::sum;
    VerifyOptions sizes;
    sizes.bytes = out.bytes;
    sizes.element_bytes = size_of(type);
    const Judgement verdict = judge(plan, sizes);
    if (!verdict.ok) throw InputError(verdict.problems);
    out.notices = plan.notices;
    out.notices.insert(out.notices.end(), verdict.notices.begin(), verdict.notices.end());
    for (const std::string& remark : {size_remark(plan, out.bytes), protocol_remark(plan, protocol)})
        if (!remark.empty()) out.notices.push_back({plan.file, 0, remark, ""});
    out.schedule = std::make_shared<const Schedule>(std::move(plan.schedule));
    return out;
}

}  // namespace weft
