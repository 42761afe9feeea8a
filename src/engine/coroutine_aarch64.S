/*
 * Coroutine switch for aarch64 (AAPCS64): x19 to x30, d8 to d15 and the stack
 * pointer.  The floating-point control register is the same in all coroutines of
 * a program and is not switched.  Empty on other targets.
 *
 * Both directions end in br, not in ret, whose prediction would come from the
 * other stack.  Offsets: coroutine.c, struct UrCoroutine.
 */
#if defined (__aarch64__) && !defined (__ILP32__) && !defined (UR_COROUTINE_UCONTEXT)

#define SP_AT         0
#define RESUMER_SP_AT 8

	.macro	save_registers
	sub	sp, sp, #160
	stp	x19, x20, [sp, #0]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mov	x9, sp
	.endm

	.macro	restore_registers_and_go
	ldp	x19, x20, [sp, #0]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #160
	br	x30
	.endm

	.text

/* int ur_coroutine_enter (UrCoroutine *): onto its stack; comes back with what ur_coroutine_leave() was given. */
	.globl	ur_coroutine_enter
	.hidden	ur_coroutine_enter
	.type	ur_coroutine_enter, %function
	.p2align 5
ur_coroutine_enter:
	.cfi_startproc
	save_registers
	str	x9, [x0, #RESUMER_SP_AT]
	ldr	x10, [x0, #SP_AT]
	str	xzr, [x0, #SP_AT]
	mov	sp, x10
	restore_registers_and_go
	.cfi_endproc
	.size	ur_coroutine_enter, . - ur_coroutine_enter

/* void ur_coroutine_leave (UrCoroutine *, int alive): back to the resumer's stack. */
	.globl	ur_coroutine_leave
	.hidden	ur_coroutine_leave
	.type	ur_coroutine_leave, %function
	.p2align 5
ur_coroutine_leave:
	.cfi_startproc
	save_registers
	str	x9, [x0, #SP_AT]
	ldr	x10, [x0, #RESUMER_SP_AT]
	mov	w0, w1
	mov	sp, x10
	restore_registers_and_go
	.cfi_endproc
	.size	ur_coroutine_leave, . - ur_coroutine_leave

/* First entry: x20 holds the function, x19 its argument; the caller of this frame does not exist. */
	.globl	ur_coroutine_start
	.hidden	ur_coroutine_start
	.type	ur_coroutine_start, %function
	.p2align 4
ur_coroutine_start:
	.cfi_startproc
	.cfi_undefined x30
	mov	x0, x19
	blr	x20
	brk	#1
	.cfi_endproc
	.size	ur_coroutine_start, . - ur_coroutine_start

#endif

#if defined (__linux__) && defined (__ELF__)
	.section .note.GNU-stack, "", %progbits
#endif
