// Data of a slice, and what is done with a line: read, written, combined, put in place by a fill, taken out for memory.
//
// An operation that comes with `start` in clock d reads its place in clock d + 1; the answer and the line for memory are
// on the outputs then. What it writes is in the memory from clock d + 2 + MODIFY on: until then `clear` says of its place
// that it cannot be read by what starts now. One read and one write a clock.
module weft_llc_data
    import weft_line_pkg::*;
#(
    parameter int unsigned PLACES = 1024,
    parameter int unsigned MODIFY = 1,
    localparam int unsigned PW = $clog2(PLACES)
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PW-1:0] place,
    output logic clear,
    input  logic start,
    input  logic answers,         // `request` is carried out
    input  logic from_memory,     // on what memory sent, which then has the place
    input  logic takes_out,       // what was in the place goes to memory
    input  line_t request,
    input  logic [511:0] memory_data,
    output logic answer_valid,
    output line_t answer,
    output logic out_valid,
    output logic [511:0] out_data,
    output logic moving           // something is under way here
);
    logic [511:0] memory [PLACES];

    logic stage_valid, stage_answers, stage_fill, stage_out;
    logic [PW-1:0] stage_place;
    line_t stage_request;
    logic [511:0] stage_memory;

    always_ff @(posedge clk) begin
        if (!rst_n) stage_valid <= 1'b0;
        else stage_valid <= start;
        if (start) begin
            stage_answers <= answers;
            stage_fill <= from_memory;
            stage_out <= takes_out;
            stage_place <= place;
            stage_request <= request;
            if (from_memory) stage_memory <= memory_data;
        end
    end

    logic is_read, is_write, is_atomic;
    assign is_read = stage_request.op == OP_READ;
    assign is_write = stage_request.op == OP_WRITE;
    assign is_atomic = stage_request.op == OP_ATOMIC || stage_request.op == OP_FETCH;

    logic [511:0] was, base, aligned, value, placed, written, size_bits, place_bits;
    logic [63:0] byte_mask, word, result;
    logic [8:0] shift;
    assign was = memory[stage_place];
    assign base = stage_fill ? stage_memory : was;
    assign shift = {stage_request.address[5:0], 3'd0};
    assign size_bits = stage_request.size[6] ? '1 : ~({512{1'b1}} << {stage_request.size[5:0], 3'd0});
    assign byte_mask = (stage_request.size[6] ? '1 : ~({64{1'b1}} << stage_request.size[5:0])) << stage_request.address[5:0];
    assign aligned = base >> shift;
    assign word = stage_request.size[3] ? aligned[63:0] : {32'd0, aligned[31:0]};
    weft_llc_atomic atomic (
        .fn(stage_request.fn), .wide(stage_request.size[3]), .word, .operand(stage_request.data[63:0]),
        .comparand(stage_request.data[127:64]), .result);
    assign value = is_atomic ? {448'd0, result} : stage_request.data;
    assign placed = value << shift;
    assign place_bits = is_read ? '0 : size_bits << shift;
    assign written = stage_fill ? (stage_memory & ~place_bits) | (placed & place_bits) : placed;

    assign answer_valid = stage_valid && stage_answers;
    always_comb begin
        answer = stage_request;
        answer.response = 1'b1;
        answer.data = '0;
        if (is_read) answer.data = aligned & size_bits;
        else if (stage_request.op == OP_FETCH) answer.data[63:0] = word;
    end
    assign out_valid = stage_valid && stage_out;
    assign out_data = was;

    // From the modified line to the memory.
    logic write_in, write;
    logic [63:0] write_bytes;
    logic [511:0] write_data;
    logic [PW-1:0] write_place;
    assign write_in = stage_valid && stage_answers && (is_write || is_atomic || stage_fill);
    weft_delay #(.WIDTH(PW + 64 + 512), .CLOCKS(MODIFY)) modify (
        .clk, .rst_n, .valid_in(write_in), .data_in({stage_place, stage_fill ? 64'hffff_ffff_ffff_ffff : byte_mask, written}),
        .valid_out(write), .data_out({write_place, write_bytes, write_data}));
    always_ff @(posedge clk)
        if (write)
            for (int i = 0; i < 64; i++)
                if (write_bytes[i]) memory[write_place][8*i +: 8] <= write_data[8*i +: 8];

    // Places with a write under way.
    logic starts_write;
    assign starts_write = start && answers && (request.op != OP_READ || from_memory);
    generate
        if (MODIFY == 0) begin : g_at_once
            assign clear = 1'b1;
            assign moving = stage_valid;
            logic unused;
            assign unused = starts_write;
        end else begin : g_later
            logic [MODIFY:0] writing;
            logic [PW-1:0] writing_place [MODIFY];
            always_ff @(posedge clk) begin
                if (!rst_n) writing <= '0;
                else writing <= {writing[MODIFY-1:0], starts_write};
                writing_place[0] <= place;
                for (int i = 1; i < int'(MODIFY); i++) writing_place[i] <= writing_place[i-1];
            end
            always_comb begin
                clear = 1'b1;
                for (int i = 0; i < int'(MODIFY); i++) if (writing[i] && writing_place[i] == place) clear = 1'b0;
            end
            assign moving = stage_valid || writing != '0;
        end
    endgenerate
endmodule
