package rules

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
)

// flagsTarget is the share of ordinary commits that the rules which block by default may flag, all together.
const flagsTarget = 0.002

// TestHistories checks every commit of the repositories in RULES_HISTORY with the rules that block by default
// and prints each flag with its place, for reading: most commits of public projects were reviewed, so what is
// flagged there is mostly, not surely, a false alarm. RULES_COMMITS limits the commits of each, newest first;
// RULES_ALL=1 counts advisory rules, too.
func TestHistories(t *testing.T) {
	repos := strings.Fields(os.Getenv("RULES_HISTORY"))
	if len(repos) == 0 {
		t.Skip("RULES_HISTORY=\"path path\" names repositories")
	}
	total, flagged := 0, 0
	for _, dir := range repos {
		n, bad := judgeHistory(t, dir)
		total, flagged = total+n, flagged+bad
	}
	share, low, high := wilson(flagged, total)
	fmt.Printf("all: %d of %d commits flagged: %.3f %% [%.3f, %.3f]\n", flagged, total, 100*share, 100*low, 100*high)
	if share > flagsTarget {
		t.Errorf("the rules that block by default flag %.3f %% of commits; %.1f %% may be", 100*share, 100*flagsTarget)
	}
}

// judgeHistory counts the commits of one repository, and those that are flagged.
func judgeHistory(t *testing.T, dir string) (commits, flagged int) {
	ctx := t.Context()
	r, err := git.Open(ctx, dir)
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	defer r.Close()
	args := []string{"--no-merges"}
	if n := os.Getenv("RULES_COMMITS"); n != "" {
		args = append(args, "-n", n)
	}
	list, err := r.Log(ctx, append(args, "HEAD")...)
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	found := make([][]Hit, len(list))
	var unread atomic.Int64
	next := make(chan int)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range next {
				var err error
				if _, found[i], err = Of(ctx, r, list[i].OID); err != nil {
					unread.Add(1) // a copy may lack its largest files
					fmt.Printf("%s %.10s could not be read: %v\n", dir, list[i].OID, err)
				}
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	all.Wait()
	if n := int(unread.Load()); n*100 > len(list) {
		t.Errorf("%s: %d of %d commits could not be read", dir, n, len(list))
	}
	advice := map[string]int{}
	for i, hits := range found {
		stopped := false
		said := map[string]bool{}
		for _, h := range hits {
			said[h.Rule] = true
			if stops(h) {
				stopped = true
				fmt.Printf("%s %.10s %s %s:%d %s | %s\n", dir, list[i].OID, h.Rule, h.Path, h.Line, h.Title, strconv.Quote(cutTo(h.Quote, 100)))
			}
		}
		for rule := range said {
			advice[rule]++
		}
		if stopped {
			flagged++
		}
	}
	share, low, high := wilson(flagged, len(list))
	fmt.Printf("%s: %d of %d commits flagged: %.3f %% [%.3f, %.3f]\n", dir, flagged, len(list), 100*share, 100*low, 100*high)
	if os.Getenv("RULES_ALL") != "" {
		rules := make([]string, 0, len(advice))
		for rule, n := range advice {
			rules = append(rules, fmt.Sprintf("  %6.2f %% %s (%d)", 100*float64(n)/float64(max(len(list), 1)), rule, n))
		}
		slices.Sort(rules)
		slices.Reverse(rules)
		fmt.Println(strings.Join(rules, "\n"))
	}
	return len(list), flagged
}

func cutTo(s string, n int) string { return s[:min(len(s), n)] }
