// A line as bits, header first (line_bits.h says the same).
/* verilator lint_off UNUSEDPARAM */
package weft_line_pkg;
    typedef struct packed {
        logic [511:0] data;         // byte 0 lowest
        logic failed;               // a response: the operation failed
        logic [23:0] tag;           // of whoever made the transaction
        logic [7:0] flags;
        logic [2:0] fn;             // of an atomic: add, exchange, compare_swap, min, max
        logic [6:0] size;           // bytes
        logic response;
        logic [3:0] op;
        logic [15:0] source;
        logic [15:0] destination;   // endpoint; from 16'hfc00 on a group
        logic [47:0] address;       // local to the destination
    } line_t;

    localparam logic [3:0] OP_READ = 4'd0;
    localparam logic [3:0] OP_WRITE = 4'd1;
    localparam logic [3:0] OP_ATOMIC = 4'd2;
    localparam logic [3:0] OP_FETCH = 4'd3;
    localparam logic [3:0] OP_AWAIT = 4'd4;
    localparam logic [3:0] OP_MONITOR = 4'd5;
    localparam logic [3:0] OP_MULTICAST = 4'd6;
    localparam logic [3:0] OP_LOAD_REDUCE = 4'd7;
    localparam logic [3:0] OP_REDUCE = 4'd8;
endpackage
/* verilator lint_on UNUSEDPARAM */
