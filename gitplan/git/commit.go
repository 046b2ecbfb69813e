package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Commit is one commit with its whole message.
type Commit struct {
	OID, Tree string
	Parents   []string
	Time      string // committer date, strict ISO 8601
	Message   string
	Encoded   bool // in another encoding than UTF-8, which only git log converts
}

// Subject returns the first line of the message that is not empty.
func (c Commit) Subject() string {
	s, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return s
}

func parseCommit(oid, data string) Commit {
	head, body, _ := strings.Cut(data, "\n\n")
	c := Commit{OID: oid, Message: body}
	for _, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "committer":
			c.Time = isoTime(value)
		case "encoding":
			c.Encoded = true
		}
	}
	return c
}

// isoTime returns the time in an identity, "Name <mail> 1700000000 +0100", as %cI prints it, or "".
func isoTime(identity string) string {
	var at int64
	var zone int
	if _, err := fmt.Sscanf(identity[strings.LastIndexByte(identity, '>')+1:], "%d %d", &at, &zone); err != nil {
		return ""
	}
	return time.Unix(at, 0).In(time.FixedZone("", (zone/100*60+zone%100)*60)).Format(time.RFC3339)
}

// Log returns the commits that `git log args` visits, newest first, by one git process.
func (r *Repo) Log(ctx context.Context, args ...string) ([]Commit, error) {
	var commits []Commit
	err := logCommits(ctx, r, nil, "", args, func(c Commit, _ string) { commits = append(commits, c) })
	return commits, err
}

// Commits returns the commits with these object names, in their order; a few without a process.
func (r *Repo) Commits(ctx context.Context, oids []string) (commits []Commit, err error) {
	var c Commit
	for len(commits) < len(oids) && len(oids) <= 50 && err == nil && !c.Encoded {
		c, err = r.ReadCommit(ctx, oids[len(commits)])
		commits = append(commits, c)
	}
	if len(commits) == len(oids) && err == nil && !c.Encoded {
		return commits, nil
	}
	commits = nil
	names := strings.NewReader(strings.Join(oids, "\n") + "\n")
	err = logCommits(ctx, r, names, "", []string{"--no-walk=unsorted", "--stdin"}, func(c Commit, _ string) { commits = append(commits, c) })
	return commits, err
}

// LogByRef returns the commits of all refs below a prefix, by the full names of the refs, which share no
// commit. The refs are listed first, since git log --glob would visit every ref of the repository.
func (r *Repo) LogByRef(ctx context.Context, prefix string, args ...string) (map[string][]Commit, error) {
	names, err := r.Bytes(ctx, "for-each-ref", "--format=%(refname)", prefix)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	chains := map[string][]Commit{}
	args = append(args, "--ignore-missing", "--stdin")
	err = logCommits(ctx, r, bytes.NewReader(names), "%S", args, func(c Commit, ref string) { chains[ref] = append(chains[ref], c) })
	return chains, err
}

func logCommits(ctx context.Context, r *Repo, names io.Reader, ref string, args []string, each func(c Commit, ref string)) error {
	all := append([]string{"log", "-z", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8",
		"--format=%H%x00%T%x00%P%x00%cI%x00" + ref + "%x00%B"}, args...)
	var out bytes.Buffer
	if err := r.Run(ctx, Command{Args: append(all, "--"), Stdin: names, Stdout: &out}); err != nil {
		return err
	}
	fields := strings.Split(out.String(), "\x00")
	for ; len(fields) >= 6; fields = fields[6:] {
		each(Commit{
			OID: strings.TrimPrefix(fields[0], "\n"), Tree: fields[1], Parents: strings.Fields(fields[2]),
			Time: fields[3], Message: fields[5],
		}, fields[4])
	}
	return nil
}

// Chain returns the commits from tip down to but not including stop (empty: all), newest first, without starting a
// process. ok is false if they are not a simple chain, or more than most: then ask Log.
func (r *Repo) Chain(ctx context.Context, tip, stop string, most int) (commits []Commit, ok bool) {
	for at := tip; at != stop; {
		c, err := r.ReadCommit(ctx, at)
		if err != nil || len(commits) == most {
			return nil, false
		}
		if len(c.Parents) > 1 || c.OID == stop || c.Encoded {
			return commits, c.OID == stop
		}
		commits = append(commits, c)
		if len(c.Parents) == 0 {
			return commits, stop == ""
		}
		at = c.Parents[0]
	}
	return commits, true
}

// MergeBase returns the best common ancestor of two commits; ErrMissing without one.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.Output(ctx, "merge-base", "--end-of-options", a, b)
	if Code(err) == 1 {
		return "", ErrMissing
	}
	return out, err
}

// IsAncestor reports whether commit a is reachable from commit b.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	err := r.Run(ctx, Command{Args: []string{"merge-base", "--is-ancestor", "--end-of-options", a, b}})
	if Code(err) == 1 {
		return false, nil
	}
	return err == nil, err
}
