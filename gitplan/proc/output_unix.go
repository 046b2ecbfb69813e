//go:build unix

package proc

import "golang.org/x/sys/unix"

// pipeSize is the most that a pipe holds, in bytes: the default of what Linux lets anybody
// set (pipe-max-size).
const pipeSize = 1 << 20

// rest copies what is in the pipe, without waiting for more.
func (o *output) rest() error {
	raw, err := o.ours.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		buffer := make([]byte, 64<<10)
		for taken := 0; taken < pipeSize && failed == nil; {
			n, err := unix.Read(int(fd), buffer)
			if err == unix.EINTR {
				continue
			}
			if n <= 0 {
				return
			}
			taken += n
			_, failed = o.to.Write(buffer[:n])
		}
	})
	if failed != nil {
		return failed
	}
	return err
}
