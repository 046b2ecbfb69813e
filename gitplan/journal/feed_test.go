package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// follows is a follower of a plan that records what is reported.
type follows struct {
	mu   sync.Mutex
	said []string
	more chan struct{}
}

func follow(t *testing.T, r *git.Repo, id string) *follows {
	f := &follows{more: make(chan struct{}, 1)}
	say := func(s string) {
		f.mu.Lock()
		f.said = append(f.said, s)
		f.mu.Unlock()
		select {
		case f.more <- struct{}{}:
		default:
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = Follow(ctx, r, id, Following{
			Began:   func(h Holder) { say("began " + h.Command) },
			Notice:  func(n Notice) { say(strings.TrimSpace(n.Kind + " " + n.Step + n.Text)) },
			Ended:   func() { say("ended") },
			Changed: func(live bool) error { say(fmt.Sprint("changed, live: ", live)); return nil },
		})
	}()
	t.Cleanup(func() { stop(); <-done })
	return f
}

func (f *follows) clear() {
	f.mu.Lock()
	f.said = nil
	f.mu.Unlock()
}

// until waits until something was reported, and returns everything so far.
func (f *follows) until(t *testing.T, want string) string {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		f.mu.Lock()
		all := strings.Join(f.said, "\n")
		f.mu.Unlock()
		if strings.Contains(all, want) {
			return all
		}
		select {
		case <-f.more:
		case <-late:
			t.Fatalf("%q was never reported:\n%.3000s", want, all)
		}
	}
}

func now(n Notice) Notice { n.Time = time.Now(); return n }

// Two followers both see who works and what happens, including earlier events, and the end; then the next
// worker.
func TestSeveralFollowOneWorker(t *testing.T) {
	_, s, _ := storeIn(t)
	first := follow(t, s.Repo, "p")
	for round := range 2 {
		lock, err := Acquire(s.Repo, "p", fmt.Sprint("run", round))
		if err != nil {
			t.Fatal(err)
		}
		lock.Report(now(Notice{Kind: StepStart, Step: "one"}))
		first.until(t, fmt.Sprintf("began run%d\nstep.start one", round))
		info, err := os.Stat(feedPath(s.Repo, "p"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("the feed is not private: %v %v", info.Mode(), err)
		}
		second := follow(t, s.Repo, "p")
		second.until(t, fmt.Sprintf("began run%d\nstep.start one", round))
		lock.Report(now(Notice{Kind: StepDone, Step: "one"}))
		lock.Release()
		for _, f := range []*follows{first, second} {
			f.until(t, "step.done one\nended")
		}
		first.clear()
		if _, err := os.Stat(feedPath(s.Repo, "p")); !os.IsNotExist(err) {
			t.Errorf("the feed is still there: %v", err)
		}
	}
}

// A step that began and ended between two polls is reported from the plan's chain, although another worker
// was followed just before.
func TestShortStepAfterAnotherIsReported(t *testing.T) {
	_, s, d := storeIn(t)
	f := follow(t, s.Repo, d.ID)
	f.until(t, "changed, live: false") // at the beginning
	f.clear()
	for range 5 {
		lock, err := Acquire(s.Repo, d.ID, "step")
		if err != nil {
			t.Fatal(err)
		}
		lock.Report(now(Notice{Kind: StepStart, Step: "one"}))
		f.until(t, "step.start one")
		lock.Release()
		f.until(t, "ended")
		if err := s.Apply(t.Context(), d, "b", Change{Event: Event{Kind: Checked, Steps: []string{"one"}, By: ByAgent}}); err != nil {
			t.Fatal(err)
		}
		if all := f.until(t, "changed, live: "); strings.Contains(all, "live: true") {
			t.Fatalf("an unreported event counts as reported:\n%s", all)
		}
		f.clear()
	}
}

// A worker that dies reports no end; followers are told, and then follow the next worker, but see nothing of
// the dead one again.
func TestDeadWorkerIsReported(t *testing.T) {
	_, s, _ := storeIn(t)
	f := follow(t, s.Repo, "p")
	lock, err := Acquire(s.Repo, "p", "run")
	if err != nil {
		t.Fatal(err)
	}
	lock.Report(now(Notice{Kind: StepStart, Step: "one"}))
	f.until(t, "step.start one")
	_ = lock.lock.Close() // what the kernel does
	f.until(t, "ended")
	late := &follower{repo: s.Repo, id: "p", Following: Following{
		Began: func(Holder) { t.Error("a later follower was told of the dead worker") },
	}}
	late.poll(t.Context())

	lock, err = Acquire(s.Repo, "p", "again")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	lock.Report(now(Notice{Kind: StepStart, Step: "two"}))
	f.until(t, "ended\nbegan again\nstep.start two")
}

// A session that calls tools 100,000 times a second costs a follower a few lines, and the file stays small;
// the last event is always reported.
func TestFloodOfEventsIsThinned(t *testing.T) {
	_, s, _ := storeIn(t)
	f := follow(t, s.Repo, "p")
	lock, err := Acquire(s.Repo, "p", "run")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	lock.Report(now(Notice{Kind: StepStart, Step: "one", Text: "!"}))
	const events = 100_000
	for i := range events {
		lock.Report(now(Notice{Kind: SessionText, Session: "s", Text: "prose"}))
		lock.Report(now(Notice{Kind: SessionTool, Session: "s", Text: fmt.Sprint(i, strings.Repeat("x", 300))}))
	}
	lock.Report(now(Notice{Kind: StepDone, Step: "last"}))
	all := f.until(t, "step.done last")
	if n := strings.Count(all, "\n"); n > events/100 || strings.Contains(all, "prose") {
		t.Errorf("%d lines were reported", n)
	}
	if !strings.Contains(all, fmt.Sprint("session.tool ", events-1, "x")) {
		t.Error("the last call was not reported")
	}
	// A full feed starts over, with the running session.
	for i := range 6000 {
		lock.Report(now(Notice{Kind: StepNote, Text: fmt.Sprint(i, strings.Repeat("y", 300))}))
	}
	lock.Report(now(Notice{Kind: StepNote, Text: "end"}))
	f.until(t, "step.note end")
	info, err := os.Stat(feedPath(s.Repo, "p"))
	if err != nil || info.Size() > feedSize {
		t.Errorf("the feed has %d bytes: %v", info.Size(), err)
	}
	follow(t, s.Repo, "p").until(t, "step.note end")
}

// BenchmarkFollow prints how long it takes until a notice is reported in another process: the median and the
// maximum, in milliseconds.
func BenchmarkFollow(b *testing.B) {
	r, err := git.Open(b.Context(), repository.New(b))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	lock, err := Acquire(r, "p", "run")
	if err != nil {
		b.Fatal(err)
	}
	defer lock.Release()
	ctx, stop := context.WithCancel(b.Context())
	reported, done := make(chan time.Duration, 1), make(chan struct{})
	go func() {
		defer close(done)
		_ = Follow(ctx, r, "p", Following{Began: func(Holder) {}, Ended: func() {},
			Notice:  func(n Notice) { reported <- time.Since(n.Time) },
			Changed: func(bool) error { return nil }})
	}()
	var took []time.Duration
	for b.Loop() {
		lock.Report(now(Notice{Kind: StepNote}))
		took = append(took, <-reported)
	}
	stop()
	<-done
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-longest")
}

// A link in place of the next feed, or of the plan's folder, does not redirect a write.
func TestFeedFollowsNoLink(t *testing.T) {
	_, s, _ := storeIn(t)
	lock, err := Acquire(s.Repo, "p", "run")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	outside := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock.Report(now(Notice{Kind: StepStart, Step: "one", Text: "!"}))
	dir := s.Repo.PlanDir("p")
	if err := errors.Join(os.Symlink(outside, feedPath(s.Repo, "p")+".next"), os.Symlink(outside, filepath.Join(dir, "lock.json.next"))); err != nil {
		t.Skip(err)
	}
	full := func() {
		for i := range 6000 {
			lock.Report(now(Notice{Kind: StepNote, Text: fmt.Sprint(i, strings.Repeat("y", 300))}))
		}
		lock.Report(now(Notice{Kind: StepStart, Step: "two", Text: "!"}))
		time.Sleep(3 * feedWait)
	}
	full()
	if err := errors.Join(os.Rename(dir, dir+"-moved"), os.Symlink(filepath.Dir(outside), dir)); err != nil {
		t.Fatal(err)
	}
	full()
	text, err := os.ReadFile(outside)
	if entries, _ := os.ReadDir(filepath.Dir(outside)); err != nil || string(text) != "mine" || len(entries) != 1 {
		t.Errorf("outside there are %v, and the file contains %q, %v", entries, text, err)
	}
}

// A session that replaces the feed by a pipe, or a link, does not block a follower, or make it read another
// file.
func TestPipeInPlaceOfTheFeed(t *testing.T) {
	_, s, d := storeIn(t)
	lock, err := Acquire(s.Repo, d.ID, "run")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	feed, other := feedPath(s.Repo, d.ID), filepath.Join(t.TempDir(), "other")
	line := []byte(`{"type":"step.note","text":"of another file"}` + "\n")
	if err := errors.Join(os.WriteFile(other, line, 0o600), os.Symlink(other, feed)); err != nil {
		t.Fatal(err)
	}
	f := follow(t, s.Repo, d.ID)
	f.until(t, "changed, live: false")
	if out, err := exec.Command("mkfifo", feed+".pipe").CombinedOutput(); err != nil {
		t.Skipf("%v %s", err, out)
	}
	if err := os.Rename(feed+".pipe", feed); err != nil {
		t.Fatal(err)
	}
	looked := make(chan error, 1)
	go func() {
		looked <- (&follower{repo: s.Repo, id: d.ID, Following: Following{Began: func(Holder) {}}}).poll(t.Context())
	}()
	select {
	case err = <-looked:
	case <-time.After(20 * time.Second):
		err = errors.New("a follower waits at the pipe")
		_ = os.WriteFile(feed, nil, 0o600) // so that it ends
	}
	if err != nil {
		t.Error(err)
	}
	lock.Report(now(Notice{Kind: StepStart, Step: "one"}))
	if all := f.until(t, "step.start one"); strings.Contains(all, "of another file") {
		t.Errorf("what a link leads to was read:\n%s", all)
	}
}
