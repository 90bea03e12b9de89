#include "infragraph/foreign_form.h"

#include <optional>

#include "base/diagnostic.h"

namespace weft {

namespace {

std::optional<std::uint32_t> entry(const YamlTree& tree, YamlTree::Id mapping, std::string_view key)
{
    if (tree.kind(mapping) != YamlTree::Kind::mapping) return std::nullopt;
    for (std::uint32_t i = 0; i < tree.size(mapping); ++i)
        if (tree.text_or_empty(tree.key(mapping, i)) == key) return i;
    return std::nullopt;
}

[[noreturn]] void refuse_draft(const std::string& file, int line, const std::string& sign)
{
    throw InputError(file, line, "this is a draft from before InfraGraph 0.4 (" + sign + ")",
        "a document of the released model, with 'devices', 'instances' and 'edges'");
}

// `connections` as text, and `type` in place of `choice`.
void refuse_draft_device(const YamlTree& tree, const std::string& file, YamlTree::Id device)
{
    if (const auto i = entry(tree, device, "connections"))
        refuse_draft(file, tree.line(tree.key(device, *i)), "it has 'connections' in place of 'edges'");
    const auto components = entry(tree, device, "components");
    if (!components || tree.kind(tree.value(device, *components)) != YamlTree::Kind::sequence) return;
    const YamlTree::Id list = tree.value(device, *components);
    for (std::uint32_t i = 0; i < tree.size(list); ++i) {
        const YamlTree::Id component = tree.item(list, i);
        const auto type = entry(tree, component, "type");
        if (type && !entry(tree, component, "choice"))
            refuse_draft(file, tree.line(tree.key(component, *type)), "a component has 'type' in place of 'choice'");
    }
}

void refuse_draft_devices(const YamlTree& tree, const std::string& file, YamlTree::Id top)
{
    const auto devices = entry(tree, top, "devices");
    if (!devices || tree.kind(tree.value(top, *devices)) != YamlTree::Kind::sequence) return;
    const YamlTree::Id list = tree.value(top, *devices);
    for (std::uint32_t i = 0; i < tree.size(list); ++i) refuse_draft_device(tree, file, tree.item(list, i));
}

}  // namespace

bool has_key(const YamlTree& tree, YamlTree::Id mapping, std::string_view key)
{
    return entry(tree, mapping, key).has_value();
}

bool is_device(const YamlTree& tree)
{
    const YamlTree::Id top = tree.root();
    return has_key(tree, top, "components") && !has_key(tree, top, "devices") && !has_key(tree, top, "instances");
}

void refuse_foreign_form(const YamlTree& tree, const std::string& file)
{
    const YamlTree::Id top = tree.root();
    if (tree.kind(top) != YamlTree::Kind::mapping)
        throw InputError(file, tree.line(top), "the document is " + tree.describe(top),
            "a mapping with 'devices', 'instances' and 'edges'");
    const auto wrapper = entry(tree, top, "infrastructure");
    if (wrapper && !has_key(tree, top, "annotations"))
        refuse_draft(file, tree.line(tree.key(top, *wrapper)), "the whole document is under the key 'infrastructure'");
    if (const auto device = entry(tree, top, "device"))
        refuse_draft(file, tree.line(tree.key(top, *device)), "it has 'device' in place of 'devices'");
    refuse_draft_device(tree, file, top);
    refuse_draft_devices(tree, file, top);

    if (!wrapper && !has_key(tree, top, "devices") && !has_key(tree, top, "instances") &&
        (has_key(tree, top, "nodes") || has_key(tree, top, "graph")))
        throw InputError(file, tree.line(top), "this is an annotation request, which annotates an infrastructure",
            "an infrastructure; give the request beside it");
}

}  // namespace weft
