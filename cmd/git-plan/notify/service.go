package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/url"
	"slices"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/slack"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/email/smtp"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/gotify"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushover"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/specialized/generic"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// services are those of shoutrrr that people are most likely to have, by the schemes of its
// addresses. Each that is linked costs every start of the program.
var services = map[string]func() types.Service{
	"discord":  func() types.Service { return &discord.Service{} },
	"generic":  func() types.Service { return &generic.Service{} },
	"gotify":   func() types.Service { return &gotify.Service{} },
	"ntfy":     func() types.Service { return &ntfy.Service{} },
	"pushover": func() types.Service { return &pushover.Service{} },
	"slack":    func() types.Service { return &slack.Service{} },
	"smtp":     func() types.Service { return &smtp.Service{} },
	"telegram": func() types.Service { return &telegram.Service{} },
}

// Check returns why nothing can be sent to a target; nil if its form is right.
func Check(target string) error {
	if command, ok := strings.CutPrefix(target, "!"); ok {
		if strings.TrimSpace(command) == "" {
			return errors.New("there is no command after the !")
		}
		return nil
	}
	_, err := open(target)
	return err
}

func open(target string) (types.Service, error) {
	at, err := url.Parse(target)
	if err != nil || at.Scheme == "" {
		return nil, errors.New("must be the address of a service, as ntfy://ntfy.sh/TOPIC, or ! and a command")
	}
	scheme, _, _ := strings.Cut(at.Scheme, "+") // generic+https
	make, ok := services[scheme]
	if !ok {
		var known []string
		for name := range services {
			known = append(known, name)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("unknown service; use %s, or ! and a command", strings.Join(known, ", "))
	}
	s := make()
	if custom, ok := s.(interface {
		GetConfigURLFromCustom(*url.URL) (*url.URL, error)
	}); ok && scheme != at.Scheme {
		if at, err = custom.GetConfigURLFromCustom(at); err != nil {
			return nil, masked(err, target)
		}
	}
	if err := s.Initialize(at, log.New(io.Discard, "", 0)); err != nil {
		return nil, masked(err, target)
	}
	return s, nil
}

// post sends a message to a service.
func post(ctx context.Context, target string, m Message) error {
	s, err := open(target)
	if err != nil {
		return err
	}
	params := types.Params{}
	params.SetTitle(m.Title)
	if _, ok := s.(*smtp.Service); ok {
		params = types.Params{"subject": m.Title}
	}
	sent := make(chan error, 1)
	go func() { sent <- s.Send(m.Text, &params) }() // shoutrrr takes no context
	select {
	case err = <-sent:
		return masked(err, target)
	case <-ctx.Done():
		return errors.New("it did not answer in time")
	}
}

// masked returns an error without what an address holds: tokens stand in any part of one.
func masked(err error, target string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	parts := strings.FieldsFunc(target, func(r rune) bool { return strings.ContainsRune(":/?&=@#", r) })
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	for _, part := range parts[:] {
		plain, _ := url.QueryUnescape(part)
		for _, secret := range []string{part, plain} {
			if len(secret) >= 4 && services[secret] == nil {
				text = strings.ReplaceAll(text, secret, "***")
			}
		}
	}
	return errors.New(text)
}
