package worker

import (
	"os"
	"testing"

	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
)

// A job sets what it may, and is refused before anything is set by what it may not.
func TestAJobSetsOnlyWhatItMay(t *testing.T) {
	t.Setenv("MINE", "before")
	t.Setenv("GIT_CONFIG_COUNT", "0")
	path := os.Getenv("PATH")
	for _, job := range []wire.Work{
		{Env: []string{"MINE=x", "PATH=/evil"}}, {Env: []string{"LD_PRELOAD=/evil.so", "MINE=x"}}, {Env: []string{"MINE=x", "GIT_CONFIG_COUNT=9"}}, {Env: []string{"=x"}},
		{Env: []string{"MINE=x"}, Settings: [][2]string{{"core.fsmonitor", "evil"}}},
	} {
		if err := adopt(job); err == nil {
			t.Errorf("%+v is taken over", job)
		}
		if os.Getenv("MINE") != "before" || os.Getenv("PATH") != path || os.Getenv("LD_PRELOAD") != "" || os.Getenv("GIT_CONFIG_COUNT") != "0" {
			t.Errorf("%+v set something", job)
		}
	}
	if err := adopt(wire.Work{Env: []string{"MINE=after=all"}, Settings: [][2]string{{"plan.checkTimeout", "3m"}}}); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("MINE") != "after=all" || os.Getenv("GIT_CONFIG_KEY_0") != "plan.checkTimeout" || os.Getenv("GIT_CONFIG_VALUE_0") != "3m" {
		t.Errorf("it set %q", os.Environ())
	}
}
