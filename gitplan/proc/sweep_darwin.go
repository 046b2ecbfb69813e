package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// processes returns the numbers of this user's processes.
func processes() (pids []int) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	for _, p := range all {
		pids = append(pids, int(p.Proc.P_pid))
	}
	return pids
}

// environ returns the environment a process began with, each variable ended by a NUL; empty if it is not ours.
func environ(pid int) (env []byte, known bool) {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, true
	}
	return behindArguments(args), true
}
