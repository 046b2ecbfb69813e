package repository

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// AsUser makes the test itself, not the programs that it starts, subject to file modes, which root need not
// be.
func AsUser(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	set := func(c [2]unix.CapUserData) {
		if err := unix.Capset(&head, &c[0]); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Capget(&head, &caps[0]); err != nil {
		t.Fatal(err)
	}
	without := caps
	for _, c := range []int{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER} {
		without[c/32].Effective &^= 1 << (c % 32)
	}
	set(without)
	t.Cleanup(func() { set(caps) })
}
