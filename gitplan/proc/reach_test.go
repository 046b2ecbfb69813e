//go:build linux

package proc

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReacher is what the tests below run in a sandbox: it says what it reaches.
func TestReacher(t *testing.T) {
	name := os.Getenv("PROC_TEST_REACH")
	if name == "" {
		t.Skip("it is run by others")
	}
	if c, err := net.Dial("unix", "@"+name); err == nil {
		fmt.Println("REACHED the socket")
		c.Close()
	}
	for _, ring := range []int{unix.KEY_SPEC_USER_KEYRING, unix.KEY_SPEC_SESSION_KEYRING} {
		if id, err := unix.KeyctlSearch(ring, "user", name, 0); err == nil {
			fmt.Println("REACHED the key", id)
		}
		if _, err := unix.AddKey("user", name+"-planted", []byte("x"), ring); err != unix.ENOSYS {
			fmt.Println("REACHED key ring", ring, err)
		}
	}
	if _, err := unix.RequestKey("user", name, "", unix.KEY_SPEC_PROCESS_KEYRING); err != unix.ENOSYS {
		fmt.Println("REACHED by request", err)
	}
	fmt.Println("LOOKED")
}

// Key rings are the user's in every namespace, and sockets without a path the network's.
func TestKeyRingsAndAbstractSocketsAreOutOfReach(t *testing.T) {
	name := fmt.Sprintf("git-plan-test-%d", os.Getpid())
	listener, err := net.Listen("unix", "@"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, err = unix.AddKey("user", name, []byte("SECRET"), unix.KEY_SPEC_USER_KEYRING)
	if err != nil {
		t.Log("NOT TESTED: there are no keys here: ", err)
	} else {
		defer forget(name)
	}
	t.Setenv("PROC_TEST_REACH", name)
	line := os.Args[0] + " -test.run='^TestReacher$' -test.v"
	dir, _ := house(t, Unconfined)
	_, said := confined(t, dir, nil, line)
	if !strings.Contains(said, "REACHED the socket") || err == nil && !strings.Contains(said, "REACHED the key") {
		t.Fatalf("unconfined it reaches nothing: %s", said)
	}
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		_, said := confined(t, dir, rules, line)
		if landlockVersion() < landlockSignals {
			said = strings.ReplaceAll(said, "REACHED the socket", "")
		}
		if !strings.Contains(said, "LOOKED") || strings.Contains(said, "REACHED") {
			t.Errorf("%s: %s", k, said)
		}
	}
}

// forget removes the keys of a test.
func forget(name string) {
	for _, ring := range []int{unix.KEY_SPEC_USER_KEYRING, unix.KEY_SPEC_SESSION_KEYRING} {
		for _, name := range []string{name, name + "-planted"} {
			if id, err := unix.KeyctlSearch(ring, "user", name, 0); err == nil {
				_, _ = unix.KeyctlInt(unix.KEYCTL_UNLINK, id, ring, 0, 0)
			}
		}
	}
}

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
