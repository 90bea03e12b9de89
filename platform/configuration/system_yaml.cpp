// The YAML form of a SystemDescription.
#include "base/diagnostic.h"
#include "base/text_file.h"
#include "platform/configuration/system_file.h"
#include "platform/configuration/tables/profile.h"

namespace weft {

namespace {

const std::vector<std::string> top_keys{"system", "infrastructure", "profile", "bind", "links", "parameters", "routing",
    "engine", "seed", "lenient", "workload"};

class SystemReader {
public:
    SystemReader(const std::string& path, const std::string& text)
        : tree_(path, text), findings_(path, false), source_{tree_, findings_}
    {
        const std::size_t slash = path.rfind('/');
        // Files that a stream names lie where the command was given: /dev/fd holds none.
        if (slash != std::string::npos && !is_stream(path)) folder_ = path.substr(0, slash + 1);
        out_.file = path;
    }

    SystemDescription read()
    {
        bool has_infrastructure = false;
        for (const YamlField& field : yaml_fields(source_, tree_.root(), "the system file", top_keys)) {
            has_infrastructure = has_infrastructure || field.key == "infrastructure";
            read_field(field);
        }
        if (!has_infrastructure) findings_.refuse(0, "names no InfraGraph document", "'infrastructure: PATH'");
        findings_.throw_if_failed();
        return std::move(out_);
    }

private:
    void read_field(const YamlField& field)
    {
        if (field.key == "system") {
            out_.name = yaml_text(source_, field).value_or("");
        } else if (field.key == "infrastructure") {
            out_.infrastructure = relative(yaml_text(source_, field).value_or(""));
            out_.infrastructure_line = field.line;
        } else if (field.key == "profile") {
            out_.profile = profile_name(field);
            out_.profile_file = out_.file;
            out_.profile_line = field.line;
        } else if (field.key == "bind") {
            read_bindings(field);
        } else if (field.key == "links") {
            for (const YamlField& link : yaml_fields(source_, field.value, "'links'", {}))
                read_block(link, "links." + link.key + ".");
        } else if (field.key == "parameters") {
            read_block(field, "");
        } else if (field.key == "routing" || field.key == "engine") {
            read_block(field, field.key + ".");
        } else if (field.key == "seed") {
            out_.seed = yaml_seed(source_, field).value_or(0);
        } else if (field.key == "lenient") {
            out_.lenient = yaml_flag(source_, field).value_or(false);
        } else if (field.key == "workload") {
            out_.workload = read_workload(source_, field, folder_);
        }
    }

    // Paths are relative to the system file.
    std::string relative(const std::string& path) const
    {
        return path.empty() || path[0] == '/' ? path : folder_ + path;
    }

    std::string profile_name(const YamlField& field)
    {
        const std::string name = yaml_text(source_, field).value_or("");
        if (!is_profile_file(name) || name[0] == '/') return name;
        return folder_.empty() && name.find('/') == std::string::npos ? "./" + name : folder_ + name;
    }

    void read_block(const YamlField& field, const std::string& prefix)
    {
        for (const YamlField& entry : yaml_fields(source_, field.value, in_quotes(field.key), {}))
            if (const auto value = yaml_text(source_, entry))
                out_.assignments.push_back({prefix + entry.key, *value, out_.file, entry.line});
    }

    void read_bindings(const YamlField& field)
    {
        if (tree_.kind(field.value) != YamlTree::Kind::sequence) {
            findings_.refuse(field.line, "'bind' is " + tree_.describe(field.value),
                "a list of {nodes, profile, model, traffic, kind}");
            return;
        }
        for (std::uint32_t i = 0; i < tree_.size(field.value); ++i) {
            const YamlTree::Id item = tree_.item(field.value, i);
            Binding binding;
            binding.file = out_.file;
            binding.line = tree_.line(item);
            for (const YamlField& part :
                yaml_fields(source_, item, "an entry of 'bind'", {"nodes", "profile", "model", "traffic", "kind"})) {
                if (part.key == "nodes") read_nodes(part, binding.nodes);
                if (part.key == "profile") binding.profile = profile_name(part);
                if (part.key == "model") binding.model = yaml_text(source_, part).value_or("");
                if (part.key == "kind") binding.kind = yaml_text(source_, part).value_or("");
                if (part.key == "traffic") binding.traffic = relative(yaml_text(source_, part).value_or(""));
            }
            if (tree_.kind(item) == YamlTree::Kind::mapping && binding.nodes.text().empty())
                findings_.refuse(binding.line, "an entry of 'bind' names no nodes",
                    "'nodes: GLOB' or 'nodes: {component: NAME}'");
            if (!binding.traffic.empty() && binding.model.empty()) binding.model = "replay";
            if (!binding.traffic.empty() && binding.model != "replay")
                findings_.refuse(binding.line, "'traffic' with model " + in_quotes(binding.model), "'model: replay'");
            if (tree_.kind(item) == YamlTree::Kind::mapping && binding.profile.empty() && binding.model.empty() &&
                binding.kind.empty())
                findings_.refuse(binding.line, "an entry of 'bind' has no effect", "'profile', 'model' or 'kind'");
            out_.bindings.push_back(std::move(binding));
        }
    }

    void read_nodes(const YamlField& field, NodeSelector& out)
    {
        if (tree_.kind(field.value) != YamlTree::Kind::mapping) {
            out.glob = yaml_text(source_, field).value_or("");
            return;
        }
        for (const YamlField& part : yaml_fields(source_, field.value, "'nodes'", {"component", "device", "type"})) {
            const std::string text = yaml_text(source_, part).value_or("");
            if (part.key == "component") out.component = text;
            if (part.key == "device") out.device = text;
            if (part.key == "type") out.type = text;
        }
    }

    YamlTree tree_;
    Findings findings_;
    YamlSource source_;
    std::string folder_;
    SystemDescription out_;
};

}  // namespace

SystemDescription read_system_text(const std::string& path, const std::string& text)
{
    return SystemReader(path, text).read();
}

bool is_system_text(const std::string& path, const std::string& text)
{
    try {
        const YamlTree tree(path, text);
        if (tree.kind(tree.root()) != YamlTree::Kind::mapping) return false;
        for (std::uint32_t i = 0; i < tree.size(tree.root()); ++i) {
            const std::string_view key = tree.text_or_empty(tree.key(tree.root(), i));
            if (key == "system") return true;
            if (key == "infrastructure") return !tree.text_or_empty(tree.value(tree.root(), i)).empty();
        }
    } catch (const InputError&) {
        return false;
    }
    return false;
}

}  // namespace weft
