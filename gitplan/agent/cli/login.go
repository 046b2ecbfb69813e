package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
)

// logins show who is signed in: a variable that names the agent's folder, that folder below the home
// folder, and the file that is there after signing in.
var logins = map[string][3]string{
	"claude":   {"CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"},
	"codex":    {"CODEX_HOME", ".codex", "auth.json"},
	"gemini":   {"", ".gemini", "oauth_creds.json"},
	"opencode": {"", ".local/share/opencode", "auth.json"},
}

// SignedIn reports whether a person has signed in to a command-line agent, as far as its files show. It
// starts nothing, and reads no file that holds a secret. On macOS, claude has its token in the keychain,
// which is not asked, and the account in .claude.json.
func SignedIn(name string) bool {
	login, ok := logins[name]
	if !ok {
		return false
	}
	home, _ := os.UserHomeDir()
	own := os.Getenv(login[0])
	info, err := os.Stat(filepath.Join(cmp.Or(own, filepath.Join(home, filepath.FromSlash(login[1]))), login[2]))
	if err == nil || name != "claude" {
		return err == nil && info.Mode().IsRegular()
	}
	text, _ := os.ReadFile(filepath.Join(cmp.Or(own, home), ".claude.json"))
	return os.Getenv("CLAUDE_CODE_OAUTH_TOKEN") != "" || bytes.Contains(text, []byte(`"oauthAccount"`))
}
