package builtin

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/testdata/contract"
)

// tree is a workspace with some files; content that begins with "-> " makes a link.
func tree(t *testing.T, files map[string]string) *workspace {
	t.Helper()
	dir := contract.Repository(t)
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(to, p)
		} else {
			err = os.WriteFile(p, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := openWorkspace(agent.Session{Dir: dir, Env: proc.CheckEnv(nil)}, "", life(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.root.Close() })
	return w
}

// life is that of a session without limits.
func life(t *testing.T) *agent.Life {
	_, l, stop := agent.NewLife(t.Context(), agent.Session{})
	t.Cleanup(stop)
	return l
}

// callTool is the answer that a model gets, errors included.
func callTool(t *testing.T, w *workspace, name, args string) string {
	t.Helper()
	tl, err := toolNamed(toolsOf(agent.Session{Role: agent.Executor}), name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := tl.read(args)
	if err == nil {
		var text string
		if text, err = tl.Run(t.Context(), w, v); err == nil {
			return text
		}
	}
	return "error: " + err.Error()
}

// TestConfinement: no file tool reaches git's own files or anything outside the tree, by any name.
func TestConfinement(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("TOPSECRET"), 0o644); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		".git/config": "TOPSECRET", "sub/.git": "TOPSECRET", "a/b.txt": "inner",
		"out": "-> " + outside, "outfile": "-> " + filepath.Join(outside, "secret"), "up": "-> ../../..",
		"gitdir": "-> .git", "a/cfg": "-> ../.git/config", "chain": "-> gitdir", "loop": "-> loop",
	}
	w := tree(t, files)
	for _, name := range []string{
		".git/config", ".GIT/config", "./.git/config", "a/../.git/config", "sub/.git", ".git", ".git./config", ".git /config",
		"git~1/config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/config",
		"gitdir/config", "chain/config", "a/cfg", filepath.Join(w.dir, ".git", "config"),
		"../x", "a/../../x", "..", filepath.Join(outside, "secret"), "/etc/passwd", "out/secret", "outfile", "up/etc/passwd", "loop",
		"", "a\x00b",
	} {
		arg := quote(name)
		for tool, args := range map[string]string{
			"read_file": `{"path":` + arg + `}`, "list_files": `{"path":` + arg + `,"glob":"*"}`, "search": `{"pattern":"TOP","path":` + arg + `}`,
			"write_file": `{"path":` + arg + `,"content":"x"}`, "edit_file": `{"path":` + arg + `,"old":"TOPSECRET","new":"x"}`,
		} {
			if name == "" && (tool == "list_files" || tool == "search") {
				continue // all of the tree
			}
			if got := callTool(t, w, tool, args); !strings.HasPrefix(got, "error: ") || strings.Contains(got, "TOPSECRET") {
				t.Errorf("%s %q: %s", tool, name, got)
			}
		}
	}
	for _, args := range []string{`{"pattern":"SECRET"}`, `{"pattern":"SECRET","path":"."}`} {
		if got := callTool(t, w, "search", args); strings.Contains(got, "TOPSECRET") {
			t.Errorf("search %s: %s", args, got)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(outside, "secret")); string(b) != "TOPSECRET" {
		t.Errorf("the file outside is now %q", b)
	}
	for _, name := range []string{"a/b.txt", "./a//b.txt", "a/../a/b.txt", filepath.Join(w.dir, "a", "b.txt")} {
		arg := quote(name)
		if got := callTool(t, w, "read_file", `{"path":`+arg+`}`); got != "1|inner\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestLinksInside: a link within the tree is followed, and written through.
func TestLinksInside(t *testing.T) {
	w := tree(t, map[string]string{"real/f.txt": "one\n", "link": "-> real/f.txt", "dir": "-> real"})
	if got := callTool(t, w, "edit_file", `{"path":"link","old":"one","new":"two"}`); !strings.HasPrefix(got, "edited real/f.txt") {
		t.Error(got)
	}
	if got := callTool(t, w, "write_file", `{"path":"dir/new.txt","content":"x\n"}`); !strings.HasPrefix(got, "wrote real/new.txt") {
		t.Error(got)
	}
	if info, err := os.Lstat(filepath.Join(w.dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was removed")
	}
}

// TestWriting: a file that the session has not read, or that changed since, is not overwritten; mode and byte
// order mark are kept.
func TestWriting(t *testing.T) {
	w := tree(t, map[string]string{"f.sh": "\uFEFFone\r\ntwo\r\n", "seen.txt": "old\n"})
	file := filepath.Join(w.dir, "f.sh")
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := callTool(t, w, "write_file", `{"path":"seen.txt","content":"x"}`); !strings.Contains(got, "read it first") {
		t.Error(got)
	}
	callTool(t, w, "read_file", `{"path":"seen.txt"}`)
	if err := os.WriteFile(filepath.Join(w.dir, "seen.txt"), []byte("somebody else's\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{"write_file": `{"path":"seen.txt","content":"x"}`, "edit_file": `{"path":"seen.txt","old":"else","new":"x"}`} {
		if got := callTool(t, w, tool, args); !strings.Contains(got, "changed on disk") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	callTool(t, w, "read_file", `{"path":"seen.txt"}`)
	if got := callTool(t, w, "write_file", `{"file_path":"seen.txt","content":"mine\n"}`); !strings.HasPrefix(got, "wrote seen.txt") {
		t.Error(got)
	}
	if got := callTool(t, w, "edit_file", `{"path":"f.sh","old_string":"one\ntwo","new_string":"one\nand\ntwo"}`); !strings.HasPrefix(got, "edited f.sh") {
		t.Error(got)
	}
	b, _ := os.ReadFile(file)
	info, _ := os.Stat(file)
	if string(b) != "\uFEFFone\r\nand\r\ntwo\r\n" || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("%q, mode %v", b, info.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, ".git-plan-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestReading: output is limited, and files that are not text are named.
func TestReading(t *testing.T) {
	w := tree(t, map[string]string{
		"long.txt": strings.Repeat("line\n", 1000), "wide.txt": strings.Repeat("x", 5000), "bin": "\x7fELF\x00\x01", "empty": "",
		"code.go":   "package a\n\n// Add adds.\nfunc (b *box) Add(\n\tn int,\n) {\n\tb.n += n\n}\n\nfunc other() {\n\tAdd := 1 }\n",
		"code.c":    "static int\nhelper(int a)\n{\n\tif (a) {\n\t}\n}\n",
		"code.rs":   "    pub fn run<T>(a: T) -> Y\n    where T: X,\n    {\n        a.x();\n    }\n",
		"code.py":   "@cached\ndef run(a,\n        b\n):\n    return a\n\nrun(1, 2)\n",
		"code.java": "class A {\n  public static int sum(int a) {\n    return a;\n  }\n}\n",
		"latin.txt": "caf\xe9\n", "huge": strings.Repeat("y\n", maxFile), "dir/notes.md": "n",
	})
	for args, want := range map[string]string{
		`{"path":"long.txt"}`:                              "[400 of 1000 lines; go on with offset 401]",
		`{"path":"long.txt","offset":"999","limit":"999"}`: "999|line\n1000|line\n",
		`{"path":"long.txt","offset":2000}`:                "only 1000 lines",
		`{"path":"wide.txt"}`:                              "3000 bytes more",
		`{"path":"code.go","symbol":"box.Add"}`:            "3|// Add adds.\n4|func (b *box) Add(\n5|\tn int,\n6|) {\n7|\tb.n += n\n8|}\n",
		`{"path":"code.go","symbol":"Sub"}`:                "no line here defines Sub",
		`{"path":"code.go","symbol":"."}`:                  "is not a name",
		`{"path":"code.py","symbol":"run"}`:                "1|@cached\n2|def run(a,\n3|        b\n4|):\n5|    return a\n",
		`{"path":"code.java","symbol":"sum"}`:              "2|  public static int sum(int a) {\n3|    return a;\n4|  }\n",
		`{"path":"code.c","symbol":"helper"}`:              "2|helper(int a)\n3|{\n4|\tif (a) {\n5|\t}\n6|}\n",
		`{"path":"code.c","limit":1}`:                      "to be read by symbol]\n2|helper(int a)\n",
		`{"path":"code.rs","symbol":"run"}`:                "1|    pub fn run<T>(a: T) -> Y\n2|    where T: X,\n3|    {\n4|        a.x();\n5|    }\n",
		`{"path":"code.java","limit":1}`:                   "[1 of 5 lines; go on with offset 2]\n[what is defined further on, to be read by symbol]\n2|  public static int sum(int a) {\n",
		`{"path":"bin"}`:                                   "bin is binary, 6 bytes",
		`{"path":"empty"}`:                                 "the file is empty",
		`{"path":"latin.txt"}`:                             "1|caf\uFFFD",
		`{"path":"huge"}`:                                  "too large",
		`{"path":"dir"}`:                                   "is a folder",
		`{"path":"nothing/like/it"}`:                       "error: ",
		`{}`:                                               `needs the argument "path"`,
		`{"path":["a"]}`:                                   "must be a string",
	} {
		if got := callTool(t, w, "read_file", args); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, visible.Cut(got, 300))
		}
	}
}

// TestListingAndSearching: ignored files and git's own are omitted.
func TestListingAndSearching(t *testing.T) {
	files := map[string]string{".gitignore": "*.log\n", "a.go": "package a\nfunc F() {}\n", "b/c/d/e.go": "func E() {}\n",
		"b/c/d/f.go": "", "x.log": "func L() {}\n", "bin": "func\x00"}
	w := tree(t, files)
	list := callTool(t, w, "list_files", `{}`)
	if strings.Contains(list, "x.log") || !strings.Contains(list, "a.go\nb/c/ (2 files)\nbin") || strings.Contains(list, ".git/") {
		t.Errorf("%s", list)
	}
	if got := callTool(t, w, "list_files", `{"path":"b","glob":"e.*"}`); got != "b/c/d/e.go" {
		t.Errorf("glob: %s", got)
	}
	found := callTool(t, w, "search", `{"pattern":"^func [EFL]"}`)
	if strings.Contains(found, "x.log") || !strings.Contains(found, "a.go:2: func F() {}") || !strings.Contains(found, "b/c/d/e.go:1: ") || strings.Contains(found, "bin:") {
		t.Errorf("%s", found)
	}
	for args, want := range map[string]string{
		`{"pattern":"("}`:                            "not a regular expression",
		`{"pattern":"F() {","literal":"true"}`:       "a.go:2: ",
		`{"pattern":"func","glob":"e.go"}`:           "b/c/d/e.go:1: func E() {}",
		`{"pattern":"func","path":"a.go"}`:           "a.go:2: func F() {}",
		`{"pattern":"nowhere at all","path":"a.go"}`: "nothing found in 1 files",
	} {
		if got := callTool(t, w, "search", args); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// TestSearchingOneFile: each line that matches, up to a limit.
func TestSearchingOneFile(t *testing.T) {
	w := tree(t, map[string]string{"a": "1\nhit 2\n3\n4\nhit 5\n6\n7\n8\n9\nhit 10\n", "b": "none\n", "c": strings.Repeat("hit\n", 1000)})
	for args, want := range map[string]string{
		`{"pattern":"hit","path":"a"}`: "a:2: hit 2\na:5: hit 5\na:10: hit 10",
	} {
		if got := callTool(t, w, "search", args); got != want {
			t.Errorf("%s\n%s", args, got)
		}
	}
	if got := callTool(t, w, "search", `{"pattern":"hit","path":"c"}`); strings.Count(got, "\n") != searchHits {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}

// TestRunningCommands: output is cut in the middle, the exit code is reported, input is empty, and nothing
// continues after the command.
func TestRunningCommands(t *testing.T) {
	w := tree(t, nil)
	for args, want := range map[string]string{
		`{"command":"echo hi; echo no >&2; exit 3"}`: "hi\nno\n[exit code 3]",
		`{"cmd":"cat"}`:                                   "[exit code 0]",
		`{"command":"pwd | wc -l"}`:                       "1\n[exit code 0]",
		`{"command":"seq 100000"}`:                        "bytes left out",
		`{"command":"echo begun; sleep 300","timeout":1}`: "begun\n[killed after 1 seconds, its time limit",
		`{"command":"head -c 300000 /dev/urandom"}`:       "[binary output; send it to a file]\n[exit code 0]",
		`{"command":" "}`:                                 "error: ",
	} {
		begin := time.Now()
		got := callTool(t, w, "run_command", args)
		if !strings.Contains(got, want) || len(got) > proc.DefaultTail+200 || time.Since(begin) >= 300*time.Second {
			t.Errorf("%s: %s", args, visible.Cut(got, 300))
		}
	}
}

// TestWithoutEnvironment: a session without an environment does not get this process's.
func TestWithoutEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-outside-1234")
	w, err := openWorkspace(agent.Session{Dir: t.TempDir()}, "", life(t))
	if err != nil {
		t.Fatal(err)
	}
	defer w.root.Close()
	if got := callTool(t, w, "run_command", `{"command":"env"}`); strings.Contains(got, "sk-from-outside") || !strings.Contains(got, "PATH=") {
		t.Error(got)
	}
}

// TestSpecialFiles: a pipe is refused, without waiting for it.
func TestSpecialFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes are not supported here")
	}
	w := tree(t, nil)
	if got := callTool(t, w, "run_command", `{"command":"mkfifo p"}`); !strings.Contains(got, "exit code 0") {
		t.Skip(got)
	}
	for tool, args := range map[string]string{"read_file": `{"path":"p"}`, "write_file": `{"path":"p","content":"x"}`} {
		if got := callTool(t, w, tool, args); !strings.Contains(got, "not a regular file") {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

// TestShownFilesAreRead: a file that the prompt showed counts as read, so that an edit is refused if it
// changed since.
func TestShownFilesAreRead(t *testing.T) {
	w := tree(t, map[string]string{"same.txt": "one\n", "other.txt": "changed\n"})
	sums := map[string][32]byte{"same.txt": sha256.Sum256([]byte("one\n")), "other.txt": sha256.Sum256([]byte("one\n"))}
	w, err := openWorkspace(agent.Session{Dir: w.dir, Env: proc.CheckEnv(nil), Prompt: agent.Prompt{Holds: sums}}, "", life(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.root.Close() })
	for name, want := range map[string]string{"same.txt": "edited same.txt", "other.txt": "error: other.txt changed on disk since you read it"} {
		for _, call := range []string{"edit_file", "write_file"} {
			args := fmt.Sprintf(`{"path":%q,"old":"one","new":"two","content":"two\n"}`, name)
			if got := callTool(t, w, call, args); name == "other.txt" && !strings.HasPrefix(got, want) || call == "edit_file" && !strings.HasPrefix(got, want) {
				t.Errorf("%s %s: %s", call, name, got)
			}
		}
	}
}

// TestFilesThatAreNotThere: a model is told which file it may have meant, wherever that is. Files of the plan
// are refused.
func TestFilesThatAreNotThere(t *testing.T) {
	w := tree(t, map[string]string{"prom/counter.go": "x", ".gitignore": "y", ".github/ci.yml": "z", ".gitplan/rules.md": "r"})
	for name, want := range map[string]string{
		"a/prom/counter.go": "; there is prom/counter.go", "counter.go": "; there is prom/counter.go",
		"prom/countr.go": "; there is prom/counter.go", "prom/nope.go": "no such file or directory",
	} {
		if got := callTool(t, w, "read_file", `{"path":"`+name+`"}`); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	callTool(t, w, "read_file", `{"path":".gitplan/rules.md"}`)
	for _, args := range []string{`{"path":".gitplan/new","content":"x"}`, `{"path":".GitPlan/rules.md","content":"x"}`, `{"path":"./prom/../.gitplan/rules.md","content":"x"}`} {
		if got := callTool(t, w, "write_file", args); !strings.Contains(got, "belongs to the plan") {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := callTool(t, w, "write_file", `{"path":"prom/counter.go","content":"x"}`); got != "prom/counter.go is so already" {
		t.Error(got)
	}
}
