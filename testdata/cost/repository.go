package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is the repository in which the plan runs, with about as many files as a service has.
const module = "github.com/prometheus/client_golang@v1.23.2"

// subjects are the files that the steps change, one each; core are others that a session reads.
var (
	subjects = []string{"counter", "gauge", "go_collector", "wrap", "summary", "labels", "process_collector", "metric", "value", "desc", "collector", "vec"}
	core     = []string{"prometheus/metric.go", "prometheus/desc.go", "prometheus/value.go", "prometheus/labels.go", "prometheus/collector.go", "prometheus/registry.go"}
)

// step is what the model does at one step.
type step struct {
	n          int
	name       string
	code, test string
	reads      []string
}

func stepOf(i int) step {
	s := step{n: i + 1, name: subjects[i]}
	s.code, s.test = "prometheus/"+s.name+".go", "prometheus/"+s.name+"_x_test.go"
	s.reads = []string{s.code}
	for _, p := range append(core[i%len(core):], core...) {
		if p != s.code && len(s.reads) < 3 {
			s.reads = append(s.reads, p)
		}
	}
	s.reads = append(s.reads, []string{"prometheus/gauge_test.go", "prometheus/counter_test.go"}[i%2], "prometheus/observer.go")
	return s
}

// planText returns the plan.
func planText() string {
	var b strings.Builder
	b.WriteString("# Collectors that can be reset\n\nEach collector of package prometheus can be reset to its initial state, safely while others use it, and the registry can reset all of them at once.\n\n" +
		"## Context\n\nPackage prometheus holds the collectors; a Desc describes a metric, a Metric writes itself to a dto.Metric. Values are kept as bits in atomics. Tests are table tests beside the code. The registry checks that descriptors agree.\n\n" +
		"## Rules\n\n- No new dependency.\n- The public API stays compatible.\n- Every exported name is documented.\n\n## Checks\n\n- `sh ci/test.sh`\n\n## Steps\n\n")
	for i := range subjects {
		s := stepOf(i)
		fmt.Fprintf(&b, "- [ ] **Let %s be reset** {#s%d}\n  - Files: `%s`, `%s`\n  - Do: in `%s` add the option of resetting what was collected: a method Reset on the type that this file defines, which takes the lock, sets each value to zero and keeps the labels; concurrent use must be safe, a nil receiver is a no-op, and the error texts are those that the package uses already. Export nothing else. Cover the ordinary case, the empty one and a concurrent one by a table test.\n  - For: the request that collectors can be reset\n  - Check: `grep -q 'Reset%dx60' %s`; resetting twice is the same as once\n",
			s.name, s.n, s.code, s.test, s.code, s.n, s.code)
	}
	b.WriteString("\n## Edge cases\n\n- a collector that was never used\n- resetting while another goroutine collects\n\n## Verification\n\n- `sh ci/test.sh all`\n")
	return b.String()
}

// tests prints like a run of such a module's tests; with "fail" it fails.
const tests = `i=0
while [ $i -lt 40 ]; do echo "ok  	github.com/prometheus/client_golang/prometheus/part$i	0.$((i + 10))s"; i=$((i + 1)); done
[ "$1" != fail ] || { echo '--- FAIL: TestReset (0.00s)'; echo '    reset_test.go:12: got 1, want 0'; exit 1; }
`

// source returns the folder of the module, from the module cache or the proxy.
func source() (string, error) {
	get := exec.Command("go", "mod", "download", "-json", module)
	get.Dir, get.Env = os.TempDir(), append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := get.Output()
	var at struct{ Dir string }
	if err != nil || json.Unmarshal(out, &at) != nil || at.Dir == "" {
		return "", fmt.Errorf("%s did not come: %v\n%s", module, err, out)
	}
	return at.Dir, nil
}

// repository makes the repository in dir.
func repository(dir string) error {
	from, err := source()
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "ci"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "ci", "test.sh"), []byte(tests), 0o755); err != nil {
		return err
	}
	for _, c := range []string{"chmod -R u+w .", "git init -q -b main", "git add .", "git commit -qm module", "git checkout -qb reset"} {
		if out, err := run(dir, strings.Fields(c)...); err != nil {
			return fmt.Errorf("%s: %w\n%s", c, err, out)
		}
	}
	return nil
}

// configure makes all roles use the server at base.
func configure(dir, base string) error {
	for key, value := range map[string]string{
		"plan.agent": "counted", "planAgent.counted.baseURL": base + "/v1", "planAgent.counted.model": "claude-counted",
	} {
		if out, err := run(dir, "git", "config", key, value); err != nil {
			return fmt.Errorf("git config %s: %w\n%s", key, err, out)
		}
	}
	return nil
}

// run runs a program in dir, without personal settings.
func run(dir string, argv ...string) (string, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = dir
	home := filepath.Join(filepath.Dir(dir), "home")
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(home, "gitconfig"),
		"GIT_AUTHOR_NAME=c", "GIT_AUTHOR_EMAIL=c@localhost", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@localhost")
	out, err := c.CombinedOutput()
	return string(out), err
}
