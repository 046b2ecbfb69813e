package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// verified describes a verified task.
type verified struct {
	source source
	F2P    []string `json:"f2p"` // as the task had them
	P2P    []string `json:"p2p"` // tests that pass before the change, and after it
}

// verified returns the description of a task. It is verified when it is first used.
func (w *workshop) verified(ctx context.Context, t *Task) (*verified, error) {
	v := &verified{}
	var err error
	if v.source, err = w.fetch(ctx, t); err != nil {
		return nil, err
	}
	known := filepath.Join(filepath.Dir(v.source.from), "verified.json")
	if text, err := os.ReadFile(known); err == nil && json.Unmarshal(text, v) == nil && slices.Equal(v.F2P, t.F2P) {
		return v, nil
	}
	if err := w.verify(ctx, t, v); err != nil {
		return nil, fmt.Errorf("task %s is not sound: %w", t.Name, err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return v, os.WriteFile(known, text, 0o644)
}

// verify runs the tests of each version on both versions.
func (w *workshop) verify(ctx context.Context, t *Task, v *verified) error {
	dir, err := os.MkdirTemp(w.dir, "verify")
	if err != nil {
		return err
	}
	defer func() { _ = removeAll(dir) }()
	s := v.source
	passed := map[string]map[string]bool{}
	for _, c := range []struct {
		name         string
		change, hide bool
	}{{"before", false, false}, {"hidden before", false, true}, {"hidden after", true, true}} {
		tree := filepath.Join(dir, c.name)
		if err := w.repository(ctx, t, s, tree); err != nil {
			return err
		}
		if c.change {
			if err := t.solve(s, tree); err != nil {
				return err
			}
		}
		if c.hide {
			if err := t.hide(s.to, tree); err != nil {
				return err
			}
		}
		if passed[c.name], err = w.test(ctx, t, s, tree); err != nil {
			return err
		}
	}
	before, after := passed["before"], passed["hidden after"]
	for _, name := range t.F2P {
		if passed["hidden before"][name] {
			return fmt.Errorf("%s passes before the change", name)
		}
		if !after[name] {
			return fmt.Errorf("%s does not pass after the change; %s", name, proposed(before, passed["hidden before"], after))
		}
	}
	v.F2P, v.P2P = t.F2P, nil
	for name := range before {
		if after[name] && !slices.Contains(t.F2P, name) {
			v.P2P = append(v.P2P, name)
		}
	}
	slices.Sort(v.P2P)
	return nil
}

// proposed lists tests for a task's F2P: those that pass only with the change, new ones first.
func proposed(before, hiddenBefore, hiddenAfter map[string]bool) string {
	var fresh, were []string
	for name := range hiddenAfter {
		switch {
		case hiddenBefore[name]:
		case before[name]:
			were = append(were, name)
		default:
			fresh = append(fresh, name)
		}
	}
	slices.Sort(fresh)
	slices.Sort(were)
	return fmt.Sprintf("only the change lets these pass: %q; of those that passed before: %q", fresh, were)
}
