#include "platform/configuration/workload.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "gpu/kernels/gemm.h"

namespace weft {

namespace {

const std::vector<std::string> elements{"int32", "fp32", "bf16", "u8"};
const std::vector<std::string> reductions{"sum", "min", "max"};
const std::vector<std::string> dependency_rules{"automatic", "data", "data_and_control"};

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_name(const std::string& name, const char* kind, const std::vector<std::string>& known,
    const std::string& file, int line, std::vector<Diagnostic>& problems)
{
    if (known.empty() || contains(known, name)) return;
    problems.push_back({file, line, std::string("unknown ") + kind + " " + in_quotes(name),
        expected_name(fmt::format("one of {}", fmt::join(known, ", ")), name, known)});
}

void read_ranks(const YamlSource& source, const YamlField& field, Workload& out)
{
    if (source.tree.kind(field.value) == YamlTree::Kind::integer) {
        out.rank_count = yaml_number(source, field).value_or(0);
        if (out.rank_count == 0) source.findings.refuse(field.line, "'ranks' is 0", "at least 1");
        return;
    }
    // None would stand for all.
    if (source.tree.kind(field.value) == YamlTree::Kind::sequence && source.tree.size(field.value) == 0)
        source.findings.refuse(field.line, "'ranks' is an empty list", "at least one node or pattern, or no 'ranks'");
    for (const YamlTree::Id item : yaml_items(source, field))
        if (auto text = yaml_text(source, item, "an entry of 'ranks'")) out.rank_nodes.push_back(std::move(*text));
}

void read_beside(const YamlSource& source, const YamlField& field, Workload& out)
{
    const auto text = yaml_text(source, field);
    if (!text) return;
    if (!Gemm::parse(*text)) source.findings.refuse(field.line, in_quotes(*text) + " is not a kernel", kernel_form);
    out.beside = *text;
}

// {rank: time}
void read_delays(const YamlSource& source, const YamlField& field, Workload& out)
{
    const std::vector<YamlField> entries = yaml_fields(source, field.value, "'delay'", {});
    if (entries.empty() && source.tree.kind(field.value) == YamlTree::Kind::mapping)
        source.findings.refuse(field.line, "'delay' is an empty mapping", "a rank and its delay, such as {0: 10 us}");
    for (const YamlField& entry : entries) {
        const bool is_rank = !entry.key.empty() && entry.key.size() <= 5 &&
            entry.key.find_first_not_of("0123456789") == std::string::npos;
        if (!is_rank)
            source.findings.refuse(entry.line, in_quotes(entry.key) + " is not a rank", "its number, such as 0");
        const auto text = yaml_text(source, entry);
        if (!text) continue;
        const auto time = parse_time_ps(*text);
        if (!time) source.findings.refuse(entry.line, in_quotes(*text) + " is not a time", "a time such as 10 us");
        if (is_rank && time && !out.delays.emplace(std::stoul(entry.key), *time).second)
            source.findings.refuse(entry.line, "two delays of rank " + std::to_string(std::stoul(entry.key)),
                "one for each rank");
    }
}

std::string resolved(const std::string& path, const std::string& folder)
{
    return path.empty() || path[0] == '/' ? path : folder + path;
}

// A plan says itself what it carries out, and how many ranks do.
void refuse_beside_plan(const YamlSource& source, const std::vector<YamlField>& fields)
{
    const bool has_plan =
        std::any_of(fields.begin(), fields.end(), [](const YamlField& part) { return part.key == "plan"; });
    for (const YamlField& part : fields)
        if (has_plan && (part.key == "collective" || part.key == "algorithm" || part.key == "root"))
            source.findings.refuse(part.line, in_quotes(part.key) + " together with 'plan'", "one of them");
}

void refuse_beside_trace(const YamlSource& source, const std::vector<YamlField>& fields)
{
    const bool has_trace =
        std::any_of(fields.begin(), fields.end(), [](const YamlField& part) { return part.key == "trace"; });
    for (const YamlField& part : fields)
        if (has_trace && (part.key == "collective" || part.key == "plan"))
            source.findings.refuse(part.line, in_quotes(part.key) + " together with 'trace'", "one of them");
}

// Keys that the collective or the algorithm has no use for; the command line refuses them, too.
void refuse_strangers(const YamlSource& source, const std::vector<YamlField>& fields, const Workload& workload)
{
    if (workload.kind != Workload::Kind::collective || !workload.plan.empty() || workload.collective.empty()) return;
    const std::string& name = workload.collective;
    CollectiveOp op = CollectiveOp::custom;
    // Another name is said to be unknown.
    if (!collective_from_name(name, op) || algorithm_names(op).empty()) return;
    for (const YamlField& part : fields) {
        if (part.key == "root" && !has_root(op))
            source.findings.refuse(part.line, "'root' with " + in_quotes(name),
                "a broadcast, reduce, gather or scatter, or no 'root'");
        if (part.key == "reduction" && !has_reduction(op))
            source.findings.refuse(part.line, "'reduction' with " + in_quotes(name),
                "all_reduce, reduce_scatter or reduce, or no 'reduction'");
        if (part.key == "bytes" && op == CollectiveOp::barrier && workload.bytes > 0)
            source.findings.refuse(part.line, "'bytes' with a barrier, which has no message", "no 'bytes'");
        if (part.key == "chunks" && workload.algorithm != "synthesize")
            source.findings.refuse(part.line, "'chunks' without a synthesized schedule",
                "'algorithm: synthesize' with it");
    }
}

}  // namespace

Workload read_workload(const YamlSource& source, const YamlField& field, const std::string& folder)
{
    Workload out;
    out.line = field.line;
    const std::vector<std::string> of_collective{"collective", "plan", "bytes", "algorithm", "type", "reduction",
        "ranks", "root", "delay", "rings", "pipeline", "dimensions", "chunks"};
    const std::vector<std::string> of_trace{"trace", "groups", "dependencies"};
    const std::vector<std::string> of_both{"algorithm", "dimensions"};
    std::vector<std::string> all = of_collective;
    all.insert(all.end(), of_trace.begin(), of_trace.end());
    all.push_back("beside");
    const auto fields = yaml_fields(source, field.value, "'workload'", all);
    for (const YamlField& part : fields) {
        out.lines.emplace(part.key, part.line);
        if (part.key == "collective") out.kind = Workload::Kind::collective;
        if (part.key == "plan") out.kind = Workload::Kind::collective;
        if (part.key == "trace") out.kind = Workload::Kind::trace;
    }
    refuse_beside_plan(source, fields);
    refuse_beside_trace(source, fields);
    bool has_bytes = false;
    bool zero_bytes = false;
    for (const YamlField& part : fields) {
        if (part.key == "beside") {
            read_beside(source, part, out);
            continue;
        }
        if (part.key == "collective" || part.key == "plan" || part.key == "trace") {
            // Two of them have been refused.
            const auto text = yaml_text(source, part);
            if (!text) continue;
            if (part.key == "collective") out.collective = *text;
            if (part.key == "plan") out.plan = resolved(*text, folder);
            if (part.key == "trace") out.trace = resolved(*text, folder);
            continue;
        }
        const bool trace_key =
            contains(of_trace, part.key) || (out.kind == Workload::Kind::trace && contains(of_both, part.key));
        if (out.kind == Workload::Kind::none || trace_key != (out.kind == Workload::Kind::trace)) {
            source.findings.refuse(part.line,
                in_quotes(part.key) + " without '" + (trace_key ? "trace'" : "collective'"),
                "one of 'collective', 'plan' and 'trace', and its keys");
            continue;
        }
        if (part.key == "ranks") {
            read_ranks(source, part, out);
            continue;
        }
        if (part.key == "delay") {
            read_delays(source, part, out);
            continue;
        }
        if (part.key == "rings" || part.key == "pipeline") {
            const auto number = yaml_number(source, part);
            if (number && *number == 0) source.findings.refuse(part.line, in_quotes(part.key) + " is 0", "at least 1");
            (part.key == "rings" ? out.rings : out.pipeline) = number.value_or(0);
            continue;
        }
        if (part.key == "chunks") {
            out.chunks = yaml_number(source, part).value_or(0);
            if (out.chunks == 0 || out.chunks > most_chunks)
                source.findings.refuse(part.line, "'chunks' out of range", "1 to " + std::to_string(most_chunks));
            continue;
        }
        if (part.key == "root") {
            out.root = yaml_number(source, part).value_or(0);
            continue;
        }
        const auto text = yaml_text(source, part);
        if (!text) continue;
        if (part.key == "algorithm") out.algorithm = *text;
        if (part.key == "type") out.element = *text;
        if (part.key == "dimensions") {
            std::string repeated;
            const auto dimensions = dimensions_from_text(*text, &repeated);
            if (!dimensions && !repeated.empty())
                source.findings.refuse(part.line,
                    in_quotes(*text) + " has the name " + in_quotes(repeated) + " for two dimensions",
                    "a name for each dimension");
            else if (!dimensions)
                source.findings.refuse(part.line, in_quotes(*text) + " are not dimensions", dimensions_form);
            out.dimensions = dimensions.value_or(std::vector<Dimension>{});
        }
        if (part.key == "reduction") out.reduction = *text;
        if (part.key == "groups") out.groups = resolved(*text, folder);
        if (part.key == "dependencies") out.dependencies = *text;
        if (part.key == "bytes") {
            has_bytes = true;
            const auto bytes = parse_bytes(*text);
            if (!bytes) source.findings.refuse(part.line, in_quotes(*text) + " is not a size", "a size such as 1 MiB");
            out.bytes = bytes.value_or(0);
            zero_bytes = bytes && *bytes == 0;
        }
    }
    refuse_strangers(source, fields, out);
    for (const YamlField& part : fields)
        if (part.key == "bytes" && zero_bytes && out.collective != "barrier")
            source.findings.refuse(part.line, "'bytes' is 0", "at least one byte, such as 1 MiB");
    if (fields.empty() && source.tree.kind(field.value) == YamlTree::Kind::mapping)
        source.findings.refuse(field.line, "'workload' is empty", "'collective', 'plan' or 'trace'");
    if (out.kind == Workload::Kind::collective && !has_bytes && out.collective != "barrier" && out.plan.empty())
        source.findings.refuse(field.line, "the size of the collective is missing", "a size, such as 'bytes: 1 MiB'");
    return out;
}

void check_workload(const Workload& workload, const KnownNames& known, const std::string& file,
    std::vector<Diagnostic>& problems)
{
    if (workload.kind == Workload::Kind::none) return;
    const auto check = [&](const std::string& name, const char* key, const char* kind,
                           const std::vector<std::string>& names) {
        check_name(name, kind, names, file, workload.line_of(key), problems);
    };
    if (!workload.algorithm.empty() && workload.plan.empty())
        check(workload.algorithm, "algorithm", "algorithm", known.algorithms);
    if (workload.kind == Workload::Kind::trace) {
        if (!workload.dependencies.empty())
            check(workload.dependencies, "dependencies", "rule of dependencies", dependency_rules);
        return;
    }
    if (workload.plan.empty()) check(workload.collective, "collective", "collective", known.collectives);
    check(workload.element, "type", "element type", elements);
    check(workload.reduction, "reduction", "reduction", reductions);
}

}  // namespace weft
