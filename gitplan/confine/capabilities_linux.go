package confine

import "golang.org/x/sys/unix"

// rootCapabilities are what root keeps: what it needs for files and processes
// of its own. With the others it could undo the mounts, reach files around them,
// or read the environment of this process (Linux 6.18: CAP_PERFMON is enough).
var rootCapabilities = map[string]uintptr{
	"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_FOWNER": unix.CAP_FOWNER,
	"CAP_FSETID": unix.CAP_FSETID, "CAP_KILL": unix.CAP_KILL, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE,
	"CAP_SETFCAP": unix.CAP_SETFCAP, "CAP_SETGID": unix.CAP_SETGID, "CAP_SETPCAP": unix.CAP_SETPCAP, "CAP_SETUID": unix.CAP_SETUID,
}

// dropCapabilities takes all but the rootCapabilities from the programs that this thread
// will start, even if they are root's.
func dropCapabilities() {
next:
	for n := uintptr(0); n <= unix.CAP_LAST_CAP; n++ {
		for _, kept := range rootCapabilities {
			if n == kept {
				continue next
			}
		}
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, n, 0, 0, 0) // one that it lacks it cannot drop
	}
}
