package site

import (
	"errors"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A check that fails without a variable of the person's is told so, by name.
func TestWithheldVariablesAreNamed(t *testing.T) {
	t.Chdir(repository.New(t))
	c, err := checkout.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Setenv("DATABASE_URL", "x")
	t.Setenv("UNRELATED", "x")
	for env, want := range map[string][]string{"sessions": {"DATABASE_URL"}, "persons": nil} {
		checks := Checks{Dir: c.Repo.Top, Env: c.Config.Environment(nil)}
		if env == "persons" {
			checks.Env = c.Config.PersonsEnvironment()
		}
		var f *CheckFailure
		if err := checks.Run(t.Context(), []string{`echo "DATABASE_URL is ${DATABASE_URL:-not set}"; exit 1`}); !errors.As(err, &f) || !slices.Equal(f.Withheld, want) {
			t.Errorf("%s: %v", env, err)
		}
	}
}
