package main

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

func TestVersionOf(t *testing.T) {
	built := func(module string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: module}} }
	for _, tt := range []struct {
		set  string
		info *debug.BuildInfo
		want string
	}{
		{"v0.1.0", built("(devel)"), "0.1.0"},                // make, at a tag
		{"v0.1.0-3-gabcdef0", built(""), "0.1.0-3-gabcdef0"}, // make, after one
		{"0.1.0", nil, "0.1.0"},                              // a release
		{"", built("v0.1.0"), "0.1.0"},                       // go install ...@latest
		{"", built("v0.1.1-0.20261126110000-0123456789ab+dirty"), "0.1.1-0.20261126110000-0123456789ab+dirty"},
		{"", built("(devel)"), "unknown"},
		{"", nil, "unknown"},
	} {
		if got := versionOf(tt.set, tt.info); got != tt.want {
			t.Errorf("versionOf(%q, %+v) = %q, not %q", tt.set, tt.info, got, tt.want)
		}
	}
}

// A tag is the version of a build at it: by make, by go build, and by go install from a module proxy, which
// has no checkout.
func TestTagIsTheVersion(t *testing.T) {
	race.Skip(t)
	dir := t.TempDir()
	sh := func(script string, env ...string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	sh(`git clone -q --no-tags "$TOP" clone && cd clone && git tag v0.1.0 && make -s build`, "TOP="+top)
	if out := sh("clone/bin/git-plan version"); out != "git-plan version 0.1.0\n" {
		t.Errorf("by make: %s", out)
	}
	pages := sh(`make -s -C clone install PREFIX="$PWD/prefix" >&2 && cat prefix/share/man/man1/git-plan.1 prefix/share/man/man5/gitplan-format.5`)
	for _, want := range []string{`.TH "GIT-PLAN" "1" "20`, `"git-plan 0.1.0" "Git Plan Manual"`, ".SH CONFIGURATION", ".TP\n\\fBplan.<role>.model\\fR", `git-plan \- `, `.TH "GITPLAN-FORMAT" "5"`} {
		if !strings.Contains(pages, want) {
			t.Errorf("the manual lacks %s: %.300s", want, pages)
		}
	}
	sh("! command -v mandoc || mandoc -T lint -W warning prefix/share/man/man*/*")
	if out := sh("cd clone && go build -trimpath -tags urfave_cli_no_docs -o ../plain ./cmd/git-plan && ../plain version"); out != "git-plan version 0.1.0\n" {
		t.Errorf("by go build: %s", out)
	}

	const name = "github.com/git-plan/git-plan"
	serve(t, filepath.Join(dir, "clone"), filepath.Join(dir, "proxy", filepath.FromSlash(name), "@v"), name, "v0.1.0")
	proxies := "file://" + filepath.Join(dir, "proxy") + ",file://" + strings.TrimSpace(sh("go env GOMODCACHE")) + "/cache/download"
	// All is found and would be compiled, with what versionOf reads; that takes a minute of two cores, for the same code.
	out := sh("go install -n -modcacherw -trimpath -tags urfave_cli_no_docs "+name+"/cmd/git-plan@latest >said 2>&1 || { cat said; exit 1; }; grep ^modinfo said",
		"GOPROXY="+proxies, "GOSUMDB=off", "GOMODCACHE="+filepath.Join(dir, "modules"), "GOBIN="+filepath.Join(dir, "bin"))
	if !strings.Contains(out, `\nmod\t`+name+`\tv0.1.0\t`) {
		t.Errorf("by go install: %s", out)
	}
}

// serve writes what a module proxy has of one version: the commit's files, except the ones under test.
func serve(t *testing.T, clone, folder, name, version string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "list"), version+"\n")
	write(t, filepath.Join(folder, version+".mod"), string(mod))
	write(t, filepath.Join(folder, version+".info"), fmt.Sprintf(`{"Version": %q, "Time": "2026-01-01T00:00:00Z"}`, version))
	file, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(file)
	listed, err := exec.Command("git", "-C", clone, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(clone, path))
		if err != nil || !info.Mode().IsRegular() || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "testdata/") && !strings.HasPrefix(path, "testdata/demo") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(clone, path))
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(name + "@" + version + "/" + path)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
