package proc

import (
	"bytes"
	"encoding/binary"
)

// behindArguments returns the environment from what macOS reports of a process
// (KERN_PROCARGS2): the number of arguments, the program's path, NULs up to the
// next boundary, the arguments, the environment, each string ended by a NUL.
func behindArguments(b []byte) []byte {
	if len(b) < 4 {
		return nil
	}
	n := int(int32(binary.NativeEndian.Uint32(b)))
	_, b, found := bytes.Cut(b[4:], []byte{0})
	b = bytes.TrimLeft(b, "\x00")
	for ; n > 0 && found; n-- {
		_, b, found = bytes.Cut(b, []byte{0})
	}
	if !found {
		return nil
	}
	return b
}
