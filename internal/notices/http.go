package notices

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/outbound"
)

// agentName is what receivers see of us.
const agentName = "Countersign-Notices/1"

// post sends JSON once. What is no 2xx is a Failure.
func post(ctx context.Context, client *outbound.Client, to string, header http.Header, body []byte, now time.Time) error {
	header.Set("Content-Type", "application/json")
	status, back, err := call(ctx, client, to, header, body)
	if err != nil {
		return err
	}
	return answered(status, back, now)
}

// call posts a body once and returns the answer. That there was none is a Failure.
func call(ctx context.Context, client *outbound.Client, to string, header http.Header, body []byte) (status int, back http.Header, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return 0, nil, &Failure{Text: "the channel's address can't be called", Final: true}
	}
	r.Header = header
	r.Header.Set("User-Agent", agentName)
	status, back, _, err = client.Do(r)
	if status == 0 {
		return 0, nil, unsent(err)
	}
	return status, back, nil
}

// answered is the Failure of a status: what Standard Webhooks 1.0.0 says of each ("Delivery
// success and failure"), or nil.
func answered(status int, header http.Header, now time.Time) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusGone:
		return &Failure{Text: "the receiver answered 410 Gone: it wants no more notices", Gone: true, Final: true}
	case status >= 300 && status < 400:
		return &Failure{Text: fmt.Sprintf("the receiver answered %d, a redirect, which isn't followed", status)}
	}
	return &Failure{Text: fmt.Sprintf("the receiver answered %d", status), RetryAfter: retryAfter(header.Get("Retry-After"), now)}
}

// retryAfter reads seconds or a date; 0 where it is neither.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return min(time.Duration(min(n, int(mostAsked/time.Second)))*time.Second, mostAsked)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), mostAsked)
	}
	return 0
}

// unsent says why there was no answer, without the address: it can be a secret.
func unsent(err error) error {
	var name *net.DNSError
	var timeout net.Error
	switch {
	case outbound.Refused(err):
		return &Failure{Text: "not called: " + innermost(err).Error()}
	case errors.As(err, &name):
		return &Failure{Text: "the receiver's name couldn't be resolved"}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Failure{Text: fmt.Sprintf("the receiver didn't answer within %s", SendFor)}
	case errors.Is(err, context.Canceled):
		return &Failure{Text: "the server stopped before the receiver answered"}
	}
	return &Failure{Text: "the receiver couldn't be called: " + innermost(err).Error()}
}

// innermost is the cause of an error, which names no address.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// hostOf is what is shown of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
