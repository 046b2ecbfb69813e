package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// TestAllOfALongOutput: what is left out of a long output can be read later,
// under the same name when it is the same, until the session ends.
func TestAllOfALongOutput(t *testing.T) {
	w := tree(t, nil)
	got := callTool(t, w, "run_command", `{"command":"seq 100000"}`)
	name := regexp.MustCompile(`output:[0-9a-f]{12}`).FindString(got)
	if name == "" || strings.Contains(got, "\n50000\n") {
		t.Fatalf("no name: %s", got)
	}
	if again := callTool(t, w, "run_command", `{"command":"seq 100000"}`); again != got {
		t.Errorf("the same output is told in another way: %s", again)
	}
	if text := callTool(t, w, "read_file", `{"path":"`+name+`","offset":50000,"limit":1}`); !strings.HasPrefix(text, "50000|50000\n") {
		t.Errorf("read back: %s", text)
	}
	folder := w.outputs.root.Name()
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "0123456789ab")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"output:", "output:000000000000", "output:../now", "output:0123456789ab"} {
		if text := callTool(t, w, "read_file", `{"path":"`+name+`"}`); !strings.HasPrefix(text, "error: there is no output:") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if short := callTool(t, w, "run_command", `{"command":"seq 100"}`); strings.Contains(short, "output:") {
		t.Errorf("it is shown in full: %s", short)
	}
	if huge := callTool(t, w, "run_command", fmt.Sprintf(`{"command":"head -c %d /dev/zero"}`, maxOutput+1)); strings.Contains(huge, "output:") {
		t.Error("a name for what is not kept in full")
	}
	w.close()
	if _, err := os.Stat(folder); err == nil {
		t.Error("the outputs outlive the session")
	}
}

// TestSmallModels: where the context is small, tools answer with half as much.
func TestSmallModels(t *testing.T) {
	w := tree(t, map[string]string{"long.txt": strings.Repeat("line\n", 1000), "wide.txt": strings.Repeat(strings.Repeat("x", 1000)+"\n", 1000)})
	for _, small := range []bool{false, true} {
		w.small = small
		for args, whole := range map[string]int{
			`read_file {"path":"long.txt","limit":1000}`: 3600,
			`read_file {"path":"wide.txt"}`:              readBytes,
			`search {"pattern":"x"}`:                     31000,
			`run_command {"command":"seq 100000"}`:       proc.DefaultTail,
		} {
			tool, args, _ := strings.Cut(args, " ")
			if small {
				whole /= 2
			}
			if n := len(callTool(t, w, tool, args)); n < whole*8/10 || n > whole*11/10+1000 {
				t.Errorf("small %v: %s answers with %d bytes; about %d are wanted", small, tool, n, whole)
			}
		}
	}
}

// TestEditsThatFail: the third is answered with the way out, and a change of the
// file begins anew.
func TestEditsThatFail(t *testing.T) {
	w := tree(t, map[string]string{"a": "one\n", "b": "one\n"})
	for range 2 { // after a good edit it counts from the beginning
		for n := 1; n <= failedEdits; n++ {
			callTool(t, w, "edit_file", `{"path":"b","old":"one","new":"one"}`)
			got := callTool(t, w, "edit_file", `{"path":"a","old":"none","new":"x"}`)
			if strings.Contains(got, "write it whole with write_file") != (n == failedEdits) {
				t.Errorf("after %d: %s", n, got)
			}
		}
		callTool(t, w, "read_file", `{"path":"a"}`)
		callTool(t, w, "write_file", `{"path":"a","content":"one\n"}`)
	}
}

// TestStandingStill: a session that neither changes nor reads anything new is
// told so; one that reads on is not.
func TestStandingStill(t *testing.T) {
	var still, reading []ScriptTurn
	for i := range stallAfter {
		still = append(still, calling("search", fmt.Sprintf(`{"pattern":"p%d"}`, i)))
		reading = append(reading, still[i])
		if i == 3 {
			reading[i] = calling("read_file", `{"path":"f"}`)
		}
	}
	file := func(_ *OpenAI, s *Session) {
		if err := os.WriteFile(filepath.Join(s.Dir, "f"), []byte("text\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
	want(t, converse(t, file, append(still, expecting(`15 calls without a change`, done()))...), Done, "")
	want(t, converse(t, file, append(reading, expecting(`^nothing found in 1 files$`, done()))...), Done, "")
}
