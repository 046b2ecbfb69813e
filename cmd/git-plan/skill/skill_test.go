package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is there is left as it is, unless this program wrote it, of this or an earlier version.
func TestOnlyOurOwnIsReplacedOrRemoved(t *testing.T) {
	old := "an earlier text\n"
	for name, tt := range map[string]struct {
		there   string
		state   State
		replace bool
	}{
		"nothing":          {"", Missing, true},
		"as it is":         {Text(), Current, true},
		"an older one":     {old + mark(old), Old, true},
		"a person's":       {"# mine\n", Foreign, false},
		"changed by hand":  {strings.Replace(Text(), "step", "STEP", 1), Foreign, false},
		"with words after": {Text() + "more\n", Foreign, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := Places(t.TempDir())[0]
			if tt.there != "" {
				must(t, os.MkdirAll(filepath.Dir(p.Path()), 0o755))
				must(t, os.WriteFile(p.Path(), []byte(tt.there), 0o644))
			}
			if was, err := p.Install(); was != tt.state || err != nil {
				t.Errorf("%v, %v", was, err)
			}
			data, err := os.ReadFile(p.Path())
			if must(t, err); (string(data) == Text()) != tt.replace || !tt.replace && string(data) != tt.there {
				t.Errorf("%s", data)
			}
			if _, err := p.Remove(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(p.Top); (len(left) == 0) != tt.replace {
				t.Error(left)
			}
		})
	}
}

// Folders that hold more stay, and no link leads out of the folder that was asked for.
func TestFoldersThatHoldMoreStay(t *testing.T) {
	top, elsewhere := t.TempDir(), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(top, ".agents/skills/other"), 0o755))
	must(t, os.Symlink(elsewhere, filepath.Join(top, ".claude")))
	places := Places(top)
	if _, err := places[0].Install(); err != nil {
		t.Error(err)
	}
	if _, err := places[0].Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(top, ".agents/skills/other")); err != nil {
		t.Error(err)
	}
	if _, err := places[1].Install(); err == nil {
		t.Error("it followed a link")
	}
	if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
		t.Error(left)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
