// Two crossbars, one for requests and one for responses, so that neither waits for the other. What routes and names a
// line has pins of its own beside the data.
module tagged_crossbar #(
    parameter int unsigned PORTS = 4,
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0] req_valid,
    output logic [PORTS-1:0] req_ready,
    input  logic [PORTS-1:0][PW-1:0] req_port,
    input  logic [PORTS-1:0][3:0] req_op,
    input  logic [PORTS-1:0][15:0] req_source,
    input  logic [PORTS-1:0][15:0] req_destination,
    input  logic [PORTS-1:0][47:0] req_address,
    input  logic [PORTS-1:0][23:0] req_tag,
    input  logic [PORTS-1:0][529:0] req_data,    // size, function, flags, data
    output logic [PORTS-1:0] out_req_valid,
    input  logic [PORTS-1:0] out_req_ready,
    output logic [PORTS-1:0][3:0] out_req_op,
    output logic [PORTS-1:0][15:0] out_req_source,
    output logic [PORTS-1:0][15:0] out_req_destination,
    output logic [PORTS-1:0][47:0] out_req_address,
    output logic [PORTS-1:0][23:0] out_req_tag,
    output logic [PORTS-1:0][529:0] out_req_data,
    input  logic [PORTS-1:0] rsp_valid,
    output logic [PORTS-1:0] rsp_ready,
    input  logic [PORTS-1:0][PW-1:0] rsp_port,
    input  logic [PORTS-1:0][23:0] rsp_tag,
    input  logic [PORTS-1:0][615:0] rsp_data,    // the rest of the line
    output logic [PORTS-1:0] out_rsp_valid,
    input  logic [PORTS-1:0] out_rsp_ready,
    output logic [PORTS-1:0][23:0] out_rsp_tag,
    output logic [PORTS-1:0][615:0] out_rsp_data,
    output logic idle
);
    localparam int unsigned REQ = 4 + 16 + 16 + 48 + 24 + 530;
    localparam int unsigned RSP = 24 + 616;
    logic [PORTS-1:0][REQ-1:0] req_in, req_out;
    logic [PORTS-1:0][RSP-1:0] rsp_in, rsp_out;
    logic req_idle, rsp_idle;

    for (genvar p = 0; p < PORTS; p++) begin : pack
        assign req_in[p] = {req_op[p], req_source[p], req_destination[p], req_address[p], req_tag[p], req_data[p]};
        assign {out_req_op[p], out_req_source[p], out_req_destination[p], out_req_address[p], out_req_tag[p], out_req_data[p]} = req_out[p];
        assign rsp_in[p] = {rsp_tag[p], rsp_data[p]};
        assign {out_rsp_tag[p], out_rsp_data[p]} = rsp_out[p];
    end

    crossbar #(.PORTS(PORTS), .WIDTH(REQ)) requests (
        .clk, .rst_n, .s_valid(req_valid), .s_ready(req_ready), .s_data(req_in), .s_dest(req_port), .m_valid(out_req_valid),
        .m_ready(out_req_ready), .m_data(req_out), .idle(req_idle));
    crossbar #(.PORTS(PORTS), .WIDTH(RSP)) responses (
        .clk, .rst_n, .s_valid(rsp_valid), .s_ready(rsp_ready), .s_data(rsp_in), .s_dest(rsp_port), .m_valid(out_rsp_valid),
        .m_ready(out_rsp_ready), .m_data(rsp_out), .idle(rsp_idle));
    assign idle = req_idle && rsp_idle;
endmodule
