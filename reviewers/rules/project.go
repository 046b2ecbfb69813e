package rules

import (
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// ciChanged names what runs with the rights of the project, not of its author.
func ciChanged() scan.Rule {
	return scan.Rule{
		Name: "ci-changed", Category: "files", Severity: "low", Confidence: scan.Hint,
		Why: "It runs with the project's rights: somebody should have looked at it.",
		File: func(_ *scan.Change, f *scan.File) []scan.Hit {
			if f.Class == scan.CI || f.OldPath != f.Path && scan.ClassOf(f.OldPath) == scan.CI {
				return []scan.Hit{{Path: f.Path, Title: "the configuration of continuous integration changed"}}
			}
			return nil
		},
	}
}

var instructions = pattern.Of(`(?i)(?:^|/)(?:AGENTS?\.md|CLAUDE(?:\.local)?\.md|GEMINI\.md|REVIEW\.md|CONVENTIONS\.md|\.cursorrules|\.windsurfrules|\.clinerules(?:/.*)?|copilot-instructions\.md|\.goosehints|\.mcp\.json|opencode\.jsonc?|\.aider\.conf\.yml)$|(?:^|/)\.(?:cursor|claude|codex|gemini|opencode|continue|windsurf|roo|kiro)/|^\.gitplan/|^\.github/(?:prompts|instructions|chatmodes)/|(?:^|/)\.(?:husky|githooks|lefthook)/|^\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$|^\.pre-commit-config\.yaml$`)

// instructionsChanged names changed instructions for agents, reviewers and hooks:
// what a session writes there, the next one obeys (3.5 % of ordinary commits).
func instructionsChanged() scan.Rule {
	return scan.Rule{
		Name: "instructions-changed", Category: "files", Severity: "low", Confidence: scan.Hint,
		Why: "The next session, reviewer or hook does what it says.",
		File: func(_ *scan.Change, f *scan.File) []scan.Hit {
			if instructions.MatchString(f.Path) || instructions.MatchString(f.OldPath) {
				return []scan.Hit{{Path: f.Path, Title: "instructions for agents or hooks changed"}}
			}
			return nil
		},
	}
}

var hiding = pattern.Of(`^\s*([^#\s]\S*|"[^"]+")\s(?:.*\s)?(?:-diff|binary|-text|linguist-generated(?:=true)?|linguist-vendored(?:=true)?|diff=\S+|filter=\S+|-merge|merge=ours)(?:\s|$)`)

var opaque = pattern.Of(`(?i)\.(?:lock|sum|min\.\w+|map|snap|svg|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|xz|bz2|7z|jar|bin|dat|db|sqlite|exe|dll|so|dylib|wasm|mp[34]|mov|webm|ogg|wav|pb|onnx|pt|safetensors|parquet|golden|plist)["\]})]*$|(?:-lock\.|lock\.json|/?\.?git\w*|gen|generated|vendor|third_party|node_modules|dist|build|\.pb\.)`)

// attributesHide finds attributes that keep tools from showing or merging a
// file, if they are given to what people write.
func attributesHide() scan.Rule {
	return scan.Rule{
		Name: "attributes-hide", Category: "security", Severity: "medium", Confidence: scan.Likely, Moves: true,
		Why:   "Reviews and diffs no longer show these files. (This review does.)",
		Wants: func(f *scan.File) bool { return path.Base(f.Path) == ".gitattributes" },
		Line: func(p *scan.Line) []scan.Hit {
			m := hiding.FindStringSubmatch(p.Text())
			if m == nil || opaque.MatchString(m[1]) || media[scan.Extension(m[1])] || strings.Contains(p.Text(), "filter=lfs") {
				return nil
			}
			if ext := scan.Extension(m[1]); m[1] != "*" && !scan.IsSource(ext) && !scan.IsConfig(ext) && !strings.HasSuffix(m[1], "*") && !strings.HasSuffix(m[1], "/") {
				return nil
			}
			if strings.Contains(p.Text(), "diff=") && strings.Contains(p.Text(), "diff="+languageOf(scan.Extension(m[1]))) {
				return nil // git's own driver for the language
			}
			return p.Hit("attributes hide files from diffs")
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
		if base == m || m == "gemspec" && scan.Extension(p) == "gemspec" {
			return true
		}
	}
	return false
}

// locksAlone finds lock files that changed although what they lock did not
// (0.6 % of ordinary commits, updates of dependencies of dependencies).
func locksAlone() scan.Rule {
	return scan.Rule{
		Name: "lock-alone", Category: "files", Severity: "low", Confidence: scan.Hint,
		Why: "Other versions are built with now than before, and nothing says why.",
		End: func(c *scan.Change) []scan.Hit {
			var hits []scan.Hit
			for _, f := range c.Diff.Files {
				lock := path.Base(f.Path)
				if f.Status != 'M' || manifests[lock] == "" || scan.ForTests(f.Path) || scan.IsVendored(f.Path) {
					continue
				}
				found := false
				for _, o := range c.Diff.Files {
					found = found || namesManifest(lock, o.Path)
				}
				if !found {
					hits = append(hits, scan.Hit{Path: f.Path, Title: "the lock file changed, and no manifest"})
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
func manifestsAlone() scan.Rule {
	changed := map[string]int{} // manifest to its first line about a dependency, 0 if all were removed
	var here *pattern.Pattern
	return scan.Rule{
		Name: "manifest-alone", Category: "files", Severity: "low", Confidence: scan.Likely, Moves: true,
		Why: "A build from the lock file does not get what the manifest asks for, or fails.",
		Wants: func(f *scan.File) bool {
			here = dependency[path.Base(f.Path)]
			return here != nil && f.Status == 'M' && !f.ForTests && !scan.IsVendored(f.Path)
		},
		Line: func(p *scan.Line) []scan.Hit {
			line, reported := changed[p.File.Path]
			if !(reported && line > 0) && here.MatchString(p.Text()) && !ownVersion.MatchString(p.Text()) && !testcode.IsComment(p.Text()) {
				changed[p.File.Path] = p.This().New // 0 if it was removed
			}
			return nil
		},
		End: func(c *scan.Change) []scan.Hit {
			if len(changed) == 0 || c.Paths == nil {
				return nil
			}
			all, err := c.Paths()
			if err != nil {
				return nil
			}
			var hits []scan.Hit
			for manifest, line := range changed {
				if lock := lockOf(all, manifest); lock != "" && !touches(c, path.Base(lock)) {
					hits = append(hits, scan.Hit{Path: manifest, Line: line, Title: "dependencies changed, and not the lock file " + lock})
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

func touches(c *scan.Change, base string) bool {
	for _, f := range c.Diff.Files {
		if path.Base(f.Path) == base {
			return true
		}
	}
	return false
}
