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

// TestReacher is what the tests below run in a sandbox: it prints what it reaches.
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

// Key rings belong to the user in every namespace, and abstract sockets to the network namespace.
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
		if !holdsSignals() {
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

// In its own cgroup namespace a program could mount its control group, with everything else in it. Other uses
// of namespaces by builds work.
func TestTheControlGroupIsOutOfReach(t *testing.T) {
	const try = `unshare -Urm true && echo MAY; unshare -UrmC sh -c 'mount -t cgroup2 x /mnt && echo REACHED'; echo LOOKED`
	dir, _ := house(t, Unconfined)
	if _, said := confined(t, dir, nil, try); !strings.Contains(said, "REACHED") {
		t.Skip("it cannot be mounted without a sandbox, either: ", said)
	}
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		if _, said := confined(t, dir, rules, try); strings.Contains(said, "REACHED") || !strings.Contains(said, "LOOKED") || k == Bwrap && !strings.Contains(said, "MAY") {
			t.Errorf("%s: %s", k, said)
		}
	}
}
