package proc

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// Versions of Landlock.
const (
	landlockABI     = 3 // the oldest usable one (Linux 6.2): older ones let any file be truncated
	landlockSignals = 6 // the first (Linux 6.12) that limits signals, and sockets without a path
	landlockSockets = 9 // the first (Linux 7.1) that limits sockets with a path
)

const (
	// mayWrite are the rights below a writable folder. No device can be made anywhere.
	mayWrite = mayWriteFile | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	mayWriteFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	makeDevices  = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	mayRead      = unix.LANDLOCK_ACCESS_FS_READ_FILE
	mayConnect   = unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
)

// devices are the harmless ones. Others may be disks, or terminals, of which the program's could be the person's.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm"}

// ruleset is a Landlock ruleset: handled accesses are refused unless a rule allows them.
type ruleset struct {
	fd  int
	abi int   // the version of Landlock
	err error // the first error of add
}

// landlockVersion returns the version of Landlock that the kernel offers; 0 without Landlock.
func landlockVersion() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// ruleset returns the Landlock ruleset for a Confinement. The error says why this kernel has none.
func (c Confinement) ruleset() (*os.File, error) {
	r, err := newRuleset(landlockVersion())
	if err != nil {
		return nil, err
	}
	r.allow(c.resolve())
	if r.err != nil {
		_ = unix.Close(r.fd)
		return nil, r.err
	}
	return os.NewFile(uintptr(r.fd), "rules"), nil
}

// newRuleset makes a ruleset without rules, for a version of Landlock.
func newRuleset(abi int) (*ruleset, error) {
	switch {
	case abi == 0:
		return nil, errors.New("this kernel has no Landlock, or it is switched off")
	case abi < landlockABI:
		return nil, errors.New("Landlock of this kernel cannot keep files from being truncated; Linux 6.2 and later can")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledAccess(abi)}
	size := unsafe.Sizeof(attr.Handled_access_fs) // older kernels refuse a larger struct
	if abi >= landlockSignals {
		attr.Scoped, size = unix.LANDLOCK_SCOPE_SIGNAL|unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET,
			unsafe.Offsetof(attr.Quiet_access_fs)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("cannot make a Landlock ruleset: %w", errno)
	}
	unix.CloseOnExec(int(fd))
	return &ruleset{fd: int(fd), abi: abi}, nil
}

// allow adds the rules for a resolved Confinement.
func (r *ruleset) allow(b Confinement) {
	b.Hidden = append(slices.Clone(b.Hidden), "/dev")
	rules := b.rules()
	r.readAround("/", rules)
	for _, p := range rules {
		if p.may != noAccess && mayAt(rules, filepath.Dir(p.path)) == noAccess {
			r.readAround(p.path, rules)
		}
	}
	for _, p := range append(slices.Clone(devices), b.Writable...) {
		rights := uint64(mayWrite)
		if disk.Within("/dev", p) {
			rights |= mayRead
		}
		r.add(p, rights)
	}
	if r.abi >= landlockSockets {
		for _, p := range b.Sockets {
			r.add(p, mayConnect)
		}
	}
}

// handledAccess returns the accesses that a ruleset refuses unless a rule allows them, by the version of Landlock.
func handledAccess(version int) uint64 {
	if version >= landlockSockets {
		return mayWrite | makeDevices | mayRead | mayConnect
	}
	return mayWrite | makeDevices | mayRead
}

// readAround allows reading at and below dir, except for hidden paths: Landlock has no exceptions in an allowed folder,
// so each folder above a hidden path is allowed child by child.
func (r *ruleset) readAround(dir string, rules []pathRule) {
	above := false
	for _, p := range rules {
		if p.path == dir && p.may == noAccess {
			return
		}
		above = above || p.may == noAccess && disk.Within(dir, p.path)
	}
	if !above {
		r.add(dir, mayRead)
		return
	}
	children, _ := os.ReadDir(dir) // children of a folder that cannot be listed stay refused
	for _, child := range children {
		r.readAround(filepath.Join(dir, child.Name()), rules)
	}
}

// add allows rights at and below a path, and follows no link.
func (r *ruleset) add(path string, rights uint64) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return // it is gone, or this user cannot reach it
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= mayWriteFile | mayRead | mayConnect
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 && r.err == nil {
		r.err = fmt.Errorf("Landlock refuses a rule for %s: %w", path, errno)
	}
}

// restrict confines the calling thread, and the programs that it starts, by the ruleset of an open file.
func restrict(fd int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot renounce new privileges: %w", err)
	}
	kept := slices.Collect(maps.Values(rootCapabilities))
	for n := uintptr(0); n <= unix.CAP_LAST_CAP && os.Geteuid() == 0; n++ {
		if !slices.Contains(kept, n) {
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, n, 0, 0, 0) // fails for a capability that this process lacks
		}
	}
	filter := systemCallFilter()
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
		uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("system calls cannot be taken away: %w", errno)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), 0, 0); errno != 0 {
		return fmt.Errorf("Landlock cannot be applied: %w", errno)
	}
	return nil
}

// scopeSockets refuses abstract sockets of others, such as the X server's, to the calling thread and the programs that
// it starts, if the kernel can. The thread can then gain no privileges.
func scopeSockets() {
	if landlockVersion() < landlockSignals {
		return
	}
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)),
		unsafe.Offsetof(attr.Quiet_access_fs), 0)
	if errno != 0 {
		return
	}
	defer unix.Close(int(fd))
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil {
		_, _, _ = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	}
}
