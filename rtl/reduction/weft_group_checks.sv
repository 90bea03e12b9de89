// What the group unit may count on, and what it keeps to itself. Nothing of it is synthesized.
module weft_group_checks import weft_line_pkg::*, weft_group_pkg::*; #(
    parameter int unsigned MEMBERS = 8,
    parameter int unsigned GROUPS = 4,
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned PORTS = 4,
    parameter int unsigned VCS = 4,
    parameter int unsigned VC_GROUP = 2,
    parameter int unsigned VC_RESPONSE = 3
) (
    input logic clk,
    input logic rst_n,
    input logic in_valid,
    input logic [VCW-1:0] in_vc,
    input logic [PW-1:0] in_port,
    input line_t in_line,
    input logic cfg_valid,
    input logic [GW-1:0] cfg_group,
    input logic [NW-1:0] cfg_count,
    input logic [MEMBERS-1:0][PW-1:0] cfg_members,
    input logic [MEMBERS-1:0][15:0] cfg_endpoints,
    input logic [GROUPS-1:0][NW-1:0] count,
    input logic [GROUPS-1:0][1:0] element,
    input logic take,
    input logic response,
    input logic [3:0] taken_op,
    input logic [15:0] taken_source,
    input logic [GW-1:0] taken_group,
    input logic [CW-1:0] context_of,
    input logic is_member,
    input logic [MW-1:0] place,
    input logic opens,
    input logic completes,
    input logic [CONTEXTS-1:0] busy,
    input logic [CONTEXTS-1:0][GW-1:0] group,
    input logic [CONTEXTS-1:0][3:0] op,
    input logic [CONTEXTS-1:0] collecting,
    input logic [CONTEXTS-1:0][NW-1:0] pending,
    input logic closes,
    input logic [CW-1:0] leaving
);
    localparam int unsigned CW = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1;
    localparam int unsigned GW = GROUPS > 1 ? $clog2(GROUPS) : 1;
    localparam int unsigned MW = MEMBERS > 1 ? $clog2(MEMBERS) : 1;
    localparam int unsigned NW = $clog2(MEMBERS + 1);
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1;
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1;

    initial begin
        assert (MEMBERS >= 1 && MEMBERS <= 64 && CONTEXTS <= 64 && GROUPS <= 1024) else $error("a parameter is out of range");
        assert (VC_GROUP != VC_RESPONSE) else $error("requests and responses share a channel");
    end

    function automatic logic names_group(input logic [15:0] endpoint);
        return endpoint[15:10] == FIRST_GROUP && {22'd0, endpoint[9:0]} < GROUPS && count[endpoint[GW-1:0]] != 0;
    endfunction

    // By the elements of its group; a multicast is bytes.
    logic good_size;
    always_comb begin
        case (in_line.op == OP_MULTICAST ? 2'd3 : element[in_line.destination[GW-1:0]])
            ELEMENT_INT32, ELEMENT_FP32: good_size = in_line.size[1:0] == 0;
            ELEMENT_BF16: good_size = !in_line.size[0];
            default: good_size = 1'b1;
        endcase
        if (in_line.size == 0 || in_line.size > 7'd64) good_size = 1'b0;
    end

    logic unused;
    assign unused = ^in_line;

    // Members that a context has heard of since it waits for them.
    logic [MEMBERS-1:0] heard [CONTEXTS];
    logic [MEMBERS-1:0] now;
    assign now = MEMBERS'(1) << place;

    always_ff @(posedge clk) begin
        if (take || response) heard[context_of] <= completes || (opens && taken_op != OP_REDUCE) ? '0
                                                 : opens ? now : heard[context_of] | now;
    end

    always_ff @(posedge clk)
        if (rst_n && in_valid) begin
            assert (in_vc == (in_line.response ? VCW'(VC_RESPONSE) : VCW'(VC_GROUP)))
                else $error("channel %0d carries no such line", in_vc);
            assert ({{(32-PW){1'b0}}, in_port} < PORTS) else $error("a line comes from port %0d", in_port);
            if (in_line.response) begin
                assert (names_group(in_line.source) && {8'd0, in_line.tag} < CONTEXTS && busy[in_line.tag[CW-1:0]] &&
                    group[in_line.tag[CW-1:0]] == in_line.source[GW-1:0] && !collecting[in_line.tag[CW-1:0]] &&
                    pending[in_line.tag[CW-1:0]] != 0)
                    else $error("a response to context %0d, which waits for none", in_line.tag);
                assert (in_line.op == (op[in_line.tag[CW-1:0]] == OP_LOAD_REDUCE ? OP_READ : OP_WRITE))
                    else $error("a response of operation %0d", in_line.op);
                assert (is_member) else $error("a response of endpoint %0d, which is no member", in_line.destination);
                assert (!heard[context_of][place]) else $error("endpoint %0d responds twice", in_line.destination);
            end else begin
                assert (names_group(in_line.destination)) else $error("group %0h is not known", in_line.destination);
                assert (in_line.op == OP_MULTICAST || in_line.op == OP_LOAD_REDUCE || in_line.op == OP_REDUCE)
                    else $error("operation %0d is none on a group", in_line.op);
                assert (good_size) else $error("%0d B are no whole elements", in_line.size);
                assert (!in_line.flags[POSTED] || in_line.op == OP_MULTICAST)
                    else $error("operation %0d cannot be posted", in_line.op);
            end
        end

    always_ff @(posedge clk)
        if (rst_n) begin
            if (take && taken_op == OP_REDUCE) begin
                assert (is_member) else $error("a contribution of endpoint %0d, which is no member", taken_source);
                assert (opens || !heard[context_of][place]) else $error("endpoint %0d contributes twice", taken_source);
            end
            assert (!take || opens || (busy[context_of] && collecting[context_of] && group[context_of] == taken_group))
                else $error("a contribution joins a context that is not open for it");
            assert (!opens || !busy[context_of]) else $error("context %0d is opened twice", context_of);
            assert (!closes || (busy[leaving] && !collecting[leaving]))
                else $error("context %0d is closed too early", leaving);
        end

    logic cfg_in_use, cfg_twice, cfg_beyond;
    always_comb begin
        cfg_in_use = 1'b0;
        cfg_twice = 1'b0;
        cfg_beyond = 1'b0;
        for (int c = 0; c < int'(CONTEXTS); c++)
            if (busy[c] && group[c] == cfg_group) cfg_in_use = 1'b1;
        for (int i = 0; i < int'(MEMBERS); i++)
            if (NW'(i) < cfg_count) begin
                if ({{(32-PW){1'b0}}, cfg_members[i]} >= PORTS) cfg_beyond = 1'b1;
                for (int k = 0; k < i; k++)
                    if (cfg_members[k] == cfg_members[i] || cfg_endpoints[k] == cfg_endpoints[i]) cfg_twice = 1'b1;
            end
    end
    always_ff @(posedge clk)
        if (rst_n && cfg_valid) begin
            assert ({{(32-GW){1'b0}}, cfg_group} < GROUPS && {{(32-NW){1'b0}}, cfg_count} < MEMBERS + 1)
                else $error("group %0d of %0d members has no place in the table", cfg_group, cfg_count);
            assert (!cfg_beyond) else $error("a member of group %0d is at a port that there is not", cfg_group);
            assert (!cfg_twice) else $error("two members of group %0d are one endpoint or share a port", cfg_group);
            assert (!cfg_in_use) else $error("group %0d is set while it is in use", cfg_group);
        end
endmodule
