#include "rtl/verilated/block_library.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/read_files.h"
#include "rtl/verilated/block_shim.h"
#include "rtl/verilated/tool_process.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

void write(const fs::path& file, const std::string& text)
{
    std::ofstream out(file, std::ios::binary);
    out << text;
}

std::string quoted(const std::string& word)
{
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// Asked by each program that uses a block. `verilator` is a script of Perl, which takes ten times as long as the program beside it
// that it calls.
const std::string& verilator_version()
{
    static const std::string version =
        tool_output("p=$(readlink -f \"$(command -v verilator)\"); p=${p%/*}/verilator_bin; "
                    "if [ -z \"$VERILATOR_ROOT$VERILATOR_BIN\" ] && [ -x \"$p\" ]; then \"$p\" --version; else "
                    "verilator --version; fi");
    return version;
}

// mold links a block in a quarter of the time.
const std::string& linker()
{
    static const std::string option = tool_output("command -v mold").empty() ? "" : " -fuse-ld=mold";
    return option;
}

// FNV-1a, 128 bits as two lanes.
class Digest {
public:
    void add(const std::string& text)
    {
        for (const char c : text + '\0') {
            low_ = (low_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
            high_ = (high_ ^ static_cast<unsigned char>(c) ^ low_ >> 56) * 0x100000001b3U;
        }
    }
    std::string text() const { return fmt::format("{:016x}{:016x}", high_, low_); }

private:
    std::uint64_t low_ = 0xcbf29ce484222325U;
    std::uint64_t high_ = 0x84222325cbf29ce4U;
};

fs::path cache_folder()
{
    if (const char* const own = std::getenv("WEFT_RTL_CACHE")) return own;
    if (const char* const xdg = std::getenv("XDG_CACHE_HOME")) return fs::path(xdg) / "weft" / "rtl";
    if (const char* const home = std::getenv("HOME")) return fs::path(home) / ".cache" / "weft" / "rtl";
    return fs::temp_directory_path() / "weft-rtl";
}

// One builder of a folder at a time.
class FolderLock {
public:
    explicit FolderLock(const fs::path& folder)
        : file_(::open((folder.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644))
    {
        if (file_ < 0)
            throw InputError(folder.string(), 0, "cannot be written", "a folder for verilated blocks (WEFT_RTL_CACHE)");
        ::flock(file_, LOCK_EX);
    }
    ~FolderLock() { ::close(file_); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int file_;
};

// The line in which a tool complains, as Verilator and compilers write them: its first error. A warning is one only where
// nothing but warnings stopped it ("%Error: Exiting due to 2 warning(s)").
std::string first_complaint(const fs::path& log)
{
    std::ifstream in(log);
    std::string line;
    std::string warning;
    while (std::getline(in, line)) {
        const std::size_t error = line.find("%Error");
        if (error != std::string::npos && line.find("Exiting due to", error) == std::string::npos)
            return line.substr(error);
        if (const std::size_t other = line.find("error:");
            error == std::string::npos && other != std::string::npos && line.find('%') == std::string::npos)
            return line.substr(other);
        if (const std::size_t at = line.find("%Warning"); at != std::string::npos && warning.empty())
            warning = line.substr(at);
    }
    return warning;
}

std::string without_stop(std::string text)
{
    if (!text.empty() && text.back() == '.') text.pop_back();
    return text;
}

InputError complaint(const fs::path& log, const std::string& tool)
{
    const std::string line = first_complaint(log);
    if (line.empty()) return InputError(log.string(), 0, tool + " failed", "a block that it can build");
    const std::string expected = "RTL that " + tool + " takes (" + log.string() + ")";
    if (line[0] != '%') return InputError("", 0, line, expected);
    // %Error-KIND: file:line:column: text
    const std::size_t colon = line.find(": ");
    const std::size_t place = colon + 2;
    const std::size_t file_end = colon == std::string::npos ? colon : line.find(':', place);
    const std::size_t line_end = file_end == std::string::npos ? file_end : line.find(':', file_end + 1);
    if (line_end == std::string::npos) return InputError("", 0, without_stop(line.substr(1)), expected);
    const int number = std::atoi(line.c_str() + file_end + 1);
    const std::size_t text = line.find(": ", line_end);
    if (number <= 0 || text == std::string::npos) return InputError("", 0, without_stop(line.substr(1)), expected);
    return InputError(line.substr(place, file_end - place), number,
        line.substr(1, colon - 1) + ": " + line.substr(text + 2), expected);
}

void run(const std::string& command, const fs::path& log, const std::string& tool)
{
    if (run_tool(command, log.string()) != 0) throw complaint(log, tool);
}

// How far the C++ compiler goes with a block.
std::string optimisation()
{
    const char* const wanted = std::getenv("WEFT_RTL_OPTIMISE");
    return wanted == nullptr ? "-O2" : wanted;
}

// Without optimisation it is the compiler that takes long: Verilator then keeps modules apart and wide assignments whole, which
// is half of the C++ and the same values.
const char* verilator_flags() { return optimisation() == "-O0" ? " --expand-limit 1 -fno-inline" : ""; }

constexpr const char* compile_flags =
    "-std=c++17 -fPIC -fvisibility=hidden -fno-semantic-interposition -w "
    "-DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE_VCD=0 -DVL_USER_FINISH -DVL_USER_STOP -DVL_USER_FATAL -DVL_USER_WARN "
    "-DVL_PRINTF=weft_block_printf";
constexpr const char* printf_header = "int weft_block_printf(const char* format, ...);\n";

// What all blocks share, compiled once: Verilator's run-time library, and its header, which costs a small block more than
// the block does.
struct Runtime {
    std::string objects;
    std::string flags;  // of a block
};

// Makes what is in `folder` where it is not there yet; two processes do it one after the other.
template <typename Make>
void make_once(const fs::path& folder, Make make)
{
    const FolderLock lock(folder);
    if (fs::exists(folder / "done")) return;
    fs::create_directories(folder);
    make([&folder](const std::string& command) { run("c++ " + command, folder / "compile.log", "the C++ compiler"); });
    write(folder / "done", "");
}

Runtime block_runtime(const fs::path& cache, const std::string& root, bool trace)
{
    Digest digest;
    digest.add(verilator_version());
    digest.add(compile_flags);
    digest.add(optimisation());                                     // a precompiled header goes with one level, too
    const fs::path library = cache / ("runtime-" + digest.text());  // none of its sources depends on `trace`
    digest.add(trace ? "trace" : "");
    const fs::path waves = cache / ("runtime-" + digest.text());
    const fs::path headers = cache / ("header-" + digest.text());
    Runtime out;
    out.flags = fmt::format("{} -DVM_TRACE={} -DVM_TRACE_FST={} -I{} -I{}", compile_flags, trace ? 1 : 0, trace ? 1 : 0,
        quoted(root + "/include"), quoted(root + "/include/vltstd"));
    const auto build = [&](const fs::path& folder, const std::vector<std::string>& sources) {
        make_once(folder, [&](const auto& compile) {
            const fs::path printf = folder / "weft_printf.h";
            write(printf, printf_header);
            for (const std::string& source : sources)
                compile(fmt::format("{} {} -include {} -c {} -o {}", quoted(optimisation()), out.flags,
                    quoted(printf.string()), quoted(fmt::format("{}/include/{}.cpp", root, source)),
                    quoted((folder / (source + ".o")).string())));
        });
        for (const std::string& source : sources) out.objects += " " + quoted((folder / (source + ".o")).string());
    };
    build(library, {"verilated", "verilated_threads"});
    if (trace) build(waves, {"verilated_fst_c"});
    const fs::path header = headers / "weft_block.h";
    make_once(headers, [&](const auto& compile) {
        write(header,
            fmt::format("{}#include <cstdarg>\n#include <cstdio>\n#include <string>\n#include \"verilated.h\"\n{}",
                printf_header, trace ? "#include \"verilated_fst_c.h\"\n" : ""));
        compile(fmt::format("{} {} -x c++-header {} -o {}", quoted(optimisation()), out.flags, quoted(header.string()),
            quoted(header.string() + ".gch")));
    });
    out.flags += fmt::format(" -include {}", quoted(header.string()));
    return out;
}

}  // namespace

bool verilator_available() { return !verilator_version().empty(); }

std::string rtl_file(const std::string& name)
{
    if (const char* const own = std::getenv("WEFT_RTL_DIR")) return (fs::path(own) / name).string();
    const fs::path built = fs::path(WEFT_RTL_FOLDER) / name;
    std::error_code ignored;
    if (fs::exists(built, ignored)) return built.string();
    // An installed program has them beside it.
    return (fs::read_symlink("/proc/self/exe", ignored).parent_path() / "../share/weft/rtl" / name)
        .lexically_normal()
        .string();
}

namespace {

// The block with inputs for notes around it: its ports as vectors, by the same names.
BlockSource with_notes(const BlockSource& source)
{
    BlockSource bare = source;
    bare.notes = 0;
    bare.trace = false;
    const fs::path folder = fs::path(block_library(bare)).parent_path();
    std::string ports;
    for (const PinInfo& pin : pins_of_header((folder / "Vblock.h").string()))
        ports += fmt::format("    {} logic [{}:0] {},\n", pin.input ? "input" : "output", pin.width - 1, pin.name);
    for (unsigned note = 0; note < source.notes; ++note)
        ports += fmt::format("    input logic [{}:0] note_{}{}\n", 8 * BlockSource::note_bytes - 1, note,
            note + 1 < source.notes ? "," : "");
    std::string parameters;
    for (const auto& [name, value] : source.parameters)
        parameters += fmt::format("{}.{}({})", parameters.empty() ? "" : ", ", name, value);
    const fs::path file = folder / fmt::format("weft_noted_{}.sv", source.notes);
    const fs::path made = file.string() + fmt::format(".{}", ::getpid());
    write(made,
        fmt::format("module weft_noted (\n{});\n    {} #({}) block (.*);\nendmodule\n", ports, source.top, parameters));
    fs::rename(made, file);
    BlockSource out = source;
    out.top = "weft_noted";
    out.files.push_back(file.string());
    out.parameters.clear();
    out.notes = 0;
    out.lint = false;
    return out;
}

}  // namespace

std::string block_library(const BlockSource& source)
{
    if (source.notes > 0) return block_library(with_notes(source));
    if (!verilator_available())
        throw InputError(source.files.empty() ? source.top : source.files.back(), 0, "Verilator is not installed",
            "the program verilator (Debian package verilator)");
    Digest digest;
    digest.add(verilator_version());
    digest.add(compile_flags);
    digest.add(block_shim({}, source.trace));
    digest.add(source.top);
    std::string options;
    for (const auto& [name, value] : source.parameters) options += " " + quoted(fmt::format("-G{}={}", name, value));
    for (const std::string& name : source.defines) options += " " + quoted("-D" + name);
    options += source.assertions ? " --assert" : " --noassert";
    options += verilator_flags();
    if (source.trace) options += " --trace-fst --trace-structs";
    const char* const lint = std::getenv("WEFT_RTL_LINT");
    options += source.lint && (lint == nullptr || std::strcmp(lint, "off") != 0) ? " -Wall" : " -Wno-fatal";
    digest.add(options);
    digest.add(optimisation());
    for (const std::string& folder : source.include_folders) {
        options += " " + quoted("-I" + fs::absolute(folder).string());
        // Whatever of it is included counts.
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.is_regular_file()) names.push_back(entry.path().string());
        std::sort(names.begin(), names.end());
        for (const std::string& name : names) {
            note_read_file(name);
            digest.add(contents(name));
        }
    }
    for (const std::string& file : source.files) {
        if (!fs::is_regular_file(file)) throw InputError(file, 0, "no such file", "a file of SystemVerilog");
        options += " " + quoted(fs::absolute(file).string());
        digest.add(fs::path(file).filename().string());
        note_read_file(file);
        digest.add(contents(file));
    }

    const fs::path cache = cache_folder();
    fs::create_directories(cache);
    const fs::path folder = cache / (source.top + "-" + digest.text());
    const fs::path library = folder / "block.so";
    if (fs::exists(library)) return library.string();
    const FolderLock lock(folder);
    if (fs::exists(library)) return library.string();

    fs::create_directories(folder);
    std::fprintf(stderr, "weft: verilating %s, once for these parameters\n", source.top.c_str());
    // From a folder without RTL: where weft runs, Verilator would find modules that are not in the digest.
    run(fmt::format(
            "(cd {} && verilator --cc --prefix Vblock --top-module {} --Mdir {} -O3 --x-assign fast --x-initial unique "
            "--no-timing{})",
            quoted(fs::absolute(folder).string()), quoted(source.top), quoted(fs::absolute(folder).string()), options),
        folder / "verilator.log", "Verilator");
    const std::string root = tool_output("verilator --getenv VERILATOR_ROOT");
    const Runtime runtime = block_runtime(cache, root, source.trace);
    write(folder / "shim.cpp", block_shim(pins_of_header((folder / "Vblock.h").string()), source.trace));
    // All in one unit.
    std::string all = "#include \"shim.cpp\"\n";
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("Vblock", 0) == 0 && entry.path().extension() == ".cpp" && name != "Vblock__ALL.cpp")
            names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    // Constructors and initial blocks run once, but are about half of the code: they are compiled without optimisation.
    const auto once = [](const std::string& name) {
        return name.find("__Slow") != std::string::npos || name.find("__Syms") != std::string::npos;
    };
    for (const std::string& name : names) {
        const std::string include = "#include \"" + name + "\"\n";
        all += once(name)
            ? "#pragma GCC push_options\n#pragma GCC optimize(\"O0\")\n" + include + "#pragma GCC pop_options\n"
            : include;
    }
    write(folder / "all.cpp", all);
    const fs::path made = folder / fmt::format("block.so.{}", ::getpid());
    run(fmt::format("c++ {}{} {} -I{} -shared -Wl,-Bsymbolic -Wl,-z,defs {} {} -o {}{}", quoted(optimisation()),
            linker(), runtime.flags, quoted(folder.string()), quoted((folder / "all.cpp").string()), runtime.objects,
            quoted(made.string()), source.trace ? " -lz -lpthread" : " -lpthread"),
        folder / "compile.log", "the C++ compiler");
    fs::rename(made, library);
    return library.string();
}

}  // namespace weft
