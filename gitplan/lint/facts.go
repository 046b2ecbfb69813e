package lint

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Facts are what the repository says of the files that steps name. They are read for all steps at
// once, within bounds: about what could not be read nothing is said.
type Facts struct {
	Lines     map[string]int // of a file
	Importers map[string]int // other files that import it
	Matches   map[string]int // tracked files that a glob or folder stands for
	Together  []pair         // files that changed together in the history
}

// pair is two files: most commits that changed the first changed the second, too.
type pair struct {
	file, other string
	both, of    int // commits
}

// Bounds of what is read.
const (
	maxNamed     = 500      // files and globs of a plan
	maxCounted   = 2 << 20  // bytes of a file whose lines are counted
	maxAnswer    = 16 << 20 // bytes of what git prints
	maxCommits   = 400      // of the history
	maxAtOnce    = 20       // files of a commit that says something of what belongs together
	leastBoth    = 5        // commits that changed two files, until that says something
	mostlyOfBoth = 0.8      // of the commits that changed the one
)

// factsOf reads the facts about what the steps of a plan name: the files themselves, and three
// git processes at most. If one fails, since the repository is too large or too odd, no plan is
// refused for it.
func factsOf(ctx context.Context, c *checkout.Checkout, root *os.Root, p *plan.Plan) Facts {
	files, globs := namesIn(p)
	f := Facts{Lines: map[string]int{}, Importers: map[string]int{}, Matches: map[string]int{}}
	for _, name := range files {
		if n, ok := linesOf(root, name); ok {
			f.Lines[name] = n
		}
	}
	if len(f.Lines) > 0 {
		f.readImporters(ctx, c.Repo)
		f.readTogether(ctx, c.Repo)
	}
	if len(globs) > 0 {
		f.readMatches(ctx, c.Repo, globs)
	}
	return f
}

// namesIn returns the files, and the globs, that steps name.
func namesIn(p *plan.Plan) (files, globs []string) {
	seen := map[string]bool{}
	for i := range p.Steps {
		for _, name := range p.Steps[i].Files {
			name = path.Clean(name)
			switch {
			case seen[name] || len(seen) == maxNamed || !filepath.IsLocal(name):
			case strings.ContainsAny(name, `*?[{`):
				globs = append(globs, name)
			default:
				files = append(files, name)
			}
			seen[name] = true
		}
	}
	return files, globs
}

func linesOf(root *os.Root, name string) (int, bool) {
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCounted {
		return 0, false
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return 0, false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCounted))
	return bytes.Count(text, []byte("\n")), err == nil && !bytes.Contains(text, []byte{0})
}

// importedAs returns the texts by which other files import one, as far as its language has a
// form that differs from other words.
func importedAs(file string) (texts []string) {
	dir, base := path.Split(file)
	ext := path.Ext(base)
	stem, dir := strings.TrimSuffix(base, ext), strings.TrimSuffix(dir, "/")
	quoted := func(name string) []string { return []string{name + `"`, name + `'`} }
	switch ext {
	case ".go":
		if dir != "" && !strings.HasSuffix(stem, "_test") {
			return []string{"/" + dir + `"`}
		}
	case ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte":
		if stem == "index" && dir != "" {
			return quoted("/" + path.Base(dir))
		}
		return append(quoted("/"+stem), append(quoted("/"+base), quoted("/"+stem+".js")...)...)
	case ".py":
		return []string{"import " + stem + "\n", "." + stem + " import ", "from " + stem + " import ", "import " + stem + " "}
	case ".rb", ".php":
		return append(quoted("/"+stem), quoted("/"+base)...)
	case ".h", ".hpp":
		return []string{base + `"`, base + `>`}
	case ".java", ".kt", ".scala":
		return []string{"." + stem + ";", "." + stem + "\n"}
	case ".rs":
		return []string{"::" + stem + "::"}
	}
	return nil
}

// readImporters counts by one git grep which files import those whose lines are known.
func (f *Facts) readImporters(ctx context.Context, r *git.Repo) {
	names := map[string][]string{} // of files, by the text by which they are imported
	for file := range f.Lines {
		for _, text := range importedAs(file) {
			if text = strings.TrimRight(text, "\n"); !slices.Contains(names[text], file) {
				names[text] = append(names[text], file)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	args := []string{"grep", "-I", "-F", "-o", "-z", "--no-color", "--no-line-number", "--no-column", "--full-name", "--threads=1"}
	for text := range names {
		args = append(args, "-e", text)
	}
	seen := map[[2]string]bool{} // who imports what
	for line := range strings.SplitSeq(answer(ctx, r, args...), "\n") {
		by, text, _ := strings.Cut(line, "\x00")
		for _, file := range names[text] {
			if key := [2]string{by, file}; by != file && path.Dir(by) != path.Dir(file) && !seen[key] {
				seen[key] = true
				f.Importers[file]++
			}
		}
	}
}

// readTogether finds by one git log which files changed together with those whose lines are known.
func (f *Facts) readTogether(ctx context.Context, r *git.Repo) {
	changed, both := map[string]int{}, map[[2]string]int{}
	log := answer(ctx, r, "log", "-400", "--no-merges", "--no-renames", "--no-show-signature", "--no-color", "--name-only", "-z", "--format=%x01")
	for commit := range strings.SplitSeq(log, "\x01") {
		files := strings.FieldsFunc(commit, func(r rune) bool { return r == 0 || r == '\n' })
		if len(files) > maxAtOnce {
			continue
		}
		for _, file := range files {
			if _, known := f.Lines[file]; !known {
				continue
			}
			changed[file]++
			for _, other := range files {
				if other != file {
					both[[2]string{file, other}]++
				}
			}
		}
	}
	for names, n := range both {
		if of := changed[names[0]]; n >= leastBoth && float64(n) >= mostlyOfBoth*float64(of) {
			f.Together = append(f.Together, pair{names[0], names[1], n, of})
		}
	}
	slices.SortFunc(f.Together, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(b.both, a.both), cmp.Compare(a.other, b.other))
	})
}

// readMatches counts by one git ls-files what globs stand for.
func (f *Facts) readMatches(ctx context.Context, r *git.Repo, globs []string) {
	globs = globs[:min(len(globs), maxGlobs)]
	for _, g := range globs {
		f.Matches[g] = 0
	}
	for file := range strings.SplitSeq(answer(ctx, r, "ls-files", "-z"), "\x00") {
		for _, g := range globs {
			if file != "" && plan.MatchesAny([]string{g}, file) {
				f.Matches[g]++
			}
		}
	}
}

// maxGlobs bounds the globs that every tracked file is tried with.
const maxGlobs = 32

// answer is what git prints, as far as it is not too much; nothing if it fails.
func answer(ctx context.Context, r *git.Repo, args ...string) string {
	var out capped
	if err := r.Run(ctx, git.Command{Args: args, Stdout: &out}); err != nil {
		return ""
	}
	return out.String()
}

// capped keeps the first maxAnswer bytes of what is written to it.
type capped struct{ bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	c.Buffer.Write(b[:min(len(b), max(0, maxAnswer-c.Len()))])
	return len(b), nil
}
