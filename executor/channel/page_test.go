package channel_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/weft-flow/weft/executor/channel"
)

// TestThePageTellsTheLimits holds docs/messages.md to what is in force.
func TestThePageTellsTheLimits(t *testing.T) {
	page, err := os.ReadFile("../../docs/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	l := channel.DefaultLimits(channel.Limits{})
	if l.Keep.Hours() != 24 {
		t.Errorf("the page says a day, it is %v", l.Keep)
	}
	number := message.NewPrinter(language.English).Sprint
	for subject, want := range map[string][]string{
		"messages of a run":   {number(l.Mailbox) + " unread"},
		"identities of a run": {number(l.Inbox)},
		"unmatched messages":  {number(l.Unmatched), fmt.Sprint(l.UnmatchedBytes>>20, " MiB")},
		"ended runs":          {number(l.Ended) + " runs", number(l.EndedIdentities) + " identities"},
		"late messages":       {number(l.Late), fmt.Sprint(l.LateBytes>>20, " MiB")},
	} {
		_, row, found := strings.Cut(string(page), "| "+subject+" |")
		row, _, _ = strings.Cut(row, "\n")
		for _, text := range want {
			if !found || !strings.Contains(row, text) {
				t.Errorf("the page says of %s %q, want %q", subject, row, text)
			}
		}
	}
}
