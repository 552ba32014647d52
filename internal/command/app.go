package command

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpapi"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/internal/version"
	"github.com/countersign/countersign/web"
)

// sweepEvery is how often overdue approvals are expired: nobody can decide them
// any more anyway, so it only bounds how long the queue shows them.
const sweepEvery = time.Second

// rollUpEvery is how often what happened is added to the rollups: it bounds how old
// the figures of the insights page are.
const rollUpEvery = 2 * time.Second

// deliverEvery is how often it is looked whether there is something to tell: it bounds how
// long a call takes to leave.
const deliverEvery = time.Second

// watchEvery is how often the server looks at the database's clock, and whether a full disk
// has room again: who can't write for either reason is told of it so long at most.
const watchEvery = 2 * time.Second

// forceEvery is how often the server looks for what has waited long enough; pages promise
// "within a minute".
const forceEvery = time.Minute

// lookEvery is how often trails are looked at of which nobody asks anything: it bounds how long
// one that was put back to an earlier state isn't told of.
const lookEvery = time.Minute

// forgetEvery is how often figures that are older than they are kept are deleted.
const forgetEvery = time.Hour

// closeTimeout bounds a graceful shutdown.
const closeTimeout = 10 * time.Second

// App is the whole server, wired and listening. Serve it, then Close it.
type App struct {
	Approvals *approvals.Service
	Tenants   *tenants.Service
	Notices   *notices.Service
	Store     *store.Store

	keys     *followedKeys
	doors    *auth.Doors
	sealer   *notices.Sealer
	pushKey  *notices.PushKey
	signed   *heads
	now      func() time.Time
	log      *slog.Logger
	url      string
	listener net.Listener
	hub      *live.Hub
	http     *http.Server
	console  *console.Console
	running  sync.WaitGroup
	stop     context.CancelFunc
}

// NewApp opens the database, brings it to the current schema, and listens. From
// here on the URL is known; nothing is answered before Serve.
func NewApp(ctx context.Context, set Settings, srv Serving, log *slog.Logger) (_ *App, err error) {
	if err := errors.Join(set.check(), srv.check()); err != nil {
		return nil, err
	}
	// Listening comes first: a port in use must leave nothing behind.
	listener, err := listen(ctx, srv.Addr)
	if err != nil {
		return nil, err
	}
	keys, err := followKeys(keyFiles{set.DataDir, set.clock()}, log)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	doors, err := openDoors(set.DataDir)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	sealer, err := openNoticeKey(set.DataDir)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	pushKey, err := openPushKey(set.DataDir)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	db, signed, err := openSigned(ctx, set, log)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	a := &App{Store: db, keys: keys, doors: doors, sealer: sealer, pushKey: pushKey, signed: signed, now: set.clock(), log: log, listener: listener, url: srv.publicURL(listener.Addr())}
	if err := a.wire(srv); err != nil {
		return nil, errors.Join(err, listener.Close(), db.Close())
	}
	return a, nil
}

// listen opens the port, or says in one line why it cannot.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fault.Member(fault.InvalidSetting, "COUNTERSIGN_ADDR", "%s is in use; stop the other program or choose another port with --addr", addr)
	}
	if err != nil {
		return nil, fault.Member(fault.InvalidSetting, "COUNTERSIGN_ADDR", "can't listen on %s: %v", addr, err)
	}
	return l, nil
}

// hashing is what a password costs to hash. Nothing in the program changes it; its tests do.
var hashing = auth.RFC9106()

// wire builds everything that stands on the database, in the order in which it
// depends on each other.
func (a *App) wire(srv Serving) error {
	passwords := auth.NewPasswords(runtime.GOMAXPROCS(0), hashing)
	assets, err := web.New()
	if err != nil {
		return err
	}
	a.hub = live.New()
	a.Tenants = tenants.NewService(tenants.Config{Store: a.Store.Tenants(), Passwords: passwords, Doors: a.doors, Log: a.log})
	metrics := httpapi.NewMetrics()
	a.signed.count = metrics.Checkpoint
	a.Approvals = approvals.NewService(approvals.Config{Store: a.Store.Approvals(), Live: a.hub, Signer: a.keys, Issuer: a.URL, Now: a.now, Log: a.log, Meter: metrics, KeepFigures: srv.KeepFigures})
	senders, err := srv.senders(a.pushKey, a.URL)
	if err != nil {
		return err
	}
	a.Notices = notices.NewService(notices.Config{Store: a.Store.Notices(), Senders: senders, Sealer: a.sealer, Base: a.URL, Live: a.hub, Now: a.now, Log: a.log})

	proxies, err := httpserver.ParseProxies(srv.Proxies)
	if err != nil {
		return err
	}
	edge := httpserver.Config{Log: a.log, PublicURL: a.URL, Proxies: proxies, Observe: metrics.Observe, ErrorPage: func(c echo.Context, f *fault.Error, status int) error {
		return a.console.ErrorPage(c, f, status)
	}}
	e := httpserver.New(edge)
	httpapi.Register(e, httpapi.Config{
		Approvals: a.Approvals, Agents: a.Tenants, Trail: remembered{a.Store, a.signed}, JWKS: a.keys.ring.JWKS, PublicURL: a.URL, Version: version.Number(),
		Ready: func(ctx context.Context) error {
			return errors.Join(a.Store.Ready(ctx), a.keys.ring.Ready(), a.signed.refused())
		},
		Metrics: metrics, MetricsToken: srv.MetricsToken, AgentRate: srv.AgentRate, Now: a.now, Log: a.log,
	})
	a.console = console.Register(e, console.Config{
		Approvals: a.Approvals, Tenants: a.Tenants, Audit: a.Store.Audit(), Checkpoints: a.signed, Live: a.hub, Notices: a.Notices, Sessions: a.Store.Sessions(), Doors: a.doors,
		Assets: assets, PublicURL: a.URL, Now: a.now, Log: a.log, Trouble: a.Store.Trouble, NeverLock: srv.demo,
	})
	metrics.Sockets(a.console.Sockets)
	metrics.Silent(a.Tenants.Silent)
	metrics.Pending(a.Approvals.Pending, a.now, a.log)
	handler, err := httpserver.Handler(e, edge)
	if err != nil {
		return err
	}
	a.http = httpserver.NewServer(handler, a.log)
	return nil
}

// URL is how browsers and agents reach the server, without a slash at the end.
func (a *App) URL() string { return a.url }

// Serve answers until ctx ends or Close is called. It returns nil after a
// graceful end.
func (a *App) Serve(ctx context.Context) error {
	ctx, a.stop = context.WithCancel(ctx)
	defer a.stop()
	// Before anything is answered: a trail that isn't what was signed is told of from the start.
	if err := a.Store.LookAtHeads(ctx); err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "the heads of the audit trails can't be read", "error", err)
	}
	a.running.Go(func() { a.every(ctx, sweepEvery, "sweep", a.Approvals.Sweep) })
	a.running.Go(func() { a.every(ctx, forceEvery, "put in force", a.Tenants.PutInForce) })
	a.running.Go(func() { a.every(ctx, forceEvery, "watch gates", a.Tenants.WatchGates) })
	a.running.Go(func() { a.every(ctx, rollUpEvery, "roll-up", a.Approvals.RollUp) })
	a.running.Go(func() { a.every(ctx, watchEvery, "watch the database", a.Store.Ready) })
	a.running.Go(func() { a.every(ctx, forgetEvery, "forget old figures", a.Approvals.ForgetRollups) })
	a.running.Go(func() { a.every(ctx, forgetEvery, "forget old evaluations", a.Approvals.ForgetEvaluations) })
	a.running.Go(func() { a.every(ctx, forgetEvery, "draw the texts of older requests", a.Approvals.DrawTexts) })
	a.running.Go(func() { a.every(ctx, deliverEvery, "deliver notices", a.Notices.Deliver) })
	a.running.Go(func() { a.every(ctx, forgetEvery, "forget old notices", a.Notices.ForgetOld) })
	a.running.Go(func() { a.every(ctx, lookEvery, "look at the heads of trails", a.Store.LookAtHeads) })
	a.running.Go(func() { a.every(ctx, syncEvery, "put the heads of trails on disk", a.signed.sync) })
	a.running.Go(func() { a.Store.Replicate(ctx, a.hub) })
	a.running.Go(func() { a.keys.follow(ctx) })
	a.running.Go(func() { a.every(ctx, keysEvery, "tell of keys", newToldKeys(a).round) })
	a.running.Go(func() { a.Tenants.KeepUsage(ctx) })
	failed := make(chan error, 1)
	a.running.Go(func() { failed <- a.http.Serve(a.listener) })
	select {
	case err := <-failed:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	case <-ctx.Done():
		return nil
	}
}

// every runs a job again and again until ctx ends. Each job is idempotent, so that
// several servers may run it.
func (a *App) every(ctx context.Context, pause time.Duration, name string, job func(context.Context) error) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		if err := job(ctx); err != nil && ctx.Err() == nil {
			a.log.ErrorContext(ctx, "a job failed; trying again", "job", name, "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Close ends gracefully: waiting agents are answered with what there is, open
// requests finish, sockets are told to come back (1012), and then the database
// is closed.
func (a *App) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	a.Approvals.Stop()
	if a.stop != nil {
		a.stop()
	}
	err := errors.Join(a.console.Close(ctx), a.http.Shutdown(ctx))
	a.running.Wait()
	err = errors.Join(err, a.Notices.Close(ctx))
	return errors.Join(err, a.signed.sync(ctx), a.Store.Close())
}
