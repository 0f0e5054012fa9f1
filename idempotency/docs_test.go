package idempotency

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the generated tables into docs/idempotency.md")

const document = "../docs/idempotency.md"

// TestStatement13TheTableOfTheDocumentationIsTheDecision holds the tables of the
// documentation to what the code does: they are made by asking it.
func TestStatement13TheTableOfTheDocumentationIsTheDecision(t *testing.T) {
	holdTable(t, "decisions", decisionTable())
}

func TestStatement04TheTableOfTheDocumentationHasTheDialects(t *testing.T) {
	holdTable(t, "dialects", dialectTable())
}

func TestStatement09TheTableOfTheDocumentationHasTheStatuses(t *testing.T) {
	holdTable(t, "classes", classTable())
}

func holdTable(t *testing.T, name, want string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := fmt.Sprintf("<!-- begin %s -->\n", name), fmt.Sprintf("<!-- end %s -->", name)
	before, rest, found := strings.Cut(string(text), begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table %q", document, name)
	}
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("the table %q of %s is not what the code does; go test -update writes it:\n%s", name, document, want)
	}
	if err := os.WriteFile(document, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(head)
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---"
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// decisionTable asks Decide for each kind of operation and each class of the last
// attempt. The class of the operation is that of the attempt where nothing else is
// said.
func decisionTable() string {
	kinds := []struct {
		name    string
		s       Situation
		earlier Class
	}{
		{"no effect of its own", Situation{}, ""},
		{"under a key contract", Situation{Effectful: true, Contract: true}, ""},
		{"the same, the key older than it is kept", Situation{Effectful: true, Contract: true, Age: 25 * time.Hour, Retention: 24 * time.Hour}, ""},
		{"unsafe to repeat", Situation{Effectful: true}, ""},
		{"the same, an earlier attempt unknown", Situation{Effectful: true}, Unknown},
		{"the same, an earlier attempt succeeded", Situation{Effectful: true}, Succeeded},
		{"unsafe to repeat, and allowed by the user", Situation{Effectful: true, Allowed: true}, ""},
	}
	head := []string{"The operation"}
	for _, class := range allClasses {
		head = append(head, fmt.Sprintf("`%s`", class))
	}
	var rows [][]string
	for _, kind := range kinds {
		row := []string{kind.name}
		for _, class := range allClasses {
			s := kind.s
			s.Limit, s.Attempt, s.Operation = 1, class, class
			if kind.earlier != "" {
				s.Operation = kind.earlier
			}
			d := Decide(s)
			cell := string(d.Verdict)
			if d.Unsafe {
				cell += ", told as unsafe"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return table(head, rows)
}

func dialectTable() string {
	var rows [][]string
	for _, d := range Dialects() {
		length, kept := "", ""
		if d.MaxLength > 0 {
			length = fmt.Sprint(d.MaxLength)
		}
		if d.Retention > 0 {
			kept = strings.TrimSuffix(strings.TrimSuffix(d.Retention.String(), "0s"), "0m")
		}
		header := "`" + d.Header + "`"
		if d.FirstSent != "" {
			header += " and `" + d.FirstSent + "`"
		}
		rows = append(rows, []string{"`" + d.Name + "`", header, string(d.Format), length, kept, string(d.Kept), statusWords(d.Statuses)})
	}
	return table([]string{"Name", "Header", "Format", "Most bytes", "Kept at least", "Answers kept", "Statuses about the key"}, rows)
}

func statusWords(s Statuses) string {
	var words []string
	for _, known := range []struct {
		status int
		what   string
	}{{s.Missing, "missing or not valid"}, {s.InFlight, "in flight"}, {s.Mismatch, "other payload"}, {s.TooOld, "too old"}} {
		if known.status != 0 {
			words = append(words, fmt.Sprint(known.status, " ", known.what))
		}
	}
	return strings.Join(words, ", ")
}

// classTable asks Classify for each status, and lists those of one class together.
func classTable() string {
	classOf := func(status int) Class {
		class, _ := Classify(Observation{Written: true, Complete: true, Status: status})
		return class
	}
	var rows [][]string
	for _, class := range allClasses {
		var statuses []string
		for hundred := 200; hundred < 600; hundred += 100 {
			usual := classOf(hundred + 99) // a status that nobody gave a meaning
			if usual == class {
				statuses = append(statuses, fmt.Sprintf("%dxx in general", hundred/100))
				continue
			}
			for status := hundred; status < hundred+100; status++ {
				if classOf(status) == class {
					statuses = append(statuses, fmt.Sprint(status))
				}
			}
		}
		rows = append(rows, []string{"`" + string(class) + "`", strings.Join(statuses, ", "), classWords[class]})
	}
	return table([]string{"Class", "Statuses of a complete response", "Also"}, rows)
}

var classWords = map[Class]string{
	NotSent:      "no byte of the request left: no such host, no connection, TLS failed",
	NotProcessed: "HTTP/2 REFUSED_STREAM, or GOAWAY with a lower last stream",
	Rejected:     "",
	Deferred:     "503 with `Retry-After`; 409 to a key where the problem or the profile says that it is in flight",
	Succeeded:    "whatever follows a 303 that was followed",
	Unknown:      "no complete response after bytes left, or may have left",
}
