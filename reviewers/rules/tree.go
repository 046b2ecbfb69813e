package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// symlinksOutside finds links that leave the tree. A build, a container or a session that
// follows one reads or writes what is not the repository's.
func symlinksOutside() scan.Rule {
	return scan.Rule{
		Name: "symlink-outside", Category: "files", Severity: "high", Confidence: scan.Certain, Blocks: true, Guard: true,
		Why:   "The link leads out of the repository: to something else on every machine.",
		Wants: func(f *scan.File) bool { return f.NewMode == "120000" && f.Status != 'D' },
		Line: func(p *scan.Line) []scan.Hit {
			target := strings.ReplaceAll(p.Text(), `\`, "/")
			to := path.Join(path.Dir(p.File.Path), target)
			if !path.IsAbs(target) && !driveLetter.MatchString(target) && to != ".." && !strings.HasPrefix(to, "../") && !strings.HasPrefix(target, "~") {
				return nil
			}
			return []scan.Hit{{Path: p.File.Path, Line: p.This().New, Quote: p.Text(), Title: "a symbolic link leads out of the tree"}}
		},
	}
}

var driveLetter = pattern.Of(`^[A-Za-z]:`)

// embeddedRepositories finds a repository inside this one that was added like a
// file: git stores its commit, and no clone can ever get it. It takes one `git
// add .` in a folder where something was cloned.
func embeddedRepositories() scan.Rule {
	return scan.Rule{
		Name: "embedded-repository", Category: "files", Severity: "high", Confidence: scan.Certain, Blocks: true, Guard: true,
		Why: "Only the name of its commit was stored, and .gitmodules does not say where to get it: no clone has these files.",
		File: func(c *scan.Change, f *scan.File) []scan.Hit {
			if f.NewMode != "160000" || f.OldMode == "160000" || f.Status == 'R' {
				return nil
			}
			h := scan.Hit{Path: f.Path, Title: "a repository was added inside this one, without .gitmodules"}
			for _, other := range c.Diff.Files {
				if other.Path == ".gitmodules" && other.Status != 'D' {
					return nil
				}
			}
			if all, err := paths(c); err == nil && slices.Contains(all, ".gitmodules") && !deletes(c, ".gitmodules") {
				h.Severity, h.Title = "medium", "a repository was added inside this one, and .gitmodules did not change"
			}
			return []scan.Hit{h}
		},
	}
}

func paths(c *scan.Change) ([]string, error) {
	if c.Paths == nil {
		return nil, nil
	}
	return c.Paths()
}

func deletes(c *scan.Change, p string) bool {
	return slices.ContainsFunc(c.Diff.Files, func(f diffs.FileDiff) bool { return f.Path == p && f.Status == 'D' })
}

// submodulesMoved names submodules that are now at another commit: with a stale checkout `git
// commit -a` does that without being asked to.
func submodulesMoved() scan.Rule {
	return scan.Rule{
		Name: "submodule-moved", Category: "files", Severity: "low", Confidence: scan.Hint,
		Why: "Everybody builds with another version of it now. A checkout that was not updated moves it back by accident.",
		File: func(_ *scan.Change, f *scan.File) []scan.Hit {
			if f.Status == 'M' && f.OldMode == "160000" && f.NewMode == "160000" {
				return []scan.Hit{{Path: f.Path, Title: fmt.Sprintf("the submodule moved from %.10s to %.10s", f.OldOID, f.NewOID)}}
			}
			return nil
		},
	}
}

var neverRun = scan.Words("md markdown rst txt json json5 jsonc yaml yml toml ini cfg conf xml html htm css scss less svg csv tsv go rs java kt c h cc cpp hpp cs swift ts tsx jsx vue svelte proto graphql sql lock sum mod properties gradle tf ipynb adoc png jpg jpeg gif webp ico pdf woff woff2 ttf otf")

// executables finds files that became executable and are no programs: a file system without
// modes, or a careless chmod, did that.
func executables() scan.Rule {
	var file *scan.File
	return scan.Rule{
		Name: "executable", Category: "files", Severity: "low", Confidence: scan.Likely,
		Why: "It is not a program: git update-index --chmod=-x takes the mode away.",
		File: func(c *scan.Change, f *scan.File) []scan.Hit {
			file = f
			if f.NewMode != "100755" || f.OldMode == "100755" || !neverRun[f.Ext] {
				return nil
			}
			if data, ok := c.Blob(f.NewOID); ok && strings.HasPrefix(string(data[:min(len(data), 2)]), "#!") {
				return nil
			}
			return []scan.Hit{{Path: file.Path, Title: "the file can be executed now, but is not a program"}}
		},
	}
}

// caseCollisions finds names that differ from another one's in case only.
func caseCollisions() scan.Rule {
	return scan.Rule{
		Name: "case-collision", Category: "files", Severity: "high", Confidence: scan.Certain, Blocks: true, Guard: true,
		Why: "On macOS and Windows only one of the two can be checked out, and the other shows as changed for ever.",
		End: func(c *scan.Change) []scan.Hit {
			fresh := false
			for i := range c.Diff.Files {
				fresh = fresh || scan.IsNew(&c.Diff.Files[i])
			}
			if !fresh {
				return nil
			}
			spelled := spellings(c)
			var hits []scan.Hit
			for i := range c.Diff.Files {
				if f := &c.Diff.Files[i]; scan.IsNew(f) {
					if other := collides(spelled, f.Path); other != "" {
						hits = append(hits, scan.Hit{Path: f.Path, Title: fmt.Sprintf("the name differs from %q in case only", other), Key: other})
					}
				}
			}
			return hits
		},
	}
}

// spellings maps each path of the new side, and each of its folders, in lower
// case to how they are spelled.
func spellings(c *scan.Change) map[string][]string {
	spelled := map[string][]string{}
	note := func(p string) {
		for ; p != "." && p != "/" && p != ""; p = path.Dir(p) {
			low := strings.ToLower(p)
			for _, s := range spelled[low] {
				if s == p {
					return // and so are its folders
				}
			}
			spelled[low] = append(spelled[low], p)
		}
	}
	for _, f := range c.Diff.Files {
		if f.Status != 'D' {
			note(f.Path)
		}
	}
	if all, err := paths(c); err == nil {
		for _, p := range all {
			note(p)
		}
	}
	return spelled
}

func collides(spelled map[string][]string, p string) string {
	for ; p != "." && p != "/" && p != ""; p = path.Dir(p) {
		for _, s := range spelled[strings.ToLower(p)] {
			if s != p {
				return s
			}
		}
	}
	return ""
}

// What Windows does not take: its names for devices, some characters, and a dot
// or a blank at the end. 240 bytes leave room for the folder of a clone.
var deviceName = pattern.Of(`(?i)^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?$`)

const longPath = 240

func unportableNames() scan.Rule {
	return scan.Rule{
		Name: "unportable-name", Category: "files", Severity: "medium", Confidence: scan.Certain, Blocks: true,
		Why: "It cannot be checked out everywhere.",
		File: func(_ *scan.Change, f *scan.File) []scan.Hit {
			if !scan.IsNew(f.FileDiff) {
				return nil
			}
			if wrong := unportable(f.Path); wrong != "" {
				return []scan.Hit{{Path: f.Path, Title: "the file's name " + wrong}}
			}
			return nil
		},
	}
}

func unportable(p string) string {
	if len(p) > longPath {
		return fmt.Sprintf("is %d bytes long with its folders", len(p))
	}
	if !utf8.ValidString(p) {
		return "is not UTF-8"
	}
	for _, part := range strings.Split(p, "/") {
		switch {
		case deviceName.MatchString(part):
			return "is a device on Windows"
		case strings.ContainsAny(part, `<>:"|?*\`):
			return "holds a character that Windows does not take"
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || strings.HasPrefix(part, " "):
			return "begins or ends with a blank, or ends with a dot"
		case strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return "holds a control character"
		}
	}
	return ""
}
