#include "platform/assembly/plugin.h"

#include <iterator>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/diagnostic.h"
#include "base/read_files.h"
#include "platform/assembly/plugin_loader.h"

namespace weft {

namespace {

std::string last_error()
{
    const char* const text = ::dlerror();
    const std::string all = text == nullptr ? "the operating system gave no reason" : text;
    return all.substr(0, all.find('\n'));
}

// The first difference, in words.
std::string difference(const PluginAbi& theirs, const PluginAbi& ours)
{
    if (theirs.interface != ours.interface)
        return "was compiled against version " + std::to_string(theirs.interface) + " of the plug-in interface";
    if (theirs.systemc != ours.systemc) return "was compiled against SystemC of " + std::to_string(theirs.systemc);
    const std::pair<std::uint32_t PluginAbi::*, const char*> sizes[] = {{&PluginAbi::line, "transactions"},
        {&PluginAbi::request, "switch requests"}, {&PluginAbi::output_port, "output ports"},
        {&PluginAbi::sockets, "sockets"}, {&PluginAbi::event_queue, "event_queue and components"},
        {&PluginAbi::registry, "registry"}, {&PluginAbi::adapters, "adapters"}, {&PluginAbi::space, "buffer space"},
        {&PluginAbi::link, "parameters and counts of links"}};
    static_assert(sizeof(PluginAbi) == (2 + std::size(sizes)) * sizeof(std::uint32_t), "a size that nobody compares");
    for (const auto& [size, name] : sizes)
        if (theirs.*size != ours.*size)
            return fmt::format("was compiled against another Weft: its {} have {} B, those of this program {} B", name,
                theirs.*size, ours.*size);
    return "";
}

}  // namespace

void load_plugin(const std::string& file, ModelRegistry& registry)
{
    const std::string wanted = "a shared library that defines WEFT_PLUGIN";
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) throw InputError(file, 0, "no such plug-in", wanted);
    if (!S_ISREG(status.st_mode)) throw InputError(file, 0, "is not a file", wanted);
    // Without a slash the loader would look elsewhere.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    note_read_file(path);
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw InputError(file, 0, "cannot be loaded: " + last_error(), wanted);
    const void* const abi = ::dlsym(library, "weft_plugin_abi");
    void* const entry = ::dlsym(library, "weft_register");
    if (abi == nullptr || entry == nullptr) throw InputError(file, 0, "has no entry point weft_register", wanted);
    const PluginAbi ours;
    const std::string differs = difference(*static_cast<const PluginAbi*>(abi), ours);
    if (!differs.empty())
        throw InputError(file, 0, differs,
            "one compiled against version " + std::to_string(ours.interface) + " of this Weft's headers");
    try {
        reinterpret_cast<void (*)(ModelRegistrar&)>(entry)(registry);
    } catch (const InputError& error) {
        throw InputError(file, 0, error.diagnostics().front().what, error.diagnostics().front().expected);
    } catch (const std::exception& error) {
        throw InputError(file, 0, std::string("its entry point failed: ") + error.what(), wanted);
    }
}

}  // namespace weft
