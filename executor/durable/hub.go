package durable

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// hub tells waits of this process that there is news of their run: what this process
// wrote at once, what others wrote by LISTEN of PostgreSQL or by one shared look at
// the SQLite file. That there is news is all it tells, and it may tell once too often.
type hub struct {
	store *Store

	mu      sync.Mutex
	waiting map[string]map[chan struct{}]bool // by run
	stop    context.CancelFunc                // nil: nobody has waited yet
	ended   chan struct{}
	closed  bool
}

func newHub(s *Store) *hub {
	return &hub{store: s, waiting: map[string]map[chan struct{}]bool{}, ended: make(chan struct{})}
}

// listen gives a channel that has an element when there is news of the run since.
func (h *hub) listen(run string) (news <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop == nil && !h.closed {
		h.start()
	}
	if h.waiting[run] == nil {
		h.waiting[run] = map[chan struct{}]bool{}
	}
	h.waiting[run][c] = true
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.waiting[run], c)
		if len(h.waiting[run]) == 0 {
			delete(h.waiting, run)
		}
	}
}

// start begins to listen to other processes. Until it does, nothing is missed: who
// waits looks first.
func (h *hub) start() {
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	from, done := h.follow, make(chan struct{})
	if h.store.db.lite != nil {
		from = h.watch
	}
	go func() {
		defer close(h.ended)
		from(ctx, done)
	}()
	<-done
}

// wake tells who waits for the run.
func (h *hub) wake(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.waiting[run] {
		poke(c)
	}
}

// wakeAll tells everybody: news may have been missed.
func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, all := range h.waiting {
		for c := range all {
			poke(c)
		}
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has one
	}
}

func (h *hub) close() {
	h.mu.Lock()
	stop := h.stop
	h.closed = true
	h.mu.Unlock()
	if stop != nil {
		stop()
		<-h.ended
	}
}

// channel is where PostgreSQL tells of news.
const channel = "weft_news"

// announce makes it known, once the transaction is committed, that there is news of
// a run. In this process wake does it.
func (d *database) announce(ctx context.Context, c conn, run string) error {
	if d.lite != nil {
		_, err := c.exec(ctx, "INSERT INTO weft_news (at, topic) VALUES ("+d.clock()+", $1)", run)
		return err
	}
	_, err := c.exec(ctx, "SELECT pg_notify('"+channel+"', $1)", run)
	return err
}

// watch looks at the SQLite file for what other processes announced.
func (h *hub) watch(ctx context.Context, ready chan<- struct{}) {
	db, last := h.store.db, int64(-1)
	look := func() {
		if last < 0 {
			var from int64
			if _, err := one(ctx, db, "SELECT coalesce(max(id), 0) FROM weft_news", nil, &from); err == nil {
				last = from
				h.wakeAll()
			}
			return
		}
		var topics []string
		err := db.each(ctx, "SELECT id, topic FROM weft_news WHERE id > $1 ORDER BY id", []any{last}, func(r row) error {
			topics = append(topics, "")
			return r.Scan(&last, &topics[len(topics)-1])
		})
		if err != nil && ctx.Err() == nil {
			h.store.log.Warn("look for news of runs", "error", err)
		}
		for _, topic := range topics {
			h.wake(topic)
		}
	}
	close(ready)
	tick := time.NewTicker(h.store.poll)
	defer tick.Stop()
	for look(); ; look() {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// follow listens to PostgreSQL on a connection of its own, and again where that
// breaks.
func (h *hub) follow(ctx context.Context, ready chan<- struct{}) {
	close(ready)
	const longest = 5 * time.Second
	for pause := 50 * time.Millisecond; ctx.Err() == nil; pause = min(2*pause, longest) {
		began := time.Now()
		if err := h.listenOnce(ctx); err != nil && ctx.Err() == nil {
			h.store.log.Warn("listen for news of runs", "error", err)
		}
		if time.Since(began) > longest {
			pause = 50 * time.Millisecond
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (h *hub) listenOnce(ctx context.Context) error {
	connection, err := pgx.ConnectConfig(ctx, h.store.db.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(context.WithoutCancel(ctx)) }() // it only listened
	if _, err := connection.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	h.wakeAll() // what was announced while nobody listened
	for {
		news, err := connection.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		h.wake(news.Payload)
	}
}
