package git

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// Commit is one commit with its whole message.
type Commit struct {
	OID, Tree string
	Parents   []string
	Time      time.Time // the committer's time
	Message   string
	Encoded   bool // the message has another encoding than UTF-8, which only git log converts
}

// Subject returns the first line of the message that is not empty.
func (c Commit) Subject() string {
	s, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return s
}

func parseCommit(oid, data string) Commit {
	head, body, _ := strings.Cut(data, "\n\n")
	c := Commit{OID: oid, Message: body}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "committer": // "Name <mail> 1700000000 +0100"
			at, zone, _ := strings.Cut(strings.TrimSpace(value[strings.LastIndexByte(value, '>')+1:]), " ")
			seconds, err := strconv.ParseInt(at, 10, 64)
			east, zerr := strconv.Atoi(zone)
			if err == nil && zerr == nil {
				c.Time = time.Unix(seconds, 0).In(time.FixedZone("", (east/100*60+east%100)*60))
			}
		case "encoding":
			c.Encoded = true
		}
	}
	return c
}

// Commits returns the commits with the given object names, in their order; up to 50 without starting a process.
func (r *Repo) Commits(ctx context.Context, oids []string) (commits []Commit, err error) {
	var c Commit
	for len(commits) < len(oids) && len(oids) <= 50 && err == nil && !c.Encoded {
		c, err = r.ReadCommit(ctx, oids[len(commits)])
		commits = append(commits, c)
	}
	if len(commits) == len(oids) && err == nil && !c.Encoded {
		return commits, nil
	}
	return r.log(ctx, strings.NewReader(strings.Join(oids, "\n")+"\n"), "--no-walk=unsorted", "--stdin")
}

// Log returns the commits that `git log args` visits, newest first, by one git process.
func (r *Repo) Log(ctx context.Context, args ...string) ([]Commit, error) {
	return r.log(ctx, nil, args...)
}

func (r *Repo) log(ctx context.Context, names io.Reader, args ...string) (commits []Commit, err error) {
	all := append([]string{"log", "-z", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8",
		"--format=%H%x00%T%x00%P%x00%cI%x00%B"}, args...)
	out, err := r.Capture(ctx, Command{Args: append(all, "--"), Stdin: names})
	if err != nil {
		return nil, err
	}
	fields := strings.Split(out, "\x00")
	for ; len(fields) >= 5; fields = fields[5:] {
		at, _ := time.Parse(time.RFC3339, fields[3])
		commits = append(commits, Commit{OID: strings.TrimPrefix(fields[0], "\n"), Tree: fields[1],
			Parents: strings.Fields(fields[2]), Time: at, Message: fields[4]})
	}
	return commits, nil
}

// Chain returns the commits from tip down to but not including stop (empty: all), newest first, without starting a
// process. ok is false if they are not a simple chain, or more than most: then ask History.
func (r *Repo) Chain(ctx context.Context, tip, stop string, most int) (commits []Commit, ok bool) {
	return chain(func(name string) (Commit, bool) {
		c, err := r.ReadCommit(ctx, name)
		most--
		return c, err == nil && most >= 0
	}, tip, stop)
}

func chain(read func(name string) (Commit, bool), tip, stop string) (commits []Commit, ok bool) {
	for at := tip; at != stop; at = strings.Join(commits[len(commits)-1].Parents, "") {
		c, ok := read(at)
		if !ok || len(c.Parents) > 1 || c.Encoded {
			return nil, false
		}
		commits = append(commits, c)
	}
	return commits, true
}

// MergeBase returns the best common ancestor of two commits; "" without one.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.Output(ctx, "merge-base", "--end-of-options", a, b)
	return out, Allow(1, err)
}

// IsAncestor reports whether commit a is reachable from commit b.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	err := r.Run(ctx, Command{Args: []string{"merge-base", "--is-ancestor", "--end-of-options", a, b}})
	return err == nil, Allow(1, err)
}

// FewCommits is the number of commits that take as long to read one by one as git takes to start (3 ms).
const FewCommits = 30

// History returns the commits from tip down to but not including stop ("": all), in an order of git rev-list. It caches
// them in a file: 800 take git 10 ms, the cache 1 ms. Each is verified by its name, so a wrong file only takes longer.
func (r *Repo) History(ctx context.Context, file, order, tip, stop string) ([]Commit, error) {
	most := FewCommits
	if stop == "" { // rev-list would read as many
		most = 1000
	}
	known, asked, texts := cachedCommits(file), 0, []string(nil)
	read := func(name string) (Commit, bool) {
		if known[name] == "" {
			o, err := r.Read(ctx, name+"^{commit}")
			if asked++; err != nil || asked > most {
				return Commit{}, false
			}
			known[name] = string(o.Data)
		}
		texts = append(texts, known[name])
		return parseCommit(name, known[name]), true
	}
	commits, ok := chain(read, tip, stop)
	if !ok {
		args := []string{order, "--ignore-missing", tip}
		if stop != "" {
			args = append(args, "--not", stop)
		}
		out, err := r.Output(ctx, append([]string{"rev-list"}, args...)...)
		if err != nil {
			return nil, err
		}
		most, texts = math.MaxInt, nil
		for name := range strings.FieldsSeq(out) {
			c, ok := read(name)
			if commits = append(commits, c); !ok || c.Encoded {
				return r.Log(ctx, args...)
			}
		}
	}
	if info, err := os.Lstat(file); asked > FewCommits && (err != nil || info.Mode().IsRegular()) {
		_ = os.WriteFile(file, []byte(strings.Join(texts, "\x00")), 0o600)
	}
	return commits, nil
}

// cachedCommits returns the commits in a cache of History, by their names.
func cachedCommits(file string) map[string]string {
	data, _ := disk.ReadRegular(file)
	texts, object := make(map[string]string, len(data)/400), []byte(nil)
	for text := range strings.SplitSeq(string(data), "\x00") {
		object = fmt.Appendf(object[:0], "commit %d\x00%s", len(text), text)
		sum := sha1.Sum(object)
		texts[hex.EncodeToString(sum[:])] = text
	}
	return texts
}

// RefChange changes a ref. If Old is empty the ref itself changes, even a symbolic one; if New is empty it is removed.
type RefChange struct{ Ref, New, Old string }

// UpdateRef moves ref from old ("" if it must not exist) to new, and makes the other changes: all of them or none. The
// error is ErrMoved if ref is elsewhere.
func (r *Repo) UpdateRef(ctx context.Context, ref, new, old, reason string, others ...RefChange) error {
	return r.ChangeRefs(ctx, reason, append([]RefChange{{ref, new, cmp.Or(old, r.Zero())}}, others...)...)
}

// DeleteRef removes ref if its value is old; otherwise the error is ErrMoved.
func (r *Repo) DeleteRef(ctx context.Context, ref, old, reason string) error {
	return r.ChangeRefs(ctx, reason, RefChange{ref, "", old})
}

// ChangeRefs makes all of the changes or none. The error is ErrMoved if a ref has another value than Old.
func (r *Repo) ChangeRefs(ctx context.Context, reason string, changes ...RefChange) error {
	if len(changes) == 0 {
		return nil
	}
	var in bytes.Buffer
	c := Command{Args: []string{"update-ref", "--create-reflog", "-m", reason, "-z", "--stdin"}, Stdin: &in, Writes: true}
	for _, ref := range changes {
		if c.refs = append(c.refs, ref.Ref); ref.Old == "" {
			in.WriteString("option no-deref\x00")
		}
		if ref.New == "" {
			fmt.Fprintf(&in, "delete %s\x00%s\x00", ref.Ref, ref.Old)
		} else {
			fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", ref.Ref, ref.New, ref.Old)
		}
	}
	err := r.Run(ctx, c)
	if Code(err) < 0 {
		return err
	}
	for _, ref := range changes {
		now, _ := r.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref.Ref)
		if ref.Old != "" && ref.Old != cmp.Or(now, r.Zero()) {
			return ErrMoved
		}
	}
	return err
}

// Symbolic reports whether a ref refers to another one, as ours do only if a session made them so.
func (r *Repo) Symbolic(ref string) bool {
	text, err := os.ReadFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
	return err == nil && bytes.HasPrefix(text, []byte("ref:"))
}

// Ref is one ref with the subject and the date of its commit or tag.
type Ref struct {
	Name, OID, Subject string
	Time               time.Time
}

// Refs returns the refs below the given prefixes or with the given full names.
func (r *Repo) Refs(ctx context.Context, patterns ...string) ([]Ref, error) {
	out, err := r.Output(ctx, append([]string{"for-each-ref",
		"--format=%(refname)%00%(objectname)%00%(contents:subject)%00%(creatordate:unix)%00"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	fields := strings.Split(out, "\x00")
	for ; len(fields) >= 4; fields = fields[4:] {
		seconds, _ := strconv.ParseInt(fields[3], 10, 64) // a blob has no parents
		refs = append(refs,
			Ref{Name: strings.TrimPrefix(fields[0], "\n"), OID: fields[1], Subject: fields[2], Time: time.Unix(seconds, 0)})
	}
	return refs, nil
}

// ValidBranch reports whether git accepts name as the name of a branch.
func (r *Repo) ValidBranch(ctx context.Context, name string) bool {
	return !strings.HasPrefix(name, "-") &&
		r.Run(ctx, Command{Args: []string{"check-ref-format", "refs/heads/" + name}}) == nil
}

// Branch returns the short name of the branch, even an unborn one, that HEAD points to, or "" if it is detached. git is
// asked only if HEAD is a symbolic link, as in repositories of 2005, the refs are in tables, or the branch is symbolic.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	text, _ := disk.ReadRegular(filepath.Join(r.GitDir, "HEAD"))
	head := strings.TrimRight(string(text), "\n")
	if _, err := hex.DecodeString(head); err == nil && len(head) == len(r.Zero()) {
		return "", nil // detached
	}
	branch, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if ok && branch != ".invalid" && !r.Symbolic("refs/heads/"+branch) {
		return branch, nil
	}
	out, err := r.Output(ctx, "symbolic-ref", "--quiet", "HEAD")
	return strings.TrimPrefix(out, "refs/heads/"), Allow(1, err)
}

// RefFiles returns the files with the refs below some prefixes, without the refs in except. If the files are the same
// later (see SameFile), so are the values. It is nil if that is not certain, as with links.
func (r *Repo) RefFiles(prefixes, except []string) map[string]fs.FileInfo {
	out, odd := map[string]fs.FileInfo{}, false
	for _, name := range slices.Concat(prefixes, []string{"packed-refs", "reftable"}) {
		top := filepath.Join(r.CommonDir, name)
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(r.CommonDir, path)
			if err == nil && !d.IsDir() && !slices.Contains(except, filepath.ToSlash(rel)) {
				out[path], err = d.Info()
			}
			odd = odd || err != nil && (path != top || !os.IsNotExist(err)) || err == nil && d.Type()&fs.ModeSymlink != 0
			return err
		})
	}
	if odd {
		return nil
	}
	return out
}

// RefValues returns the values of the refs below some prefixes by full name: an object name, or "ref: " and a ref.
func (r *Repo) RefValues(ctx context.Context, prefixes ...string) (map[string]string, error) {
	args := append([]string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)"}, prefixes...)
	printed, err := r.Output(ctx, args...)
	out := map[string]string{}
	for line := range strings.Lines(printed) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		oid, to, _ := strings.Cut(value, " ")
		if out[name] = oid; to != "" {
			out[name] = "ref: " + to
		}
	}
	return out, err
}
