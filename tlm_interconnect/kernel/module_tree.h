// The SystemC hierarchy of a system: modules whose names are those of the document. `dgx.0.xpu.0` is module "0" below "xpu"
// below "0" below "dgx"; what only gives others a place there is an empty module. SystemC allows no spaces in names: they
// are underscores here, and only here.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

namespace weft {

class ModuleTree {
public:
    // Calls `make(name)` with the last part of the path, while the module of the parts before it is the parent of what is made.
    template <class Make>
    auto at(const std::string& document_path, Make make)
    {
        const std::string path = without_spaces(document_path);
        const std::size_t dot = path.rfind('.');
        sc_core::sc_module* parent = dot == std::string::npos ? nullptr : scope(path.substr(0, dot));
        const Within within(parent);
        return make(free_name(path).substr(dot == std::string::npos ? 0 : dot + 1));
    }

    // A part of a path from any text: no dots and no spaces.
    static std::string part(std::string text);

private:
    // Makes `parent` the module below which others are made, for its own lifetime.
    class Within {
    public:
        explicit Within(sc_core::sc_module* parent);
        ~Within();
        Within(const Within&) = delete;
        Within& operator=(const Within&) = delete;

    private:
        bool entered_;
    };

    static std::string without_spaces(std::string text);
    // The module at `path`; made, with all above it, where there is none.
    sc_core::sc_module* scope(const std::string& path);
    // `path`, or with underscores behind it where something has that name already.
    static std::string free_name(std::string path);

    std::vector<std::unique_ptr<sc_core::sc_module>> scopes_;
};

}  // namespace weft
