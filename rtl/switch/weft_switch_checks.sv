// What the switch asks of its neighbours, and what holds inside it. Simulation only.
module weft_switch_checks #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned VCS = 4,
    parameter int unsigned DEPTH = 8,
    parameter int unsigned MAX_CREDITS = 8,
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1,
    localparam int unsigned CW = $clog2(MAX_CREDITS + 1)
) (
    input logic clk,
    input logic rst_n,
    input logic [PORTS-1:0][VCS-1:0][CW-1:0] cfg_credits,
    input logic [PORTS-1:0] in_valid,
    input logic [PORTS-1:0][VCW-1:0] in_vc,
    input logic [PORTS-1:0][PORTS-1:0] in_ports,
    input logic [PORTS-1:0] in_credit_valid,
    input logic [PORTS-1:0][VCW-1:0] in_credit_vc,
    input logic [PORTS-1:0] sent,
    input logic [VCW-1:0] sent_vc [PORTS],
    input logic [PORTS-1:0][VCS-1:0] out_credit,
    input logic [PORTS-1:0] usable [VCS],
    input logic [PORTS-1:0] match [PORTS],
    input logic [PORTS-1:0] match_multicast,
    input logic [VCW-1:0] read_vc [PORTS]
);
    localparam int unsigned HW = $clog2(DEPTH + 1);

    logic [PORTS-1:0] channel_of [VCS];  // outputs that have the channel

    generate
        for (genvar p = 0; p < int'(PORTS); p++) begin : g_port
            for (genvar v = 0; v < int'(VCS); v++) begin : g_channel
                logic [HW-1:0] held;           // lines of the input
                logic [CW-1:0] given, taken;   // credits of the output
                logic enters, leaves, goes, back;
                assign enters = in_valid[p] && in_vc[p] == VCW'(v);
                assign leaves = in_credit_valid[p] && in_credit_vc[p] == VCW'(v);
                assign goes = sent[p] && sent_vc[p] == VCW'(v);
                assign back = out_credit[p][v];
                assign channel_of[v][p] = given != 0;
                if (MAX_CREDITS != 2 ** CW - 1) begin : g_limit
                    always_ff @(posedge clk)
                        assert (rst_n || cfg_credits[p][v] <= CW'(MAX_CREDITS))
                            else $error("output %0d, channel %0d: more credits than MAX_CREDITS", p, v);
                end
                always_ff @(posedge clk)
                    if (!rst_n) begin
                        held <= '0;
                        taken <= '0;
                        given <= cfg_credits[p][v];
                    end else begin
                        held <= held + HW'(enters) - HW'(leaves);
                        taken <= taken + CW'(goes) - CW'(back);
                        assert (!enters || held != HW'(DEPTH))
                            else $error("input %0d, channel %0d: a transaction without a credit", p, v);
                        assert (!leaves || held != 0) else $error("input %0d, channel %0d: a credit too many", p, v);
                        assert (!enters || (in_ports[p] & ~channel_of[v]) == 0)
                            else $error("input %0d: a transaction for outputs that have no channel %0d", p, v);
                        assert (!back || taken != 0)
                            else $error("output %0d, channel %0d: more credits came back than were given", p, v);
                        assert (!goes || taken != given)
                            else $error("output %0d, channel %0d: a line is sent without a credit", p, v);
                    end
            end
            always_ff @(posedge clk)
                if (rst_n) begin
                    assert (!in_valid[p] || in_ports[p] != 0) else $error("input %0d: a transaction to no output", p);
                    assert (!in_valid[p] || {1'b0, in_vc[p]} < (VCW+1)'(VCS))
                        else $error("input %0d: there is no channel %0d", p, in_vc[p]);
                    assert ((match[p] & ~usable[read_vc[p]]) == 0)
                        else $error("input %0d: a match that cannot be used", p);
                    assert (match_multicast[p] || (match[p] & (match[p] - 1'b1)) == 0)
                        else $error("input %0d: one line in two matches", p);
                    for (int q = 0; q < p; q++)
                        assert ((match[p] & match[q]) == 0) else $error("inputs %0d and %0d have one output", p, q);
                end
        end
    endgenerate
endmodule
