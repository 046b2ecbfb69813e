package gitplan

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// caches are the folders in which build tools keep what they fetched or built.
// One that is missing is made where its tool is there, as the tool would do
// itself: in a sandbox it cannot.
func caches(home string) []string {
	under := func(variable, otherwise string) string {
		if v := os.Getenv(variable); filepath.IsAbs(v) {
			return v
		}
		return filepath.Join(home, otherwise)
	}
	gopath, _, _ := strings.Cut(under("GOPATH", "go"), string(filepath.ListSeparator))
	cargo, gradle := under("CARGO_HOME", ".cargo"), under("GRADLE_USER_HOME", ".gradle")
	var out []string
	for _, c := range []struct{ tool, path string }{
		{"sh", under("XDG_CACHE_HOME", ".cache")}, // of most tools
		{"go", filepath.Join(gopath, "pkg")}, {"go", os.Getenv("GOCACHE")}, {"go", os.Getenv("GOMODCACHE")},
		{"cargo", filepath.Join(cargo, "registry")}, {"cargo", filepath.Join(cargo, "git")},
		{"npm", under("npm_config_cache", ".npm")}, {"pnpm", filepath.Join(home, ".local/share/pnpm/store")},
		{"yarn", under("YARN_CACHE_FOLDER", ".yarn/berry")}, {"bun", filepath.Join(home, ".bun/install/cache")},
		{"mvn", filepath.Join(home, ".m2/repository")}, {"gradle", gradle}, {"gradlew", gradle},
		{"sbt", filepath.Join(home, ".ivy2")}, {"sbt", filepath.Join(home, ".sbt")},
		{"dotnet", under("NUGET_PACKAGES", ".nuget/packages")}, {"ccache", under("CCACHE_DIR", ".ccache")},
		{"pip", os.Getenv("PIP_CACHE_DIR")}, {"uv", os.Getenv("UV_CACHE_DIR")},
		{"bundle", filepath.Join(home, ".bundle/cache")}, {"mix", filepath.Join(home, ".hex")},
		{"", filepath.Join(cargo, ".package-cache")}, {"", filepath.Join(cargo, ".global-cache")}, // files, where they are
	} {
		if !filepath.IsAbs(c.path) {
			continue
		}
		if _, found := proc.Find(c.tool); found {
			_ = os.MkdirAll(c.path, 0o755) // where it cannot be made the tool says so
		}
		out = append(out, c.path)
	}
	return out
}

// secrets are the files and folders of a home that hold keys, passwords and
// what logs in to something: of shells and remotes, of clouds, of registries, of
// data bases and safes, of browsers, of coding agents.
func secrets(home string) []string {
	var out []string
	for _, p := range []string{
		".ssh", ".gnupg", ".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub",
		".bash_history", ".zsh_history", ".local/share/fish/fish_history",

		".aws", ".azure", ".config/gcloud", ".oci", ".config/doctl", ".config/hcloud", ".fly", ".kube", ".config/helm/registry",
		".docker/config.json", ".config/containers/auth.json", ".terraform.d/credentials.tfrc.json", ".terraformrc", ".vault-token", ".config/rclone",

		".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
		".composer/auth.json", ".config/composer/auth.json", ".m2/settings-security.xml",

		".pgpass", ".my.cnf", ".mylogin.cnf", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".config/op",
		".config/Bitwarden", ".config/Bitwarden CLI", ".config/keepassxc", ".config/sops", ".config/age",

		".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
		".config/vivaldi", ".config/opera", "snap/firefox", "snap/chromium", ".var/app",

		".codex/auth.json", ".claude/.credentials.json", ".claude.json", ".gemini/oauth_creds.json", ".gemini/google_accounts.json",
		".gemini/.env", ".local/share/opencode/auth.json", ".config/github-copilot", ".config/openai",
	} {
		out = append(out, filepath.Join(home, p))
		for prefix, variable := range map[string]string{".config/": "XDG_CONFIG_HOME", ".local/share/": "XDG_DATA_HOME"} {
			if rest, ok := strings.CutPrefix(p, prefix); ok && filepath.IsAbs(os.Getenv(variable)) {
				out = append(out, filepath.Join(os.Getenv(variable), rest))
			}
		}
	}
	for _, at := range []struct{ variable, name string }{ // where they are when they were moved
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
