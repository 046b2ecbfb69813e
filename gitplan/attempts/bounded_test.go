package attempts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A transcript that is full leaves out what follows, but for how the session ended, and says how
// much that was.
func TestATranscriptIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "a.jsonl")
	tr, err := create(path)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}` + "\n")
	for range 20 {
		if n, err := tr.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	end := `{"end":"done"}` + "\n"
	_, _ = tr.Write([]byte(end))
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	if n := len(lines); len(text) > maxSize || n != 17 || lines[15] != end || !strings.Contains(lines[16], `"cut":"5242925 bytes are left out: a transcript holds at most 16777216"`) {
		t.Errorf("%d bytes in %d lines, at the end %.200q", len(text), n, lines[max(0, n-2):])
	}
}
