// Numbers of element types and reductions, and of the queues of the group unit.
/* verilator lint_off UNUSEDPARAM */
package weft_group_pkg;
    localparam logic [1:0] ELEMENT_INT32 = 2'd0;
    localparam logic [1:0] ELEMENT_FP32 = 2'd1;
    localparam logic [1:0] ELEMENT_BF16 = 2'd2;

    localparam logic [1:0] REDUCE_SUM = 2'd0;
    localparam logic [1:0] REDUCE_MIN = 2'd1;
    localparam logic [1:0] REDUCE_MAX = 2'd2;

    localparam logic [5:0] FIRST_GROUP = 6'b111111;  // the upper bits of an endpoint that is a group
    localparam int unsigned POSTED = 3;              // the flag of a write that nobody answers

    // What waits for the output, in the order of turns.
    localparam int unsigned QUEUES = 5;
    localparam int unsigned QUEUE_READ = 0;    // load_reduce: the read of all members
    localparam int unsigned QUEUE_CAST = 1;    // multicast: the write to all members
    localparam int unsigned QUEUE_SUM = 2;     // reduce: the write of the combination
    localparam int unsigned QUEUE_ACK = 3;     // answers to a multicast or to all contributions
    localparam int unsigned QUEUE_RESULT = 4;  // the answer to a load_reduce
endpackage
/* verilator lint_on UNUSEDPARAM */
