#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/element.h"
#include "base/units.h"
#include "collectives/engine/lines/packet_slots.h"
#include "collectives/engine/protocol_choice.h"
#include "collectives/plans/longest_chain.h"
#include "collectives/plans/export_order.h"
#include "collectives/plans/msccl_writer.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/commands/options/known_names.h"
#include "platform/commands/texts/plan_report.h"
#include "platform/commands/options/system_options.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/choice/unpriced_parameters.h"

namespace weft {

namespace {

// A megabyte, or as little more as gives every chunk whole units of its plan.
std::uint64_t usual_size(const Plan& plan)
{
    if (plan.bytes > 0) return plan.bytes;
    constexpr std::uint64_t wanted = std::uint64_t{1} << 20;
    const std::uint64_t grain = std::max<std::uint64_t>(plan.alignment, 4) * std::max(1u, plan.schedule.chunks);
    return (wanted + grain - 1) / grain * grain;
}

std::uint32_t bytes_of(const std::string& element)
{
    ElementType type{};
    element_type_from_name(element, type);
    return size_of(type);
}

// Of --bytes. What no layout takes would else be told of the plan.
std::uint64_t size_of_message(const std::string& text)
{
    constexpr std::uint64_t largest = std::uint64_t{1} << 48;  // of a Layout
    const std::uint64_t bytes = bytes_option("--bytes", text);
    if (bytes == 0 || bytes > largest)
        throw usage_error("option '--bytes' has the value " + quoted_word(text),
            bytes == 0 ? "at least one byte, such as 1MiB" : "at most 2^48 bytes");
    return bytes;
}

// MSCCL knows what MSCCL++ does, and more.
std::string xml_protocol(const Plan& plan) { return plan.protocol.empty() ? "Simple" : plan.protocol; }

// Other commands take '--json -'; here there is nowhere else to print to.
Arguments without_dash(Arguments arguments)
{
    for (std::size_t i = 1; i < arguments.size(); ++i)
        if (arguments[i] == "-" && arguments[i - 1] == "--json")
            arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
    return arguments;
}

// By lines each share of a slot begins at a packet of its own, so that it must be read as it is stored.
void add_refusal_by_lines(PlanReport& report, const Layout& layout)
{
    try {
        const PacketSlots slots(report.plan.schedule, layout, PacketFormat::ll);
    } catch (const InputError& error) {
        report.notices.push_back(
            fmt::format("line fidelity refuses a message of {}: {}", format_bytes(report.bytes), error.what()));
    }
}

// Under ll and ll128 the links carry packets, as in a run.
void add_links(PlanReport& report, const SystemOptions& options, const std::string& file)
{
    SystemDescription description = options.description();
    description.workload.rank_count = 0;  // of the system's own workload, in whose place the plan stands
    const ResolvedSystem system = resolve_loaded(description, options.load(description), options.registry());
    const std::size_t ranks = report.plan.schedule.size();
    if (const std::size_t there = members_of(system).size(); there < ranks)
        throw InputError(file, 0,
            fmt::format("the plan has {} ranks, but {} has {} xpu node{} for them", ranks,
                description.file.empty() ? description.infrastructure : description.file, there, there == 1 ? "" : "s"),
            "a system with as many xpu nodes as the plan has ranks");
    const FabricPlan plan = plan_fabric(system, members_of(system, ranks));
    report.system = description.infrastructure;
    auto schedule = std::make_shared<const Schedule>(report.plan.schedule);
    const EngineSpec engine = system.engine();
    if (engine.protocol != Protocol::simple)
        schedule = ProtocolChoice().carried_out(std::move(schedule), engine, report.bytes, report.element_bytes);
    report.link_protocol = protocol_of(*schedule, engine);
    report.links = link_bytes(system, plan, *schedule, Layout(*schedule, report.bytes, report.element_bytes));
    report.notices.insert(report.notices.end(), plan.notices.begin(), plan.notices.end());
    std::string unpriced = unpriced_notice(system, "bytes on links and the least time do", false);
    if (!unpriced.empty()) report.notices.push_back(std::move(unpriced));
}

}  // namespace

int plan_command(const Arguments& arguments)
{
    CommandLine line("plan",
        "Reads the plan of a collective (MSCCL XML, an MSCCL++ execution plan, or the prefix of Chakra traces), "
        "verifies it symbolically, and explains it: steps, the longest chain of dependent transfers, bytes between "
        "ranks and, with a system, on its links, compared with the least that any plan needs. For a wrong plan it "
        "prints the problems. Exit code 1 if the plan is wrong, 2 if it cannot be read.\n\n"
        "  weft plan ring.xml --bytes 64MiB --infra examples/dgx_h100/dgx_h100.yaml\n"
        "  weft run --infra examples/dgx_h100/dgx_h100.yaml --plan ring.xml --bytes 1MiB\n");
    std::string file;
    std::string bytes;
    std::string element = "fp32";
    std::string exported;
    bool json = false;
    SystemOptions options;
    line.positional("FILE", file, "the plan; for Chakra traces FILE.0.et, FILE.1.et, ... their common prefix");
    line.flag("--json", json, "print JSON instead of the page");
    line.value("--export", "FILE", exported,
        "also write the plan as MSCCL XML; the plan must be correct and have no switch operations");
    line.value("--bytes", "N", bytes,
        "size of the message, as for 'weft run', for the verification and for the bytes in the output; default that of "
        "the plan, else 1 MiB or as little more as makes chunks whole");
    line.value("--element", "TYPE", element,
        one_of(element_names()) + ": what the message consists of, as for 'weft run'; default fp32");
    options.add_infra(line, "the system whose links are listed; ranks are its first accelerators");
    options.add_reading(line);
    options.add_parameters(line);
    if (!line.parse(without_dash(arguments))) return exit_good;

    check_choice("--element", element, element_names());
    options.refuse_without_system();
    const OutputFile output(exported);
    PlanOptions reading;
    if (!bytes.empty()) reading.bytes = size_of_message(bytes);
    reading.element_bytes = bytes_of(element);
    PlanReport report;
    report.element_bytes = reading.element_bytes;
    report.plan = read_plan(file, reading);
    for (const Diagnostic& notice : report.plan.notices) report.notices.push_back(notice.text());
    report.bytes = reading.bytes > 0 ? reading.bytes : usual_size(report.plan);
    if (report.bytes % report.element_bytes != 0)
        throw usage_error(fmt::format("{} bytes are not a whole number of {} elements", report.bytes, element),
            "a whole number of elements, or another --element");
    report.verdict = judge(report.plan, message_of(reading.bytes, report.element_bytes));
    for (const Diagnostic& notice : report.verdict.notices) report.notices.push_back(notice.text());
    if (report.verdict.ok) {
        const Layout layout(report.plan.schedule, report.bytes, report.element_bytes);
        report.traffic = traffic_of(report.plan.schedule, layout);
        report.path = longest_chain(report.plan.schedule);
        add_refusal_by_lines(report, layout);
        const std::string remark = size_remark(report.plan, report.bytes);
        if (!remark.empty()) report.notices.push_back(remark);
        if (options.names_system()) add_links(report, options, file);
        if (output.wanted()) {
            const std::string xml = write_msccl_xml(report.plan.schedule, xml_protocol(report.plan));
            if (std::string lost = export_changes(report.plan.schedule, xml); !lost.empty())
                report.notices.push_back(std::move(lost));
            output.write(xml);
        }
    }
    print(json ? plan_json(report) : plan_text(report));
    return report.verdict.ok ? exit_good : exit_wrong;
}

}  // namespace weft
