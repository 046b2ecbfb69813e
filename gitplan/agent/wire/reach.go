package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// reachFor is how long an endpoint is waited for: it only lists its models.
const reachFor = 5 * time.Second

// Reach asks the endpoint for its models, the one request that costs nothing,
// and says why a session there would fail. An endpoint without such a list has
// answered too.
func (e *Endpoint) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachFor)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, e.BaseURL+"/models", nil)
	if err != nil {
		return err
	}
	e.authorise(q.Header)
	res, err := e.http.Do(q)
	var own *Fault
	if errors.As(err, &own) {
		return own
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Fault{kind: faultUnreachable, text: fmt.Sprintf("no answer within %s", reachFor)}
	}
	if err != nil {
		own = broken(err)
		own.text = agent.OneLine(e.Mask(own.text), 300)
		return own
	}
	defer res.Body.Close()
	switch s := res.StatusCode; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return &Fault{kind: faultKey, http: s}
	case s >= 500:
		return &Fault{kind: faultServer, http: s}
	case s < 300 || s == http.StatusNotFound || s == http.StatusMethodNotAllowed || s == http.StatusTooManyRequests:
		return nil
	}
	return fmt.Errorf("HTTP %d", res.StatusCode)
}

// Unlisted returns those of some models that the endpoint does not name, and those that it does
// name. Many serve more than they list, and some list nothing.
func (e *Endpoint) Unlisted(ctx context.Context, models []string) (unlisted, names []string) {
	ctx, cancel := context.WithTimeout(ctx, reachFor)
	defer cancel()
	list := e.models(ctx, e.BaseURL+"/models")
	for _, l := range list {
		names = append(names, l.shown())
	}
	for _, model := range models {
		if len(list) > 0 && !slices.ContainsFunc(list, func(l listed) bool { return l.is(model) }) {
			unlisted = append(unlisted, model)
		}
	}
	return unlisted, names
}
