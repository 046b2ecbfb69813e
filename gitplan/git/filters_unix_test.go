//go:build unix

package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// The person's filters run through the confining program; if one fails there, no file passes unfiltered, and
// the error says that it was confined.
func TestFiltersRunConfined(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Ask(t, "config", "filter.up.clean", "tr a-z A-Z")
	repository.Write(t, ".gitattributes", "*.x filter=up\n")
	repository.Write(t, "f.x", "text\n")
	config, err := r.Config(ctx)
	if err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(t.TempDir(), "said")
	program := filepath.Join(t.TempDir(), "confine me")
	repository.Write(t, program, "#!/bin/sh\necho \"$"+proc.ConfinedVariable+"\" >>'"+said+"'\nexec \"$@\"\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	command, _ := config.Get("filter.up.clean")
	r.ConfineFilters(config, program, "the bounds", []Filter{{"filter.up.clean", command}})
	out, err := r.Output(ctx, "hash-object", "f.x")
	if want := repository.Ask(t, "hash-object", "f.x"); err != nil || out != want {
		t.Errorf("the object is %s, %v; want %s", out, err, want)
	}
	if got := repository.Read(t, said); strings.TrimSpace(got) != "the bounds" {
		t.Errorf("the bounds were %q", got)
	}
	repository.Write(t, program, "#!/bin/sh\nexit 1\n")
	if err := r.Run(ctx, Command{Args: []string{"add", "f.x"}}); !errors.Is(err, ErrConfined) {
		t.Errorf("of a filter that may not run: %v", err)
	}
}
