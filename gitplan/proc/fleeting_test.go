//go:build unix

package proc

import (
	"bytes"
	"testing"
)

// TestFleetingProgramsEnd protects whoever exits at once from leaving a git behind that
// waits forever. The program would end by itself.
func TestFleetingProgramsEnd(t *testing.T) {
	var said bytes.Buffer
	name, args := Shell("sleep 50 | sleep 50; echo went on")
	exit, err := Run(t.Context(), Cmd{Name: name, Args: args, OwnProcessGroup: true, Fleeting: true, Stdout: &said, OnStart: func(int) { go endWhenNoted() }})
	if err != nil || exit.Code != 137 || said.Len() > 0 {
		t.Errorf("it ended with %d, %v, %q; it was not killed", exit.Code, err, said.String())
	}
	if n := noted(); n != 0 {
		t.Errorf("%d programs are still noted", n)
	}
}

func endWhenNoted() {
	for noted() == 0 {
	}
	EndFleeting()
}

func noted() (n int) {
	fleeting.Range(func(any, any) bool { n++; return true })
	return n
}
