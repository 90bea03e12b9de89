// What the far end is to be told: packets that came, slots that became free, packets that did not come. Every packet tells
// some of it; a control packet is worth while when enough is owed (BATCH), or some has been for HOLD clocks without a
// packet, or at once: a gap, an answer.
module weft_link_owed
    import weft_link_pkg::*;
#(
    parameter int unsigned VCS = 4,
    parameter int unsigned BATCH = 1,  // packets and slots
    parameter int unsigned HOLD = 32   // clocks
) (
    input  logic clk,
    input  logic rst_n,
    input  logic delivered,            // a line was taken
    input  logic gap,                  // a packet did not come
    input  logic again,                // nor did it after the far end had gone back
    input  logic repeated,             // a packet came again: its acknowledge was lost
    input  logic asked,                // the far end asks for the credits of a channel
    input  logic [2:0] asked_vc,
    input  logic [VCS-1:0] freed,
    input  logic start,                // a packet begins
    input  logic tells_ack,            // and tells the packets that came, nak among them
    input  logic tells_credit,         // and tells `credit`
    output logic nak,
    output logic [2:0] credit_vc,
    output logic [CREDIT_BITS-1:0] credit,
    output logic urgent,               // worth a control packet
    output logic quiet                 // nothing is owed
);
    localparam int unsigned HW = $clog2(HOLD + 1);
    localparam int unsigned SW = CREDIT_BITS + 4;  // eight channels and the packets

    logic [VCS-1:0][CREDIT_BITS-1:0] total, told, untold;
    logic [NUMBER_BITS-1:0] lines;  // the far end holds no more
    logic waiting, answer, named;  // `waiting`: for the packet that did not come
    logic [2:0] named_vc, turn;
    logic [HW-1:0] held;
    logic [SW-1:0] sum;

    always_comb begin
        sum = SW'(lines);
        credit_vc = turn;
        for (int v = int'(VCS) - 1; v >= 0; v--) begin
            untold[v] = total[v] - told[v];
            sum = sum + SW'(untold[v]);
            if (untold[v] != 0) credit_vc = 3'(v);
        end
        for (int v = int'(VCS) - 1; v >= 0; v--) if (untold[v] != 0 && 3'(v) >= turn) credit_vc = 3'(v);
        if (named) credit_vc = named_vc;
        credit = '0;
        for (int v = 0; v < int'(VCS); v++) if (credit_vc == 3'(v)) credit = total[v];
    end
    assign urgent = nak || answer || named || sum >= SW'(BATCH) || held == HW'(HOLD);
    assign quiet = !nak && !answer && !named && sum == 0;

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            total <= '0;
            told <= '0;
            lines <= '0;
            waiting <= 1'b0;
            nak <= 1'b0;
            answer <= 1'b0;
            named <= 1'b0;
            turn <= '0;
            held <= '0;
        end else begin
            for (int v = 0; v < int'(VCS); v++) total[v] <= total[v] + CREDIT_BITS'(freed[v]);
            lines <= (start && tells_ack ? '0 : lines) + NUMBER_BITS'(delivered);
            if (start && tells_ack) answer <= 1'b0;
            if (start && tells_credit) begin
                for (int v = 0; v < int'(VCS); v++) if (credit_vc == 3'(v)) told[v] <= credit;
                turn <= credit_vc == 3'(VCS - 1) ? '0 : credit_vc + 1'b1;
                named <= 1'b0;
            end
            if (repeated) answer <= 1'b1;
            if (asked) begin
                named <= 1'b1;
                named_vc <= asked_vc;
            end
            // One request for every gap, and every going back: the next after the packet has come.
            if (delivered) begin
                waiting <= 1'b0;
                nak <= 1'b0;
            end else if (gap && (!waiting || again)) begin
                waiting <= 1'b1;
                nak <= 1'b1;
            end else if (start && tells_ack) nak <= 1'b0;
            if (start || sum == 0) held <= '0;
            else if (held != HW'(HOLD)) held <= held + 1'b1;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (rst_n) begin
            assert (!nak || waiting) else $error("a gap is told that there is not");
            for (int v = 0; v < int'(VCS); v++)
                assert (!freed[v] || untold[v] != '1) else $error("more slots of channel %0d to tell than a message holds", v);
        end
    end
`endif
endmodule
