package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
)

// unit is a unit of gitplan-goal(7): its keys, each with its values.
type unit map[string][]string

// unitsOf reads the units of the page, writes them to files, and checks them with systemd if it is installed.
func unitsOf(t *testing.T, home string) (service, timer unit) {
	t.Helper()
	units := map[string]unit{}
	var files []string
	for _, e := range examplesIn(texts(t)["gitplan-goal.7.md"]) {
		if e.language != "ini" {
			continue
		}
		first, _, _ := strings.Cut(e.code, "\n")
		file := filepath.Join(home, filepath.Base(first))
		write(t, file, e.code)
		u := unit{}
		for _, line := range strings.Split(e.code, "\n") {
			if key, value, ok := strings.Cut(line, "="); ok {
				u[key] = append(u[key], strings.ReplaceAll(value, "%h", home))
			}
		}
		units[filepath.Ext(file)], files = u, append(files, file)
	}
	if _, err := exec.LookPath("systemd-analyze"); err == nil {
		cmd := exec.Command("systemd-analyze", append([]string{"verify", "--user"}, files...)...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("systemd-analyze verify: %v\n%s", err, said)
		}
	}
	return units[".service"], units[".timer"]
}

// starts returns the command of a service, in the environment that systemd gives it.
func (u unit) starts(home string) *exec.Cmd {
	words := strings.Fields(u["ExecStart"][0])
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = u["WorkingDirectory"][0], append([]string{"HOME=" + home, "LANG=C.UTF-8"}, u["Environment"]...)
	if more, err := os.ReadFile(strings.TrimPrefix(u["EnvironmentFile"][0], "-")); err == nil {
		cmd.Env = append(cmd.Env, strings.Fields(string(more))...)
	}
	cmd.Stdout = new(bytes.Buffer)
	cmd.Stderr = cmd.Stdout
	return cmd
}

// again reports whether systemd restarts a service that ended with a code, or by a signal (-1).
func (u unit) again(code int) bool {
	return u["Restart"][0] == "on-failure" && code != 0 && !slices.Contains(strings.Fields(u["RestartPreventExitStatus"][0]), strconv.Itoa(code))
}

// TestUnitsOfUnattendedRuns does what systemd does with the units of gitplan-goal(7): a reboot in the middle, two
// runs at once, a key that is refused until it is renewed, and a step that needs a person. Each ends with a
// code for which the unit's rules do the right thing.
func TestUnitsOfUnattendedRuns(t *testing.T) {
	bin := built(t)
	home := t.TempDir()
	service, timer := unitsOf(t, home)
	if timer["OnStartupSec"] == nil {
		t.Error("nothing starts it after a boot")
	}
	done := modelCalls("finish", map[string]any{"status": "done"})
	lanes := script.Script{}
	for _, step := range []string{"one", "two", "three"} { // no check passes for the last one
		lanes.Lanes = append(lanes.Lanes, script.Lane{Role: agent.Executor, Step: step, Turns: []script.Turn{writes(step, step), done, done, done, done, done}})
	}
	recorded, err := script.Serve(lanes)
	if err != nil {
		t.Fatal(err)
	}
	defer recorded.Close()
	key, began := "first", make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
		case key == "first": // until the client disconnects
			_, _ = io.Copy(io.Discard, r.Body)
			began <- true
			<-r.Context().Done()
		default:
			recorded.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	write(t, filepath.Join(home, "plan.md"), "# Work\n\n## Steps\n- [ ] One {#one}\n- [ ] Two {#two}\n- [ ] Three {#three}\n  - Check: `false`\n")
	write(t, filepath.Join(home, ".config", "git-plan.env"), "MODEL_KEY=first\n")
	if out, err := exec.Command("env", "-i", "HOME="+home, "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"), "sh", "-ec", `mkdir -p ~/.local/bin ~/project; ln -s '`+bin+`' ~/.local/bin/git-plan
git config --global user.name A; git config --global user.email a@example.com; git config --global init.defaultBranch main
git config --global plan.sandbox none; git config --global plan.attempts 1; git config --global plan.agent model
git config --global planAgent.model.baseURL `+server.URL+`; git config --global planAgent.model.model m; git config --global planAgent.model.apiKeyEnv MODEL_KEY
cd ~/project; git init -q; git commit -q --allow-empty -m begin; git plan new -F ../plan.md --yes`).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(want int, again bool, says string) {
		t.Helper()
		cmd := service.starts(home)
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != want || service.again(code) != again || !strings.Contains(cmd.Stdout.(*bytes.Buffer).String(), says) {
			t.Fatalf("it ended with %d, want %d and %q; started again: %v\n%s", code, want, says, service.again(code), cmd.Stdout)
		}
	}
	defer reboot(home)
	first := service.starts(home)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-began
	run(exit.Busy, true, "works on this plan")
	reboot(home)
	if _ = first.Wait(); !service.again(first.ProcessState.ExitCode()) {
		t.Error("after a kill it is not started again")
	}
	key = "renewed"
	run(exit.Error, true, "not authorised")
	write(t, filepath.Join(home, ".config", "git-plan.env"), "MODEL_KEY=renewed\n")
	run(exit.Step, false, "step three failed after 1 attempt")
	if got := runGit(t, filepath.Join(home, "project"), "log", "--format=%s", "main..HEAD"); got != "Two\nOne\n" {
		t.Errorf("it did %q", got)
	}
}

// A full disk uses no attempt: the run ends with 75, is started again, and continues once there is space.
func TestFullDiskIsWaitedFor(t *testing.T) {
	if exec.Command("unshare", "-rm", "true").Run() != nil {
		t.Skip("needs a file system of its own")
	}
	service, _ := unitsOf(t, t.TempDir())
	repo := begun(t, 0)
	script := `mount -t tmpfs -o size=3m none "$0" && cd "$0" && git init -q && git commit -q --allow-empty -m begin
git config plan.sandbox none && git config planAgent.fake.command 'echo $GIT_PLAN_STEP >work.txt; test -e ../room || ! cat /dev/zero >full'
printf '# Work\n\n## Steps\n- [ ] One {#one}\n  - Check: \140test -s work.txt\140\n' | git plan new -F - --yes
git plan run --no-review; echo ended with $?; git plan run --no-review; echo ended with $?
touch ../room; rm full; git plan run --no-review; echo ended with $?; git log --format=%s -1; git plan log`
	out, err := exec.Command("unshare", "-rm", "sh", "-c", script, repo).CombinedOutput()
	said := string(out)
	if err != nil || !strings.Contains(said, "make room on the disk") || strings.Count(said, "ended with 75\n") != 2 || !strings.Contains(said, "ended with 0\nOne\n") || strings.Contains(said, "attempt 3") || !service.again(exit.Temporary) {
		t.Errorf("%v\n%s", err, said)
	}
}
