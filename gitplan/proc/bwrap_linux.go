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

// bwrap returns the command line that runs a program in bubblewrap; the network is shared.
func (c Confinement) bwrap(bwrap, program string, args []string) []string {
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
	line = append(line, bindArgs(c.resolve(), isDir)...)
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
	rules := withParents(b.rules())
	var emptyFolders []string
	for _, p := range rules {
		switch {
		case p.may == mayReadAndWrite && strings.HasPrefix(p.path, "/dev/"): // a device
			args = append(args, "--dev-bind", p.path, p.path)
		case p.may == mayReadAndWrite:
			args = append(args, "--bind", cmp.Or(p.from, p.path), p.path)
		case p.may == mayOnlyRead:
			args = append(args, "--ro-bind", p.path, p.path)
		default:
			args = hideArgs(args, p.path, isDir(p.path))
			if isDir(p.path) {
				emptyFolders = append(emptyFolders, p.path)
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
	for _, p := range emptyFolders {
		args = append(args, "--remount-ro", p)
	}
	return args
}

// withParents adds a rule for each folder between a path and the writable folder around it: a mount cannot be moved away.
func withParents(rules []pathRule) []pathRule {
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

// hideArgs appends arguments that cover a folder with an empty one, and a file with a device that cannot be opened.
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

// rootCapabilities are the capabilities that root keeps. With the others it could undo the mounts, reach files around
// them, or read the environment of this process (Linux 6.18: CAP_PERFMON is enough).
var rootCapabilities = map[string]uintptr{
	"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_FOWNER": unix.CAP_FOWNER,
	"CAP_FSETID": unix.CAP_FSETID, "CAP_KILL": unix.CAP_KILL, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE,
	"CAP_SETFCAP": unix.CAP_SETFCAP, "CAP_SETGID": unix.CAP_SETGID, "CAP_SETPCAP": unix.CAP_SETPCAP,
	"CAP_SETUID": unix.CAP_SETUID,
}

// A filter of system calls refuses three things. The kernel's key rings, where Kerberos keeps tickets, belong to the
// user in every namespace. A program with a cgroup namespace of its own can mount its control group, and freeze or kill
// the other processes there. By limits and priorities of other processes it could end them, or starve its supervisor.

// filteredNumbers has the numbers of the filtered calls, by architecture: keys is add_key, which request_key and keyctl
// follow. The first argument of unshare and clone has flags; they are 0 on architectures where it does not. The
// first argument of prlimit and the schedulers, and the second of setpriority, is a process; 0 is the caller.
var filteredNumbers = []struct{ arch, keys, unshare, clone, prlimit, setScheduler, setAttr, setPriority uint32 }{
	{unix.AUDIT_ARCH_X86_64, 248, 272, 56, 302, 144, 314, 141}, {unix.AUDIT_ARCH_I386, 286, 310, 120, 340, 156, 351, 97},
	{unix.AUDIT_ARCH_AARCH64, 217, 97, 220, 261, 119, 274, 140}, {unix.AUDIT_ARCH_ARM, 309, 337, 120, 369, 156, 380, 97},
	{unix.AUDIT_ARCH_RISCV64, 217, 97, 220, 261, 119, 274, 140},
	{unix.AUDIT_ARCH_LOONGARCH64, 217, 97, 220, 261, 119, 274, 140},
	{unix.AUDIT_ARCH_PPC64LE, 269, 282, 120, 325, 156, 355, 97}, {unix.AUDIT_ARCH_PPC64, 269, 0, 0, 325, 156, 355, 97},
	{unix.AUDIT_ARCH_PPC, 269, 0, 0, 325, 156, 355, 97},
	{unix.AUDIT_ARCH_S390X, 278, 0, 0, 334, 156, 345, 97}, {unix.AUDIT_ARCH_S390, 278, 0, 0, 334, 156, 345, 97},
}

// x32 marks the calls of x32 programs, which otherwise have the numbers of x86-64.
const x32 = 0x40000000

// Offsets in struct seccomp_data, which a filter reads; each argument has eight bytes. The flags of clone3 are not in
// it, so the call, whose number is the same everywhere, is refused: then the C library uses clone.
const (
	callAt      = 0
	archAt      = 4
	argumentsAt = 16
	clone3      = 435
)

// systemCallFilter returns the filter, which allows calls and architectures that it does not know.
func systemCallFilter() (out []unix.SockFilter) {
	const load, equal, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_RET | unix.BPF_K
	out = append(out, unix.SockFilter{Code: load, K: archAt})
	first := argumentsAt + lowerHalf
	for _, a := range filteredNumbers {
		body := []unix.SockFilter{
			{Code: load, K: callAt},
			{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: ^uint32(x32)},
			{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: a.keys, Jf: 1},
			{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: a.keys + 2, Jf: 18},
			{Code: equal, K: clone3, Jt: 17},
			{Code: equal, K: a.unshare, Jt: 6}, {Code: equal, K: a.clone, Jt: 5},
			{Code: equal, K: a.setPriority, Jt: 6},
			{Code: equal, K: a.prlimit, Jt: 9}, {Code: equal, K: a.setScheduler, Jt: 8}, {Code: equal, K: a.setAttr, Jt: 7},
			{Code: answer, K: unix.SECCOMP_RET_ALLOW},
			{Code: load, K: first},
			{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWCGROUP, Jt: 8, Jf: 6},
			{Code: load, K: first}, {Code: equal, K: unix.PRIO_USER, Jt: 5},
			{Code: load, K: first + 8}, {Code: equal, K: 0, Jt: 2, Jf: 3},
			{Code: load, K: first}, {Code: equal, K: 0, Jf: 1},
			{Code: answer, K: unix.SECCOMP_RET_ALLOW},
			{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
			{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		}
		out = append(out, unix.SockFilter{Code: equal, K: a.arch, Jf: uint8(len(body))})
		out = append(out, body...)
	}
	return append(out, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW})
}

// lowerHalf is the offset of the lower four bytes of a number of eight.
var lowerHalf = 4 * uint32(binary.NativeEndian.Uint16([]byte{0, 1})&1)

// callFilterFile returns the filter as a file for bwrap, which applies it to the programs that it starts.
func callFilterFile() (*os.File, error) {
	filter := systemCallFilter()
	file, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	// The filter fits into the buffer of the pipe.
	_, err = theirs.Write(unsafe.Slice((*byte)(unsafe.Pointer(&filter[0])), len(filter)*int(unsafe.Sizeof(filter[0]))))
	return file, err
}
