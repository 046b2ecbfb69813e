package budget

import (
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// limit is a budget: the most that may be used of something. 0 means zero.
type limit struct {
	Key   string // of the configuration
	value string // as it is written there
	of    quantity
	most  float64
}

// quantity is what can be limited.
type quantity int

const (
	ofTokens quantity = iota
	ofCost            // US dollars
	ofTime            // seconds
)

func (q quantity) in(s spent) float64 {
	switch q {
	case ofTokens:
		return float64(s.tokens)
	case ofCost:
		return s.usd
	}
	return s.took.Seconds()
}

// budgets are all budgets that can be set.
var budgets = []limit{
	{Key: "plan.maxTokens", of: ofTokens}, {Key: "plan.maxCost", of: ofCost}, {Key: "plan.maxTime", of: ofTime},
}

// limitsOf returns the budgets that are set.
func limitsOf(c *settings.Config) ([]limit, error) {
	var out []limit
	for _, l := range budgets {
		l, set, err := limitOf(c, l)
		if err != nil {
			return nil, err
		}
		if set {
			out = append(out, l)
		}
	}
	return out, nil
}

// AreSet returns what is wrong with the budgets that are set, nil if nothing is.
func AreSet(c *settings.Config) error {
	_, err := limitsOf(c)
	return err
}

// limitOf reads a budget, if it is set.
func limitOf(c *settings.Config, l limit) (_ limit, set bool, err error) {
	if l.value = c.String(l.Key); l.value == "none" {
		return l, false, nil
	}
	if l.of == ofTime {
		var d time.Duration
		d, err = c.DurationOf(l.Key, l.value)
		l.most = d.Seconds()
	} else if l.most, err = strconv.ParseFloat(l.value, 64); err != nil || !(l.most >= 0) {
		err = c.MustBe(l.Key, l.value, "a number")
	}
	return l, true, err
}

// Check returns what is wrong with the value that a budget's key has, nil if nothing is.
func Check(c *settings.Config, key string) error {
	for _, l := range budgets {
		if l.Key == key {
			_, _, err := limitOf(c, l)
			return err
		}
	}
	return fault.New(fault.ErrAgentSetup, "%s is the key of no budget", key)
}

// cannotBeHeld follows the key of a limit if nobody knows whether it is reached.
const cannotBeHeld = " cannot be enforced: "

// Unheld returns the key of a limit that is still set and could not be kept to, if something
// ended for that reason.
func Unheld(c *settings.Config, why string) (key string, ok bool) {
	key, _, ok = strings.Cut(why, cannotBeHeld)
	for _, l := range budgets {
		if ok && l.Key == key {
			_, set, err := limitOf(c, l)
			return key, set && err == nil
		}
	}
	return "", false
}
