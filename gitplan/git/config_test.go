package git

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// The configuration is git's, from every scope and include.
func TestConfigurationIsGits(t *testing.T) {
	r := opened(t)
	repository.Write(t, "more.cfg", "[plan]\n\tagent = included\n[Filter \"Big.File\"]\n\tclean = cat\n")
	for _, kv := range [][2]string{{"include.path", filepath.Join(r.Top, "more.cfg")}, {"plan.agent", "mine"}, {"core.fileMode", "false"}, {"plan.bad", "perhaps"}, {"includeIf.gitdir:/nowhere/.path", "../other.cfg"}} {
		if err := r.SetConfig(t.Context(), kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(".git", "config"), []byte(repository.Read(t, ".git/config")+"[plan]\n\tflag\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := r.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := c.Get("PLAN.Agent"); v != "mine" || !ok || !slices.Equal(c.All("plan.agent"), []string{"included", "mine"}) {
		t.Errorf("plan.agent is %q of %q", v, c.All("plan.agent"))
	}
	if _, ok := c.Get("filter.big.file.clean"); ok || !slices.Equal(c.Subsections("filter", "clean"), []string{"Big.File"}) {
		t.Errorf("the filters are %q", c.Subsections("filter", "clean"))
	}
	if c.Bool("core.filemode", true) || !c.Bool("plan.flag", false) || !c.Bool("plan.bad", true) || !c.Bool("plan.none", true) {
		t.Error("a boolean is not what git reads")
	}
	if o := c.Origin("plan.agent"); o.Scope != "local" || !strings.HasSuffix(o.Place, ".git/config") {
		t.Errorf("plan.agent comes from %+v", o)
	}
	if !slices.Equal(c.Keys("plan"), []string{"plan.agent", "plan.bad", "plan.flag"}) || !slices.Contains(c.AllKeys(), "core.filemode") {
		t.Errorf("the keys are %q", c.Keys("plan"))
	}
	if !slices.ContainsFunc(c.Files(), func(f string) bool { return filepath.Base(f) == "more.cfg" }) {
		t.Errorf("the files are %q", c.Files())
	}
	if d := c.InactiveIncludes(r.Top); !slices.Equal(d, []string{filepath.Join(r.Top, "other.cfg")}) {
		t.Errorf("the dormant files are %q", d)
	}
}

// Two readings of a configuration differ by the keys that were set, changed or removed in between.
func TestSums(t *testing.T) {
	r := opened(t)
	sums := func() Sums {
		c, err := r.Config(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c.Sums()
	}
	_ = r.SetConfig(t.Context(), "a.one", "1")
	_ = r.SetConfig(t.Context(), "a.two", "1")
	before := sums()
	_ = r.SetConfig(t.Context(), "a.two", "2")
	_ = r.SetConfig(t.Context(), "a.three", "3")
	if err := errors.Join(r.UnsetConfig(t.Context(), "a.one"), r.UnsetConfig(t.Context(), "a.never")); err != nil {
		t.Fatal(err)
	}
	if got := before.Differs(sums(), func(key string) bool { return !strings.HasPrefix(key, "a.") }); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"a.one", "a.three", "a.two"}) {
		t.Errorf("what differs is %q", got)
	}
	if got := before.Differs(before, func(string) bool { return false }); len(got) != 0 {
		t.Errorf("what differs from itself is %q", got)
	}
	t.Setenv("HOME", "/home/x")
	if got := r.Expand("~/a"); got != "/home/x/a" || r.Expand("b") != filepath.Join(r.Top, "b") || r.Expand("/c") != "/c" {
		t.Errorf("~/a is %q, b is %q", got, r.Expand("b"))
	}
}
