package confine

import (
	"testing"

	"golang.org/x/sys/unix"
)

// The filter, as the kernel reads it, takes those calls away and no others.
func TestTheFilterOfCalls(t *testing.T) {
	const allow, none = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	for _, c := range []struct{ arch, call, want uint32 }{
		{unix.AUDIT_ARCH_X86_64, 0, allow}, {unix.AUDIT_ARCH_X86_64, 247, allow}, {unix.AUDIT_ARCH_X86_64, 248, none}, {unix.AUDIT_ARCH_X86_64, 249, none},
		{unix.AUDIT_ARCH_X86_64, 250, none}, {unix.AUDIT_ARCH_X86_64, 251, allow}, {unix.AUDIT_ARCH_X86_64, 250 | x32, none}, {unix.AUDIT_ARCH_X86_64, 288, allow},
		{unix.AUDIT_ARCH_I386, 288, none}, {unix.AUDIT_ARCH_I386, 250, allow}, {unix.AUDIT_ARCH_AARCH64, 219, none}, {unix.AUDIT_ARCH_AARCH64, 250, allow},
		{unix.AUDIT_ARCH_ARM, 311, none}, {unix.AUDIT_ARCH_S390X, 280, none}, {unix.AUDIT_ARCH_S390X, 281, allow}, {12345, 250, allow},
	} {
		if got := judged(t, c.arch, c.call); got != c.want {
			t.Errorf("architecture %x, call %d: %x, want %x", c.arch, c.call, got, c.want)
		}
	}
}

// judged runs the filter as the kernel would.
func judged(t *testing.T, arch, call uint32) uint32 {
	var a uint32
	program := withoutKeyrings()
	for at := 0; at < len(program); at++ {
		switch f := program[at]; f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = map[uint32]uint32{callAt: call, archAt: arch}[f.K]
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= f.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			if a == f.K {
				at += int(f.Jt)
			} else {
				at += int(f.Jf)
			}
		case unix.BPF_RET | unix.BPF_K:
			return f.K
		}
	}
	t.Fatal("the filter has no end")
	return 0
}

// What Landlock is asked to refuse, by its version: an older kernel accepts none that it does
// not know.
func TestWhatLandlockHandles(t *testing.T) {
	for version, sockets := range map[int]bool{3: false, 6: false, 8: false, 9: true, 12: true} {
		if got := handled(version)&unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX != 0; got != sockets {
			t.Errorf("version %d: sockets with a path: %v", version, got)
		}
	}
}
