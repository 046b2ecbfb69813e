package reviewers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// SignedPrefix is where verdicts travel: each is a commit that git has signed, at a ref that
// ends with the tree that it is about.
const SignedPrefix = "refs/plan-verdicts/"

// signedFile is the only file of such a commit, and maxSigned how large it may be, in bytes.
const (
	signedFile = "verdict.json"
	maxSigned  = 1 << 20
)

// Signed is a verdict that a person vouches for: their review of exactly this difference
// passed, with their reviewers, and these findings they have dismissed.
type Signed struct {
	Schema    int               `json:"schema"`
	BaseTree  string            `json:"base_tree"`
	HeadTree  string            `json:"head_tree"`
	BlockOn   finding.Severity  `json:"block_on"`
	End       ledger.End        `json:"end"`
	Reason    string            `json:"reason,omitempty"`
	At        time.Time         `json:"at"`
	Dismissed ledger.Dismissals `json:"dismissed,omitempty"`
}

// Covers reports whether the verdict is about the difference of two trees, and of a review
// for which as much blocked as blocks from bar on.
func (s *Signed) Covers(baseTree, headTree string, bar finding.Severity) bool {
	return s.End.Passes() && s.BaseTree == baseTree && s.HeadTree == headTree && bar.AtLeast(s.BlockOn)
}

// Sign has git sign this clone's verdict for HEAD, with the person's own key, and returns the
// commit and the ref under which it is to be pushed. There must be a verdict that passes.
func Sign(ctx context.Context, c *checkout.Checkout) (commit, ref string, err error) {
	var p *plan.Plan
	given := ""
	if c.Doc != nil {
		p, given = c.Doc.Plan, c.Doc.Plan.Base
	}
	base, err := c.Base(ctx, given)
	if err != nil {
		return "", "", err
	}
	if base, err = c.Repo.MergeBase(ctx, base, "HEAD"); err != nil {
		return "", "", err
	}
	v, err := Known(ctx, c, p, base, "HEAD")
	if err != nil {
		return "", "", err
	}
	if !v.Passes() {
		return "", "", &fault.Fault{Kind: fault.ErrNotReviewed, Text: "no review has passed what HEAD has, so there is no verdict to push"}
	}
	s := Signed{Schema: 1, End: v.End, Reason: v.Reason, At: v.At, Dismissed: Dismissed(c, c.Doc, c.Branch)}
	s.BlockOn, _ = BlockOn(c)
	for name, tree := range map[string]*string{base: &s.BaseTree, "HEAD": &s.HeadTree} {
		if *tree, err = c.Repo.Resolve(ctx, name+"^{tree}"); err != nil {
			return "", "", err
		}
	}
	commit, err = s.commit(ctx, c.Repo)
	return commit, SignedPrefix + s.HeadTree, err
}

func (s *Signed) commit(ctx context.Context, r *git.Repo) (string, error) {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return "", err
	}
	blob, err := r.WriteBlob(ctx, append(data, '\n'))
	if err != nil {
		return "", err
	}
	tree, err := r.WriteTree(ctx, []git.Entry{{Mode: "100644", Name: signedFile, OID: blob}})
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	said := &proc.Tail{}
	err = r.Run(ctx, git.Command{
		Args:   []string{"commit-tree", "-S", "-m", "git plan review: " + string(s.End), tree},
		Stdout: &out, Stderr: said, Localised: true, Writes: true,
	})
	if git.Code(err) > 0 {
		err = fault.New(fault.ErrCannotSign, "git cannot sign the verdict: %s", visible.OneLine(visible.Reason(strings.TrimSpace(said.String())), 300))
	}
	return strings.TrimSpace(out.String()), err
}

// ReadSigned reads a verdict from a commit, if git finds its signature good, by the keys that
// this repository's configuration trusts. Any other verdict, or what is none, is an error.
func ReadSigned(ctx context.Context, c *checkout.Checkout, commit string) (*Signed, error) {
	o, err := c.Repo.ReadOnly(ctx, "commit", commit)
	if err != nil {
		return nil, err
	}
	if o.Type != "commit" || o.Data == nil {
		return nil, errors.New("it is not a commit")
	}
	if len(o.Data) > maxSigned || bytes.Contains(o.Data, []byte("\nparent ")) {
		return nil, errors.New("it is not a commit as git plan makes it")
	}
	// A key that is only in the keyring, or that gpg would fetch, is nobody's here.
	err = c.Repo.Run(ctx, git.Command{Args: []string{"-c", "gpg.minTrustLevel=fully", "verify-commit", o.OID}})
	if err != nil {
		return nil, fmt.Errorf("git does not find its signature good, by the keys that are trusted here: %w", withoutWords(err))
	}
	blob, err := c.Repo.ReadOnly(ctx, "blob", o.OID+":"+signedFile)
	if err != nil || blob.Type != "blob" || blob.Data == nil || len(blob.Data) > maxSigned {
		return nil, errors.New("it has no " + signedFile)
	}
	var s Signed
	if err := json.Unmarshal(blob.Data, &s); err != nil || s.Schema != 1 {
		return nil, errors.New("its " + signedFile + " cannot be read")
	}
	return &s, nil
}

// withoutWords keeps the code of git's failure: its words may be those of the signature.
func withoutWords(err error) error {
	if code := git.Code(err); code > 0 {
		return fmt.Errorf("exit code %d", code)
	}
	return err
}
