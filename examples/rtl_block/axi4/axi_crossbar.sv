// A crossbar of AXI4 with a data bus as wide as a line: each burst is one beat. The number of the output is in bits 55..48 of an
// address; an ID grows by the number of the input on the way out, and leads the answer back.
module axi_crossbar #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned IDW = 6,
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1,
    localparam int unsigned MIDW = IDW + PW
) (
    input  logic aclk,
    input  logic aresetn,
    input  logic [PORTS-1:0] s_awvalid,
    output logic [PORTS-1:0] s_awready,
    input  logic [PORTS-1:0][IDW-1:0] s_awid,
    input  logic [PORTS-1:0][63:0] s_awaddr,
    input  logic [PORTS-1:0][7:0] s_awlen,
    input  logic [PORTS-1:0][2:0] s_awsize,
    input  logic [PORTS-1:0][1:0] s_awburst,
    input  logic [PORTS-1:0][127:0] s_awuser,
    input  logic [PORTS-1:0] s_wvalid,
    output logic [PORTS-1:0] s_wready,
    input  logic [PORTS-1:0][511:0] s_wdata,
    input  logic [PORTS-1:0][63:0] s_wstrb,
    input  logic [PORTS-1:0] s_wlast,
    output logic [PORTS-1:0] s_bvalid,
    input  logic [PORTS-1:0] s_bready,
    output logic [PORTS-1:0][IDW-1:0] s_bid,
    output logic [PORTS-1:0][1:0] s_bresp,
    output logic [PORTS-1:0][127:0] s_buser,
    input  logic [PORTS-1:0] s_arvalid,
    output logic [PORTS-1:0] s_arready,
    input  logic [PORTS-1:0][IDW-1:0] s_arid,
    input  logic [PORTS-1:0][63:0] s_araddr,
    input  logic [PORTS-1:0][7:0] s_arlen,
    input  logic [PORTS-1:0][2:0] s_arsize,
    input  logic [PORTS-1:0][1:0] s_arburst,
    input  logic [PORTS-1:0][255:0] s_aruser,
    output logic [PORTS-1:0] s_rvalid,
    input  logic [PORTS-1:0] s_rready,
    output logic [PORTS-1:0][IDW-1:0] s_rid,
    output logic [PORTS-1:0][511:0] s_rdata,
    output logic [PORTS-1:0][1:0] s_rresp,
    output logic [PORTS-1:0] s_rlast,
    output logic [PORTS-1:0][127:0] s_ruser,
    output logic [PORTS-1:0] m_awvalid,
    input  logic [PORTS-1:0] m_awready,
    output logic [PORTS-1:0][MIDW-1:0] m_awid,
    output logic [PORTS-1:0][63:0] m_awaddr,
    output logic [PORTS-1:0][7:0] m_awlen,
    output logic [PORTS-1:0][2:0] m_awsize,
    output logic [PORTS-1:0][1:0] m_awburst,
    output logic [PORTS-1:0][127:0] m_awuser,
    output logic [PORTS-1:0] m_wvalid,
    input  logic [PORTS-1:0] m_wready,
    output logic [PORTS-1:0][511:0] m_wdata,
    output logic [PORTS-1:0][63:0] m_wstrb,
    output logic [PORTS-1:0] m_wlast,
    input  logic [PORTS-1:0] m_bvalid,
    output logic [PORTS-1:0] m_bready,
    input  logic [PORTS-1:0][MIDW-1:0] m_bid,
    input  logic [PORTS-1:0][1:0] m_bresp,
    input  logic [PORTS-1:0][127:0] m_buser,
    output logic [PORTS-1:0] m_arvalid,
    input  logic [PORTS-1:0] m_arready,
    output logic [PORTS-1:0][MIDW-1:0] m_arid,
    output logic [PORTS-1:0][63:0] m_araddr,
    output logic [PORTS-1:0][7:0] m_arlen,
    output logic [PORTS-1:0][2:0] m_arsize,
    output logic [PORTS-1:0][1:0] m_arburst,
    output logic [PORTS-1:0][255:0] m_aruser,
    input  logic [PORTS-1:0] m_rvalid,
    output logic [PORTS-1:0] m_rready,
    input  logic [PORTS-1:0][MIDW-1:0] m_rid,
    input  logic [PORTS-1:0][511:0] m_rdata,
    input  logic [PORTS-1:0][1:0] m_rresp,
    input  logic [PORTS-1:0] m_rlast,
    input  logic [PORTS-1:0][127:0] m_ruser,
    output logic idle
);
    localparam int unsigned AWW = MIDW + 64 + 8 + 3 + 2 + 128;
    localparam int unsigned WW = 512 + 64 + 1;
    localparam int unsigned ARW = MIDW + 64 + 8 + 3 + 2 + 256;
    localparam int unsigned BW = IDW + 2 + 128;
    localparam int unsigned RW = IDW + 512 + 2 + 1 + 128;
    logic [PORTS-1:0] wr_valid, wr_ready, out_valid, out_ready, aw_sent, w_sent;
    logic [PORTS-1:0][AWW+WW-1:0] wr, out;
    logic [PORTS-1:0][ARW-1:0] rd, rd_out;
    logic [PORTS-1:0][BW-1:0] wa, wa_out;
    logic [PORTS-1:0][RW-1:0] ra, ra_out;
    logic [PORTS-1:0][PW-1:0] wr_dest, rd_dest, wa_dest, ra_dest;
    logic [3:0] idles;

    for (genvar p = 0; p < PORTS; p++) begin : ports
        // An address goes with its beat.
        assign wr_valid[p] = s_awvalid[p] && s_wvalid[p];
        assign s_awready[p] = wr_ready[p] && s_wvalid[p];
        assign s_wready[p] = wr_ready[p] && s_awvalid[p];
        assign wr_dest[p] = s_awaddr[p][48 +: PW];
        assign wr[p] = {PW'(p), s_awid[p], s_awaddr[p], s_awlen[p], s_awsize[p], s_awburst[p], s_awuser[p], s_wdata[p], s_wstrb[p], s_wlast[p]};
        assign {m_awid[p], m_awaddr[p], m_awlen[p], m_awsize[p], m_awburst[p], m_awuser[p], m_wdata[p], m_wstrb[p], m_wlast[p]} = out[p];
        assign m_awvalid[p] = out_valid[p] && !aw_sent[p];
        assign m_wvalid[p] = out_valid[p] && !w_sent[p];
        assign out_ready[p] = (aw_sent[p] || m_awready[p]) && (w_sent[p] || m_wready[p]);
        always_ff @(posedge aclk) begin
            aw_sent[p] <= aresetn && out_valid[p] && !out_ready[p] && (aw_sent[p] || m_awready[p]);
            w_sent[p] <= aresetn && out_valid[p] && !out_ready[p] && (w_sent[p] || m_wready[p]);
        end

        assign rd_dest[p] = s_araddr[p][48 +: PW];
        assign rd[p] = {PW'(p), s_arid[p], s_araddr[p], s_arlen[p], s_arsize[p], s_arburst[p], s_aruser[p]};
        assign {m_arid[p], m_araddr[p], m_arlen[p], m_arsize[p], m_arburst[p], m_aruser[p]} = rd_out[p];

        assign {wa_dest[p], wa[p]} = {m_bid[p], m_bresp[p], m_buser[p]};
        assign {s_bid[p], s_bresp[p], s_buser[p]} = wa_out[p];
        assign {ra_dest[p], ra[p]} = {m_rid[p], m_rdata[p], m_rresp[p], m_rlast[p], m_ruser[p]};
        assign {s_rid[p], s_rdata[p], s_rresp[p], s_rlast[p], s_ruser[p]} = ra_out[p];
    end

    crossbar #(.PORTS(PORTS), .WIDTH(AWW + WW)) writes (
        .clk(aclk), .rst_n(aresetn), .s_valid(wr_valid), .s_ready(wr_ready), .s_data(wr), .s_dest(wr_dest), .m_valid(out_valid),
        .m_ready(out_ready), .m_data(out), .idle(idles[0]));
    crossbar #(.PORTS(PORTS), .WIDTH(ARW)) reads (
        .clk(aclk), .rst_n(aresetn), .s_valid(s_arvalid), .s_ready(s_arready), .s_data(rd), .s_dest(rd_dest), .m_valid(m_arvalid),
        .m_ready(m_arready), .m_data(rd_out), .idle(idles[1]));
    crossbar #(.PORTS(PORTS), .WIDTH(BW)) write_answers (
        .clk(aclk), .rst_n(aresetn), .s_valid(m_bvalid), .s_ready(m_bready), .s_data(wa), .s_dest(wa_dest), .m_valid(s_bvalid),
        .m_ready(s_bready), .m_data(wa_out), .idle(idles[2]));
    crossbar #(.PORTS(PORTS), .WIDTH(RW)) read_answers (
        .clk(aclk), .rst_n(aresetn), .s_valid(m_rvalid), .s_ready(m_rready), .s_data(ra), .s_dest(ra_dest), .m_valid(s_rvalid),
        .m_ready(s_rready), .m_data(ra_out), .idle(idles[3]));
    assign idle = &idles;
endmodule
