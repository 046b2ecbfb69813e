package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// notOfTools returns what lies in ~/.config and belongs to no build tool; it is hidden, since a
// list of the secrets there could never be complete.
func notOfTools(home string) (out []string) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(home, ".config")
	}
	if disk.Within(dir, home) { // then the person's files lie there, too
		return nil
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !slices.Contains(toolSettings, e.Name()) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// secrets returns the files and folders of a home that hold keys, passwords and other
// credentials: of shells and remotes, of clouds, of registries, of
// databases and safes, of browsers, of coding agents.
func secrets(home string) []string {
	var out []string
	for _, p := range []string{
		".ssh", ".gnupg", ".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub",
		".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin", ".python_history", ".node_repl_history",
		".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".lesshst", ".viminfo", ".local/state/nvim/shada",

		".aws", ".azure", ".config/gcloud", ".oci", ".config/doctl", ".config/hcloud", ".fly", ".kube", ".config/helm/registry",
		".docker/config.json", ".config/containers/auth.json", ".terraform.d/credentials.tfrc.json", ".terraformrc", ".vault-token", ".config/rclone",

		".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".android/adbkey",
		".vscode-server/data", ".cursor-server/data",
		".composer/auth.json", ".config/composer/auth.json", ".m2/settings-security.xml", ".config/pypoetry/auth.toml", ".local/share/pypoetry/auth.toml", ".local/share/uv/credentials",
		".local/share/gem/credentials", ".hex/hex.config", ".config/mise/age.txt", ".config/pnpm/auth.ini", ".config/pnpm/rc", ".config/configstore/firebase-tools.json",

		".pgpass", ".my.cnf", ".mylogin.cnf", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".config/op",
		".config/Bitwarden", ".config/Bitwarden CLI", ".config/keepassxc", ".config/sops", ".config/age",

		".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
		".config/vivaldi", ".config/opera", "snap/firefox", "snap/chromium", ".var/app",

		".codex/auth.json", ".claude/.credentials.json", ".claude.json", ".gemini/oauth_creds.json", ".gemini/google_accounts.json",
		".gemini/.env", ".local/share/opencode/auth.json", ".copilot", ".qwen/oauth_creds.json", ".qwen/.env", ".local/share/goose", ".cline", ".kimi", ".kimi-code",
		".augment/session.json", ".factory/auth.json", ".cursor/auth.json", ".vibe/.env", ".qoder", ".config/github-copilot", ".config/openai", ".config/anthropic",

		".config/Slack", ".config/discord", ".config/Signal", ".config/Element", ".config/teams-for-linux", ".local/share/TelegramDesktop",
		".config/evolution", ".local/share/evolution", ".config/Code/User/globalStorage", ".config/JetBrains", ".ivy2/.credentials", ".sbt/.credentials",

		// Of macOS.
		"Library/Keychains", "Library/Cookies", "Library/HTTPStorages", "Library/Safari", "Library/Mail", "Library/Messages", "Library/Calendars",
		"Library/Containers", "Library/Group Containers", "Library/Mobile Documents", "Library/Accounts", "Library/IdentityServices", "Library/Application Support",
	} {
		out = append(out, moved(home, p)...)
	}
	for _, at := range []struct{ variable, name string }{ // where they are if they were moved
		{"GNUPGHOME", ""}, {"NETRC", ""}, {"GH_CONFIG_DIR", ""}, {"AWS_SHARED_CREDENTIALS_FILE", ""}, {"AWS_CONFIG_FILE", ""},
		{"AZURE_CONFIG_DIR", ""}, {"CLOUDSDK_CONFIG", ""}, {"GOOGLE_APPLICATION_CREDENTIALS", ""}, {"KUBECONFIG", ""},
		{"DOCKER_CONFIG", "config.json"}, {"NPM_CONFIG_USERCONFIG", ""}, {"PGPASSFILE", ""}, {"PASSWORD_STORE_DIR", ""},
		{"CARGO_HOME", "credentials.toml"}, {"CODEX_HOME", "auth.json"}, {"CLAUDE_CONFIG_DIR", ".credentials.json"},
	} {
		for _, v := range filepath.SplitList(os.Getenv(at.variable)) {
			if filepath.IsAbs(v) {
				out = append(out, filepath.Join(v, at.name))
			}
		}
	}
	return out
}
