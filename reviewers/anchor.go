package reviewers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// anchor gives findings what the program must know of them and a model cannot
// be trusted with: their lines, their identity, and a digest of the code around each.
func (t *Target) anchor(ctx context.Context, all ...*Finding) {
	list := make([]Finding, len(all))
	for i, f := range all {
		list[i] = *f
	}
	t.eachPlaced(ctx, list, func(i int, file *placed) { file.anchor(all[i]) })
}

func (p *placed) anchor(f *Finding) {
	symbol := ""
	if p != nil && p.there {
		if f.Rule == "" && f.Line == 0 {
			f.Line = lineOf(f.Quote, seen(p.data), p.added)
		}
		if f.Line > 0 {
			symbol = p.symbolAt(f.Line)
			f.Near = p.near(f.Line)
		}
	}
	if f.unquoted() {
		symbol = notQuoted // so that what quotes old code does not replace the finding that was fixed there
	}
	if f.ID == "" {
		quote := normalise(f.Quote)
		if quote == "" {
			quote = normalise(f.Title)
		}
		f.ID = fingerprint(f.Category, f.File, quote, symbol)
	}
}

// now returns an earlier finding with the line at which its code is in Head; 0: nowhere.
func (t *Target) now(ctx context.Context, f Finding) Finding {
	f.Line = 0
	t.anchor(ctx, &f)
	return f
}

// fingerprint identifies a finding by what it is about. No line number and no
// prose: both change while the finding stays the same. (Only if nothing is quoted
// does its title replace the quote.)
func fingerprint(category, path, quote, symbol string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{category, path, quote, symbol}, "\x00")))
	return hex.EncodeToString(sum[:6])
}
