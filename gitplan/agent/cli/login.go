package cli

import (
	"bytes"
	"cmp"
	"io"
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

// keyrings are what shows that somebody is signed in by the system's keyring, which is not asked: a
// file, below the home folder or the agent's own, and words in it. claude keeps there who it is,
// with the token elsewhere, as on macOS; codex is set up to, and has run.
var keyrings = map[string]struct {
	file, words, beside string
	home                bool
}{
	"claude": {file: ".claude.json", words: `"oauthAccount"`, home: true},
	"codex":  {file: "config.toml", words: "cli_auth_credentials_store", beside: "sessions"},
}

// tokens are the variables that sign an agent in.
var tokens = map[string]string{"claude": "CLAUDE_CODE_OAUTH_TOKEN"}

// SignedIn reports whether somebody has signed in to a command-line agent, as far as its
// files show. It starts nothing, and reads no file that holds a secret.
func SignedIn(name string) bool {
	login, ok := logins[name]
	if !ok {
		return false
	}
	if os.Getenv(tokens[name]) != "" {
		return true
	}
	home, _ := os.UserHomeDir()
	own := os.Getenv(login[0])
	folder := cmp.Or(own, filepath.Join(home, filepath.FromSlash(login[1])))
	if info, err := os.Stat(filepath.Join(folder, login[2])); err == nil {
		return info.Mode().IsRegular()
	}
	k, ok := keyrings[name]
	if !ok {
		return false
	}
	if k.home && own == "" {
		folder = home
	}
	if _, err := os.Stat(filepath.Join(folder, k.beside)); err != nil {
		return false
	}
	return holds(filepath.Join(folder, k.file), k.words)
}

// holds reports whether the beginning of a file, 16 MiB, has some words.
func holds(file, words string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 16<<20))
	return err == nil && bytes.Contains(text, []byte(words))
}
