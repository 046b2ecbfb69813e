package proc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onAThread runs f on a separate thread, which ends with it: its restrictions affect no other thread.
func onAThread(f func()) {
	done := make(chan struct{})
	var begin func()
	begin = func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the main thread cannot end
			defer runtime.UnlockOSThread()
			again := make(chan struct{})
			go func() { defer close(again); begin() }()
			<-again
			return
		}
		defer close(done)
		f()
	}
	go begin()
	<-done
}

// restrictedRead runs f within bounds of Landlock, if this kernel has it.
func restrictedRead(t *testing.T, b Confinement, f func()) {
	t.Helper()
	rules, err := b.ruleset()
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	defer rules.Close()
	onAThread(func() {
		if err := restrict(int(rules.Fd())); err != nil {
			t.Error(err)
			return
		}
		f()
	})
}

// A thread that restricts itself reads and writes only within its bounds, and has no key rings; the other
// threads of its process are unrestricted.
func TestThreadIsRestrictedToItsBounds(t *testing.T) {
	dir := boundsTree(t)
	in := func(p string) string { return filepath.Join(dir, p) }
	b := Confinement{Writable: below(dir, "tree", "home/.cache"), Hidden: below(dir, "home", "missing"), Readable: below(dir, "home/bin")}
	restrictedRead(t, b, func() {
		for path, want := range map[string]bool{"tree/file": true, "outside": true, "home/bin/tool": true, "home/.cache/entry": true, "home/.ssh/id": false, "home/keys/id": false, "tree/theirs/id": false} {
			if _, err := os.ReadFile(in(path)); (err == nil) != want || !want && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("reading %s: %v", path, err)
			}
		}
		for path, want := range map[string]bool{"tree/new": true, "tree/file": true, "home/.cache/new": true, "outside": false, "new": false, "home/new": false, "home/bin/tool": false, "tree/out": false} {
			if err := os.WriteFile(in(path), nil, 0o600); (err == nil) != want || !want && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("writing %s: %v", path, err)
			}
		}
		if err := unix.Mknod(in("tree/disk"), unix.S_IFBLK|0o600, 8<<8); err == nil {
			t.Error("it makes devices")
		}
		if _, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_SESSION_KEYRING, 0, 0, 0); err != unix.ENOSYS {
			t.Errorf("it has key rings: %v", err)
		}
		for n := range uintptr(unix.CAP_LAST_CAP + 1) {
			if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, n, 0, 0, 0); os.Geteuid() == 0 && err == nil && has == 1 && !keeps(n) {
				t.Errorf("what it starts may have capability %d", n)
			}
		}
	})
	if _, err := os.ReadFile(in("home/.ssh/id")); err != nil {
		t.Errorf("another thread: %v", err)
	}
}

func keeps(capability uintptr) bool {
	for _, kept := range rootCapabilities {
		if capability == kept {
			return true
		}
	}
	return false
}

// If a thread cannot be restricted, the error says why: the kernel is too old, or it refuses.
func TestReasonsOfAnUnrestrictableThread(t *testing.T) {
	for version, want := range map[int]string{0: "no Landlock", 1: "Linux 6.2", 2: "Linux 6.2"} {
		if _, err := newRuleset(version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("version %d: %v", version, err)
		}
	}
	onAThread(func() {
		file, err := os.Open(os.DevNull)
		if err == nil {
			defer file.Close()
			err = restrict(int(file.Fd()))
		}
		if err == nil || !strings.Contains(err.Error(), "Landlock cannot be applied") {
			t.Errorf("a file that is not a ruleset: %v", err)
		}
	})
	r, err := newRuleset(landlockVersion())
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	_ = unix.Close(r.fd)
	if r.add("/etc", mayRead); r.err == nil || !strings.Contains(r.err.Error(), "/etc") {
		t.Errorf("a rule for a ruleset that is closed: %v", r.err)
	}
}

// An abstract socket belongs to the shared network namespace: a scoped thread reaches only its own.
func TestAbstractSocketsAreOutOfReach(t *testing.T) {
	if landlockVersion() < landlockSignals {
		t.Skip("NOT TESTED: from Linux 6.12")
	}
	listener, err := net.Listen("unix", fmt.Sprintf("@git-plan-confine-test-%d", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	reached := func() bool {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Error(err)
			return false
		}
		defer unix.Close(fd)
		return unix.Connect(fd, &unix.SockaddrUnix{Name: listener.Addr().String()}) == nil
	}
	if !reached() {
		t.Fatal("it cannot be reached")
	}
	onAThread(func() {
		if scopeSockets(); reached() {
			t.Error("it is reached")
		}
	})
	restrictedRead(t, Confinement{}, func() {
		if reached() {
			t.Error("it is reached from inside the bounds")
		}
	})
}

// bwrap gets the filter in the kernel's format: instructions of eight bytes each.
func TestFilterFormat(t *testing.T) {
	file, err := callFilterFile()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	want := systemCallFilter()
	if err != nil || len(text) != 8*len(want) {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	for i, f := range want {
		if at := text[8*i:]; binary.NativeEndian.Uint16(at) != f.Code || at[2] != f.Jt || at[3] != f.Jf || binary.NativeEndian.Uint32(at[4:]) != f.K {
			t.Errorf("instruction %d: %v, want %+v", i, at[:8], f)
		}
	}
}

// The filter, as the kernel reads it, blocks those calls and no others.
func TestFilteredCalls(t *testing.T) {
	const allow, none = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	const group, user = unix.CLONE_NEWCGROUP | unix.CLONE_NEWUSER, unix.CLONE_NEWUSER | uint32(unix.SIGCHLD)
	const refuse, x64 = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM), unix.AUDIT_ARCH_X86_64
	for _, c := range []struct{ call, first, second, want uint32 }{
		{302, 0, 7, allow}, {302, 1, 0, refuse}, {302 | x32, 1, 0, refuse}, {144, 0, 5, allow}, {144, 9, 5, refuse}, {314, 0, 9, allow}, {314, 9, 0, refuse},
		{141, unix.PRIO_PROCESS, 0, allow}, {141, unix.PRIO_PGRP, 0, allow}, {141, unix.PRIO_PROCESS, 9, refuse}, {141, unix.PRIO_USER, 0, refuse}, {140, 2, 9, allow},
	} {
		if got := judged(t, x64, c.call, c.first, c.second); got != c.want {
			t.Errorf("%+v: %x", c, got)
		}
	}
	for _, c := range []struct{ arch, call, want, flags uint32 }{
		{unix.AUDIT_ARCH_X86_64, 272, none, group}, {unix.AUDIT_ARCH_X86_64, 56, none, group}, {unix.AUDIT_ARCH_X86_64, 272, allow, user}, {unix.AUDIT_ARCH_X86_64, 56, allow, user},
		{unix.AUDIT_ARCH_X86_64, clone3, none, 0}, {unix.AUDIT_ARCH_AARCH64, 220, none, group}, {unix.AUDIT_ARCH_AARCH64, 97, allow, user}, {unix.AUDIT_ARCH_AARCH64, 56, allow, group}} {
		if got := judged(t, c.arch, c.call, c.flags, 0); got != c.want {
			t.Errorf("architecture %x, call %d, flags %x: %x, want %x", c.arch, c.call, c.flags, got, c.want)
		}
	}
	for _, c := range []struct{ arch, call, want uint32 }{
		{unix.AUDIT_ARCH_X86_64, 0, allow}, {unix.AUDIT_ARCH_X86_64, 247, allow}, {unix.AUDIT_ARCH_X86_64, 248, none}, {unix.AUDIT_ARCH_X86_64, 249, none},
		{unix.AUDIT_ARCH_X86_64, 250, none}, {unix.AUDIT_ARCH_X86_64, 251, allow}, {unix.AUDIT_ARCH_X86_64, 250 | x32, none}, {unix.AUDIT_ARCH_X86_64, 288, allow},
		{unix.AUDIT_ARCH_I386, 288, none}, {unix.AUDIT_ARCH_I386, 250, allow}, {unix.AUDIT_ARCH_AARCH64, 219, none}, {unix.AUDIT_ARCH_AARCH64, 250, allow},
		{unix.AUDIT_ARCH_ARM, 311, none}, {unix.AUDIT_ARCH_S390X, 280, none}, {unix.AUDIT_ARCH_S390X, 281, allow}, {12345, 250, allow},
	} {
		if got := judged(t, c.arch, c.call, 0, 0); got != c.want {
			t.Errorf("architecture %x, call %d: %x, want %x", c.arch, c.call, got, c.want)
		}
	}
}

// judged runs the filter like the kernel.
func judged(t *testing.T, arch, call, first, second uint32) uint32 {
	var a uint32
	program := systemCallFilter()
	for at := 0; at < len(program); at++ {
		switch f := program[at]; f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = map[uint32]uint32{callAt: call, archAt: arch, argumentsAt + lowerHalf: first, argumentsAt + lowerHalf + 8: second}[f.K]
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= f.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			if map[uint16]bool{unix.BPF_JEQ: a == f.K, unix.BPF_JGE: a >= f.K, unix.BPF_JGT: a > f.K, unix.BPF_JSET: a&f.K != 0}[f.Code&0xf0] {
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

// The rights that Landlock is asked to handle, by its version: an older kernel accepts none that it does not
// know.
func TestRightsThatLandlockHandles(t *testing.T) {
	for version, sockets := range map[int]bool{3: false, 6: false, 8: false, 9: true, 12: true} {
		if got := handledAccess(version)&unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX != 0; got != sockets {
			t.Errorf("version %d: sockets with a path: %v", version, got)
		}
	}
}
