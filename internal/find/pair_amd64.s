//go:build !purego

#include "textflag.h"

// func pairs(x, y *byte, n int, a, b, mask uint64) int
//
// SSE2, which every amd64 has.
TEXT ·pairs(SB), NOSPLIT, $0-56
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ a+24(FP), X0
	MOVQ b+32(FP), X1
	MOVQ mask+40(FP), X2
	PUNPCKLQDQ X0, X0
	PUNPCKLQDQ X1, X1
	PUNPCKLQDQ X2, X2
	XORQ AX, AX

next:
	CMPQ AX, CX
	JGE  none
	MOVOU (SI)(AX*1), X3
	MOVOU (DI)(AX*1), X4
	POR X2, X3
	POR X2, X4
	PCMPEQB X0, X3
	PCMPEQB X1, X4
	PAND X4, X3
	PMOVMSKB X3, DX
	ADDQ $16, AX
	TESTL DX, DX
	JEQ  next
	BSFL DX, DX
	LEAQ -16(AX)(DX*1), AX
	MOVQ AX, ret+48(FP)
	RET

none:
	MOVQ CX, ret+48(FP)
	RET
