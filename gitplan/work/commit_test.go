package work

import (
	"sync"
	"testing"
)

// Workers take turns; one that has the turn takes it again without waiting.
func TestWorkersTakeTurns(t *testing.T) {
	var turns sync.Mutex
	one, two := &Turn{Of: &turns}, &Turn{Of: &turns}
	never := func() { t.Error("it waits although no other worker has the turn") }
	one.Take(never)
	one.Take(never)
	waits, ended := make(chan bool), make(chan bool)
	go func() {
		two.Take(func() { close(waits) })
		two.Release()
		close(ended)
	}()
	<-waits
	one.Release()
	<-ended
	one.Take(never)
	one.Release()
	one.Release()
	two.Take(never)
	var only *Turn
	only.Take(never)
	only.Release()
}
