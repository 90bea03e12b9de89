#include "platform/configuration/parts_file.h"

#include "base/text_file.h"
#include "infragraph/findings.h"
#include "infragraph/yaml_tree.h"
#include "platform/configuration/parameters/yaml_fields.h"

namespace weft {

PartsFile read_parts_file(const std::string& file)
{
    const YamlTree tree(file, read_text_file(file, std::size_t{1} << 24));
    Findings findings(file, false);
    const YamlSource source{tree, findings};
    PartsFile out;
    out.file = file;
    for (const YamlField& field : yaml_fields(source, tree.root(), "the file of parts", {"parts"})) {
        if (tree.kind(field.value) != YamlTree::Kind::sequence) {
            findings.refuse(field.line, "'parts' is " + tree.describe(field.value),
                "a list with an item for each part");
            continue;
        }
        for (std::uint32_t i = 0; i < tree.size(field.value); ++i) {
            const YamlTree::Id item = tree.item(field.value, i);
            const YamlField part{"part " + std::to_string(i), item, tree.line(item)};
            out.lines.push_back(part.line);
            std::vector<PartsFile::Pattern>& patterns = out.parts.emplace_back();
            for (const YamlTree::Id id : yaml_items(source, part))
                if (const auto text = yaml_text(source, id, "a node of " + part.key))
                    patterns.push_back({*text, tree.line(id)});
        }
    }
    if (out.parts.empty() && !findings.failed())
        findings.refuse(tree.line(tree.root()), "no parts", "parts: [[NODES], [NODES]]");
    findings.throw_if_failed();
    return out;
}

}  // namespace weft
