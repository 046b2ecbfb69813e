package hooks

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Push is one ref of a push, as git writes it to a pre-push hook:
//
//	<local ref> SP <local oid> SP <remote ref> SP <remote oid> LF
type Push struct {
	LocalRef  string // what the person typed, or its full name: refs/heads/x, HEAD, an oid, (delete)
	LocalOID  string // zeros: the ref is to be deleted
	RemoteRef string
	RemoteOID string // what the remote has; zeros: the ref is new there
}

// Deletes reports whether the push deletes the ref.
func (p Push) Deletes() bool { return zeros(p.LocalOID) }

// New reports whether the remote does not have the ref yet.
func (p Push) New() bool { return zeros(p.RemoteOID) }

// Branch returns the short name of the branch at the remote; ok is false if the ref is
// no branch.
func (p Push) Branch() (name string, ok bool) { return strings.CutPrefix(p.RemoteRef, "refs/heads/") }

// Work reports whether the push brings work as a branch has it: to a branch, or to a ref
// through which a host takes work, such as Gerrit's refs/for/main.
func (p Push) Work() bool {
	return !slices.ContainsFunc(noWork, func(prefix string) bool { return strings.HasPrefix(p.RemoteRef, prefix) })
}

// noWork are the prefixes of refs other than branches that git itself uses.
var noWork = []string{"refs/tags/", "refs/notes/", "refs/stash", "refs/remotes/", "refs/replace/", "refs/original/", "refs/bisect/"}

func zeros(oid string) bool { return strings.Trim(oid, "0") == "" }

// pushLine is read from the right: only the local ref may have blanks in it, as in
// HEAD^{/some words}.
var pushLine = visible.NewPattern(`^(.*) ([0-9a-f]{40}|[0-9a-f]{64}) ([^ ]+) ([0-9a-f]{40}|[0-9a-f]{64})$`)

// ParsePush reads what git writes to the standard input of a pre-push hook. That is
// empty if everything is up to date.
func ParsePush(stdin io.Reader) ([]Push, error) {
	data, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("standard input of pre-push: %w", err)
	}
	var out []Push
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue
		}
		m := pushLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%q is not a line that git writes for pre-push: <local ref> <local oid> <remote ref> <remote oid>", line)
		}
		out = append(out, Push{m[1], m[2], m[3], m[4]})
	}
	return out, nil
}
