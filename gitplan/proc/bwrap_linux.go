package proc

import (
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// bwrap returns the command line that runs a program in bubblewrap, with the network shared.
func (b Confinement) bwrap(bwrap, program string, args []string) []string {
	line := []string{bwrap, "--die-with-parent", "--json-status-fd", "3", "--seccomp", "4", // see startSupervised
		"--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	if os.Geteuid() == 0 {
		line = append(line, "--cap-drop", "ALL")
		for capability := range rootCapabilities {
			line = append(line, "--cap-add", capability)
		}
	}
	for _, p := range kernelFiles() {
		line = append(line, "--ro-bind", p, p)
	}
	line = append(line, bindArgs(b.resolve(), isDir)...)
	for _, p := range new(disk.Links).Existing(kernelSecrets) {
		line = hideArgs(line, p, isDir(p))
		if isDir(p) {
			line = append(line, "--remount-ro", p)
		}
	}
	return append(append(line, "--", program), args...)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// bindArgs returns the arguments of bwrap for a resolved Confinement. A later mount covers an earlier one, so an
// empty folder becomes read-only last, after everything visible in it has its place there.
func bindArgs(b Confinement, isDir func(string) bool) (args []string) {
	rules := fixed(b.rules())
	var sealed []string
	for _, p := range rules {
		switch {
		case p.may == mayReadAndWrite && strings.HasPrefix(p.path, "/dev/"): // a device that was named
			args = append(args, "--dev-bind", p.path, p.path)
		case p.may == mayReadAndWrite:
			args = append(args, "--bind", cmp.Or(p.from, p.path), p.path)
		case p.may == mayOnlyRead:
			args = append(args, "--ro-bind", p.path, p.path)
		default:
			args = hideArgs(args, p.path, isDir(p.path))
			if isDir(p.path) {
				sealed = append(sealed, p.path)
			}
		}
	}
	for _, l := range b.links {
		if at, ok := deepest(rules, l.Path); ok && at.may == noAccess && at.path != l.Path {
			args = append(args, "--symlink", l.To, l.Path)
		}
	}
	for _, m := range b.Mounts {
		bind := "--ro-bind"
		if m.Writable {
			bind = "--bind"
		}
		args = append(args, bind, m.From, m.To)
	}
	for _, p := range sealed {
		args = append(args, "--remount-ro", p)
	}
	return args
}

// fixed adds a rule for each folder between a path and the writable folder around it: a mount cannot be moved away.
func fixed(rules []pathRule) []pathRule {
	all := slices.Clone(rules)
	for _, p := range rules {
		for dir := filepath.Dir(p.path); ; dir = filepath.Dir(dir) {
			at, ok := deepest(rules, dir)
			if !ok || at.may != mayReadAndWrite || at.from != "" || at.path == dir {
				break
			}
			all = append(all, pathRule{dir, mayReadAndWrite, ""})
		}
	}
	return sortedRules(all)
}

// hideArgs covers a path with an empty folder, or with a device of another mount, which cannot be opened.
func hideArgs(args []string, path string, dir bool) []string {
	if dir {
		return append(args, "--tmpfs", path)
	}
	return append(args, "--ro-bind", "/dev/null", path)
}

// kernelFiles returns the entries of /proc through which the kernel of the whole machine is set, such as
// /proc/sys. Root may write them without a capability, even in a namespace of its own; others may not.
func kernelFiles() (out []string) {
	if os.Geteuid() != 0 {
		return nil
	}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			continue
		}
		info, err := e.Info()
		if err == nil && (info.IsDir() || info.Mode().IsRegular() && info.Mode().Perm()&0o222 != 0) {
			out = append(out, filepath.Join("/proc", e.Name()))
		}
	}
	return out
}

// kernelSecrets describe the machine and what runs on it; container runtimes mask the same files.
var kernelSecrets = []string{"/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys",
	"/proc/latency_stats", "/proc/sched_debug",
	"/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware", "/sys/devices/virtual/powercap"}

// rootCapabilities are what root keeps. With the others it could undo the mounts, reach files around them,
// or read the environment of this process (Linux 6.18: CAP_PERFMON is enough).
var rootCapabilities = map[string]uintptr{
	"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_FOWNER": unix.CAP_FOWNER,
	"CAP_FSETID": unix.CAP_FSETID, "CAP_KILL": unix.CAP_KILL, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE,
	"CAP_SETFCAP": unix.CAP_SETFCAP, "CAP_SETGID": unix.CAP_SETGID, "CAP_SETPCAP": unix.CAP_SETPCAP,
	"CAP_SETUID": unix.CAP_SETUID,
}

// The kernel's key rings, with what Kerberos and others keep there, are the user's in every namespace. And a program
// with a cgroup namespace of its own can mount the control group that it is in, and freeze or kill whatever else is
// there. So a filter takes these system calls away, as if the kernel did not have them. It also refuses limits and
// priorities of other processes, by which a program could end them, or blind and starve its supervisor.

// takenCalls are, for each architecture, the numbers of add_key, which request_key and keyctl follow; of unshare and
// clone, whose first argument is flags, 0 where that is not tried; of those whose first argument is a process, 0 for the
// own; and of setpriority, whose second is.
var takenCalls = []struct{ arch, keys, unshare, clone, prlimit, setScheduler, setAttr, setPriority uint32 }{
	{unix.AUDIT_ARCH_X86_64, 248, 272, 56, 302, 144, 314, 141}, {unix.AUDIT_ARCH_I386, 286, 310, 120, 340, 156, 351, 97},
	{unix.AUDIT_ARCH_AARCH64, 217, 97, 220, 261, 119, 274, 140}, {unix.AUDIT_ARCH_ARM, 309, 337, 120, 369, 156, 380, 97},
	{unix.AUDIT_ARCH_RISCV64, 217, 97, 220, 261, 119, 274, 140}, {unix.AUDIT_ARCH_LOONGARCH64, 217, 97, 220, 261, 119, 274, 140},
	{unix.AUDIT_ARCH_PPC64LE, 269, 282, 120, 325, 156, 355, 97}, {unix.AUDIT_ARCH_PPC64, 269, 0, 0, 325, 156, 355, 97},
	{unix.AUDIT_ARCH_PPC, 269, 0, 0, 325, 156, 355, 97},
	{unix.AUDIT_ARCH_S390X, 278, 0, 0, 334, 156, 345, 97}, {unix.AUDIT_ARCH_S390, 278, 0, 0, 334, 156, 345, 97},
}

// x32 marks the calls of x32 programs, which otherwise have the numbers of x86-64.
const x32 = 0x40000000

// Offsets of a call's number, architecture and arguments, of eight bytes each, in what a filter reads. It cannot see
// the flags of clone3, which has one number everywhere: without it the C library uses clone.
const (
	callAt      = 0
	archAt      = 4
	argumentsAt = 16
	clone3      = 435
)

// filteredCalls returns the filter. It lets through whatever it does not know.
func filteredCalls() (out []unix.SockFilter) {
	const load, equal, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_RET | unix.BPF_K
	out = append(out, unix.SockFilter{Code: load, K: archAt})
	first := argumentsAt + lowerHalf
	for _, a := range takenCalls {
		body := []unix.SockFilter{
			{Code: load, K: callAt},
			{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: ^uint32(x32)},
			{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: a.keys, Jf: 1},
			{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: a.keys + 2, Jf: 18},
			{Code: equal, K: clone3, Jt: 17},
			{Code: equal, K: a.unshare, Jt: 6}, {Code: equal, K: a.clone, Jt: 5},
			{Code: equal, K: a.setPriority, Jt: 6},
			{Code: equal, K: a.prlimit, Jt: 9}, {Code: equal, K: a.setScheduler, Jt: 8}, {Code: equal, K: a.setAttr, Jt: 7},
			{Code: give, K: unix.SECCOMP_RET_ALLOW},
			{Code: load, K: first},
			{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWCGROUP, Jt: 8, Jf: 6},
			{Code: load, K: first}, {Code: equal, K: unix.PRIO_USER, Jt: 5},
			{Code: load, K: first + 8}, {Code: equal, K: 0, Jt: 2, Jf: 3},
			{Code: load, K: first}, {Code: equal, K: 0, Jf: 1},
			{Code: give, K: unix.SECCOMP_RET_ALLOW},
			{Code: give, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
			{Code: give, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		}
		out = append(out, unix.SockFilter{Code: equal, K: a.arch, Jf: uint8(len(body))})
		out = append(out, body...)
	}
	return append(out, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW})
}

// lowerHalf is the offset of the lower four bytes of a number of eight.
var lowerHalf = 4 * uint32(binary.NativeEndian.Uint16([]byte{0, 1})&1)

// callFilter returns the filter as a file for bwrap, which applies it to the programs that it starts.
func callFilter() (*os.File, error) {
	filter := filteredCalls()
	file, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	// a pipe takes this much at once
	_, err = theirs.Write(unsafe.Slice((*byte)(unsafe.Pointer(&filter[0])), len(filter)*int(unsafe.Sizeof(filter[0]))))
	return file, err
}
