// Operations on groups, carried out beside a switch: its input is fed by one output of the switch, and the other way.
//
// One line a clock is taken: a response in the clock it comes, otherwise a request that waits in a slot since an earlier
// clock. A request opens a context, or joins the one open for its group and address; the last free context is not for
// contributions, whose operation may need others that wait behind. `in_credit` gives the slot of a
// line back the clock after it was taken. Lines for the output wait in five queues, which take turns; a line is on
// `out_*` from the clock after it is ready on, when `out_ready` says that its channel can take one in this clock.
module weft_group_unit import weft_line_pkg::*, weft_group_pkg::*; #(
    parameter int unsigned MEMBERS = 8,   // of a group, at most
    parameter int unsigned GROUPS = 4,    // 16'hfc00 and up
    parameter int unsigned CONTEXTS = 4,  // operations in progress
    parameter int unsigned SLOTS = 16,    // requests that wait
    parameter int unsigned PORTS = 4,     // of the switch, without the unit's own
    parameter int unsigned VCS = 4,
    parameter int unsigned VC_READ = 0,   // channels: reads and writes to members, requests, responses
    parameter int unsigned VC_WRITE = 1,
    parameter int unsigned VC_GROUP = 2,
    parameter int unsigned VC_RESPONSE = 3
) (
    input  logic clk,
    input  logic rst_n,
    input  logic in_valid,
    input  logic [VCW-1:0] in_vc,
    input  logic [PW-1:0] in_port,        // of the switch, where an answer goes
    input  line_t in_line,
    output logic [VCS-1:0] in_credit,
    output logic out_valid,
    output logic [PORTS-1:0] out_ports,
    output logic [VCW-1:0] out_vc,
    output line_t out_line,
    input  logic [VCS-1:0] out_ready,
    input  logic cfg_valid,               // sets one group; none of its operations is in progress
    input  logic [GW-1:0] cfg_group,
    input  logic [NW-1:0] cfg_count,
    input  logic [MEMBERS-1:0][PW-1:0] cfg_members,
    input  logic [MEMBERS-1:0][15:0] cfg_endpoints,
    input  logic [1:0] cfg_type,
    input  logic [1:0] cfg_op,
    output logic idle                     // nothing is in here: clocks may be left out
);
    localparam int unsigned CW = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1;
    localparam int unsigned GW = GROUPS > 1 ? $clog2(GROUPS) : 1;
    localparam int unsigned MW = MEMBERS > 1 ? $clog2(MEMBERS) : 1;
    localparam int unsigned NW = $clog2(MEMBERS + 1);
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1;
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1;

    // Whom a request came from, by context and member; of a multicast or a load_reduce in place 0.
    typedef struct packed {
        logic [15:0] source;
        logic [23:0] tag;
        logic [7:0] flags;
        logic [PW-1:0] port;
    } asker_t;
    asker_t askers [CONTEXTS][MEMBERS];
    logic [511:0] operands [CONTEXTS][MEMBERS];
    logic [511:0] results [CONTEXTS];

    // Contexts.
    logic [CONTEXTS-1:0] busy, collecting;  // collecting: contributions
    logic [CONTEXTS-1:0] failed;
    logic [CONTEXTS-1:0][3:0] op;
    logic [CONTEXTS-1:0][GW-1:0] group;
    logic [CONTEXTS-1:0][47:0] address;
    logic [CONTEXTS-1:0][6:0] size;
    logic [CONTEXTS-1:0] posted;
    logic [CONTEXTS-1:0][NW-1:0] pending;   // contributions or responses still to come

    logic [GROUPS-1:0][NW-1:0] count;
    logic [GROUPS-1:0][PORTS-1:0] ports;
    logic [GROUPS-1:0][1:0] element, reduction;

    // The line taken in this clock, and its context.
    logic response, request, take;
    line_t taken, slot_line;
    logic [PW-1:0] slot_port;
    logic offered, slot_joins, none_waits;
    logic [CW-1:0] slot_context, context_of, free_context;
    logic [GW-1:0] taken_group;
    logic is_member;
    logic [MW-1:0] found, place;
    logic opens, collects, completes;

    assign response = in_valid && in_line.response;
    assign request = in_valid && !in_line.response;
    assign take = offered && !response;
    assign taken = response ? in_line : slot_line;
    assign taken_group = response ? taken.source[GW-1:0] : taken.destination[GW-1:0];
    assign context_of = response ? taken.tag[CW-1:0] : slot_joins ? slot_context : free_context;
    assign opens = take && !slot_joins;
    // A contribution: it counts as soon as it is taken.
    assign collects = take && taken.op == OP_REDUCE;
    assign completes = collects && (opens ? count[taken_group] : pending[context_of]) == 1;
    assign place = response || taken.op == OP_REDUCE ? found : '0;

    always_comb begin
        free_context = '0;
        for (int i = int'(CONTEXTS) - 1; i >= 0; i--)
            if (!busy[i]) free_context = CW'(i);
    end

    // Contexts that wait for contributions are never all of them, unless there is but one.
    logic may_collect;
    logic [CONTEXTS-1:0] others;
    assign others = ~collecting;
    assign may_collect = busy != '1 && (CONTEXTS == 1 || (others & (others - 1'b1)) != '0);  // two of them

    // A contribution that arrives joins the context open for its group and address.
    logic arrival_joins;
    logic [CW-1:0] arrival_context;
    always_comb begin
        arrival_joins = 1'b0;
        arrival_context = '0;
        for (int i = 0; i < int'(CONTEXTS); i++)
            if (collecting[i] && in_line.op == OP_REDUCE && group[i] == in_line.destination[GW-1:0] &&
                address[i] == in_line.address && !(completes && context_of == CW'(i))) begin
                arrival_joins = 1'b1;
                arrival_context = CW'(i);
            end
    end

    weft_request_slots #(.SLOTS(SLOTS), .CONTEXTS(CONTEXTS), .PW(PW)) slots (
        .clk, .rst_n, .write(request), .write_line(in_line), .write_port(in_port), .write_joins(arrival_joins),
        .write_context(arrival_context), .may_open(busy != '1),
        .may_collect, .offered, .line(slot_line), .port(slot_port),
        .joins(slot_joins), .join_context(slot_context), .take, .opens(opens && collects && !completes),
        .open_context(free_context), .none(none_waits));

    weft_group_table #(.MEMBERS(MEMBERS), .GROUPS(GROUPS), .PORTS(PORTS)) table_of_groups (
        .clk, .rst_n, .cfg_valid, .cfg_group, .cfg_count, .cfg_members, .cfg_endpoints, .cfg_type, .cfg_op, .count,
        .ports, .element, .reduction, .asked_group(taken_group),
        .asked_endpoint(response ? taken.destination : taken.source), .is_member, .member(found));

    logic last_response, sum_ready;
    assign last_response = response && pending[context_of] == 1;
    assign sum_ready = completes || (last_response && op[context_of] == OP_LOAD_REDUCE);

    logic [CW-1:0] work;
    logic [MW-1:0] work_member, work_last;
    logic work_done;
    logic [511:0] work_result;
    assign work_last = MW'(count[group[work]] - 1'b1);
    weft_accumulator #(.CONTEXTS(CONTEXTS), .MEMBERS(MEMBERS)) adder (
        .clk, .rst_n, .push(sum_ready), .push_context(context_of), .head(work), .member(work_member),
        .last_member(work_last), .element(element[group[work]]), .reduction(reduction[group[work]]),
        .operand(operands[work][work_member]), .done(work_done), .result(work_result));

    // What waits for the output.
    logic [QUEUES-1:0] push, pop, waiting, ready;
    logic [QUEUES-1:0][CW-1:0] pushed, heads;
    generate
        for (genvar q = 0; q < int'(QUEUES); q++) begin : g_queue
            weft_context_queue #(.CONTEXTS(CONTEXTS)) queue (
                .clk, .rst_n, .push(push[q]), .push_context(pushed[q]), .pop(pop[q]), .waiting(waiting[q]),
                .head(heads[q]));
        end
    endgenerate
    always_comb begin
        push[QUEUE_READ] = opens && taken.op == OP_LOAD_REDUCE;
        push[QUEUE_CAST] = opens && taken.op == OP_MULTICAST;
        push[QUEUE_SUM] = work_done && op[work] == OP_REDUCE;
        push[QUEUE_ACK] = last_response && op[context_of] != OP_LOAD_REDUCE;
        push[QUEUE_RESULT] = work_done && op[work] == OP_LOAD_REDUCE;
        pushed[QUEUE_READ] = context_of;
        pushed[QUEUE_CAST] = context_of;
        pushed[QUEUE_SUM] = work;
        pushed[QUEUE_ACK] = context_of;
        pushed[QUEUE_RESULT] = work;
        ready = waiting;
        if (!out_ready[VC_READ]) ready[QUEUE_READ] = 1'b0;
        if (!out_ready[VC_WRITE]) {ready[QUEUE_CAST], ready[QUEUE_SUM]} = 2'b00;
        if (!out_ready[VC_RESPONSE]) {ready[QUEUE_ACK], ready[QUEUE_RESULT]} = 2'b00;
    end

    // The first queue from `turn` on whose channel is ready.
    logic [2:0] turn, queue, candidate;
    always_comb begin
        out_valid = 1'b0;
        queue = '0;
        candidate = turn;
        for (int k = 0; k < int'(QUEUES); k++) begin
            if (!out_valid && ready[candidate]) begin
                out_valid = 1'b1;
                queue = candidate;
            end
            candidate = candidate == 3'(QUEUES - 1) ? '0 : candidate + 1'b1;
        end
    end

    logic [CW-1:0] leaving;
    logic [MW-1:0] answered;  // contributions of the head of QUEUE_ACK
    logic answers, last_answer, closes;
    asker_t asker;
    assign leaving = heads[queue];
    assign answers = queue == 3'(QUEUE_ACK) || queue == 3'(QUEUE_RESULT);
    assign last_answer = op[leaving] != OP_REDUCE || NW'(answered) + 1'b1 == count[group[leaving]];
    assign closes = out_valid && (answers ? last_answer : queue == 3'(QUEUE_CAST) && posted[leaving]);
    assign asker = askers[leaving][queue == 3'(QUEUE_ACK) ? answered : '0];
    always_comb begin
        pop = '0;
        pop[queue] = out_valid && (!answers || last_answer);
    end

    always_comb begin
        out_line = '0;
        out_line.address = address[leaving];
        out_line.destination = {FIRST_GROUP, 10'(group[leaving])};
        out_line.size = size[leaving];
        if (answers) begin
            out_line.source = asker.source;
            out_line.op = op[leaving];
            out_line.response = 1'b1;
            out_line.flags = asker.flags;
            out_line.tag = asker.tag;
            out_line.failed = failed[leaving];
        end else begin
            out_line.source = {FIRST_GROUP, 10'(group[leaving])};
            out_line.op = queue == 3'(QUEUE_READ) ? OP_READ : OP_WRITE;
            out_line.flags[POSTED] = posted[leaving];
            out_line.tag = 24'(leaving);
        end
        case (queue)
            3'(QUEUE_CAST): out_line.data = operands[leaving][0];
            3'(QUEUE_SUM), 3'(QUEUE_RESULT): out_line.data = results[leaving];
            default: out_line.data = '0;
        endcase
        out_vc = queue == 3'(QUEUE_READ) ? VCW'(VC_READ) : answers ? VCW'(VC_RESPONSE) : VCW'(VC_WRITE);
        out_ports = '0;
        if (answers) out_ports[asker.port] = out_valid;
        else if (out_valid) out_ports = ports[group[leaving]];
    end

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            busy <= '0;
            collecting <= '0;
            in_credit <= '0;
            turn <= '0;
            answered <= '0;
        end else begin
            if (opens) begin
                busy[context_of] <= 1'b1;
                collecting[context_of] <= collects;
            end
            if (completes) collecting[context_of] <= 1'b0;
            if (closes) busy[leaving] <= 1'b0;
            in_credit <= '0;
            in_credit[VC_GROUP] <= take;
            in_credit[VC_RESPONSE] <= response;
            if (out_valid) turn <= queue == 3'(QUEUES - 1) ? '0 : queue + 1'b1;
            if (out_valid && queue == 3'(QUEUE_ACK)) answered <= last_answer ? '0 : answered + 1'b1;
        end
        if (opens) begin
            op[context_of] <= taken.op;
            group[context_of] <= taken_group;
            address[context_of] <= taken.address;
            size[context_of] <= taken.size;
            posted[context_of] <= taken.op == OP_MULTICAST && taken.flags[POSTED];
            failed[context_of] <= 1'b0;
        end
        // A context that has all contributions waits for as many acknowledgements.
        if (completes || (opens && !collects)) pending[context_of] <= count[taken_group];
        else if (opens) pending[context_of] <= count[taken_group] - 1'b1;
        else if (take || response) pending[context_of] <= pending[context_of] - 1'b1;
        if (response && taken.failed) failed[context_of] <= 1'b1;
        if (take) askers[context_of][place] <= '{taken.source, taken.tag, taken.flags, slot_port};
        if (take || response) operands[context_of][place] <= taken.data;
        if (work_done) results[work] <= work_result;
    end

    assign idle = !in_valid && !cfg_valid && none_waits && busy == '0 && in_credit == '0;

`ifndef SYNTHESIS
    weft_group_checks #(
        .MEMBERS(MEMBERS), .GROUPS(GROUPS), .CONTEXTS(CONTEXTS), .PORTS(PORTS), .VCS(VCS), .VC_GROUP(VC_GROUP),
        .VC_RESPONSE(VC_RESPONSE)) checks (
        .clk, .rst_n, .in_valid, .in_vc, .in_port, .in_line, .cfg_valid, .cfg_group, .cfg_count, .cfg_members,
        .cfg_endpoints, .count, .element, .take, .response, .taken_op(taken.op),
        .taken_source(taken.source), .taken_group, .context_of, .is_member, .place, .opens,
        .completes, .busy, .group, .op, .collecting, .pending, .closes, .leaving);
`endif
    logic unused;
    assign unused = ^{in_vc, taken.response, taken.fn, is_member};
endmodule
