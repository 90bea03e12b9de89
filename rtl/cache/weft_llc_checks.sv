// What whoever drives a slice must keep to.
module weft_llc_checks
    import weft_line_pkg::*;
#(
    parameter int unsigned MSHRS = 16,
    localparam int unsigned MW = MSHRS > 1 ? $clog2(MSHRS) : 1
) (
    input logic clk,
    input logic rst_n,
    input logic req_valid,
    input logic req_ready,
    input line_t req,
    input logic mem_resp_valid,
    input logic mem_resp_ready,
    input line_t mem_resp,
    input logic flush,
    input logic flushed,
    input logic [MSHRS-1:0] taken,
    input logic sent,                // memory took the read of this entry
    input logic [MW-1:0] sent_entry
);
    logic req_waits, mem_resp_waits, flush_waits;
    line_t req_was, mem_resp_was;
    logic [MSHRS-1:0] asked;  // memory owes an answer
    logic atomic;
    logic [MW-1:0] entry;
    assign atomic = req.op == OP_ATOMIC || req.op == OP_FETCH;
    assign entry = mem_resp.tag[MW-1:0];

    always_ff @(posedge clk) begin
        req_waits <= rst_n && req_valid && !req_ready;
        req_was <= req;
        mem_resp_waits <= rst_n && mem_resp_valid && !mem_resp_ready;
        mem_resp_was <= mem_resp;
        flush_waits <= rst_n && flush && !flushed;
        if (!rst_n) asked <= '0;
        else begin
            if (mem_resp_valid && mem_resp_ready) asked[entry] <= 1'b0;
            if (sent) asked[sent_entry] <= 1'b1;
        end
    end

    always_ff @(posedge clk) begin
        if (rst_n) begin
            assert (!req_waits || (req_valid && req == req_was))
                else $error("req: a request changed or went before it was taken");
            if (req_valid) begin
                assert (req.op <= OP_FETCH) else $error("req: operation %0d is none of a slice", req.op);
                assert (!req.response) else $error("req: a response");
                assert (req.size != 0 && {1'b0, req.address[5:0]} + req.size <= 7'd64)
                    else $error("req: %0d bytes at %0d of a line", req.size, req.address[5:0]);
                assert (!atomic || ((req.size == 7'd4 && req.address[1:0] == 0) || (req.size == 7'd8 && req.address[2:0] == 0)))
                    else $error("req: an atomic of %0d bytes at %0d of a line", req.size, req.address[5:0]);
                assert (!atomic || req.fn <= 3'd4) else $error("req: atomic function %0d", req.fn);
            end
            assert (!mem_resp_waits || (mem_resp_valid && mem_resp == mem_resp_was))
                else $error("mem_resp: a line changed or went before it was taken");
            if (mem_resp_valid) begin
                assert (mem_resp.tag < 24'(MSHRS) && taken[entry] && asked[entry])
                    else $error("mem_resp: tag %0d, which asked for nothing", mem_resp.tag);
            end
            assert (!flush_waits || flush) else $error("flush: taken back before all was flushed");
        end
    end
endmodule
