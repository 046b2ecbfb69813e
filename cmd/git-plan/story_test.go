package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/race"
	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/rogpeppe/go-internal/testscript"
)

// impatient is for programs built with the race detector: without it each of them waits a second before it
// ends, and there are thousands of them here.
const impatient = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	os.Setenv("GORACE", impatient)
	testscript.Main(tests{m}, map[string]func(){"git-plan": main})
}

// tests are all tests of this package; what was built for them goes with them.
type tests struct{ m *testing.M }

// terminals is the variable with the folder for sockets of terminals. It stays until all processes of the tests have
// ended: a sandbox that is set up meanwhile closes those sockets, and needs their folders.
const terminals = "TERMINALS"

func (t tests) Run() int {
	defer func() { _ = os.RemoveAll(builds.dir) }() // "" is nothing
	if os.Getenv(terminals) != "" {
		return t.m.Run() // one of the other processes
	}
	dir, err := os.MkdirTemp("", "terminals-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	_ = os.Setenv(terminals, dir)
	flag.Parse()
	whole := true
	flag.Visit(func(f *flag.Flag) { whole = whole && !ofOneProcess.MatchString(f.Name) })
	if !whole {
		return t.m.Run()
	}
	return t.share()
}

// ofOneProcess matches the flags that choose tests, or write a file that several processes would overwrite.
var ofOneProcess = regexp.MustCompile(`^test\.(run|skip|list|bench|fuzz|gocoverdir|trace|.*profile)$`)

// apart are names of tests that a process of their own runs when all tests are run: most change the environment or
// the current folder of their process, so one at a time would keep one of two cores idle.
var apart = []string{"^TestStories", "Kill|Signal|Goal|ArmsIs|Everywhere|EveryKindOf"}

// share runs the tests of each of apart in another process, the rest in this one, and returns the exit code. What
// the others print follows; the files that they read are added to those by which go test knows a result again.
func (t tests) share() (code int) {
	log := flag.Lookup("test.testlogfile").Value.String()
	var others []*exec.Cmd
	for i, names := range apart {
		args := append(slices.Clone(os.Args[1:]), "-test.run="+names)
		if i > 0 {
			args = append(args, "-test.skip="+strings.Join(apart[:i], "|"))
		}
		if log != "" {
			args = append(args, fmt.Sprint("-test.testlogfile=", log, i))
		}
		other := exec.Command(os.Args[0], args...)
		other.Stdout = new(bytes.Buffer)
		other.Stderr = other.Stdout
		if err := other.Start(); err != nil {
			panic(err)
		}
		others = append(others, other)
	}
	_ = flag.Set("test.skip", strings.Join(apart, "|"))
	code = t.m.Run()
	for i, other := range others {
		if err := other.Wait(); err != nil {
			fmt.Printf("the tests %s: %v\n", apart[i], err)
			code = 1
		}
		fmt.Print(other.Stdout)
		if log == "" {
			continue
		}
		read, err := os.ReadFile(fmt.Sprint(log, i))
		file, err2 := os.OpenFile(log, os.O_WRONLY|os.O_APPEND, 0)
		if err = errors.Join(err, err2); err == nil {
			_, err = file.Write(bytes.TrimPrefix(read, []byte("# test log\n")))
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	return code
}

// TestStories plays testdata/stories/TOPIC/NAME.txtar, real git commands in a fixed world. A story says `exec
// git plan ...`; git finds this program on PATH, built as it is installed. The other commands of stories are
// in storyCommands.
//
// With the race detector, those that say `race` are played, or all with RACE=all.
func TestStories(t *testing.T) {
	playStories(t, played, world)
}

// saying returns a function that reports whether a story has such a line.
func saying(line string) func(text string) bool {
	return regexp.MustCompile(`(?m)^` + line + `$`).MatchString
}

func played(text string) bool {
	return !race.Detector || os.Getenv("RACE") == "all" || saying("race")(text)
}

var stories = filepath.Join("..", "..", "testdata", "stories")

// TestStoriesInAClone plays, with plan.isolation=clone, the stories that say `clones always`: they run
// sessions, and end the same in both workspaces, which keep the same contract. CLONES=all plays those that
// say `clones`, too. Where the workspace makes a difference, there are stories in stories/clones.
func TestStoriesInAClone(t *testing.T) {
	line := "clones always"
	if os.Getenv("CLONES") == "all" {
		line = "clones( always| here)?"
	}
	marked := func(text string) bool { return saying(line)(text) && played(text) }
	playStories(t, marked, func(e *testscript.Env) error {
		e.Setenv("GIT_CONFIG_COUNT", "1")
		e.Setenv("GIT_CONFIG_KEY_0", "plan.isolation")
		e.Setenv("GIT_CONFIG_VALUE_0", "clone")
		return world(e)
	})
}

// TestStoriesElsewhere is the same with sessions run by a worker, which a launcher starts on this machine.
// ELSEWHERE is the command of another launcher: with it, and with CLONES=all, those that say `clones` are
// played, too.
func TestStoriesElsewhere(t *testing.T) {
	line := "clones always"
	if os.Getenv("ELSEWHERE") != "" || os.Getenv("CLONES") == "all" {
		line = "clones( always)?"
	}
	marked := func(text string) bool { return saying(line)(text) && played(text) }
	playStories(t, marked, func(e *testscript.Env) error {
		e.Setenv("GIT_CONFIG_COUNT", "3")
		for i, kv := range [][2]string{{"plan.isolation", "here"}, {"planLauncher.here.command", cmp.Or(os.Getenv("ELSEWHERE"), "git-plan worker")}, {"planLauncher.here.passEnv", storiesSay}} {
			e.Setenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", i), kv[0])
			e.Setenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i), kv[1])
		}
		return world(e)
	})
}

// storiesSay are the variables of stories that their sessions may read.
const storiesSay = "STORY, DOES, SAYS, MEANWHILE, FIXES, WAIT, VERIFIES, FINISH, THEN, LATER, FIRST, CHECKS, FAILS, STOP, SPOILS, OPENS, HOW, BROKEN, USAGE, SPEAKS, MEDDLE, HOOK, FENCE, TAGS, SILENT, OUTER, OTHER, NO, MORE, EVIL, BASE, ALWAYS, WHERE"

// playStories plays the stories whose text is chosen, as subtests TOPIC/NAME.
func playStories(t *testing.T, chosen func(text string) bool, setup func(*testscript.Env) error) {
	schemas, err := schemasOf(filepath.Join("..", "..", "testdata", "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	repository.Reads(t, "testdata", "packaging")
	if built(t); os.Getenv("RACE") == "all" {
		t.Setenv("PATH", detecting(os.Getenv("PATH")))
	}
	for topic, files := range storiesByTopic(t, chosen) {
		t.Run(topic, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Files: files, Setup: setup, RequireExplicitExec: true, RequireUniqueNames: true,
				Condition: works, Cmds: storyCommands(schemas),
			})
		})
	}
}

// storiesByTopic returns the files of the stories whose text is chosen, by their folder.
func storiesByTopic(t *testing.T, chosen func(text string) bool) map[string][]string {
	all, err := filepath.Glob(filepath.Join(stories, "*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	byTopic := map[string][]string{}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if topic := filepath.Base(filepath.Dir(file)); chosen(string(text)) {
			byTopic[topic] = append(byTopic[topic], file)
		}
	}
	return byTopic
}

// detecting is a PATH where git finds this test's own program.
func detecting(path string) string {
	return strings.TrimPrefix(path, builds.dir+string(os.PathListSeparator))
}

// works makes [bwrap], [landlock] and [seatbelt] true where these sandboxes work, and [root] for root, who is
// not bound by file modes.
func works(kind string) (bool, error) {
	if kind == "root" {
		return os.Geteuid() == 0, nil
	}
	switch k := proc.SandboxKind(kind); k {
	case proc.Bwrap, proc.Landlock, proc.Seatbelt:
		err := proc.Works(context.Background(), k)
		if err != nil && k == proc.Bwrap && runtime.GOOS == "linux" && os.Getenv("CI") == "true" {
			return false, fmt.Errorf("a story of the sandbox, which CI must have: %w", err)
		}
		return err == nil, nil
	}
	return false, fmt.Errorf("there is no condition %q", kind)
}

// world makes every run the same: home, configuration, dates, language, editor.
func world(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = Someone\n\temail = someone@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[plan]\n\tagent = fake\n\tpassEnv = STORY DOES\n[planAgent \"fake\"]\n\tcommand = sh \"$STORY/$GIT_PLAN_ROLE.sh\"\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	for _, kv := range [][2]string{
		{"HOME", home}, {"STORY", e.WorkDir}, {"GIT_CONFIG_NOSYSTEM", "1"}, {"XDG_CONFIG_HOME", home},
		{"GORACE", impatient}, {"TZ", "UTC"}, {"LC_ALL", "C"}, {"GIT_EDITOR", ":"}, {"GIT_TERMINAL_PROMPT", "0"},
		{"OPENAI_API_KEY", ""}, {"OPENAI_BASE_URL", ""}, {"GIT_PLAN_DEPTH", ""},
	} {
		e.Setenv(kv[0], kv[1])
	}
	return nil
}
