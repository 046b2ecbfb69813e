package elsewhere

import (
	"sync"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A clone has one name, whoever asks first.
func TestCloneID(t *testing.T) {
	repository.Here(t)
	r, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	var ids [8]string
	var asked sync.WaitGroup
	for i := range ids {
		asked.Go(func() {
			id, err := cloneID(r)
			if err != nil {
				t.Error(err)
			}
			ids[i] = id
		})
	}
	asked.Wait()
	for _, id := range ids {
		if id != ids[0] || len(id) != 32 {
			t.Errorf("the names are %q", ids)
		}
	}
}
