package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// object judges a ref that names no commit: the files of a tree, or a single one. They
// reach the remote as any file of a branch does, but no review covers them.
func (p *pushing) object(ctx context.Context, oid, name string, d *Decision) error {
	kind, err := p.Repo.Output(ctx, "cat-file", "-t", "--end-of-options", oid+"^{}")
	if err != nil {
		return err
	}
	if oid, err = p.Repo.Resolve(ctx, oid+"^{}"); err != nil {
		return err
	}
	if p.mode == block {
		d.Stop = true
		d.say("%s: it is a %s, not a commit, so no review can pass it, and plan.prePush is block", name, kind)
	}
	var hits []scan.Hit
	if kind == "tree" {
		hits, err = scan.Between(ctx, p.Repo, "", oid, scan.Change{}, rules.Gate())
	} else {
		// The difference has none of its lines, so all of its bytes are read: once as text,
		// and once as binary.
		text := diffs.FileDiff{Path: fmt.Sprintf("%.10s", oid), OldPath: oid, Status: 'A', OldMode: "000000", NewMode: "100644", NewOID: oid, Cut: true}
		binary := text
		binary.Binary = true
		both := &diffs.Diff{Files: []diffs.FileDiff{text, binary}}
		hits = scan.Find(scan.Change{Diff: both, Stream: p.Repo.Streams(ctx)}, rules.Gate())
	}
	var lines []string
	for _, h := range hits {
		lines = append(lines, inLine(h))
	}
	d.Stop = d.Stop || len(lines) > 0
	d.list(name, lines)
	return err
}

// isNotes reports whether a commit is one of git notes: each of its files is named after
// the object that it is about.
func (p *pushing) isNotes(ctx context.Context, commit string) bool {
	paths, err := p.Repo.Paths(ctx, commit)
	for _, path := range paths {
		name := strings.ReplaceAll(path, "/", "")
		if path != "" && (len(name) != len(commit) || strings.Trim(name, "0123456789abcdef") != "") {
			return false
		}
	}
	return err == nil
}
