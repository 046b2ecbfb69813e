package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// A fault is found by its kind and by what that is a case of, through any wrapping, and
// shows its own line.
func TestFaultsAreFoundByKind(t *testing.T) {
	err := fmt.Errorf("step a: %w", New(ErrSetAside, "%s is changed", "a.txt"))
	for kind, is := range map[error]bool{ErrSetAside: true, ErrDirty: true, ErrUnmerged: false, ErrNoPlan: false} {
		if errors.Is(err, kind) != is {
			t.Errorf("it is %q: %t", kind, !is)
		}
	}
	var f *Fault
	if !errors.As(err, &f) || f.Error() != "a.txt is changed" || f.Unwrap() != nil {
		t.Errorf("the fault is %+v", f)
	}
	if caused := (&Fault{Kind: ErrRemote, Text: "no answer", Cause: io.EOF}); !errors.Is(caused, io.EOF) || !errors.Is(caused, ErrRemote) {
		t.Error("its cause is lost")
	}
}
