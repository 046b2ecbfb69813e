//go:build unix

package builtin

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// benchServer, when set, makes this test binary a model server that answers every request with that many
// bytes of events; 0 means a turn of 200 events.
const benchServer = "GIT_PLAN_BENCH_SERVER"

// TestServeBenchmarks is not a test but the other process of the benchmarks.
func TestServeBenchmarks(t *testing.T) {
	if os.Getenv(benchServer) == "" {
		t.Skip("only for the benchmarks")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("http://%s/v1\n", l.Addr())
	var bytes int
	_, _ = fmt.Sscan(os.Getenv(benchServer), &bytes)
	go func() { _ = http.Serve(l, benchAnswer(bytes)) }()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark is over
}

// benchAnswer streams a turn: text and one call, in some 200 events, or text of so many bytes of events.
func benchAnswer(bytes int) http.HandlerFunc {
	turn := script.Turn{Say: strings.Repeat("a word and another ", 120), Usage: &script.Usage{In: 100_000, Cached: 90_000, Out: 900},
		Calls: []script.Call{{Name: "run_command", Raw: `{"command":"` + strings.Repeat("echo word ; ", 200) + `"}`}}}
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		more, closing := delta(`{"content":"`+strings.Repeat("x", 24)+`"}`, ""), []string{delta(`{}`, "stop"), streamEnd}
		if bytes == 0 {
			script.Play(w, turn.ChatEvents("b"))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		out := bufio.NewWriterSize(w, 32<<10)
		for n := 0; n < bytes; n += len(more) {
			_, _ = io.WriteString(out, "data: "+more+"\n\n")
		}
		_ = out.Flush()
		send(w, closing...)
	}
}

// benchBase starts the other process.
func benchBase(b *testing.B, bytes int) string {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	in, out, wait, err := proc.Pipe(proc.Cmd{Name: self, Args: []string{"-test.run=^TestServeBenchmarks$"},
		Env: append(os.Environ(), fmt.Sprintf("%s=%d", benchServer, bytes))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// processor is the processor time that this process has used, including its children.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchConversation(b *testing.B, base string) *conversation {
	a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: base}, Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	s := agent.Session{Role: agent.Executor, Dir: b.TempDir(), On: func(agent.Event) {}}
	_, l, stop := agent.NewLife(b.Context(), s)
	b.Cleanup(stop)
	c, err := a.converse(s, l)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.work.root.Close() })
	c.messages = []model.Message{{Role: "system", Text: "s"}, {Role: "user", Text: "u"}}
	return c
}

func quotedCommand(size int) string { return `{"command":"` + strings.Repeat("x", size) + `"}` }

// BenchmarkTurn measures one model turn at 200 messages and 400 KB: the request, 200 events of the answer,
// and processing both. A turn is new each time, and so are the two messages that it adds. The target is 10
// ms.
func BenchmarkTurn(b *testing.B) {
	b.Run("chat", func(b *testing.B) {
		c := benchConversation(b, benchBase(b, 0))
		output := strings.Repeat("\tx := func(a <-chan int) bool { return a != nil && <-a > 0 }\n", 5)
		add := func(t model.Turn) {
			c.messages = append(c.messages, t.Message, model.Message{Role: "tool", CallID: "c", Text: output})
		}
		for range 99 {
			add(model.Turn{Message: model.Message{Role: "assistant", Calls: []model.Call{{ID: "c", Name: "run_command", Args: quotedCommand(4600)}}}})
		}
		began := processor(b)
		for b.Loop() {
			t, err := c.turn(b.Context())
			if err != nil || len(t.Calls) != 1 {
				b.Fatal(err, t.Calls)
			}
			c.messages = append(c.messages[:2], c.messages[4:]...)
			add(t)
		}
		b.ReportMetric(float64((processor(b)-began).Microseconds())/1000/float64(b.N), "ms-cpu/turn")
		b.ReportMetric(float64(bytesOf(c.messages))/1024, "KB-conversation")
	})
}

// BenchmarkStream reads one answer of 100 MB in small events, once, and prints the maximum memory in use.
func BenchmarkStream(b *testing.B) {
	c := benchConversation(b, benchBase(b, 100_000_000))
	peak := peakHeap()
	began, cpu := time.Now(), processor(b)
	if _, err := c.turn(b.Context()); err != nil {
		b.Fatal(err)
	}
	took, cpu, most := time.Since(began), processor(b)-cpu, peak()
	b.Run("chat", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(most, "MiB-peak")
		b.ReportMetric(100/took.Seconds(), "MB/s")
		b.ReportMetric(cpu.Seconds(), "s-cpu")
	})
}

// peakHeap measures the maximum heap in use until it is called again.
func peakHeap() func() float64 {
	runtime.GC()
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var peak uint64
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-done:
				most <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 { close(done); return float64(<-most) / (1 << 20) }
}
