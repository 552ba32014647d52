package httpserver

import (
	"net/http"

	"github.com/countersign/countersign/internal/fault"
)

type answer struct {
	status int
	title  fault.Text
}

// answers is the one table code → status and title. A test holds it against
// fault.Codes.
var answers = map[fault.Code]answer{
	fault.MalformedJSON:     {http.StatusBadRequest, fault.Textf("The body isn't strict JSON")},
	fault.InvalidMember:     {http.StatusUnprocessableEntity, fault.Textf("A member of the body isn't acceptable")},
	fault.SecretInName:      {http.StatusUnprocessableEntity, fault.Textf("A name or an id holds a secret")},
	fault.InvalidParameter:  {http.StatusUnprocessableEntity, fault.Textf("A parameter isn't acceptable")},
	fault.IdempotencyReused: {http.StatusUnprocessableEntity, fault.Textf("The idempotency key was used with another body")},
	fault.InvalidForm:       {http.StatusUnprocessableEntity, fault.Textf("A form field isn't acceptable")},
	fault.BodyTooLarge:      {http.StatusRequestEntityTooLarge, fault.Textf("The body is too large")},
	fault.UnsupportedMedia:  {http.StatusUnsupportedMediaType, fault.Textf("The body's type or encoding isn't supported")},
	fault.MethodNotAllowed:  {http.StatusMethodNotAllowed, fault.Textf("The method isn't allowed here")},
	fault.Misdirected:       {http.StatusMisdirectedRequest, fault.Textf("This server doesn't answer to that host")},
	fault.Unauthorized:      {http.StatusUnauthorized, fault.Textf("No valid credential")},
	fault.SignInFailed:      {http.StatusUnauthorized, fault.Textf("Sign-in failed")},
	fault.Denied:            {http.StatusForbidden, fault.Textf("Not allowed")},
	fault.CrossSite:         {http.StatusForbidden, fault.Textf("The request came from another site")},
	fault.NotEligible:       {http.StatusForbidden, fault.Textf("Someone else must decide this")},
	fault.WrongPassword:     {http.StatusForbidden, fault.Textf("That isn't the password")},
	fault.WrongAnswer:       {http.StatusForbidden, fault.Textf("The challenge wasn't passed")},
	fault.StaleSignIn:       {http.StatusForbidden, fault.Textf("Sign in again")},
	fault.LockedOut:         {http.StatusForbidden, fault.Textf("No attempts left")},
	fault.AgentsStopped:     {http.StatusForbidden, fault.Textf("An admin stopped the agents")},
	fault.Missing:           {http.StatusNotFound, fault.Textf("Not found")},
	fault.AlreadyExists:     {http.StatusConflict, fault.Textf("It already exists")},
	fault.AlreadyDecided:    {http.StatusConflict, fault.Textf("The approval is already decided")},
	fault.Changed:           {http.StatusConflict, fault.Textf("The approval has changed")},
	fault.StricterNow:       {http.StatusConflict, fault.Textf("Treated more strictly now")},
	fault.InProgress:        {http.StatusConflict, fault.Textf("The same call is still running")},
	fault.NotApproved:       {http.StatusConflict, fault.Textf("The approval isn't approved")},
	fault.AlreadyConsumed:   {http.StatusConflict, fault.Textf("The grant was already consumed")},
	fault.DigestMismatch:    {http.StatusConflict, fault.Textf("The digest isn't the approved one")},
	fault.GrantExpired:      {http.StatusConflict, fault.Textf("The grant has expired")},
	fault.GrantVoid:         {http.StatusConflict, fault.Textf("The grant is void")},
	fault.GrantUnproven:     {http.StatusConflict, fault.Textf("The grant can't be proven")},
	fault.NotEditable:       {http.StatusConflict, fault.Textf("The arguments can't be edited")},
	fault.LastAdmin:         {http.StatusConflict, fault.Textf("An organisation keeps one admin")},
	fault.NotConsumed:       {http.StatusConflict, fault.Textf("The grant wasn't consumed")},
	fault.AlreadyReported:   {http.StatusConflict, fault.Textf("The result was already reported")},
	fault.ChallengeRequired: {http.StatusConflict, fault.Textf("A challenge must be passed first")},
	fault.Expired:           {http.StatusGone, fault.Textf("The approval has expired")},
	fault.TooEarly:          {http.StatusTooEarly, fault.Textf("The review time hasn't passed")},
	fault.Unread:            {http.StatusTooEarly, fault.Textf("Not every section was acknowledged")},
	fault.RateLimited:       {http.StatusTooManyRequests, fault.Textf("Too many requests")},
	fault.NotReady:          {http.StatusServiceUnavailable, fault.Textf("Not available at the moment")},
	fault.ClockBack:         {http.StatusServiceUnavailable, fault.Textf("The server's clock was set back")},
	fault.ClockAhead:        {http.StatusServiceUnavailable, fault.Textf("The server's clock jumped ahead")},
	// A setting is refused before the server starts; should one come up later, it is not the caller's doing.
	fault.InvalidSetting: {http.StatusInternalServerError, fault.Textf("Something went wrong")},
	fault.Unexpected:     {http.StatusInternalServerError, fault.Textf("Something went wrong")},
}

// Status is the HTTP status of a code; an unknown one is our bug.
func Status(code fault.Code) int {
	if a, ok := answers[code]; ok {
		return a.status
	}
	return http.StatusInternalServerError
}

// Title is the short text that is the same for every problem of a code.
func Title(code fault.Code) string { return TitleText(code).String() }

// TitleText is Title, to be said in the language of a reader.
func TitleText(code fault.Code) fault.Text {
	if a, ok := answers[code]; ok {
		return a.title
	}
	return answers[fault.Unexpected].title
}
