#include "rtl/cache/llc_rtl.h"

namespace weft {

namespace {

constexpr unsigned line_size_in_bytes = beat_bits / 8;

bool level(const Pin& pin) { return pin.get(0, 1) != 0; }

void set_level(Pin& pin, bool value) { pin.set(0, 1, value ? 1 : 0); }

}  // namespace

BlockSource llc_source(const LlcParameters& parameters)
{
    parameters.check();
    BlockSource source{"weft_llc_slice"};
    for (const char* const name : {"common/weft_line_pkg.sv", "common/weft_delay.sv", "cache/weft_llc_fifo.sv",
             "cache/weft_llc_atomic.sv", "cache/weft_llc_checks.sv", "cache/weft_llc_data.sv", "cache/weft_llc_mshr.sv",
             "cache/weft_llc_tags.sv", "cache/weft_llc_write_buffer.sv", "cache/weft_llc_slice.sv"})
        source.files.push_back(rtl_file(name));
    source.parameters = {{"SETS", std::to_string(parameters.sets)}, {"WAYS", std::to_string(parameters.ways)},
        {"INDEX_LOW", std::to_string(parameters.index_low)}, {"MSHRS", std::to_string(parameters.mshrs)},
        {"MERGES", std::to_string(parameters.merges)}, {"QUEUE", std::to_string(parameters.queue)},
        {"RESPONSES", std::to_string(parameters.responses)}, {"WRITE_BACKS", std::to_string(parameters.write_backs)},
        {"TAG_CLOCKS", std::to_string(parameters.tag_clocks)}, {"DATA_CLOCKS", std::to_string(parameters.data_clocks)},
        {"MODIFY_CLOCKS", std::to_string(parameters.modify_clocks)}};
    return source;
}

LlcRtl::LlcRtl(const LlcParameters& parameters, const std::string& name, std::uint64_t seed)
    : LlcRtl(llc_source(parameters), name, seed)
{
}

LlcRtl::LlcRtl(const BlockSource& source, const std::string& name, std::uint64_t seed)
    : block_(block_library(source), name, seed), clk_(block_.pin("clk")), rst_n_(block_.pin("rst_n")),
      endpoint_(block_.pin("endpoint")), req_valid_(block_.pin("req_valid")), req_ready_(block_.pin("req_ready")),
      req_(block_.pin("req")), resp_valid_(block_.pin("resp_valid")), resp_ready_(block_.pin("resp_ready")),
      resp_(block_.pin("resp")), mem_read_valid_(block_.pin("mem_read_valid")),
      mem_read_ready_(block_.pin("mem_read_ready")), mem_read_(block_.pin("mem_read")),
      mem_write_valid_(block_.pin("mem_write_valid")), mem_write_ready_(block_.pin("mem_write_ready")),
      mem_write_(block_.pin("mem_write")), mem_resp_valid_(block_.pin("mem_resp_valid")),
      mem_resp_ready_(block_.pin("mem_resp_ready")), mem_resp_(block_.pin("mem_resp")), flush_(block_.pin("flush")),
      flushed_(block_.pin("flushed")), hit_(block_.pin("hit")), miss_(block_.pin("miss")),
      merged_(block_.pin("merged")), write_back_(block_.pin("write_back")), idle_pin_(block_.pin("idle"))
{
    reset();
}

void LlcRtl::reset()
{
    for (Pin* const pin : {&req_valid_, &resp_ready_, &mem_read_ready_, &mem_write_ready_, &mem_resp_valid_, &flush_})
        set_level(*pin, false);
    set_level(rst_n_, false);
    block_.edge(clk_);
    block_.edge(clk_);
    set_level(rst_n_, true);
    block_.eval();
    idle_ = true;
}

void LlcRtl::cycle(const LlcIn& in, LlcOut& out)
{
    endpoint_.set(0, 16, in.endpoint);
    set_level(req_valid_, in.req_valid);
    if (in.req_valid) req_.copy_in(0, in.req.bytes, line_size_in_bytes);
    set_level(resp_ready_, in.resp_ready);
    set_level(mem_read_ready_, in.mem_read_ready);
    set_level(mem_write_ready_, in.mem_write_ready);
    set_level(mem_resp_valid_, in.mem_resp_valid);
    if (in.mem_resp_valid) mem_resp_.copy_in(0, in.mem_resp.bytes, line_size_in_bytes);
    set_level(flush_, in.flush);
    block_.eval();

    out.req_ready = level(req_ready_);
    out.resp_valid = level(resp_valid_);
    out.mem_read_valid = level(mem_read_valid_);
    out.mem_write_valid = level(mem_write_valid_);
    out.mem_resp_ready = level(mem_resp_ready_);
    out.flushed = level(flushed_);
    out.hit = level(hit_);
    out.miss = level(miss_);
    out.merged = level(merged_);
    out.write_back = level(write_back_);
    out.idle = level(idle_pin_);
    if (out.resp_valid) resp_.copy_out(0, out.resp.bytes, line_size_in_bytes);
    if (out.mem_read_valid) mem_read_.copy_out(0, out.mem_read.bytes, line_size_in_bytes);
    if (out.mem_write_valid) mem_write_.copy_out(0, out.mem_write.bytes, line_size_in_bytes);
    idle_ = out.idle;
    block_.rise(clk_);
}

}  // namespace weft
