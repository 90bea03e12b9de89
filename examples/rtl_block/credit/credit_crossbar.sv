// The crossbar with credits in place of ready: a queue of DEPTH lines behind each input, and for each output a count of
// the places that are free behind it.
module credit_crossbar #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned DEPTH = 4,    // lines behind an input: the credits that a sender begins with
    parameter int unsigned CREDITS = 8,  // places behind an output at the beginning
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1,
    localparam int unsigned W = 640 + PW,
    localparam int unsigned NW = $clog2(DEPTH + 1),
    localparam int unsigned CW = $clog2(CREDITS + 1)
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0] s_valid,
    input  logic [PORTS-1:0][639:0] s_data,
    input  logic [PORTS-1:0][PW-1:0] s_dest,
    output logic [PORTS-1:0] s_credit,  // a place is free again
    output logic [PORTS-1:0] m_valid,
    output logic [PORTS-1:0][639:0] m_data,
    input  logic [PORTS-1:0] m_credit,
    output logic idle
);
    logic [PORTS-1:0] waits, taken, given, some;
    logic [PORTS-1:0][639:0] head;
    logic [PORTS-1:0][PW-1:0] dest;
    logic inside_idle;

    for (genvar p = 0; p < PORTS; p++) begin : ports
        logic [DEPTH-1:0][W-1:0] place;
        logic [NW-1:0] count;
        logic [CW-1:0] credits;
        assign waits[p] = count != 0;
        assign {dest[p], head[p]} = place[0];
        assign s_credit[p] = waits[p] && taken[p];
        assign some[p] = credits != 0;
        assign m_valid[p] = given[p] && some[p];
        always_ff @(posedge clk) begin
            automatic logic [NW-1:0] left = count - NW'(s_credit[p]);
            if (s_credit[p]) place <= place >> W;
            if (s_valid[p]) place[left] <= {s_dest[p], s_data[p]};
            if (!rst_n) begin
                count <= '0;
                credits <= CW'(CREDITS);
            end else begin
                count <= left + NW'(s_valid[p]);
                credits <= credits - CW'(m_valid[p]) + CW'(m_credit[p]);
`ifndef SYNTHESIS
                if (s_valid[p] && left == NW'(DEPTH)) $error("a line without a credit");
                if (m_credit[p] && credits == CW'(CREDITS)) $error("a credit too many");
`endif
            end
        end
    end

    crossbar #(.PORTS(PORTS), .WIDTH(640)) lines (
        .clk, .rst_n, .s_valid(waits), .s_ready(taken), .s_data(head), .s_dest(dest), .m_valid(given), .m_ready(some), .m_data,
        .idle(inside_idle));
    assign idle = inside_idle && waits == '0;
endmodule
