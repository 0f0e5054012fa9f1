package report

import (
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// maxKept is how much of the bodies, header fields and values of runs a report keeps
// until it is written, in bytes. A loop against a server with large answers would
// otherwise take all memory that there is.
const maxKept = 64 << 20

// room is what is left of that; its zero value is all of it.
type room struct {
	taken int
}

// take gives the detail as it is while there is room for it; afterwards, and then
// shortened is true, without what can be large.
func (r *room) take(d executor.Detail) (kept executor.Detail, shortened bool) {
	size := sizeOf(d)
	if r.taken+size <= maxKept {
		r.taken += size
		return d, false
	}
	return shorten(d), true
}

func sizeOf(d executor.Detail) int {
	switch d := d.(type) {
	case executor.AttemptFinished:
		size := len(d.Sent.Body) + sizeOfHeader(d.Sent.Header)
		if d.Response != nil {
			size += len(d.Response.Body) + sizeOfHeader(d.Response.Header)
		}
		for _, r := range d.Redirects {
			size += len(r.Next.URL) + sizeOfHeader(r.Response.Header) + sizeOfHeader(r.Next.Header)
		}
		return size
	case executor.MessageReceived:
		return len(d.Body) + sizeOfHeader(d.Header)
	case executor.WorkflowStarted:
		return d.Inputs.Size(maxKept)
	case executor.StepFinished:
		return d.Outputs.Size(maxKept)
	case executor.WorkflowFinished:
		return d.Outputs.Size(maxKept)
	default:
		return 0
	}
}

func sizeOfHeader(h executor.Header) int {
	size := 0
	for name, values := range h {
		for _, text := range values {
			size += len(name) + len(text)
		}
	}
	return size
}

func shorten(d executor.Detail) executor.Detail {
	switch d := d.(type) {
	case executor.AttemptFinished:
		d.Sent.Body, d.Sent.Header = nil, nil
		if d.Response != nil {
			d.Response = &executor.Response{Status: d.Response.Status, Protocol: d.Response.Protocol}
		}
		d.Redirects = nil
		return d
	case executor.MessageReceived:
		d.Header, d.Body = nil, nil
		return d
	case executor.WorkflowStarted:
		d.Inputs = value.Absent
		return d
	case executor.StepFinished:
		d.Outputs = value.Absent
		return d
	case executor.WorkflowFinished:
		d.Outputs = value.Absent
		return d
	default:
		return d
	}
}
