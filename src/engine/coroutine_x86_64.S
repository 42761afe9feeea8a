/*
 * Coroutine switch for x86-64 (System V ABI): the callee-saved registers and the
 * stack pointer.  The floating-point control words are the same in all
 * coroutines of a program and are not switched.  Empty on other targets.
 *
 * Both directions end in a jump, not in ret: the processor predicts ret from the
 * calls it has seen last, which were made on the other stack, and a wrong guess
 * costs more than the whole switch.  Offsets: coroutine.c, struct UrCoroutine.
 */
#if defined (__x86_64__) && !defined (__ILP32__) && !defined (UR_COROUTINE_UCONTEXT)

#define SP         0
#define RESUMER_SP 8

	.macro	save_registers
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	.endm

	.macro	restore_registers_and_go
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	popq	%rcx
	jmp	*%rcx
	.endm

	.text

/* int ur_coroutine_enter (UrCoroutine *): onto its stack; comes back with what ur_coroutine_leave() was given. */
	.globl	ur_coroutine_enter
	.hidden	ur_coroutine_enter
	.type	ur_coroutine_enter, @function
	.p2align 5
ur_coroutine_enter:
	.cfi_startproc
	save_registers
	movq	%rsp, RESUMER_SP(%rdi)
	movq	SP(%rdi), %rsp
	movq	$0, SP(%rdi)
	restore_registers_and_go
	.cfi_endproc
	.size	ur_coroutine_enter, . - ur_coroutine_enter

/* void ur_coroutine_leave (UrCoroutine *, int alive): back to the resumer's stack. */
	.globl	ur_coroutine_leave
	.hidden	ur_coroutine_leave
	.type	ur_coroutine_leave, @function
	.p2align 5
ur_coroutine_leave:
	.cfi_startproc
	save_registers
	movl	%esi, %eax
	movq	%rsp, SP(%rdi)
	movq	RESUMER_SP(%rdi), %rsp
	restore_registers_and_go
	.cfi_endproc
	.size	ur_coroutine_leave, . - ur_coroutine_leave

/* First entry: rbx holds the function, r12 its argument; the caller of this frame does not exist. */
	.globl	ur_coroutine_start
	.hidden	ur_coroutine_start
	.type	ur_coroutine_start, @function
	.p2align 4
ur_coroutine_start:
	.cfi_startproc
	.cfi_undefined rip
	movq	%r12, %rdi
	callq	*%rbx
	ud2
	.cfi_endproc
	.size	ur_coroutine_start, . - ur_coroutine_start

#endif

#if defined (__linux__) && defined (__ELF__)
	.section .note.GNU-stack, "", @progbits
#endif
