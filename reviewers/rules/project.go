package rules

import (
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// ciChanged names what runs with the rights of the project, not of its author.
func ciChanged() Rule {
	return Rule{
		Name: "ci-changed", Category: "files", Severity: "low", Confidence: Hint,
		Why: "It runs with the project's rights: somebody should have looked at it.",
		File: func(_ *Change, f *subject) []Hit {
			if f.class == CI || f.OldPath != f.Path && ClassOf(f.OldPath) == CI {
				return []Hit{{Path: f.Path, Title: "the configuration of continuous integration changed"}}
			}
			return nil
		},
	}
}

var instructions = pattern.Of(`(?i)(?:^|/)(?:AGENTS?\.md|CLAUDE(?:\.local)?\.md|GEMINI\.md|REVIEW\.md|CONVENTIONS\.md|\.cursorrules|\.windsurfrules|\.clinerules(?:/.*)?|copilot-instructions\.md|\.goosehints|\.mcp\.json|opencode\.jsonc?|\.aider\.conf\.yml)$|(?:^|/)\.(?:cursor|claude|codex|gemini|opencode|continue|windsurf|roo|kiro)/|^\.gitplan/|^\.github/(?:prompts|instructions|chatmodes)/|(?:^|/)\.(?:husky|githooks|lefthook)/|^\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$|^\.pre-commit-config\.yaml$`)

// instructionsChanged names changed instructions for agents, reviewers and hooks:
// what a session writes there, the next one obeys (3.5 % of ordinary commits).
func instructionsChanged() Rule {
	return Rule{
		Name: "instructions-changed", Category: "files", Severity: "low", Confidence: Hint,
		Why: "The next session, reviewer or hook does what it says.",
		File: func(_ *Change, f *subject) []Hit {
			if instructions.MatchString(f.Path) || instructions.MatchString(f.OldPath) {
				return []Hit{{Path: f.Path, Title: "instructions for agents or hooks changed"}}
			}
			return nil
		},
	}
}

var hiding = pattern.Of(`^\s*([^#\s]\S*|"[^"]+")\s(?:.*\s)?(?:-diff|binary|-text|linguist-generated(?:=true)?|linguist-vendored(?:=true)?|diff=\S+|filter=\S+|-merge|merge=ours)(?:\s|$)`)

var opaque = pattern.Of(`(?i)\.(?:lock|sum|min\.\w+|map|snap|svg|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|xz|bz2|7z|jar|bin|dat|db|sqlite|exe|dll|so|dylib|wasm|mp[34]|mov|webm|ogg|wav|pb|onnx|pt|safetensors|parquet|golden|plist)["\]})]*$|(?:-lock\.|lock\.json|/?\.?git\w*|gen|generated|vendor|third_party|node_modules|dist|build|\.pb\.)`)

// attributesHide finds attributes that keep tools from showing or merging a
// file, if they are given to what people write.
func attributesHide() Rule {
	return Rule{
		Name: "attributes-hide", Category: "security", Severity: "medium", Confidence: Likely, Moves: true,
		Why:   "Reviews and diffs no longer show these files. (This review does.)",
		Wants: func(f *subject) bool { return path.Base(f.Path) == ".gitattributes" },
		Line: func(p *place) []Hit {
			m := hiding.FindStringSubmatch(p.text())
			if m == nil || opaque.MatchString(m[1]) || media[extension(m[1])] || strings.Contains(p.text(), "filter=lfs") {
				return nil
			}
			if ext := extension(m[1]); m[1] != "*" && !sourceExt[ext] && !configExt[ext] && !strings.HasSuffix(m[1], "*") && !strings.HasSuffix(m[1], "/") {
				return nil
			}
			if strings.Contains(p.text(), "diff=") && strings.Contains(p.text(), "diff="+languageOf(extension(m[1]))) {
				return nil // git's own driver for the language
			}
			return p.hit("attributes hide files from diffs")
		},
	}
}

// languageOf returns the name of git's own diff driver for files with this ending.
func languageOf(ext string) string {
	names := map[string]string{"go": "golang", "py": "python", "rb": "ruby", "rs": "rust", "cs": "csharp", "md": "markdown", "ex": "elixir", "exs": "elixir",
		"h": "cpp", "c": "cpp", "cc": "cpp", "hpp": "cpp", "kt": "kotlin", "m": "objc", "sh": "bash", "pl": "perl", "jsx": "javascript", "js": "javascript", "ts": "typescript"}
	if n := names[ext]; n != "" {
		return n
	}
	return ext
}

// manifests names for each lock file the files that say what it locks.
var manifests = map[string]string{
	"package-lock.json": "package.json", "npm-shrinkwrap.json": "package.json", "yarn.lock": "package.json .yarnrc.yml",
	"pnpm-lock.yaml": "package.json pnpm-workspace.yaml", "bun.lock": "package.json", "bun.lockb": "package.json",
	"go.sum": "go.mod", "go.work.sum": "go.work go.mod", "Cargo.lock": "Cargo.toml", "poetry.lock": "pyproject.toml", "uv.lock": "pyproject.toml uv.toml",
	"pdm.lock": "pyproject.toml", "Pipfile.lock": "Pipfile", "composer.lock": "composer.json", "Gemfile.lock": "Gemfile gemspec",
	"mix.lock": "mix.exs", "pubspec.lock": "pubspec.yaml", "Podfile.lock": "Podfile", "flake.lock": "flake.nix",
}

func namesManifest(lock, p string) bool {
	base := path.Base(p)
	for _, m := range strings.Fields(manifests[lock]) {
		if base == m || m == "gemspec" && extension(p) == "gemspec" {
			return true
		}
	}
	return false
}

// locksAlone finds lock files that changed although what they lock did not
// (0.6 % of ordinary commits, updates of dependencies of dependencies).
func locksAlone() Rule {
	return Rule{
		Name: "lock-alone", Category: "files", Severity: "low", Confidence: Hint,
		Why: "Other versions are built with now than before, and nothing says why.",
		End: func(c *Change) []Hit {
			var hits []Hit
			for _, f := range c.Diff.Files {
				lock := path.Base(f.Path)
				if f.Status != 'M' || manifests[lock] == "" || forTests(f.Path) || vendoredPath.MatchString(f.Path) {
					continue
				}
				found := false
				for _, o := range c.Diff.Files {
					found = found || namesManifest(lock, o.Path)
				}
				if !found {
					hits = append(hits, Hit{Path: f.Path, Title: "the lock file changed, and no manifest"})
				}
			}
			return hits
		},
	}
}

var dependency = map[string]*pattern.Pattern{
	"package.json":   pattern.Of(`^\s*"(@?[a-zA-Z][\w./-]*)"\s*:\s*"(?:[\^~>=<v]*\d+\.(?:\d|x)|workspace:|npm:|github:|git\+|latest|\*)`),
	"go.mod":         pattern.Of(`^\s*(?:require\s+)?[a-z0-9.-]+\.[a-z]+/\S+ v\d`),
	"Cargo.toml":     pattern.Of(`^\s*[a-zA-Z][\w-]*\s*=\s*(?:"[\^~>=<]*\d|\{.*(?:version|git|path)\s*=)`),
	"pyproject.toml": pattern.Of(`^\s*"[a-zA-Z][\w.\[\]-]*\s*(?:[><=~!]=?|@)|^\s*[a-zA-Z][\w-]*\s*=\s*(?:"[\^~>=<*]|\{.*version)`),
	"Gemfile":        pattern.Of(`^\s*gem\s+['"]`),
	"composer.json":  pattern.Of(`^\s*"[\w-]+/[\w-]+"\s*:\s*"`),
	"Pipfile":        pattern.Of(`^\s*[a-zA-Z][\w-]*\s*=\s*"`),
	"mix.exs":        pattern.Of(`^\s*\{:\w+,\s*"`),
}

var ownVersion = pattern.Of(`^\s*"?(?:version|node|npm|edition|rust-version|engines|packageManager|name|requires-python|target-version|line-length|python_version)"?\s*[:=]`)

// manifestsAlone finds dependencies that changed in a manifest while its lock
// file, which the repository has, did not.
func manifestsAlone() Rule {
	changed := map[string]int{} // manifest to its first line about a dependency, 0 if all were removed
	var here *pattern.Pattern
	return Rule{
		Name: "manifest-alone", Category: "files", Severity: "low", Confidence: Likely, Moves: true,
		Why: "A build from the lock file does not get what the manifest asks for, or fails.",
		Wants: func(f *subject) bool {
			here = dependency[path.Base(f.Path)]
			return here != nil && f.Status == 'M' && !f.forTests && !vendoredPath.MatchString(f.Path)
		},
		Line: func(p *place) []Hit {
			line, told := changed[p.file.Path]
			if !(told && line > 0) && here.MatchString(p.text()) && !ownVersion.MatchString(p.text()) && !testcode.IsComment(p.text()) {
				changed[p.file.Path] = p.line().New // 0 if it was removed
			}
			return nil
		},
		End: func(c *Change) []Hit {
			if len(changed) == 0 || c.Paths == nil {
				return nil
			}
			all, err := c.Paths()
			if err != nil {
				return nil
			}
			var hits []Hit
			for manifest, line := range changed {
				if lock := lockOf(all, manifest); lock != "" && !touches(c, path.Base(lock)) {
					hits = append(hits, Hit{Path: manifest, Line: line, Title: "dependencies changed, and not the lock file " + lock})
				}
			}
			return hits
		},
	}
}

// lockOf finds the nearest lock file beside or above a manifest.
func lockOf(all []string, manifest string) string {
	best := ""
	for _, p := range all {
		dir := path.Dir(p)
		if namesManifest(path.Base(p), manifest) && (dir == "." || dir == path.Dir(manifest) || strings.HasPrefix(manifest, dir+"/")) && len(p) > len(best) {
			best = p
		}
	}
	return best
}

func touches(c *Change, base string) bool {
	for _, f := range c.Diff.Files {
		if path.Base(f.Path) == base {
			return true
		}
	}
	return false
}
