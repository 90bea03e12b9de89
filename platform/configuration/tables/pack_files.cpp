// pack_files OUTPUT FILE...: writes the C++ source that holds the trees of YAML files (packed_files.h). It runs while Weft is built; a
// mistake in a file ends the build with its line.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/text_file.h"
#include "infragraph/yaml_tree.h"

namespace {

void write_source(std::ostream& out, int count, const char* const* files)
{
    std::string table;
    out << "#include \"platform/configuration/tables/packed_files.h\"\n\nnamespace weft {\n\n";
    for (int i = 0; i < count; ++i) {
        const std::string name = std::filesystem::path(files[i]).filename().string();
        const std::string bytes = weft::YamlTree(name, weft::read_text_file(files[i])).packed();
        out << fmt::format("static const unsigned char file_{}[] = {{", i);
        for (std::size_t at = 0; at < bytes.size(); ++at)
            out << (at % 32 == 0 ? "\n" : "") << static_cast<unsigned>(static_cast<unsigned char>(bytes[at])) << ',';
        out << "};\n\n";
        table +=
            fmt::format("        {{\"{}\", {{reinterpret_cast<const char*>(file_{}), {}}}}},\n", name, i, bytes.size());
    }
    out << "std::vector<PackedFile> packed_files()\n{\n    return {\n"
        << table << "    };\n}\n\n}  // namespace weft\n";
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 3) return 2;
    try {
        std::ofstream out(argv[1]);
        write_source(out, argc - 2, argv + 2);
        return out.good() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
