package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// storyCommands returns the commands that a story can use besides those of testscript:
//
//	repo [KEY=VALUE ...]             the repository of the story, configured
//	plan [STEP ...] [KEY=VALUE ...]  the same, with its plan approved
//	shared [STEP ...] [KEY=VALUE]    such a plan on branch work, pushed to ../remote.git, and in a second clone, ../ben
//	task NAME [KEY=VALUE ...]        the repository of a task in testdata/eval/tasks, whose later version is in ../to
//	uses TOPIC/NAME                  the files in testdata/stories/TOPIC/NAME.files, which several stories share
//	roles                            its reviewer, verifier and fixer do what SAYS, VERIFIES and FIXES say
//	strike SIGNAL PROGRAM ARGS       sends the signal once the story's file began is there; prints `code N`, and keeps
//	                                 what the program said in the file said
//	code N PROGRAM ARGS              runs it and expects exactly that exit code
//	schema NAME stdout               expects JSON as testdata/schemas has it
//	race                             from here on the program has the race detector, as this test has
//	promise                          the story is one that make test plays, for it holds a promise of README
//	clones [always|here]             the story is played with plan.isolation=clone, too, and unless it says here, with a
//	                                 launcher: see TestStoriesElsewhere
func storyCommands(schemas map[string]*jsonschema.Schema) map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"clones": inClones, "code": code, "plan": makePlan, "promise": promised, "race": withRace, "repo": makeRepository, "roles": playRoles, "schema": schema(schemas), "shared": makeShared, "strike": strike, "task": makeTask, "uses": useFiles,
	}
}

// makeRepository makes a repository in the story's folder repo, commits the story's files there as `one`, and
// enters it. Without such files it gets a readme. origin=PATH makes a bare repository there, which has that
// commit; branch=NAME creates that branch; every other KEY=VALUE is git configuration.
func makeRepository(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: repo [origin=PATH] [branch=NAME] [KEY=VALUE ...]")
	}
	repo := ts.MkAbs("repo")
	ts.Check(os.MkdirAll(repo, 0o755))
	if files, err := os.ReadDir(repo); err == nil && len(files) == 0 {
		writeUnlessThere(ts, filepath.Join(repo, "readme"), "x\n")
	}
	ts.Check(ts.Exec("git", "init", "-q", repo))
	ts.Check(ts.Chdir(repo))
	ts.Check(ts.Exec("git", "add", "."))
	ts.Check(ts.Exec("git", "commit", "-qm", "one"))
	for _, arg := range args {
		switch key, value, ok := strings.Cut(arg, "="); {
		case !ok:
			ts.Fatalf("%s is not KEY=VALUE", arg)
		case key == "origin":
			ts.Check(ts.Exec("git", "init", "-q", "--bare", value))
			ts.Check(ts.Exec("git", "remote", "add", "origin", value))
			ts.Check(ts.Exec("git", "push", "-q", "origin", "HEAD"))
		case key == "branch":
			ts.Check(ts.Exec("git", "switch", "-qc", value))
		default:
			ts.Check(ts.Exec("git", "config", key, value))
		}
	}
}

// makePlan makes such a repository, and a plan from the story's plan.md. Without that file the plan is called
// Work, and has the named steps. Unless the story has an executor.sh, sessions write the step's id to a file
// of that name, and run DOES.
func makePlan(ts *testscript.TestScript, neg bool, args []string) {
	var steps, rest []string
	for _, arg := range args {
		if strings.Contains(arg, "=") {
			rest = append(rest, arg)
		} else {
			steps = append(steps, "- [ ] **"+strings.ToUpper(arg[:1])+arg[1:]+"** {#"+arg+"}\n")
		}
	}
	if len(steps) > 0 {
		ts.Check(os.WriteFile(ts.MkAbs("plan.md"), []byte("# Work\n\n## Steps\n\n"+strings.Join(steps, "")), 0o644))
	}
	writeUnlessThere(ts, ts.MkAbs("executor.sh"), "echo $GIT_PLAN_STEP >$GIT_PLAN_STEP.txt\neval \"$DOES\"\n")
	makeRepository(ts, neg, rest)
	ts.Check(ts.Exec("git", "plan", "new", "-F", "../plan.md", "--yes"))
}

// makeShared makes such a plan on branch work of a repository whose origin is ../remote.git, where branch and
// plan are pushed. A second clone, ../ben, has fetched and approved it. The story continues in the first
// clone.
func makeShared(ts *testscript.TestScript, neg bool, args []string) {
	makePlan(ts, neg, append([]string{"origin=../remote.git", "branch=work"}, args...))
	for _, line := range []string{
		"push -q -u origin work", "plan push", "clone -q -b work ../remote.git ../ben",
		"-C ../ben plan fetch", "-C ../ben plan approve --yes",
	} {
		ts.Check(ts.Exec("git", strings.Fields(line)...))
	}
}

// makeTask makes a repository of the program of testdata/eval/tasks/NAME. The later version of the files that
// the task changes is in the folder to, and its goal in the file goal.md.
func makeTask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: task NAME [KEY=VALUE ...]")
	}
	eval := filepath.Join("..", "..", "testdata", "eval")
	dir := filepath.Join(eval, "tasks", args[0])
	var task struct{ Program string }
	text, err := os.ReadFile(filepath.Join(dir, "task.json"))
	ts.Check(err)
	ts.Check(json.Unmarshal(text, &task))
	unpack(ts, filepath.Join(eval, "programs", task.Program+".txtar"))
	ts.Check(os.Rename(ts.MkAbs("from"), ts.MkAbs("repo")))
	unpack(ts, filepath.Join(dir, "files.txtar"))
	goal, err := os.ReadFile(filepath.Join(dir, "goal.md"))
	ts.Check(err)
	writeUnlessThere(ts, ts.MkAbs("goal.md"), string(goal))
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	ts.Check(err)
	ts.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // otherwise each story compiles the standard library
	ts.Setenv("GOWORK", "off")
	makeRepository(ts, neg, args[1:])
}

// useFiles unpacks testdata/stories/TOPIC/NAME.files, a txtar archive, into the story's folder. The story's
// own files are not overwritten.
func useFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: uses TOPIC/NAME")
	}
	unpack(ts, filepath.Join(stories, filepath.FromSlash(args[0])+".files"))
}

// unpack writes the files of a txtar archive into the story's folder.
func unpack(ts *testscript.TestScript, path string) {
	archive, err := txtar.ParseFile(path)
	ts.Check(err)
	for _, f := range archive.Files {
		path := ts.MkAbs(f.Name)
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		writeUnlessThere(ts, path, string(f.Data))
	}
}

// playRoles makes the roles of a review run variables, with the functions of testdata/stories/say.sh. Unless
// SAYS is set, a reviewer has read all files and found nothing. Each session adds a line to the file asked:
// its role, and the round.
func playRoles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: roles")
	}
	words, err := os.ReadFile(filepath.Join(stories, "say.sh"))
	ts.Check(err)
	for role, does := range map[string]string{
		"reviewer": "${SAYS-reviewed all}", "verifier": "${VERIFIES:-answers confirmed bug}", "fixer": "$FIXES",
	} {
		writeUnlessThere(ts, ts.MkAbs(role+".sh"), string(words)+"echo \"${GIT_PLAN_REVIEWER:-$GIT_PLAN_ROLE} $GIT_PLAN_ROUND\" >>\"$STORY/asked\"\neval \""+does+"\"\n")
	}
}

// strike runs testdata/stories/strike.sh.
func strike(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: strike SIGNAL PROGRAM ARGS")
	}
	script, err := filepath.Abs(filepath.Join(stories, "strike.sh"))
	ts.Check(err)
	ts.Check(ts.Exec("sh", append([]string{script}, args...)...))
}

func writeUnlessThere(ts *testscript.TestScript, path, text string) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		ts.Check(os.WriteFile(path, []byte(text), 0o644))
	}
}

// code runs a program and expects its exit code to be exactly N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// withRace begins a story in which one git plan does several things at once: parallel reviewers, a signal or
// a timeout during a session, a follower. Other stories use the program as it is installed, which starts many
// times faster, except in make race.
func withRace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: race")
	}
	ts.Setenv("PATH", detecting(ts.Getenv("PATH")))
}

// inClones marks a story for TestStoriesInAClone and TestStoriesElsewhere, which read it before they play.
func inClones(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 || len(args) == 1 && args[0] != "always" && args[0] != "here" {
		ts.Fatalf("usage: clones [always|here]")
	}
}

// promised marks a story for make test, which reads it before it plays.
func promised(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: promise")
	}
}
