package httpcall

import (
	"net/http"
	"sync"
	"time"
)

const (
	// idleLimit is how long a connection is kept for the next request. Servers
	// close idle connections after a few seconds, unannounced; what is written onto
	// one at that moment may or may not have arrived. Above it a new connection is
	// the cheaper price.
	idleLimit = time.Second
	// idleMost is how many idle connections are kept to one origin: as many as there
	// may well be runs at once, since each that is closed must be opened again.
	idleMost = 256
)

// connection is one connection that carries one exchange at a time.
type connection struct {
	origin string
	http   *http.ClientConn
	link   *link
	reused bool
	since  time.Time // idle since
}

// usable tells whether another request can be sent.
func (c *connection) usable() bool { return c.http.Err() == nil && c.http.Available() > 0 }

func (c *connection) close() {
	// The connection is given up; there is nobody to tell of an error.
	_ = c.http.Close()
}

// pool holds idle connections by origin, the one used last at the end.
type pool struct {
	mu     sync.Mutex
	idle   map[string][]*connection
	closed bool
}

// take gives the connection that was used last, or nil where there is none that
// can be expected to live.
func (p *pool) take(origin string) *connection {
	now := time.Now()
	for {
		c := p.pop(origin)
		if c == nil {
			return nil
		}
		if now.Sub(c.since) < idleLimit && c.usable() {
			c.reused = true
			return c
		}
		c.close()
	}
}

func (p *pool) pop(origin string) *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[origin]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	p.idle[origin] = list[:len(list)-1]
	return c
}

// put keeps a connection whose exchange is over.
func (p *pool) put(c *connection) {
	c.since = time.Now()
	surplus := p.sweep(c.since)
	if !c.usable() || !p.keep(c) {
		surplus = append(surplus, c)
	}
	for _, c := range surplus {
		c.close()
	}
}

func (p *pool) keep(c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle[c.origin]) >= idleMost {
		return false
	}
	if p.idle == nil {
		p.idle = make(map[string][]*connection)
	}
	p.idle[c.origin] = append(p.idle[c.origin], c)
	return true
}

// sweep takes out what has been idle for too long. The oldest stand first.
func (p *pool) sweep(now time.Time) []*connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	var old []*connection
	for origin, list := range p.idle {
		n := 0
		for n < len(list) && now.Sub(list[n].since) >= idleLimit {
			n++
		}
		if n == 0 {
			continue
		}
		old = append(old, list[:n]...)
		if p.idle[origin] = list[n:]; n == len(list) {
			delete(p.idle, origin)
		}
	}
	return old
}

// close closes what is idle now and whatever comes back later.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, list := range idle {
		for _, c := range list {
			c.close()
		}
	}
}
