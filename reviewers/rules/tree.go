package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// symlinksOutside finds links that leave the tree, or lead into .git, through which a build or a session reaches other
// files: what a build writes in a folder that is .git/hooks, git runs. A link with .. behind a name may leave it
// through another link of that name; links that never do so cannot leave it by any chain.
func symlinksOutside() Rule {
	return Rule{
		Name: "symlink-outside", Category: "files", Severity: "high", Blocks: true, Guard: true,
		Why:   "The link leads out of the repository: to something else on every machine.",
		Wants: func(f *File) bool { return f.FileDiff.NewMode == "120000" && f.FileDiff.Status != 'D' },
		Line: func(p *Line) []Hit {
			target := strings.ReplaceAll(p.Text(), `\`, "/")
			to := path.Join(path.Dir(p.File.FileDiff.Path), target)
			outside := path.IsAbs(target) || driveLetter().MatchString(target) || strings.HasPrefix(target, "~") ||
				to == ".." || strings.HasPrefix(to, "../")
			inGit := slices.ContainsFunc(strings.Split(to, "/"), worktree.IsDotGit)
			if !outside && !inGit && !upBehindName().MatchString(target) {
				return nil
			}
			return []Hit{{Path: p.File.FileDiff.Path, Line: p.This().New, Quote: p.Text(),
				Title: "a symbolic link leads out of the tree or into .git, or goes up behind a name"}}
		},
	}
}

var (
	driveLetter  = visible.NewPattern(`^[A-Za-z]:`)
	upBehindName = visible.NewPattern(`(?:^|/)(?:[^./]|\.[^./]|\.\.[^/])[^/]*/(?:.*/)?\.\.(?:/|$)`)
)

// embeddedRepositories finds a repository that was added like a file, of which git stores only the commit's name,
// and a folder of files that git takes for a bare repository.
func embeddedRepositories() Rule {
	there := map[string]bool{} // all files and folders, once one is asked for
	// bare returns, once, the folder of a changed file that is now a bare repository by what is_git_directory in git's
	// setup.c asks for; names count in any case, as file systems may have it.
	bare := func(c *Change, f *File) string {
		name := strings.ToLower(f.FileDiff.Path)
		for at := path.Dir(name); at != "." && f.FileDiff.Status != 'D'; at = path.Dir(at) {
			part, _, _ := strings.Cut(name[len(at)+1:], "/")
			if !slices.Contains([]string{"head", "objects", "refs", "commondir", "config", "hooks"}, part) {
				continue
			}
			if len(there) == 0 {
				for _, p := range append(paths(c), name) {
					for p = strings.ToLower(p); p != "." && !there[p]; p = path.Dir(p) {
						there[p] = true
					}
				}
			}
			if there[at+"/head"] && (there[at+"/commondir"] || there[at+"/objects"] && there[at+"/refs"]) {
				delete(there, at+"/head") // it is found once
				return at
			}
		}
		return ""
	}
	return Rule{
		Name: "embedded-repository", Category: "files", Severity: "high", Blocks: true, Guard: true,
		Why: "Of a repository inside this one git stores only a commit's name, and no clone has its files; or it is bare, and a git that is run in it obeys its configuration and hooks.",
		File: func(c *Change, f *File) []Hit {
			if at := bare(c, f); at != "" {
				return []Hit{{Path: f.FileDiff.Path, Title: visible.OneLine(at, 100) + " is a repository of its own, a bare one"}}
			}
			if f.FileDiff.NewMode != "160000" || f.FileDiff.OldMode == "160000" || f.FileDiff.Status == 'R' {
				return nil
			}
			h := Hit{Path: f.FileDiff.Path, Title: "a repository was added inside this one, without .gitmodules"}
			i := slices.IndexFunc(c.Diff.Files, func(o git.FileDiff) bool { return o.Path == ".gitmodules" })
			switch {
			case i >= 0 && c.Diff.Files[i].Status != 'D':
				return nil
			case i < 0 && slices.Contains(paths(c), ".gitmodules"):
				h.Severity, h.Title = "medium", "a repository was added inside this one, and .gitmodules did not change"
			}
			return []Hit{h}
		},
	}
}

func paths(c *Change) []string {
	if c.Paths == nil {
		return nil
	}
	all, _ := c.Paths()
	return all
}

var instructions = visible.NewPattern(`(?i)(?:^|/)(?:` + alternatives(`agents?\.md claude(?:\.local)?\.md gemini\.md review\.md conventions\.md copilot-instructions\.md
	\.cursorrules \.windsurfrules \.clinerules(?:/.*)? \.goosehints \.mcp\.json opencode\.jsonc? \.aider\.conf\.yml`) + `)$|` +
	`(?:^|/)\.(?:` +
	alternatives(`cursor claude codex gemini opencode continue windsurf roo kiro husky githooks lefthook`) + `)/|` +
	`^\.gitplan/|^\.github/(?:prompts|instructions|chatmodes)/|^\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$|^\.pre-commit-config\.yaml$`)

func alternatives(words string) string { return strings.Join(strings.Fields(words), "|") }

// automationChanged names changes of CI and of instructions for agents and hooks: a person should look.
func automationChanged() Rule {
	return Rule{
		Name: "automation-changed", Category: "files", Severity: "low",
		Why: "It runs with the project's rights, or tells the next session, reviewer or hook what to do.",
		File: func(_ *Change, f *File) []Hit {
			switch {
			case f.Class == CI || ClassOf(f.FileDiff.OldPath) == CI:
				return []Hit{{Path: f.FileDiff.Path, Title: "the configuration of continuous integration changed"}}
			case instructions().MatchString(f.FileDiff.Path) || instructions().MatchString(f.FileDiff.OldPath):
				return []Hit{{Path: f.FileDiff.Path, Title: "instructions for agents or hooks changed"}}
			}
			return nil
		},
	}
}

// fixupCommits finds commits that were meant to be folded into others, which only a rebase does.
func fixupCommits() Rule {
	return Rule{
		Name: "fixup-commit", Category: "hygiene", Severity: "medium", Blocks: true,
		Why: "The commit was made to be folded into another: git rebase -i --autosquash.",
		End: func(c *Change) (hits []Hit) {
			for _, k := range c.Commits {
				mark, _, _ := strings.Cut(k.Subject(), " ")
				if mark == "fixup!" || mark == "squash!" || mark == "amend!" {
					hits = append(hits, Hit{Title: fmt.Sprintf("commit %.10s is a %s commit", k.OID, mark), Quote: k.Subject(),
						Key: k.Subject(), Ask: true})
				}
			}
			return hits
		},
	}
}
