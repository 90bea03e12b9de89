// Lines from when they are taken until the far end has acknowledged them: a ring of REPLAY packets, numbered. The packet
// to be sent next is `packet_*` while `waiting`. Back to the oldest: on request, and TIMEOUT clocks after the last packet
// was acknowledged, while some are sent and not acknowledged.
module weft_link_replay
    import weft_link_pkg::*;
#(
    parameter int unsigned REPLAY = 32,
    parameter int unsigned SEQ_BITS = 8,
    parameter int unsigned TIMEOUT = 512,
    localparam int unsigned WIDTH = 3 + HEADER_BITS + DATA_BITS
) (
    input  logic clk,
    input  logic rst_n,
    output logic room,
    input  logic write,
    input  logic [WIDTH-1:0] write_packet,
    output logic waiting,
    output logic [WIDTH-1:0] packet,
    output logic [SEQ_BITS-1:0] number,
    output logic again,                   // changes with the first packet after going back
    input  logic start,                   // the packet begins on the wire
    input  logic news,                    // an ack from the far end
    input  logic [SEQ_BITS-1:0] news_ack,
    input  logic news_nak,
    output logic empty
);
    localparam int unsigned CW = $clog2(REPLAY + 1);
    localparam int unsigned PW = REPLAY > 1 ? $clog2(REPLAY) : 1;
    localparam int unsigned TW = $clog2(TIMEOUT + 1);

    logic [WIDTH-1:0] store [REPLAY];
    logic [PW-1:0] first, next, free;  // slots: oldest packet, next to be sent, next line
    logic [SEQ_BITS-1:0] base;         // number of the oldest packet
    logic [CW-1:0] held, sent, begun;  // packets: in here; sent since the last going back; ever sent
    logic [TW-1:0] timer;

    logic [SEQ_BITS-1:0] distance;
    logic [CW-1:0] gone, sent_now, begun_now;
    logic expired, back;
    logic went_back, again_before;

    assign room = held != CW'(REPLAY);
    assign empty = held == 0;
    assign waiting = sent != held;
    assign packet = store[next];
    assign number = base + SEQ_BITS'(sent);
    assign again = again_before ^ went_back;

    // What an acknowledge covers was sent before.
    assign distance = news_ack - base;
    assign gone = news && distance <= SEQ_BITS'(begun) ? CW'(distance) : '0;
    assign sent_now = sent + CW'(start);
    assign begun_now = sent_now > begun ? sent_now : begun;
    assign expired = begun != 0 && timer == TW'(TIMEOUT);
    assign back = expired || (news && news_nak) || gone > sent_now;

    function automatic logic [PW-1:0] on(input logic [PW-1:0] slot, input logic [CW-1:0] by);
        logic [CW:0] sum;
        sum = (CW+1)'(slot) + (CW+1)'(by);
        return sum >= (CW+1)'(REPLAY) ? PW'(sum - (CW+1)'(REPLAY)) : PW'(sum);
    endfunction

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            first <= '0;
            next <= '0;
            free <= '0;
            base <= '0;
            held <= '0;
            sent <= '0;
            begun <= '0;
            went_back <= 1'b0;
            again_before <= 1'b0;
        end else begin
            if (write) begin
                store[free] <= write_packet;
                free <= on(free, CW'(1));
            end
            held <= held + CW'(write) - gone;
            first <= on(first, gone);
            base <= base + SEQ_BITS'(gone);
            sent <= back ? '0 : sent_now - gone;
            next <= back ? on(first, gone) : on(next, CW'(start));
            begun <= begun_now - gone;
            went_back <= back || (went_back && !start);
            if (start) again_before <= again;
            timer <= begun == 0 || gone != 0 || back ? '0 : timer + 1'b1;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (rst_n) begin
            assert (!write || room) else $error("a line finds the replay buffer full");
            assert (!start || waiting) else $error("a packet begins that there is not");
            assert (sent <= begun && begun <= held) else $error("packets sent and not held");
            assert (!news || distance <= SEQ_BITS'(begun)) else $error("packet %0d is acknowledged before it was sent", news_ack);
        end
    end
`endif
endmodule
