package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// recorded contains the output of the real command lines while git plan drove them through
// testdata/agents/stories.
const recorded = "../../../testdata/agents/recorded"

// TestRecordedStreams compares the meaning of every stream of a story with meaning.txt, one line each.
func TestRecordedStreams(t *testing.T) {
	ends, err := filepath.Glob(filepath.Join(recorded, "*", "*.json"))
	if err != nil || len(ends) == 0 {
		t.Fatalf("no streams are recorded: %v", err)
	}
	var got bytes.Buffer
	for _, path := range ends {
		fmt.Fprintln(&got, meaning(t, path))
	}
	golden(t, filepath.Join(recorded, "meaning.txt"), got.Bytes())
}

// meaning is the result of the stream that ended as the file at path says.
func meaning(t *testing.T, path string) string {
	t.Helper()
	var end struct {
		Role   agent.Role
		Exit   int
		Stderr string
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &end); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	stream, err := os.ReadFile(path + "l")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".json")
	cli, _, _ := strings.Cut(name, "/")
	d := dialectOf(cli)
	if d.Name == "" {
		t.Fatalf("%s: no such command line", path)
	}
	h, e := hearAll(d, stream, end.Exit, end.Stderr)
	r := e.result(agent.Session{Role: end.Role, Nonce: "0123456789abcdef"})
	line := fmt.Sprintf("%-26s %-8s %-12s turns %-2d in %-5d cached %-5d out %-4d", name, end.Role, r.Status, h.turns, r.Tokens.In, r.Tokens.Cached, r.Tokens.Out)
	if r.Cost.Known {
		line += fmt.Sprintf(" usd %.4f", r.Cost.USD)
	}
	if r.RetryAfter > 0 {
		line += fmt.Sprintf(" after %s", r.RetryAfter)
	}
	said := cmp.Or(r.Reason, r.Summary)
	if r.Answer != "" {
		said = strings.SplitN(r.Answer, "\n", 2)[0]
	}
	return line + " | " + agent.OneLine(said, 110)
}
