package httpserver

import (
	"net/http"

	"github.com/countersign/countersign/internal/fault"
)

type answer struct {
	status int
	title  string
}

// answers is the one table code → status and title. A test holds it against
// fault.Codes.
var answers = map[fault.Code]answer{
	fault.MalformedJSON:     {http.StatusBadRequest, "The body is not strict JSON"},
	fault.InvalidMember:     {http.StatusUnprocessableEntity, "A member of the body is not acceptable"},
	fault.InvalidParameter:  {http.StatusUnprocessableEntity, "A parameter is not acceptable"},
	fault.IdempotencyReused: {http.StatusUnprocessableEntity, "The idempotency key was used with another body"},
	fault.InvalidForm:       {http.StatusUnprocessableEntity, "A form field is not acceptable"},
	fault.BodyTooLarge:      {http.StatusRequestEntityTooLarge, "The body is too large"},
	fault.UnsupportedMedia:  {http.StatusUnsupportedMediaType, "The body's type or encoding is not supported"},
	fault.MethodNotAllowed:  {http.StatusMethodNotAllowed, "The method is not allowed here"},
	fault.Misdirected:       {http.StatusMisdirectedRequest, "This server does not answer to that host"},
	fault.Unauthorized:      {http.StatusUnauthorized, "No valid credential"},
	fault.SignInFailed:      {http.StatusUnauthorized, "Sign-in failed"},
	fault.Denied:            {http.StatusForbidden, "Not allowed"},
	fault.CrossSite:         {http.StatusForbidden, "The request came from another site"},
	fault.NotEligible:       {http.StatusForbidden, "Somebody else must decide this"},
	fault.WrongPassword:     {http.StatusForbidden, "That is not the password"},
	fault.WrongAnswer:       {http.StatusForbidden, "The challenge was not passed"},
	fault.StaleSignIn:       {http.StatusForbidden, "Sign in again"},
	fault.LockedOut:         {http.StatusForbidden, "No attempts left"},
	fault.AgentsStopped:     {http.StatusForbidden, "An admin stopped the agents"},
	fault.Missing:           {http.StatusNotFound, "Not found"},
	fault.AlreadyExists:     {http.StatusConflict, "It exists already"},
	fault.AlreadyDecided:    {http.StatusConflict, "The approval is already decided"},
	fault.Changed:           {http.StatusConflict, "The approval has changed"},
	fault.StricterNow:       {http.StatusConflict, "The current policy is stricter"},
	fault.InProgress:        {http.StatusConflict, "The same call is still running"},
	fault.NotApproved:       {http.StatusConflict, "The approval is not approved"},
	fault.AlreadyConsumed:   {http.StatusConflict, "The grant was already consumed"},
	fault.DigestMismatch:    {http.StatusConflict, "The digest is not the approved one"},
	fault.GrantExpired:      {http.StatusConflict, "The grant has expired"},
	fault.GrantVoid:         {http.StatusConflict, "The grant is void"},
	fault.NotEditable:       {http.StatusConflict, "The arguments cannot be edited"},
	fault.LastAdmin:         {http.StatusConflict, "An organisation keeps one admin"},
	fault.NotConsumed:       {http.StatusConflict, "The grant was not consumed"},
	fault.AlreadyReported:   {http.StatusConflict, "The result was already reported"},
	fault.ChallengeRequired: {http.StatusConflict, "A challenge must be passed first"},
	fault.Expired:           {http.StatusGone, "The approval has expired"},
	fault.TooEarly:          {http.StatusTooEarly, "The review time has not passed"},
	fault.Unread:            {http.StatusTooEarly, "Not every section was acknowledged"},
	fault.RateLimited:       {http.StatusTooManyRequests, "Too many requests"},
	fault.NotReady:          {http.StatusServiceUnavailable, "Not available at the moment"},
	fault.ClockBack:         {http.StatusServiceUnavailable, "The server's clock was set back"},
	// A setting is refused before the server starts; should one come up later, it is not the caller's doing.
	fault.InvalidSetting: {http.StatusInternalServerError, "Something went wrong"},
	fault.Unexpected:     {http.StatusInternalServerError, "Something went wrong"},
}

// Status is the HTTP status of a code; an unknown one is our bug.
func Status(code fault.Code) int {
	if a, ok := answers[code]; ok {
		return a.status
	}
	return http.StatusInternalServerError
}

// Title is the short text that is the same for every problem of a code.
func Title(code fault.Code) string {
	if a, ok := answers[code]; ok {
		return a.title
	}
	return answers[fault.Unexpected].title
}
