// One end of a link: lines become packets on a wire of one flit a clock, and packets of the other wire become lines.
//
// Transmit: a line on `tx_*` in clock c is taken if `tx_ready` has its channel; it must not wait for that bit. It has then
// a slot of the replay buffer and a credit. On an idle wire its first flit is on `wire_out_*` in clock c + 2, the others
// follow. Receive: a line is on `rx_*` for one clock, the one after its last flit was on `wire_in_*`; whoever takes it
// gives its slot back by `rx_credit`, at the earliest in the next clock, several channels at once if need be. Both ends
// have the same FLIT_BYTES, SEQ_BITS and CRC_POLY.
module weft_link_endpoint
    import weft_line_pkg::*;
    import weft_link_pkg::*;
#(
    parameter int unsigned FLIT_BYTES = 16,  // 8, 16, 32
    parameter int unsigned VCS = 4,          // 1 to 8
    parameter int unsigned REPLAY = 32,      // packets, at most half of the numbers
    parameter int unsigned SEQ_BITS = 8,     // 2 to 12
    parameter int unsigned TIMEOUT = 512,    // clocks without acknowledge, or without credit
    parameter int unsigned BATCH = 1,        // packets and slots that are worth a control packet, up to 255
    parameter int unsigned HOLD = 32,        // clocks that fewer of them wait
    parameter logic [31:0] CRC_POLY = 32'hEDB88320  // reflected
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [VCS-1:0][CREDIT_BITS-1:0] initial_credits,  // slots of the far end's consumer; looked at in reset
    input  logic tx_valid,
    input  logic [2:0] tx_vc,
    input  logic [639:0] tx_line,
    output logic [VCS-1:0] tx_ready,
    output logic rx_valid,
    output logic [2:0] rx_vc,
    output logic [639:0] rx_line,
    input  logic [VCS-1:0] rx_credit,
    output logic wire_out_valid,
    output logic [8*FLIT_BYTES+1:0] wire_out_flit,  // tail, head, bytes
    input  logic wire_in_valid,
    input  logic [8*FLIT_BYTES+1:0] wire_in_flit,
    output logic idle  // nothing is in here and nothing comes in: clocks may be left out
);
    logic room, waiting, empty, busy, take, start, start_data, start_control;
    logic [VCS-1:0] open, take_of;
    logic starving, ask, urgent, quiet;
    logic [2:0] ask_vc;
    logic gap, repeated, delivered, nak, gap_again, again, tells_ack, tells_credit;
    logic heard_ack, heard_nak, heard_credit, heard_ask;  // news of the far end
    logic [SEQ_BITS-1:0] ack;
    logic [2:0] heard_vc, heard_ask_vc;
    logic [CREDIT_BITS-1:0] heard_total;
    link_word_t word;
    logic [SEQ_BITS-1:0] expected, number;
    logic [2:0] credit_vc, packet_vc;
    logic [CREDIT_BITS-1:0] credit;
    logic [DATA_BITS-1:0] packet_data;
    logic [HEADER_BITS-1:0] packet_header;
    line_t line;

    assign tx_ready = room ? open : '0;
    always_comb begin
        take_of = '0;
        for (int v = 0; v < int'(VCS); v++) take_of[v] = tx_valid && tx_vc == 3'(v) && tx_ready[v];
    end
    assign take = |take_of;
    assign line = tx_line & {payload_mask(payload_bytes(tx_line[HEADER_BITS-1:0])), {HEADER_BITS{1'b1}}};

    weft_link_credits #(.VCS(VCS), .TIMEOUT(TIMEOUT)) credits (
        .clk, .rst_n, .initial_credits, .open, .take(take_of), .news(heard_credit), .news_vc(heard_vc),
        .news_credit(heard_total), .starving, .ask, .ask_vc, .asked(start_control));

    weft_link_replay #(.REPLAY(REPLAY), .SEQ_BITS(SEQ_BITS), .TIMEOUT(TIMEOUT)) replay (
        .clk, .rst_n, .room, .write(take), .write_packet({tx_vc, line}), .waiting,
        .packet({packet_vc, packet_data, packet_header}), .number, .again, .start(start_data),
        .news(heard_ack), .news_ack(ack), .news_nak(heard_nak), .empty);

    // A question goes before everything, then a request to go back, then packets.
    assign start_data = !busy && !ask && !nak && waiting;
    assign start_control = !busy && (ask || nak || (!waiting && urgent));
    assign start = start_data || start_control;
    assign tells_ack = start_control ? !ask : !number[0];
    assign tells_credit = start_control || number[0];
    always_comb begin
        word.control = start_control;
        word.vc = start_control ? {1'b0, nak && !ask, ask} : packet_vc;
        word.seq = !start_control ? 12'(number) : ask ? 12'(ask_vc) : 12'(expected);
        word.again = again && !start_control;
        word.told_vc = tells_credit ? credit_vc : '0;
        word.told = tells_credit ? credit : 12'(expected);
    end

    weft_link_serializer #(.FLIT_BYTES(FLIT_BYTES), .CRC_POLY(CRC_POLY)) serializer (
        .clk, .rst_n, .start, .word, .header(packet_header), .data(packet_data), .busy, .wire_valid(wire_out_valid),
        .wire_flit(wire_out_flit));

    weft_link_receiver #(.FLIT_BYTES(FLIT_BYTES), .SEQ_BITS(SEQ_BITS), .CRC_POLY(CRC_POLY)) receiver (
        .clk, .rst_n, .wire_valid(wire_in_valid), .wire_flit(wire_in_flit), .ack_news(heard_ack), .ack,
        .nak(heard_nak), .credit_news(heard_credit), .credit_vc(heard_vc), .credit(heard_total), .asked(heard_ask),
        .asked_vc(heard_ask_vc), .gap, .again(gap_again), .repeated, .delivered, .expected, .rx_valid, .rx_vc, .rx_line);

    weft_link_owed #(.VCS(VCS), .BATCH(BATCH), .HOLD(HOLD)) owed (
        .clk, .rst_n, .delivered, .gap, .again(gap_again), .repeated, .asked(heard_ask), .asked_vc(heard_ask_vc),
        .freed(rx_credit), .start, .tells_ack, .tells_credit, .nak, .credit_vc, .credit, .urgent, .quiet);

    // A line on rx_* is owed its acknowledge.
    assign idle = empty && quiet && !starving && !ask && !busy && !wire_out_valid && !tx_valid &&
        !wire_in_valid && rx_credit == '0;

`ifndef SYNTHESIS
    initial begin
        assert (FLIT_BYTES == 8 || FLIT_BYTES == 16 || FLIT_BYTES == 32) else $error("FLIT_BYTES is %0d", FLIT_BYTES);
        assert (VCS >= 1 && VCS <= 8) else $error("VCS is %0d", VCS);
        assert (SEQ_BITS >= 2 && SEQ_BITS <= NUMBER_BITS) else $error("SEQ_BITS is %0d", SEQ_BITS);
        assert (REPLAY >= 1 && REPLAY <= 1 << (SEQ_BITS - 1)) else $error("REPLAY is %0d", REPLAY);
        assert (BATCH >= 1 && BATCH <= 255) else $error("BATCH is %0d", BATCH);
    end

    // Lines that the consumer holds.
    logic [VCS-1:0][15:0] lent;
    always_ff @(posedge clk) begin
        if (!rst_n) lent <= '0;
        else begin
            assert (!tx_valid || {29'd0, tx_vc} < VCS) else $error("a line on channel %0d, which there is not", tx_vc);
            assert (!tx_valid || line.size <= 7'd64) else $error("a line of %0d bytes", line.size);
            assert (!tx_valid || line.op <= OP_REDUCE) else $error("a line with operation %0d", line.op);
            assert (!rx_valid || {29'd0, rx_vc} < VCS) else $error("a line came on channel %0d", rx_vc);
            for (int v = 0; v < int'(VCS); v++) begin
                assert (!rx_credit[v] || lent[v] != 0) else $error("a slot of channel %0d is free that was not taken", v);
                lent[v] <= lent[v] + {15'd0, rx_valid && rx_vc == 3'(v)} - {15'd0, rx_credit[v]};
            end
        end
    end
`endif
endmodule
