package skill

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
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
			p := Places(t.TempDir(), true)[0]
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

// What an installation left that was killed goes with the rest.
func TestAKilledInstallationLeavesNothing(t *testing.T) {
	p := Places(t.TempDir(), true)[0]
	if _, err := p.Install(); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(p.Path()+".ABC"+strayEnd, []byte("half"), 0o666))
	if _, err := p.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(p.Top); len(left) != 0 {
		t.Error(left)
	}
}

// Folders that hold more stay.
func TestFoldersThatHoldMoreStay(t *testing.T) {
	p := Places(t.TempDir(), true)[0]
	other := filepath.Join(p.Top, ".agents/skills/other")
	must(t, os.MkdirAll(other, 0o755))
	if _, err := p.Install(); err != nil {
		t.Error(err)
	}
	if _, err := p.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(other)); len(left) != 1 {
		t.Error(left)
	}
}

// A person's own links are followed wherever they lead, a repository's only within it; none is removed.
func TestLinksAreFollowedAsFarAsTheyMay(t *testing.T) {
	for name, tt := range map[string]struct {
		link    string // of them, which one leads to
		to      string // this folder: of another tree if it begins with OUT
		own     bool
		refused string
	}{
		"a person's, elsewhere":             {".claude", "OUT/claude", true, ""},
		"a person's, further down":          {".claude/skills", "OUT/skills", true, ""},
		"a person's, to nothing":            {".claude", "OUT/nothing/there", true, ".claude is a link to nothing"},
		"a repository's, elsewhere":         {".claude", "OUT/claude", false, "leads out of the repository"},
		"a repository's, to its other half": {".claude/skills", "../.agents/skills", false, ""},
		"a repository's, above it":          {".claude", "..", false, "leads out of the repository"},
	} {
		t.Run(name, func(t *testing.T) {
			top, out := t.TempDir(), t.TempDir()
			p := Places(top, tt.own)[1]
			link := filepath.Join(top, tt.link)
			to := strings.Replace(tt.to, "OUT", out, 1)
			must(t, os.MkdirAll(filepath.Dir(link), 0o755))
			must(t, os.Symlink(to, link))
			target := to
			if !filepath.IsAbs(to) {
				target = filepath.Join(filepath.Dir(link), to)
			}
			if tt.to != "OUT/nothing/there" {
				must(t, os.MkdirAll(target, 0o755))
			}
			_, err := p.Install()
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("%v", err)
				}
				if left, _ := os.ReadDir(out); len(left) > 1 {
					t.Error(left)
				}
				return
			}
			if state, serr := p.State(); err != nil || serr != nil || state != Current {
				t.Errorf("%v %v %v", err, serr, state)
			}
			if was, err := p.Remove(); err != nil || was != Current {
				t.Errorf("%v %v", was, err)
			}
			if now, err := os.Readlink(link); err != nil || now != to {
				t.Errorf("the link is %q, %v", now, err)
			}
			if left, _ := os.ReadDir(target); len(left) > 0 {
				t.Error(left)
			}
		})
	}
}

// Several at once all succeed.
func TestSeveralInstallAtOnce(t *testing.T) {
	for range 20 {
		p := Places(t.TempDir(), true)[0]
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := p.Install(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if _, err := p.Remove(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(p.Top); len(left) > 0 {
			t.Error(left)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Only an older skill is renewed, wherever it is: the person's own or a repository's.
func TestAnOlderOneIsRenewed(t *testing.T) {
	home, top := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	all := Everywhere(top)
	if len(all) != 4 || len(Everywhere("")) != 2 {
		t.Fatalf("%+v", all)
	}
	for i, text := range []string{"old\n" + mark("old\n"), "# mine\n", "old\n" + mark("old\n")} {
		must(t, os.MkdirAll(filepath.Dir(all[i].Path()), 0o755))
		must(t, os.WriteFile(all[i].Path(), []byte(text), 0o644))
	}
	must(t, Renew(all))
	for i, want := range []State{Current, Foreign, Current, Missing} {
		if got, err := all[i].State(); got != want || err != nil {
			t.Errorf("%s: %s, %v", all[i].Path(), got, err)
		}
	}
}
