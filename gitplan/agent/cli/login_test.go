package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A login is detected by the files that programs leave, even if the token is in a keyring.
func TestSignedIn(t *testing.T) {
	for name, c := range map[string]struct {
		agent string
		files map[string]string
		env   string
		want  bool
	}{
		"nothing":              {"claude", nil, "", false},
		"claude's file":        {"claude", map[string]string{".claude/.credentials.json": "{}"}, "", true},
		"claude, in a keyring": {"claude", map[string]string{".claude.json": `{"oauthAccount": {}}`}, "", true},
		"claude, run once":     {"claude", map[string]string{".claude.json": `{"numStartups": 1}`}, "", false},
		"claude's token":       {"claude", nil, "CLAUDE_CODE_OAUTH_TOKEN", true},
		"codex's file":         {"codex", map[string]string{".codex/auth.json": "{}"}, "", true},
		"gemini's file":        {"gemini", map[string]string{".gemini/oauth_creds.json": "{}"}, "", true},
		"unknown":              {"other", nil, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for _, key := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "CLAUDE_CODE_OAUTH_TOKEN"} {
				t.Setenv(key, "")
			}
			t.Setenv("HOME", home)
			t.Setenv("USERPROFILE", home)
			if c.env != "" {
				t.Setenv(c.env, "x")
			}
			for path, text := range c.files {
				file := filepath.Join(home, path)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := SignedIn(c.agent); got != c.want {
				t.Errorf("%s is signed in: %t", c.agent, got)
			}
		})
	}
}
