// What the far end can still take: a count for each channel. A line takes one; the far end tells how many slots have
// become free, ever. A channel without credit for TIMEOUT clocks asks for that number: the message may have been lost.
module weft_link_credits
    import weft_link_pkg::*;
#(
    parameter int unsigned VCS = 4,
    parameter int unsigned TIMEOUT = 512
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [VCS-1:0][CREDIT_BITS-1:0] initial_credits,  // looked at in reset; 0: the channel is not in use
    output logic [VCS-1:0] open,
    input  logic [VCS-1:0] take,
    input  logic news,                            // the far end has told a number
    input  logic [2:0] news_vc,
    input  logic [CREDIT_BITS-1:0] news_credit,
    output logic starving,
    output logic ask,
    output logic [2:0] ask_vc,
    input  logic asked                            // leaves in this clock
);
    localparam int unsigned TW = $clog2(TIMEOUT + 1);

    logic [VCS-1:0][CREDIT_BITS-1:0] full, credit, seen;
    logic [VCS-1:0] starved;
    logic [TW-1:0] timer;
    logic [2:0] turn, first;

    always_comb begin
        for (int v = 0; v < int'(VCS); v++) begin
            open[v] = credit[v] != 0;
            starved[v] = credit[v] == 0 && full[v] != 0;
        end
        // The first starved channel from `turn` on.
        first = turn;
        for (int v = int'(VCS) - 1; v >= 0; v--) if (starved[v]) first = 3'(v);
        for (int v = int'(VCS) - 1; v >= 0; v--) if (starved[v] && 3'(v) >= turn) first = 3'(v);
    end
    assign starving = |starved;

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            full <= initial_credits;
            credit <= initial_credits;
            seen <= '0;
            turn <= '0;
            ask <= 1'b0;
            ask_vc <= '0;
        end else begin
            for (int v = 0; v < int'(VCS); v++) begin
                credit[v] <= credit[v] - CREDIT_BITS'(take[v]) + (news && news_vc == 3'(v) ? news_credit - seen[v] : '0);
                if (news && news_vc == 3'(v)) seen[v] <= news_credit;
            end
            if (asked) ask <= 1'b0;
            timer <= starving ? timer + 1'b1 : '0;
            if (starving && timer == TW'(TIMEOUT)) begin
                timer <= '0;
                ask <= 1'b1;
                ask_vc <= first;
                turn <= first + 1'b1;  // behind the last: from the first again
            end
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (rst_n) begin
            assert (!news || {29'd0, news_vc} < VCS) else $error("credits for channel %0d, which there is not", news_vc);
            for (int v = 0; v < int'(VCS); v++) begin
                assert (!take[v] || credit[v] != 0) else $error("a line on channel %0d has no credit", v);
                assert (!(news && news_vc == 3'(v)) || {1'b0, credit[v]} + {1'b0, news_credit - seen[v]} <= {1'b0, full[v]})
                    else $error("more credits of channel %0d come back than lines were sent", v);
            end
        end
    end
`endif
endmodule
