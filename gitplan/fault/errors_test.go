package fault

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// A fault is found by its kind and by the kind that includes it, through any wrapping, and shows its own
// line.
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

// hostile is a text with everything that a terminal would interpret or not draw.
const hostile = "a\nb\r\x1b[31mc\u202ed\u200be\x00\tf"

// Whatever a fault's text contains, it is printed as one line without hidden characters.
func TestFaultsAreSafeToShow(t *testing.T) {
	for _, err := range []error{New(ErrDirty, "not committed: %s", hostile), &Fault{Kind: ErrDirty, Text: hostile}} {
		if text := err.Error(); strings.ContainsAny(text, "\n\r\t\x1b\x00\u202e\u200b") || !strings.Contains(text, `\u001b[31mc\u202ed`) {
			t.Errorf("shown as %q", text)
		}
	}
	if text := New(ErrDirty, "%s", strings.Repeat("é", maxText)).Error(); len(text) > maxText+len("…") {
		t.Errorf("%d bytes", len(text))
	}
	f := &Fault{Kind: ErrForm, Text: "plan.md is not a plan:", Cause: errors.New("line 1: a\x1b\nline 2: b")}
	if text := f.Error(); text != "plan.md is not a plan:\nline 1: a\\u001b\nline 2: b" {
		t.Errorf("with its cause: %q", text)
	}
}
