#include "testbenches/plans/fixtures.h"

#include <gtest/gtest.h>

#include "collectives/plans/msccl_reader.h"
#include "collectives/plans/mscclpp_reader.h"

namespace weft::plans_test {

const std::string pair_xml =
    R"(<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="1">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="2" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="3" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="5" send="-1" recv="-1" chan="0">
      <step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="0" deps="1" hasdep="0"/>
      <step s="1" type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrc" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="3" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

const std::string pair_json = R"({
  "name": "pair", "collective": "allreduce", "protocol": "Simple", "inplace": true,
  "gpus": [
    {"id": 0, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 1,
     "threadblocks": [
       {"id": 0, "ops": [
         {"name": "signal", "channel_ids": [0], "channel_type": "memory"},
         {"name": "wait", "channel_ids": [0], "channel_type": "memory"},
         {"name": "rres",
          "src_buff": [{"type": "i", "index": 0, "size": 1}, {"buffer_id": 0, "index": 0, "size": 1}],
          "dst_buff": [{"type": "i", "index": 0, "size": 1}, {"buffer_id": 0, "index": 0, "size": 1}],
          "channel_type": "memory", "reduce_op": "sum"},
         {"name": "nop"},
         {"name": "signal", "channel_ids": [0], "channel_type": "memory"},
         {"name": "wait", "channel_ids": [0], "channel_type": "memory"}],
        "channels": [{"channel_type": "memory", "channel_ids": [0]}],
        "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}]}],
     "channels": [{"channel_type": "memory", "connected_to": [1]}],
     "remote_buffers": [{"rank": 1, "type": "i", "access_channel_types": ["memory"]}],
     "semaphores": []},
    {"id": 1, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 1,
     "threadblocks": [
       {"id": 0, "ops": [
         {"name": "signal", "channel_ids": [0], "channel_type": "memory"},
         {"name": "wait", "channel_ids": [0], "channel_type": "memory"},
         {"name": "rres",
          "src_buff": [{"type": "i", "index": 1, "size": 1}, {"buffer_id": 0, "index": 1, "size": 1}],
          "dst_buff": [{"type": "i", "index": 1, "size": 1}, {"buffer_id": 0, "index": 1, "size": 1}],
          "channel_type": "memory", "reduce_op": "sum"},
         {"name": "nop"},
         {"name": "signal", "channel_ids": [0], "channel_type": "memory"},
         {"name": "wait", "channel_ids": [0], "channel_type": "memory"}],
        "channels": [{"channel_type": "memory", "channel_ids": [0]}],
        "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}]}],
     "channels": [{"channel_type": "memory", "connected_to": [0]}],
     "remote_buffers": [{"rank": 0, "type": "i", "access_channel_types": ["memory"]}],
     "semaphores": []}]
}
)";

std::string with(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos) {
        ADD_FAILURE() << "no " << from;
        return text;
    }
    return text.replace(at, from.size(), to);
}

std::string problems_of(const Plan& plan)
{
    std::string out;
    for (const Diagnostic& problem : judge(plan).problems) out += problem.text() + "\n";
    return out;
}

std::string refusal_of_xml(const std::string& text)
{
    try {
        read_msccl_xml(text, "plan.xml");
    } catch (const InputError& error) {
        return error.diagnostics().front().text();
    }
    return "";
}

std::string refusal_of_json(const std::string& text)
{
    try {
        read_mscclpp_json(text, "plan.json");
    } catch (const InputError& error) {
        return error.diagnostics().front().text();
    }
    return "";
}

}  // namespace weft::plans_test
