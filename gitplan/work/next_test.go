package work

import "testing"

func TestWhatFollowsAnAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		ended
		want decision
	}{
		"it is done":                                {ended{done: true, last: true}, finished},
		"it failed":                                 {ended{retryable: true}, another},
		"it failed, and was the last":               {ended{retryable: true, last: true}, givenUp},
		"it failed as the one before":               {ended{retryable: true, hopeless: true}, givenUp},
		"it asks":                                   {ended{asks: true}, another},
		"it asks, and was the last":                 {ended{asks: true, last: true}, another},
		"it asks what was asked before":             {ended{asks: true, hopeless: true}, givenUp},
		"it asks, and nobody may answer but people": {ended{}, givenUp},
		"only git commit refuses it":                {ended{retryable: true, refused: true}, givenUp},
		"it was interrupted":                        {ended{}, givenUp},
	} {
		if got := c.next(); got != c.want {
			t.Errorf("%s: %d, and %d is right", name, got, c.want)
		}
	}
}
