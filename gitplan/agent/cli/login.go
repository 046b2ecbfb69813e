package cli

import (
	"cmp"
	"os"
	"path/filepath"
)

// logins are the files in which command-line agents keep who is signed in: a variable that
// names their folder, that folder below the home folder, and the file.
var logins = map[string][3]string{
	"claude":   {"CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"},
	"codex":    {"CODEX_HOME", ".codex", "auth.json"},
	"gemini":   {"", ".gemini", "oauth_creds.json"},
	"opencode": {"", ".local/share/opencode", "auth.json"},
}

// SignedIn reports whether somebody has signed in to a command-line agent, as far as its
// files show. It starts nothing. On macOS claude keeps that elsewhere, and is not known to
// be signed in.
func SignedIn(name string) bool {
	login, ok := logins[name]
	if !ok {
		return false
	}
	home, _ := os.UserHomeDir()
	folder := cmp.Or(os.Getenv(login[0]), filepath.Join(home, filepath.FromSlash(login[1])))
	info, err := os.Stat(filepath.Join(folder, login[2]))
	return err == nil && info.Mode().IsRegular()
}
