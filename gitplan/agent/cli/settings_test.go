package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// A session can write its program's own folder, but not the settings there that apply when the person uses
// the program without a sandbox.
func TestSessionCannotChangeItsProgramsSettings(t *testing.T) {
	if err := proc.Works(t.Context(), proc.Bwrap); err != nil {
		t.Skip("bwrap does not work here: ", err)
	}
	for name, files := range map[string][]string{
		"claude":   {".claude/settings.json", ".claude/hooks/h.sh", ".claude/plugins/p/x.js", ".claude/shell-snapshots/snapshot-bash-1-a.sh", ".claude/statusline.sh"},
		"gemini":   {".gemini/settings.json", ".gemini/extensions/e/x.json", ".gemini/.env"},
		"opencode": {".config/opencode/opencode.json", ".config/opencode/plugin/x.js"},
	} {
		home := t.TempDir()
		for _, v := range []string{"CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
			t.Setenv(v, "")
		}
		t.Setenv("HOME", home)
		for _, f := range files {
			path := filepath.Join(home, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("theirs\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c := New(Agent{AgentName: name})
		rules := c.confined(agent.Session{Confine: &proc.Confinement{By: proc.Bwrap}})
		run := func(line string) bool {
			shell, args := proc.Shell(line)
			exit, err := proc.Run(t.Context(), proc.Cmd{Name: shell, Args: args, Dir: home, Group: true, Confine: rules})
			if err != nil {
				t.Fatal(err)
			}
			return exit.OK()
		}
		for _, f := range files {
			if run("echo mine >"+f) || run("rm -f "+f) || run("echo mine >n && mv n "+f) {
				t.Errorf("%s: %s was changed", name, f)
			}
			if text, err := os.ReadFile(filepath.Join(home, f)); err != nil || string(text) != "theirs\n" {
				t.Errorf("%s: %s contains %q, %v", name, f, text, err)
			}
		}
		if name == "claude" && !run("echo new >.claude/shell-snapshots/snapshot-bash-2-b.sh") {
			t.Error("claude cannot keep its own shell")
		}
		if !run("cat " + files[0] + " && mkdir -p " + filepath.Dir(files[0]) + "/state && echo x >" + filepath.Dir(files[0]) + "/state/x") {
			t.Errorf("%s: its own folder cannot be used", name)
		}
	}
}

// The configuration of an ACP agent is read, and its folders are where a session looks for them.
func TestACPConfiguration(t *testing.T) {
	file := json.NewDecoder(bytes.NewReader(speakersJSON))
	file.DisallowUnknownFields()
	var all []Speaker
	if err := file.Decode(&all); err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	for _, s := range all {
		if s.Name == "" || len(s.Args) == 0 && !strings.HasSuffix(s.Name, "-acp") || len(s.Homes) == 0 || len(s.Settings) == 0 {
			t.Errorf("%+v is not whole", s)
		}
		for _, home := range s.Homes {
			if !strings.HasPrefix(home, "$") && !strings.HasPrefix(home, "~/") {
				t.Errorf("%s keeps its things at %s", s.Name, home)
			}
		}
	}
}
