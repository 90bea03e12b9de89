#include "rtl/verilated/block_shim.h"

#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr const char* shim_head = R"(#include <cstdarg>
#include <cstdio>
#include <string>

#include "Vblock.h"
#include "verilated.h"
{}
#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

namespace {{

struct Block {{
    VerilatedContext context;
    Vblock* top = nullptr;
    std::string said;    // since the evaluation began
    std::string failed;  // what an assertion said first
    bool ends = false;   // its final blocks run
{}
}};

thread_local Block* evaluated = nullptr;

// Leaves an evaluation that does not come to an end by itself.
struct Stopped {{}};

void fail(const char* file, int line, const char* what)
{{
    if (evaluated == nullptr || evaluated->ends || !evaluated->failed.empty()) return;
    std::string text = evaluated->said;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    evaluated->failed = !text.empty() ? text : std::string(file) + ":" + std::to_string(line) + ": " + what;
}}

}}

// The block prints into its own record; what belongs to no assertion goes to stderr.
int weft_block_printf(const char* format, ...)
{{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    const int count = std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (evaluated != nullptr) evaluated->said += text;
    else std::fputs(text, stderr);
    return count;
}}

// The run is not the block's to end: what it found, it said before.
void vl_finish(const char* file, int line, const char*) VL_MT_UNSAFE {{ fail(file, line, "$finish"); }}
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {{ fail(file, line, "$stop"); }}
void vl_fatal(const char* file, int line, const char*, const char* text) VL_MT_UNSAFE
{{
    fail(file, line, text);
    throw Stopped{{}};
}}
void vl_warn(const char* file, int line, const char*, const char* text) VL_MT_UNSAFE
{{
    std::fprintf(stderr, "%s:%d: %s\n", file, line, text);
}}

WEFT_EXPORT void* weft_block_new(const char* name, unsigned long long seed)
{{
    auto* const block = new Block;
    block->context.randReset(2);
    block->context.randSeed(static_cast<int>(seed % 2147483647ULL) + 1);
    block->context.fatalOnError(false);
{}    block->top = new Vblock(&block->context, name);
    return block;
}}
WEFT_EXPORT void weft_block_delete(void* handle)
{{
    auto* const block = static_cast<Block*>(handle);
    evaluated = block;
    // Another block may have been the last to run in this thread, and be gone.
    Verilated::threadContextp(&block->context);
    block->ends = true;
    try {{
        block->top->final();
    }} catch (const Stopped&) {{
    }}
{}    delete block->top;
    evaluated = nullptr;
    delete block;
}}
WEFT_EXPORT void weft_block_eval(void* handle)
{{
    auto* const block = static_cast<Block*>(handle);
    evaluated = block;
    Verilated::threadContextp(&block->context);
    try {{
        block->top->eval();
    }} catch (const Stopped&) {{
    }}
    if (!block->said.empty()) {{
        if (block->failed.empty()) std::fputs(block->said.c_str(), stderr);
        block->said.clear();
    }}
    evaluated = nullptr;
}}
WEFT_EXPORT const char* weft_block_failure(void* handle) {{ return static_cast<Block*>(handle)->failed.c_str(); }}
WEFT_EXPORT void weft_block_set_time(void* handle, unsigned long long ps) {{ static_cast<Block*>(handle)->context.time(ps); }}
)";

constexpr const char* shim_trace = R"(
WEFT_EXPORT void weft_block_trace(void* handle, const char* file)
{
    auto* const block = static_cast<Block*>(handle);
    if (file != nullptr) {
        block->trace = new VerilatedFstC;
        block->top->trace(block->trace, 99);
        block->trace->open(file);
    } else if (block->trace != nullptr) {
        block->trace->close();
        delete block->trace;
        block->trace = nullptr;
    }
}
WEFT_EXPORT void weft_block_dump(void* handle, unsigned long long ps)
{
    auto* const block = static_cast<Block*>(handle);
    block->trace->dump(static_cast<vluint64_t>(ps));
}
)";

}  // namespace

std::vector<PinInfo> pins_of_header(const std::string& header)
{
    std::ifstream in(header);
    if (!in) throw InputError(header, 0, "cannot be read", "the header that Verilator writes");
    static const std::regex port(R"(^\s*VL_(IN|OUT|INOUT)(8|16|64|W)?\(&(\w+),(\d+),(\d+)(,\d+)?\);)");
    std::vector<PinInfo> pins;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::smatch found;
        if (!std::regex_search(line, found, port)) continue;
        if (found[1] == "INOUT")
            throw InputError(header, number, "port " + found[3].str() + " is an inout", "inputs and outputs");
        PinInfo pin;
        pin.name = found[3];
        pin.input = found[1] == "IN";
        pin.width = static_cast<unsigned>(std::stoul(found[4]) - std::stoul(found[5])) + 1;
        pins.push_back(std::move(pin));
    }
    if (pins.empty()) throw InputError(header, 0, "names no ports", "a top module with ports");
    return pins;
}

std::string block_shim(const std::vector<PinInfo>& pins, bool trace)
{
    std::string out = fmt::format(fmt::runtime(shim_head), trace ? "#include \"verilated_fst_c.h\"\n" : "",
        trace ? "    VerilatedFstC* trace = nullptr;" : "", trace ? "    block->context.traceEverOn(true);\n" : "",
        trace ? "    if (block->trace != nullptr) block->trace->close();\n    delete block->trace;\n" : "");
    if (trace) out += shim_trace;
    out += "\nWEFT_EXPORT const char* weft_block_pin(void* handle, unsigned number, unsigned* width, int* input, "
           "void** data)\n"
           "{\n    auto* const block = static_cast<Block*>(handle);\n    switch (number) {\n";
    for (std::size_t i = 0; i < pins.size(); ++i)
        out += fmt::format("    case {0}: *width = {1}; *input = {2}; *data = &block->top->{3}; return \"{3}\";\n", i,
            pins[i].width, pins[i].input ? 1 : 0, pins[i].name);
    return out + "    default: return nullptr;\n    }\n}\n";
}

}  // namespace weft
