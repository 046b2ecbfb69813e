package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/testdata/contract"
)

// A command passes the contract of all agents.
func TestCommandContract(t *testing.T) {
	fake, err := filepath.Abs("../../../testdata/agents/contract.sh")
	if err != nil {
		t.Fatal(err)
	}
	contract.Play(t, func(t *testing.T) agent.Agent {
		return &Command{AgentName: "mine", Line: fmt.Sprintf("sh '%s'", fake)}
	})
}

// TestCommandEnds: the exit code takes precedence over the file, and an unusable file is not a success.
func TestCommandEnds(t *testing.T) {
	for name, c := range map[string]struct {
		role   agent.Role
		line   string
		status agent.Status
		reason string
	}{
		"no output":                  {agent.Executor, `:`, agent.Done, ""},
		"the prompt is not read":     {agent.Executor, `exec <&-; exit 0`, agent.Done, ""},
		"an empty file":              {agent.Executor, `: >"$GIT_PLAN_RESULT"`, agent.Done, ""},
		"done, but exit 1":           {agent.Executor, `echo '{"status":"done"}' >"$GIT_PLAN_RESULT"; echo first; echo no luck >&2; exit 1`, agent.Failed, "exit code 1: no luck"},
		"done, but try later":        {agent.Executor, `echo '{"status":"done"}' >"$GIT_PLAN_RESULT"; exit 75`, agent.Limited, "75"},
		"retry later, with a reason": {agent.Executor, `echo limit reached >&2; exit 75`, agent.Limited, "try later (exit code 75): limit reached"},
		"a file without JSON":        {agent.Executor, `echo not json >"$GIT_PLAN_RESULT"`, agent.Failed, "it is not JSON: `not json`"},
		"in PowerShell's encoding":   {agent.Executor, `printf '{"status":"failed","summary":"so"}' | iconv -t UTF-16 >"$GIT_PLAN_RESULT"`, agent.Failed, "so"},
		"with prose and a fence":     {agent.Executor, `printf '\357\273\277Here:\n\140\140\140json\n{"status": "COMPLETED", "drift": "none", "summary": "a\nb",}\n\140\140\140\n' >"$GIT_PLAN_RESULT"`, agent.Done, ""},
		"no such program":            {agent.Executor, `/no/such/program`, agent.Unusable, "exit code 127"},
		"an unknown status":          {agent.Executor, `echo '{"status":"great"}' >"$GIT_PLAN_RESULT"`, agent.Failed, `not "great"`},
		"blocked without question":   {agent.Executor, `echo '{"status":"blocked"}' >"$GIT_PLAN_RESULT"`, agent.Failed, "needs a question"},
		"a file of the wrong form":   {agent.Executor, `echo '[1]' >"$GIT_PLAN_RESULT"`, agent.Failed, "cannot be used"},
		"a link in its place":        {agent.Executor, `echo '{"status":"done"}' >x; ln -s "$PWD/x" "$GIT_PLAN_RESULT"`, agent.Failed, "not a regular file"},
		"a huge file":                {agent.Executor, `head -c 2000000 /dev/zero >"$GIT_PLAN_RESULT"`, agent.Failed, "longer than"},
		"an endless answer":          {agent.Planner, `yes`, agent.Failed, "exit code 137: it wrote more than 64 MiB and was ended"},
		"endless errors":             {agent.Reviewer, `cat /dev/zero >&2`, agent.Failed, "exit code 137: it wrote more than 64 MiB and was ended"},
		"a huge answer":              {agent.Planner, `head -c 9000000 /dev/zero`, agent.Failed, "longer than"},
		"a blocked planner": {agent.Planner, `echo '# half a plan'; echo '{"status":"blocked","question":"Which?"}' >"$GIT_PLAN_RESULT"`,
			agent.Blocked, "Which?"},
		"a terminal's colours": {agent.Executor, `printf 'bad \033[31mred' >&2; exit 2`, agent.Failed, "exit code 2: bad red"},
		"a terminal's escapes": {agent.Executor, `printf 'bad \033]0;red' >&2; exit 2`, agent.Failed, "exit code 2: bad ]0;red"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &Command{AgentName: "mine", Line: c.line}
			s := contract.Session(t, c.role, "x")
			s.Prompt.User += strings.Repeat("more than a pipe holds\n", 20000)
			contract.Want(t, a.Run(t.Context(), s), c.status, c.reason)
		})
	}
}

// TestCommandIsTold: the environment of a reviewing command; its folder is private, outside the tree, and
// removed afterwards.
func TestCommandIsTold(t *testing.T) {
	a := &Command{AgentName: "mine", Line: `env >env.txt; ls -ld "$(dirname "$GIT_PLAN_RESULT")" >mode.txt`}
	s := contract.Session(t, agent.Fixer, "")
	s.Env = append(s.Env, "GIT_PLAN_STEP=of a plan outside", "MY_API_KEY=mine")
	s.Review = agent.Review{Base: "b4se", Head: "h3ad", Reviewer: "quality", Round: 2, Findings: "/f.json"}
	contract.Want(t, a.Run(t.Context(), s), agent.Done, "")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	env := read("env.txt")
	for _, line := range []string{"GIT_PLAN_ROLE=fixer", "GIT_PLAN_ID=p1", "GIT_PLAN_BRANCH=plan/x", "GIT_PLAN_ATTEMPT=1", "GIT_PLAN_NONCE=n0nce",
		"GIT_PLAN_BASE=b4se", "GIT_PLAN_HEAD=h3ad", "GIT_PLAN_REVIEWER=quality", "GIT_PLAN_ROUND=2", "GIT_PLAN_FINDINGS=/f.json",
		"GIT_PLAN_SESSION=" + s.ID, "MY_API_KEY=mine"} {
		if !strings.Contains("\n"+env, "\n"+line+"\n") {
			t.Errorf("%s is not in\n%s", line, env)
		}
	}
	if strings.Contains(env, "GIT_PLAN_STEP=") {
		t.Error("a session without a step has one")
	}
	_, rest, _ := strings.Cut("\n"+env, "\nGIT_PLAN_RESULT=")
	file, _, _ := strings.Cut(rest, "\n")
	if file == "" || strings.HasPrefix(file, s.Dir) || !strings.HasPrefix(read("mode.txt"), "drwx------") {
		t.Errorf("the result is at %s, %s", file, read("mode.txt"))
	}
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("the folder of the result is still there")
	}
}
