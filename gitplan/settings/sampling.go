package settings

import (
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
)

// sampling returns plan.<role>.temperature and plan.<role>.topP, which, like its effort, apply to
// the role's own agent only.
func (c *Config) sampling(name string, role agent.Role) (s wire.Sampling, err error) {
	if name != c.AgentName(role) {
		return s, nil
	}
	if s.Temperature, err = c.Decimal("plan." + string(role) + ".temperature"); err == nil {
		s.TopP, err = c.Decimal("plan." + string(role) + ".topP")
	}
	return s, err
}

// Decimal returns a temperature, from 0 to 2, or the value of another key of that kind, from 0 to 1;
// nil if it is not set.
func (c *Config) Decimal(key string) (*float64, error) {
	v, ok := c.Get(key)
	if !ok || v == "" {
		return nil, nil
	}
	most, usual := 1, "0.9"
	if strings.HasSuffix(strings.ToLower(key), ".temperature") {
		most, usual = 2, "0.2"
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x >= 0 && x <= float64(most)) {
		return nil, c.Wrong(key, usual, "%s is %q: it must be a number from 0 to %d", key, agent.OneLine(v, 80), most)
	}
	return &x, nil
}
