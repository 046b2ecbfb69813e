//go:build !linux

package proc

import (
	"os/exec"
	"strconv"
	"strings"
)

// StartTime returns when a process started, in a form that distinguishes it from a later
// process of the same number. It is empty if there is no such process.
func StartTime(pid int) string {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
