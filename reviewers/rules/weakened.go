package rules

import (
	"github.com/git-plan/git-plan/gitplan/git"
	"slices"
)

// assertionsWeakened finds assertions that were replaced by weaker ones, such as not nil for equal, unless others
// are added elsewhere. Honest work does so, too, so it advises; a fix may not do it.
func assertionsWeakened() Rule {
	var lost [isEqual + 1]int // assertions of each grade: removed less added
	var found []Hit
	var was []grade // of each hit: what it replaces
	return Rule{
		Name: "assertion-weakened", Category: "tests", Severity: "medium", Confidence: Hint, Guard: true, Moves: true,
		Why:   "It passes with values with which the assertion before it failed.",
		Wants: func(f *File) bool { return f.Test && f.FileDiff.Status != 'D' },
		Line: func(p *Line) []Hit {
			grade := gradeAt(p.Hunk, p.At)
			if p.This().Kind == '-' {
				lost[grade]++
			} else {
				lost[grade]--
			}
			if p.This().Kind == '+' && (p.At+1 == len(p.Hunk) || p.Hunk[p.At+1].Kind != '+') && len(found) < MaxHits {
				if l, before, now := weaker(p.Hunk, p.At); l != nil {
					h := Hit{Path: p.File.FileDiff.Path, Line: l.New, Quote: l.Text, Title: "an assertion proves less than the one before it"}
					if before == isEqual && now == holdsPart {
						h.Severity = "low"
					}
					found, was = append(found, h), append(was, before)
				}
			}
			return nil
		},
		End: func(*Change) (hits []Hit) {
			for i, h := range found {
				if lost[was[i]] > 0 {
					hits = append(hits, h)
				}
			}
			return hits
		},
	}
}

func gradeAt(hunk []git.DiffLine, at int) grade {
	next := slices.IndexFunc(hunk[at+1:], func(l git.DiffLine) bool {
		return hunk[at].Kind == ' ' || l.Kind == ' ' || l.Kind == hunk[at].Kind // the same side's
	})
	if next < 0 {
		return gradeOf(hunk[at].Text, "")
	}
	return gradeOf(hunk[at].Text, hunk[at+1+next].Text)
}

// weaker compares assertions added in the lines of a hunk up to last with those removed there, the strongest
// with the strongest, and returns the first weaker one.
func weaker(lines []git.DiffLine, last int) (l *git.DiffLine, before, now grade) {
	type graded struct {
		grade grade
		at    int
	}
	var added, removed []graded
	for i := last; i >= 0 && lines[i].Kind != ' ' && !(lines[i].Kind == '+' && len(removed) > 0); i-- {
		grade := gradeAt(lines, i)
		switch {
		case lines[i].Kind == '-':
			removed = append(removed, graded{grade, i})
		case grade != notCompared:
			added = append(added, graded{grade, i})
		}
	}
	removed = slices.DeleteFunc(removed, func(g graded) bool { return g.grade == notCompared })
	strongest := func(a, b graded) int { return int(b.grade - a.grade) }
	slices.SortStableFunc(added, strongest)
	slices.SortStableFunc(removed, strongest)
	for i := range min(len(added), len(removed)) {
		if added[i].grade < removed[i].grade {
			return &lines[added[i].at], removed[i].grade, added[i].grade
		}
	}
	return nil, 0, 0
}
