// The crossbar behind AXI-Stream: a line is several beats on either side, and one word inside.
module axis_crossbar #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned W = 128,  // bits of a beat; 640 is a multiple
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1,
    localparam int unsigned BEATS = 640 / W,
    localparam int unsigned BW = BEATS > 1 ? $clog2(BEATS) : 1
) (
    input  logic aclk,
    input  logic aresetn,
    input  logic [PORTS-1:0] s_tvalid,
    output logic [PORTS-1:0] s_tready,
    input  logic [PORTS-1:0][W-1:0] s_tdata,
    input  logic [PORTS-1:0] s_tlast,
    input  logic [PORTS-1:0][PW-1:0] s_tdest,
    output logic [PORTS-1:0] m_tvalid,
    input  logic [PORTS-1:0] m_tready,
    output logic [PORTS-1:0][W-1:0] m_tdata,
    output logic [PORTS-1:0] m_tlast,
    output logic idle
);
    logic [PORTS-1:0] whole, taken, given, busy, begun;
    logic [PORTS-1:0][639:0] gathered, crossed;
    logic [PORTS-1:0][PW-1:0] dest;
    logic inside_idle;

    for (genvar p = 0; p < PORTS; p++) begin : ports
        // Beats come in from the top; the first is at the bottom when the last is there.
        assign s_tready[p] = !whole[p];
        always_ff @(posedge aclk) begin
            if (s_tvalid[p] && s_tready[p]) begin
                gathered[p] <= {s_tdata[p], gathered[p][639:W]};
                dest[p] <= s_tdest[p];
            end
            if (!aresetn) {whole[p], begun[p]} <= '0;
            else if (s_tvalid[p] && s_tready[p]) {whole[p], begun[p]} <= {s_tlast[p], !s_tlast[p]};
            else if (taken[p]) whole[p] <= 1'b0;
        end

        logic [639:0] left;
        logic [BW-1:0] beat;
        assign m_tvalid[p] = busy[p];
        assign m_tdata[p] = left[W-1:0];
        assign m_tlast[p] = beat == BW'(BEATS - 1);
        always_ff @(posedge aclk)
            if (!aresetn) busy[p] <= 1'b0;
            else if (!busy[p]) begin
                busy[p] <= given[p];
                left <= crossed[p];
                beat <= '0;
            end else if (m_tready[p]) begin
                busy[p] <= !m_tlast[p];
                left <= left >> W;
                beat <= beat + 1'b1;
            end
    end

    crossbar #(.PORTS(PORTS), .WIDTH(640)) lines (
        .clk(aclk), .rst_n(aresetn), .s_valid(whole), .s_ready(taken), .s_data(gathered), .s_dest(dest), .m_valid(given),
        .m_ready(~busy), .m_data(crossed), .idle(inside_idle));
    assign idle = inside_idle && whole == '0 && begun == '0 && busy == '0;
endmodule
