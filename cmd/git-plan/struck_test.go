//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whenever a signal arrives, the next run ends like an undisturbed one.
func TestASignalAtAnyMomentLosesNothing(t *testing.T) { atAnyMoment(t, "tree", everything) }

func TestASignalAtAnyMomentLosesNothingOfAClone(t *testing.T) {
	atAnyMoment(t, "clone", everything)
}

func atAnyMoment(t *testing.T, isolation string, of weather) {
	s := newStorm(t, isolation, of)
	seed := uint64(1)
	if v, err := strconv.ParseUint(os.Getenv("STORM_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("STORM_SEED=%d; undisturbed: %s", seed, s.total)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range stormSize(4) {
		sig, after := stormSignals[random.IntN(4)], time.Duration(random.Int64N(int64(s.total)))
		s.strike(t, fmt.Sprintf("%d: %v after %s", i, sig, after), sig, func(string, int) { time.Sleep(after) })
		if t.Failed() {
			return
		}
	}
}

// countingGit comes before git on PATH and counts where each begins and ends: at number $STORM_AT it waits,
// so that the signal arrives exactly there.
const countingGit = `#!/bin/sh
boundary() {
	echo >>"$STORM_RUN/count"
	if [ "$(wc -l <"$STORM_RUN/count")" -eq "$STORM_AT" ]; then
		: >"$STORM_RUN/reached"
		sleep 0.3
	fi
}
if [ ! -w "$STORM_RUN" ]; then exec "$STORM_GIT" "$@"; fi # a session's own
boundary
"$STORM_GIT" "$@"
code=$?
boundary
exit $code
`

// The same at every boundary: before and after each git.
func TestASignalAtEveryBoundaryLosesNothing(t *testing.T) { atEveryBoundary(t, "tree") }

func TestASignalAtEveryBoundaryLosesNothingOfAClone(t *testing.T) { atEveryBoundary(t, "clone") }

func atEveryBoundary(t *testing.T, isolation string) {
	s := newStorm(t, isolation, everything)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(s.dir, "bin")
	write(t, filepath.Join(bin, "git"), countingGit)
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STORM_GIT", git)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	s.at = 0
	calm := s.fresh(t)
	if out, err := s.run(calm).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	count, err := os.ReadFile(filepath.Join(filepath.Dir(calm), "count"))
	if err != nil {
		t.Fatal(err)
	}
	boundaries := strings.Count(string(count), "\n")
	t.Logf("%d boundaries", boundaries)
	few := stormSize(4)
	every := max(boundaries/few, 1)
	for n := every; n <= boundaries; n += every {
		for i, sig := range stormSignals {
			if few < boundaries && i != n/every%4 {
				continue
			}
			s.at = n
			s.strike(t, fmt.Sprintf("boundary %d: %v", n, sig), sig, func(repo string, pid int) {
				for range 2000 {
					if _, err := os.Stat(filepath.Join(filepath.Dir(repo), "reached")); err == nil || syscall.Kill(pid, 0) != nil {
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
			})
			if t.Failed() {
				return
			}
		}
	}
}
