package elsewhere

import (
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/testdata/repository"
)

type nobody struct{ agent.Agent }

func (nobody) Name() string { return "nobody" }

// What is configured of a session's agent goes along, but nothing that names a file or a program here, nothing of
// other agents, and nothing that confines.
func TestWhatGoesAlong(t *testing.T) {
	repository.Here(t)
	for _, kv := range [][2]string{
		{"planAgent.nobody.model", "m"}, {"planAgent.nobody.program", "/bin/x"}, {"planAgent.nobody.sslCAInfo", "/ca"}, {"planAgent.other.model", "o"},
		{"plan.executor.temperature", "1"}, {"plan.reviewer.temperature", "2"}, {"plan.sandbox", "off"}, {"plan.passEnv", "A"}, {"core.pager", "x"},
	} {
		repository.Ask(t, "config", kv[0], kv[1])
	}
	r, config, err := git.OpenHere(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := Settings(settings.New(config), nobody{}, agent.Executor)
	got = slices.DeleteFunc(got, func(kv [2]string) bool { return kv[0] == "user.name" || kv[0] == "user.email" })
	want := [][2]string{{"plan.executor.temperature", "1"}, {"plan.passEnv", "A"}, {"planagent.nobody.model", "m"}}
	if !slices.Equal(got, want) {
		t.Errorf("along go %q, want %q", got, want)
	}
}
