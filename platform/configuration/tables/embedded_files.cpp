#include "platform/configuration/tables/embedded_files.h"

#include "base/diagnostic.h"
#include "platform/configuration/tables/packed_files.h"

namespace weft {

const std::vector<EmbeddedFile>& embedded_files()
{
    static const std::vector<EmbeddedFile> files = [] {
        std::vector<EmbeddedFile> out;
        for (const PackedFile& file : packed_files()) out.push_back({file.name, YamlTree::unpacked(file.bytes)});
        return out;
    }();
    return files;
}

const YamlTree& embedded_file(const std::string& name)
{
    for (const EmbeddedFile& file : embedded_files())
        if (file.name == name) return file.tree;
    throw InputError(name, 0, "is not part of this program");
}

}  // namespace weft
