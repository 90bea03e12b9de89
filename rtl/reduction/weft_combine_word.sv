// One 32-bit word of two operands combined: an element of four bytes, two of two or four of one. Combinational.
// Minimum and maximum prefer numbers to NaN, and the accumulator among equals; a NaN result is canonical.
module weft_combine_word import weft_group_pkg::*, weft_fp32_pkg::*; (
    input  logic enable,  // otherwise nothing moves, and the result is 0
    input  logic [1:0] element,
    input  logic [1:0] reduction,
    input  logic [31:0] accumulator,
    input  logic [31:0] operand,
    output logic [31:0] result
);
    function automatic logic is_nan(input logic [30:0] magnitude);
        return magnitude > 31'h7f800000;
    endfunction

    function automatic logic is_less(input logic [31:0] x, input logic [31:0] y);
        if (x[30:0] == 0 && y[30:0] == 0) return 1'b0;
        if (x[31] != y[31]) return x[31];
        return x[31] ? x[30:0] > y[30:0] : x[30:0] < y[30:0];
    endfunction

    // The smaller or larger of two binary32 numbers.
    function automatic logic [31:0] chosen(input logic largest, input logic [31:0] x, input logic [31:0] y);
        if (is_nan(x[30:0]) && is_nan(y[30:0])) return 32'h7fffffff;
        if (is_nan(x[30:0])) return y;
        if (is_nan(y[30:0])) return x;
        return (largest ? is_less(x, y) : is_less(y, x)) ? y : x;
    endfunction

    // To nearest even. A NaN here is canonical and stays so.
    function automatic logic [15:0] to_bf16(input logic [31:0] x);
        logic up;
        up = !is_nan(x[30:0]) && x[15] && (x[16] || x[14:0] != 0);
        return x[31:16] + {15'd0, up};
    endfunction

    function automatic logic [7:0] byte_of(input logic [1:0] how, input logic [7:0] x, input logic [7:0] y);
        case (how)
            REDUCE_MIN: return y < x ? y : x;
            REDUCE_MAX: return x < y ? y : x;
            default: return x + y;
        endcase
    endfunction

    function automatic logic [31:0] int_of(input logic [1:0] how, input logic [31:0] x, input logic [31:0] y);
        case (how)
            REDUCE_MIN: return $signed(y) < $signed(x) ? y : x;
            REDUCE_MAX: return $signed(x) < $signed(y) ? y : x;
            default: return x + y;
        endcase
    endfunction

    function automatic logic [31:0] float_of(input logic [1:0] how, input logic [31:0] x, input logic [31:0] y);
        if (how == REDUCE_SUM) return fp32_add(x, y);
        else return chosen(how == REDUCE_MAX, x, y);
    endfunction

    always_comb begin
        result = '0;
        if (enable)
            case (element)
                ELEMENT_INT32: result = int_of(reduction, accumulator, operand);
                ELEMENT_FP32: result = float_of(reduction, accumulator, operand);
                ELEMENT_BF16: begin
                    result[15:0] = to_bf16(
                        float_of(reduction, {accumulator[15:0], 16'd0}, {operand[15:0], 16'd0}));
                    result[31:16] = to_bf16(
                        float_of(reduction, {accumulator[31:16], 16'd0}, {operand[31:16], 16'd0}));
                end
                default:
                    for (int i = 0; i < 4; i++)
                        result[8*i+:8] = byte_of(reduction, accumulator[8*i+:8], operand[8*i+:8]);
            endcase
    end
endmodule
