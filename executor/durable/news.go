package durable

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// news tells waits of this process that there is news of their run: what this process
// wrote at once, what others wrote by LISTEN of PostgreSQL or by one shared look at
// the SQLite file. That there is news is all it tells, and it may tell once too often.
type news struct {
	store *Store

	mu      sync.Mutex
	waiting map[string]map[*listener]bool // by run
	stop    context.CancelFunc            // nil: nobody has waited yet
	ended   chan struct{}
	closed  bool
}

// listener is one wait for news of a run.
type listener struct {
	news *news
	run  string
	told bool          // it is also to hear of events
	c    chan struct{} // closed when there is news, and replaced
}

func newNews(s *Store) *news {
	return &news{store: s, waiting: map[string]map[*listener]bool{}, ended: make(chan struct{})}
}

// listen begins to wait for news of the run.
func (n *news) listen(run string) *listener {
	return n.add(&listener{news: n, run: run, c: make(chan struct{})})
}

// follow begins to wait for events of the run as well.
func (n *news) follow(run string) *listener {
	return n.add(&listener{news: n, run: run, told: true, c: make(chan struct{})})
}

func (n *news) add(l *listener) *listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stop == nil && !n.closed {
		n.start()
	}
	if n.waiting[l.run] == nil {
		n.waiting[l.run] = map[*listener]bool{}
	}
	n.waiting[l.run][l] = true
	return l
}

// woken gives a channel that is closed at the next news. Who asks for it first and
// then looks misses nothing.
func (l *listener) woken() <-chan struct{} {
	l.news.mu.Lock()
	defer l.news.mu.Unlock()
	return l.c
}

// stop ends the wait.
func (l *listener) stop() {
	n := l.news
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.waiting[l.run], l)
	if len(n.waiting[l.run]) == 0 {
		delete(n.waiting, l.run)
	}
}

func (l *listener) wake() {
	close(l.c)
	l.c = make(chan struct{})
}

// start begins to listen to other processes. It waits a little for that to work: else
// all are woken once it does.
func (n *news) start() {
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	from, ready := n.listenOn, make(chan struct{})
	if n.store.db.lite != nil {
		from = n.watch
	}
	go func() {
		defer close(n.ended)
		from(ctx, sync.OnceFunc(func() { close(ready) }))
	}()
	select {
	case <-ready:
	case <-time.After(time.Second):
	}
}

// wake tells who waits for the run.
func (n *news) wake(run string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.waiting[run] {
		l.wake()
	}
}

// tell tells who follows the run that there are events of it.
func (n *news) tell(run string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.waiting[run] {
		if l.told {
			l.wake()
		}
	}
}

// wakeAll tells everybody: news may have been missed.
func (n *news) wakeAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, all := range n.waiting {
		for l := range all {
			l.wake()
		}
	}
}

func (n *news) close() {
	n.mu.Lock()
	stop := n.stop
	n.closed = true
	n.mu.Unlock()
	if stop != nil {
		stop()
		<-n.ended
	}
}

// newsChannel is where PostgreSQL tells of news.
const newsChannel = "weft_news"

// announce makes it known to other processes, once the transaction is committed, that
// there is news of a run. In this process wake does it.
func (s *Store) announce(ctx context.Context, c conn, run string) error {
	if s.db.lite != nil {
		_, err := c.exec(ctx, "INSERT INTO weft_news (at, node, topic) VALUES ("+s.db.clock()+", $1, $2)", s.node, run)
		return err
	}
	_, err := c.exec(ctx, "SELECT pg_notify('"+newsChannel+"', $1)", s.node+" "+run)
	return err
}

// watch looks at the SQLite file for what other processes announced.
func (n *news) watch(ctx context.Context, ready func()) {
	last := int64(-1)
	tick := time.NewTicker(n.store.poll)
	defer tick.Stop()
	for n.look(ctx, &last); ; n.look(ctx, &last) {
		if last >= 0 {
			ready()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look wakes those about whose runs there is news behind the last that was seen. The
// first look only finds out which that is.
func (n *news) look(ctx context.Context, last *int64) {
	db := n.store.db
	if *last < 0 {
		var from int64
		if _, err := one(ctx, db, "SELECT coalesce(max(id), 0) FROM weft_news", nil, &from); err == nil {
			*last = from
		}
		return
	}
	var topics []string
	err := db.each(ctx, "SELECT id, node, topic FROM weft_news WHERE id > $1 ORDER BY id", []any{*last}, func(r row) error {
		var node, topic string
		err := r.Scan(last, &node, &topic)
		if node != n.store.node {
			topics = append(topics, topic)
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		n.store.log.Warn("look for news of runs", "error", err)
	}
	for _, topic := range topics {
		n.wake(topic)
	}
}

// listenOn listens to PostgreSQL on a connection of its own, and again where that
// breaks.
func (n *news) listenOn(ctx context.Context, ready func()) {
	const shortest, longest = 50 * time.Millisecond, 5 * time.Second
	for first, pause := true, shortest; ctx.Err() == nil; first, pause = false, min(2*pause, longest) {
		began := time.Now()
		err := n.listenOnce(ctx, func() {
			ready()
			if !first || time.Since(began) > time.Second {
				n.wakeAll() // of what was announced while nobody listened
			}
		})
		if err != nil && ctx.Err() == nil {
			n.store.log.Warn("listen for news of runs", "error", err)
		}
		if time.Since(began) > longest {
			pause = shortest
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (n *news) listenOnce(ctx context.Context, listening func()) error {
	connection, err := pgx.ConnectConfig(ctx, n.store.db.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(context.WithoutCancel(ctx)) }() // it only listened
	if _, err := connection.Exec(ctx, "LISTEN "+newsChannel); err != nil {
		return err
	}
	listening()
	for {
		told, err := connection.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if node, run, _ := strings.Cut(told.Payload, " "); node != n.store.node {
			n.wake(run)
		}
	}
}
