package ledger

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/reviewers/finding"
)

func TestVerdictIsForExactlyTheReviewedTrees(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plan", "verdicts")
	j := Judgeable{BaseTree: "b", HeadTree: "h", Reviewers: "r", BlockOn: finding.High, Meaning: "m"}
	if err := SaveVerdict(dir, j, &Verdict{Schema: 1, End: Notes}); err != nil {
		t.Fatal(err)
	}
	if v := LoadVerdict(dir, j); !v.Passes() || v.End != Notes {
		t.Errorf("%+v", v)
	}
	info, err := os.Stat(filepath.Join(dir, j.Key()+".json"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", info, err)
	}
	for name, change := range map[string]func(*Judgeable){
		"another base":      func(j *Judgeable) { j.BaseTree = "x" },
		"another head":      func(j *Judgeable) { j.HeadTree = "x" },
		"other reviewers":   func(j *Judgeable) { j.Reviewers = "x" },
		"another threshold": func(j *Judgeable) { j.BlockOn = finding.Low },
		"another plan":      func(j *Judgeable) { j.Meaning = "" },
		"shifted by a byte": func(j *Judgeable) { j.BaseTree, j.HeadTree = "", "bh" },
	} {
		other := j
		change(&other)
		if LoadVerdict(dir, other).Passes() {
			t.Errorf("%s: it passes", name)
		}
	}
}

func TestInvalidVerdictPassesNothing(t *testing.T) {
	dir := t.TempDir()
	key := Judgeable{HeadTree: "h"}
	for name, text := range map[string]string{
		"empty": "", "cut off": `{"schema": 1, "end": "clean"`, "another schema": `{"schema": 2, "end": "clean"}`,
		"no end": `{"schema": 1}`, "another end": `{"schema": 1, "end": "findings"}`,
	} {
		if err := os.WriteFile(key.file(dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if LoadVerdict(dir, key).Passes() {
			t.Errorf("%s: it passes", name)
		}
	}
	if name := (Judgeable{HeadTree: "../x", Meaning: "../../y"}).file(dir); filepath.Dir(name) != filepath.Clean(dir) {
		t.Error("a key may leave its folder")
	}
}

// Verdicts for files that a session is about to commit are removed, since it could have written them.
func TestUntrustedVerdictsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	key, other := Judgeable{HeadTree: "h"}, Judgeable{HeadTree: "x"}
	l := &Ledger{End: Clean, Head: "c", Rounds: []Round{{Files: 2, Reviewers: []Reviewed{{Name: "quality", Covered: []string{"a.go"}}}}}}
	for _, k := range []Judgeable{key, other} {
		if err := SaveVerdict(dir, k, l.Verdict()); err != nil {
			t.Fatal(err)
		}
	}
	if v := LoadVerdict(dir, key); !v.Passes() || v.Head != "c" {
		t.Errorf("%+v", v)
	}
	if !RemoveVerdicts(dir, "h") || LoadVerdict(dir, key) != nil || !LoadVerdict(dir, other).Passes() {
		t.Error("a verdict stays, or that of another tree was removed")
	}
	if RemoveVerdicts(dir, "h") {
		t.Error("nothing was there")
	}
}

func TestOnlyThreeEndsPass(t *testing.T) {
	for end, code := range map[End]int{
		Clean: 0, Notes: 0, Explained: 0, Moved: 5, Budget: 6, Found: 4, Stalemate: 4, Oscillation: 4, RoundsUp: 4, Incomplete: 4, "": 4,
	} {
		if end.Code() != code || end.Passes() != (code == 0) {
			t.Errorf("%q: %d, %v", end, end.Code(), end.Passes())
		}
	}
}
