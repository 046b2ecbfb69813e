package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandEnds: the exit code goes before the file, and a file that is of no
// use is no success.
func TestCommandEnds(t *testing.T) {
	for name, c := range map[string]struct {
		role   Role
		line   string
		status Status
		reason string
	}{
		"nothing said":             {Executor, `:`, Done, ""},
		"the prompt is not read":   {Executor, `exec <&-; exit 0`, Done, ""},
		"an empty file":            {Executor, `: >"$GIT_PLAN_RESULT"`, Done, ""},
		"done, but exit 1":         {Executor, `echo '{"status":"done"}' >"$GIT_PLAN_RESULT"; echo first; echo no luck >&2; exit 1`, Failed, "exit code 1: no luck"},
		"done, but try later":      {Executor, `echo '{"status":"done"}' >"$GIT_PLAN_RESULT"; exit 75`, Limited, "75"},
		"it says why later":        {Executor, `echo limit reached >&2; exit 75`, Limited, "try later (exit code 75): limit reached"},
		"a file that is no JSON":   {Executor, `echo not json >"$GIT_PLAN_RESULT"`, Failed, "it is no JSON, at byte 2 of `not json`"},
		"no such program":          {Executor, `/no/such/program`, Unusable, "exit code 127"},
		"a status nobody knows":    {Executor, `echo '{"status":"great"}' >"$GIT_PLAN_RESULT"`, Failed, `not "great"`},
		"blocked without question": {Executor, `echo '{"status":"blocked"}' >"$GIT_PLAN_RESULT"`, Failed, "needs a question"},
		"a file of the wrong form": {Executor, `echo '[1]' >"$GIT_PLAN_RESULT"`, Failed, "of no use"},
		"a link in its place":      {Executor, `echo '{"status":"done"}' >x; ln -s "$PWD/x" "$GIT_PLAN_RESULT"`, Failed, "no regular file"},
		"a huge file":              {Executor, `head -c 2000000 /dev/zero >"$GIT_PLAN_RESULT"`, Failed, "longer than"},
		"an endless answer":        {Planner, `yes`, Failed, "it wrote more than 64 MiB and was ended"},
		"an answer that wails":     {Reviewer, `cat /dev/zero >&2`, Failed, "it wrote more than 64 MiB and was ended"},
		"a huge answer":            {Planner, `head -c 9000000 /dev/zero`, Failed, "longer than"},
		"a planner that is blocked": {Planner, `echo '# half a plan'; echo '{"status":"blocked","question":"Which?"}' >"$GIT_PLAN_RESULT"`,
			Blocked, "Which?"},
		"a terminal's escapes": {Executor, `printf 'bad \033[31mred' >&2; exit 2`, Failed, "exit code 2: bad [31mred"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := NewCommand("mine", c.line)
			if err != nil {
				t.Fatal(err)
			}
			s := session(t, c.role, "x")
			s.Prompt.User += strings.Repeat("more than a pipe holds\n", 20000)
			want(t, a.Run(t.Context(), s), c.status, c.reason)
		})
	}
	if _, err := NewCommand("mine", " "); err == nil {
		t.Error("an empty command was taken")
	}
}

// TestCommandIsTold: what a command of a review finds in its environment, and
// that its folder is private, outside the tree, and gone afterwards.
func TestCommandIsTold(t *testing.T) {
	a, err := NewCommand("mine", `env >env.txt; ls -ld "$(dirname "$GIT_PLAN_RESULT")" >mode.txt`)
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, Fixer, "")
	s.Env = append(s.Env, "GIT_PLAN_STEP=of a plan outside", "MY_API_KEY=mine")
	s.Review = Review{Base: "b4se", Head: "h3ad", Reviewer: "quality", Round: 2, Findings: "/f.json"}
	want(t, a.Run(t.Context(), s), Done, "")
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
