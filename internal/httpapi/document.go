package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/toollist"
)

// The OpenAPI 3.1 document: what huma cannot read off the handlers.

const keyScheme = "agentKey"

func newDocument() *huma.OpenAPI {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[problem](), reflect.TypeFor[httpserver.Problem]())
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title:   "Countersign",
			Version: "1",
			Description: "Agents submit gated actions, wait for a person or the policy to decide, spend the grant once and report the outcome. " +
				"Refusals are problem documents (RFC 9457); `type` is stable. Times are RFC 3339 in UTC.",
			License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Components: &huma.Components{
			Schemas: schemas,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				keyScheme: {Type: "http", Scheme: "bearer", Description: "The agent's API key: csk_{tenant}_{secret}."},
			},
		},
	}
}

// text is what the document says about one operation.
type text struct {
	id, summary, description string
	status                   int          // of success
	scope                    auth.Scope   // ScopeSubmit where empty
	refusals                 []fault.Code // besides those that every operation has
}

var (
	submitText = text{
		id: "submit", summary: "Submit an action", status: http.StatusCreated,
		refusals:    []fault.Code{fault.SecretInName, fault.IdempotencyReused, fault.InProgress, fault.GrantUnproven},
		description: "Scores the action and stores it: approved or blocked by the policy, or pending until a person decides. With `wait` the answer is held back until the status is final.",
	}
	listText = text{
		id: "list", summary: "List this agent's approvals", status: http.StatusOK,
		description: "Newest first. Unknown query parameters are refused.",
	}
	getText = text{
		id: "get", summary: "Read an approval", status: http.StatusOK, refusals: []fault.Code{fault.Missing},
		description: "With `wait` the answer is held back until the status is final, or someone asks the agent something meanwhile. Another agent's approval answers 404.",
	}
	cancelText = text{
		id: "cancel", summary: "Cancel a pending approval", status: http.StatusOK,
		refusals:    []fault.Code{fault.Missing, fault.AlreadyDecided, fault.Changed, fault.Expired},
		description: "The body is empty or {}.",
	}
	consumeText = text{
		id: "consume", summary: "Consume the grant", status: http.StatusOK,
		refusals:    []fault.Code{fault.SecretInName, fault.Missing, fault.NotApproved, fault.AlreadyConsumed, fault.DigestMismatch, fault.GrantExpired, fault.GrantVoid, fault.GrantUnproven, fault.StricterNow},
		description: "Call it right before acting. It succeeds once, for the approved digest (of decision.effective, where an operator edited the call), before the grant expires; every other outcome is a 409 with its own problem type. If the answer has `replayed`, the action may already have run.",
	}
	resultText = text{
		id: "report", summary: "Report the outcome", status: http.StatusOK,
		refusals:    []fault.Code{fault.Missing, fault.NotConsumed, fault.AlreadyReported, fault.GrantUnproven},
		description: "Once, after consume. Repeating the same report is accepted; a different one isn't.",
	}
	answerText = text{
		id: "answer", summary: "Answer a question", status: http.StatusOK,
		refusals:    []fault.Code{fault.Missing, fault.AlreadyDecided, fault.Changed, fault.Expired, fault.GrantUnproven},
		description: "Once for each question, while the approval is pending. People read the answer as the agent's words; it changes nothing of the act. Repeating the same answer is accepted; a different one isn't.",
	}
	sessionText = text{
		id: "session_score", summary: "Read the score of a session", status: http.StatusOK, refusals: []fault.Code{fault.Missing},
		description: "All pattern matches of this agent's session, scored like those of a single call: a pattern counts once for each submission that it matches. Dry runs don't count. `session_id` is required.",
	}
	selfText = text{
		id: "self", summary: "Read what this key opens", status: http.StatusOK,
		description: "The agent, its scopes, what it's bound to, and when its gate was last tried.",
	}
	toolsText = text{
		id: "tools", summary: "Send the tools of a server", status: http.StatusOK,
		description: "The result of the server's tools/list. The tools belong to this agent, under names such as mcp__SERVER__TOOL. What their descriptions suggest waits for an admin; nothing becomes less strict by it. The same list again changes nothing.",
	}
	enrolText = text{
		id: "enrol", summary: "Exchange an enrolment token for a key", status: http.StatusCreated, refusals: []fault.Code{fault.AlreadyExists, fault.GrantUnproven},
		description: "Needs no key. Each host gets one agent, NAME@HOST, and its key, which is in this answer only. Tokens come from `countersign agent enroll`.",
	}
	assessText = text{
		id: "assess", summary: "Score an action without submitting it", status: http.StatusOK, scope: auth.ScopeAssess, refusals: []fault.Code{fault.SecretInName},
		description: "A dry run: the same scoring under the current policy, recorded as a dry run in the audit trail and among the evaluations. It creates no approval, doesn't count as a call and leaves the session's score as it is. " +
			"The key needs the scope `assess`. Members of a submission (expires_in_seconds, revises, wait) are refused.",
	}
)

// codesKey is where an operation keeps its fault codes until the document is complete.
const codesKey = "codes"

// operation is one route of the API with everything in front of its handler.
func (s *server) operation(method, path string, t text) huma.Operation {
	if t.scope == "" {
		t.scope = auth.ScopeSubmit
	}
	codes := append([]fault.Code{
		fault.Unauthorized, fault.Denied, fault.AgentsStopped, fault.Misdirected, fault.InvalidParameter, fault.RateLimited, fault.Unexpected, fault.NotReady, fault.ClockBack, fault.ClockAhead,
	}, t.refusals...)
	op := huma.Operation{
		OperationID: t.id, Summary: t.summary, Description: t.description,
		Method: method, Path: "/api/v1" + path,
		DefaultStatus:      t.status,
		Errors:             []int{http.StatusInternalServerError}, // complete replaces them by what the codes say
		Security:           []map[string][]string{{keyScheme: {}}},
		SkipValidateParams: true, // parameters.go does it in our words
		SkipValidateBody:   true, // body.go does
		Middlewares:        huma.Middlewares{s.authenticate, s.remember, s.limit, s.permit(t.scope), s.strict},
	}
	if method == http.MethodPost || method == http.MethodPut {
		codes = append(codes, fault.CrossSite, fault.MalformedJSON, fault.InvalidMember, fault.BodyTooLarge, fault.UnsupportedMedia)
		op.MaxBodyBytes = canon.MaxBytes + 1 // huma's limit is exclusive
		switch path {
		case "/tools":
			op.MaxBodyBytes = toollist.MaxBytes + 1
		case "/enrolments": // from anyone
			op.MaxBodyBytes = 4<<10 + 1
		}
		op.Middlewares = append(op.Middlewares, s.jsonOnly)
	}
	op.Metadata = map[string]any{codesKey: codes}
	return op
}

// enrolment is the route for those who have no key yet.
func (s *server) enrolment() huma.Operation {
	op := s.operation(http.MethodPost, "/enrolments", enrolText)
	op.Security = []map[string][]string{}
	op.Middlewares = huma.Middlewares{s.unknown, s.strict, s.jsonOnly}
	op.Metadata[codesKey] = slices.DeleteFunc(op.Metadata[codesKey].([]fault.Code), func(c fault.Code) bool { return c == fault.Denied })
	return op
}

// complete adds to the document what huma cannot know: the schemas of the bodies,
// which it sees as raw bytes, every refusal by its problem type, and what echo
// serves.
func complete(doc *huma.OpenAPI) {
	for path, body := range map[string]any{
		"/api/v1/approvals":              submitBody{},
		"/api/v1/approvals/{id}/cancel":  cancelBody{},
		"/api/v1/approvals/{id}/consume": consumeBody{},
		"/api/v1/approvals/{id}/result":  resultBody{},
		"/api/v1/approvals/{id}/answers": answerBody{},
		"/api/v1/assessments":            ActionBody{},
		"/api/v1/tools":                  toolsBody{},
		"/api/v1/enrolments":             enrolBody{},
	} {
		request := cmp.Or(doc.Paths[path].Post, doc.Paths[path].Put).RequestBody
		request.Content["application/json"].Schema = doc.Components.Schemas.Schema(reflect.TypeOf(body), true, "")
	}
	doc.Paths["/api/v1/approvals/{id}/cancel"].Post.RequestBody.Required = false

	submit := doc.Paths["/api/v1/approvals"].Post
	submit.RequestBody.Content["application/json"].Schema = &huma.Schema{OneOf: []*huma.Schema{
		submit.RequestBody.Content["application/json"].Schema, doc.Components.Schemas.Schema(reflect.TypeFor[canaryBody](), true, ""),
	}}
	made := doc.Components.Schemas.Schema(reflect.TypeFor[approval](), true, "")
	submit.Responses["201"].Content["application/json"].Schema = made
	replay := *submit.Responses["201"]
	replay.Content = map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
		OneOf: []*huma.Schema{made, doc.Components.Schemas.Schema(reflect.TypeFor[canary](), true, "")},
	}}}
	replay.Description, replay.Headers = "The approval that this idempotency key created earlier, or that this submission was attached to; to a canary, its denial", nil
	submit.Responses["200"] = &replay

	for path, p := range probes() {
		doc.Paths[path] = &huma.PathItem{Get: p}
	}
	problem := doc.Components.Schemas.Schema(reflect.TypeFor[httpserver.Problem](), true, "")
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put} {
			if op != nil {
				describeRefusals(op, problem)
				describeCheckpoint(op)
			}
		}
	}
}

// describeRefusals lists the problem types of an operation under their statuses.
func describeRefusals(op *huma.Operation, problem *huma.Schema) {
	maps.DeleteFunc(op.Responses, func(status string, _ *huma.Response) bool { return status >= "400" })
	byStatus := map[int][]fault.Code{}
	for _, code := range op.Metadata[codesKey].([]fault.Code) {
		byStatus[httpserver.Status(code)] = append(byStatus[httpserver.Status(code)], code)
	}
	for status, codes := range byStatus {
		var says []string
		var types []any
		for _, code := range codes {
			says = append(says, fmt.Sprintf("`%s`: %s.", code, httpserver.Title(code)))
			types = append(types, httpserver.ProblemType(code))
		}
		r := &huma.Response{
			Description: strings.Join(says, " "),
			Content: map[string]*huma.MediaType{"application/problem+json": {Schema: &huma.Schema{
				AllOf: []*huma.Schema{problem, {Type: huma.TypeObject, Properties: map[string]*huma.Schema{"type": {Type: huma.TypeString, Enum: types}}}},
			}}},
		}
		switch status {
		case http.StatusUnauthorized:
			r.Headers = header("WWW-Authenticate", huma.TypeString, "Bearer.")
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			r.Headers = header("Retry-After", huma.TypeInteger, "Seconds to wait before the next try.")
		}
		op.Responses[strconv.Itoa(status)] = r
	}
}

func header(name, of, says string) map[string]*huma.Param {
	return map[string]*huma.Param{name: {Description: says, Required: true, Schema: &huma.Schema{Type: of}}}
}

// probes are the addresses that need no key and take any Host.
func probes() map[string]*huma.Operation {
	text, object := &huma.Schema{Type: huma.TypeString}, &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	status := func(s string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, Required: []string{"status"}, Properties: map[string]*huma.Schema{"status": {Type: huma.TypeString, Enum: []any{s}}}}
	}
	keys := &huma.Schema{Type: huma.TypeObject, Required: []string{"keys"}, Properties: map[string]*huma.Schema{"keys": {Type: huma.TypeArray, Items: object}}}
	get := func(id, summary, media string, schema *huma.Schema, refusals ...fault.Code) *huma.Operation {
		return &huma.Operation{
			OperationID: id, Summary: summary, Security: []map[string][]string{},
			Responses: map[string]*huma.Response{"200": {Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{media: {Schema: schema}}}},
			Metadata:  map[string]any{codesKey: append(refusals, fault.Unexpected)},
		}
	}
	return map[string]*huma.Operation{
		"/healthz":                      get("healthz", "Does the process answer?", "application/json", status("ok")),
		"/readyz":                       get("readyz", "Do the database and the signer answer?", "application/json", status("ready"), fault.NotReady),
		"/metrics":                      get("metrics", "Metrics for Prometheus; loopback peers, or the metrics token as bearer", "text/plain", text, fault.Unauthorized),
		"/.well-known/jwks.json":        get("jwks", "The public keys that verify grants (RFC 7517)", "application/jwk-set+json", keys),
		"/api/v1/.well-known/jwks.json": get("jwks-under-the-api", "The same under the API's own path", "application/jwk-set+json", keys),
		"/api/v1/openapi.json":          get("openapi", "This document", "application/json", object),
	}
}

// The bodies as the document describes them; scoring.NewAction and body.go are
// what decides. null counts as absent everywhere.

// ActionBody is an action alone. It is exported because huma reads only exported
// fields, and submitBody embeds it.
type ActionBody struct {
	Function       string         `json:"function,omitempty" minLength:"1" maxLength:"512" doc:"The tool about to be called. Required at pre-tool-call; at most 512 bytes, no control characters."`
	Arguments      any            `json:"arguments,omitempty" doc:"Its arguments. Integers of up to 40 digits are taken exactly; send other numbers that a double can't hold as strings. Secrets in values are masked; names of members must not contain any."`
	Docstring      string         `json:"docstring,omitempty" doc:"What the tool says about itself."`
	Code           string         `json:"code,omitempty" doc:"The code about to run, where the tool runs code."`
	ActionType     string         `json:"action_type,omitempty" maxLength:"256"`
	Hints          map[string]any `json:"hints,omitempty" doc:"What the agent knows about the risk; they can only add to the score, never lower it."`
	SessionID      string         `json:"session_id,omitempty" maxLength:"256" doc:"Calls of one function are counted inside a session; the call number is part of the score. An ID must not contain a secret."`
	ToolCallID     string         `json:"tool_call_id,omitempty" maxLength:"256"`
	LifecyclePoint string         `json:"lifecycle_point,omitempty" enum:"pre-agent-start,pre-tool-call,post-tool-result" default:"pre-tool-call"`
	Content        string         `json:"content,omitempty" doc:"The prompt or the tool's result; not at pre-tool-call."`
	Environment    string         `json:"environment,omitempty" maxLength:"256" example:"production"`
	Justification  string         `json:"justification,omitempty" doc:"Why; shown to the operator as the agent's words."`
	Client         map[string]any `json:"client,omitempty" doc:"The program that submits: name, version, and the subagent that makes the call. It's shown, and not covered by the digest."`
	Metadata       map[string]any `json:"metadata,omitempty" doc:"Stored and shown, with secrets masked; doesn't affect the score. Names of members must not contain secrets."`
}

// submitBody is an action with what belongs to its submission.
type submitBody struct {
	ActionBody
	ExpiresIn int    `json:"expires_in_seconds,omitempty" minimum:"1" maximum:"2592000" doc:"The approval expires if no one decides by then. The policy's time is the default. Where the policy limits the level or the function, this can only shorten the time. A request never waits longer than the policy's longest wait, by default 86400."`
	Attach    bool   `json:"attach,omitempty" doc:"Answer with this agent's own approval of the same session_id and digest, if it's pending and no one waits for it, or approved and not consumed. The same tool_call_id is attached without asking."`
	Revises   string `json:"revises,omitempty" pattern:"^apr_[0-9a-f]{32}$" doc:"ID of the approval whose requested changes this submission makes."`
}

// TransformSchema says that arguments are an object or an array, and that any
// member may be null.
func (ActionBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	arguments := s.Properties["arguments"]
	most := scoring.MaxClientBytes
	client := &huma.Schema{Type: huma.TypeString, Nullable: true, MaxLength: &most}
	s.Properties["client"].Properties = map[string]*huma.Schema{"name": client, "version": client, "subagent": client}
	s.Properties["client"].AdditionalProperties = false
	arguments.OneOf = []*huma.Schema{{Type: huma.TypeObject}, {Type: huma.TypeArray, Items: &huma.Schema{}}, {Type: "null"}}
	return absentAsNull(s)
}

// TransformSchema says the same of the whole: huma asks the outer type only.
func (b submitBody) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return b.ActionBody.TransformSchema(r, s)
}

// TransformSchema says that the detail may be null.
func (resultBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return absentAsNull(s)
}

// absentAsNull lets every member be null that may be left out.
func absentAsNull(s *huma.Schema) *huma.Schema {
	for name, p := range s.Properties {
		if slices.Contains(s.Required, name) || len(p.OneOf) > 0 {
			continue
		}
		p.Nullable = true
		if len(p.Enum) > 0 {
			p.Enum = append(p.Enum, nil)
		}
	}
	return s
}

// canaryBody is a call that only tests the gate.
type canaryBody struct {
	LifecyclePoint string `json:"lifecycle_point" enum:"canary" doc:"Such a call is always denied and counts for nothing."`
	Nonce          string `json:"nonce" minLength:"1" maxLength:"128" doc:"A random string, to know this canary again."`
	Failed         string `json:"failed,omitempty" doc:"Why the gate let the call through, where it did."`
}

type cancelBody struct{}

type toolsBody struct {
	Server string           `json:"server" maxLength:"64" doc:"What the agent's client calls the server."`
	Tools  []map[string]any `json:"tools" maxItems:"500" doc:"As tools/list returns them, all pages in one list."`
}

type enrolBody struct {
	Token string `json:"token" doc:"cse_{tenant}_{secret}."`
	Host  string `json:"host" minLength:"1" maxLength:"63" doc:"The machine's name."`
}

type consumeBody struct {
	Digest string `json:"digest" pattern:"^sha256:[0-9a-f]{64}$" doc:"The approval's digest, as the agent computes it over what it's about to run."`
}

type resultBody struct {
	Status string `json:"status" enum:"succeeded,failed"`
	Detail string `json:"detail,omitempty" doc:"At most 4096 bytes."`
}

type answerBody struct {
	Question string `json:"question" pattern:"^qst_[0-9a-f]{32}$" doc:"The ID of the question."`
	Text     string `json:"text" minLength:"1" doc:"At most 4096 bytes."`
}

// TransformSchema lets the two parts be null that a pending approval has not.
func (approval) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, name := range []string{"decision", "execution", "extension"} {
		s.Properties[name] = &huma.Schema{AnyOf: []*huma.Schema{s.Properties[name], {Type: "null"}}}
	}
	return s
}

// Schema describes the assessment: the members that agents may rely on. There
// may be more.
func (assessment) Schema(huma.Registry) *huma.Schema {
	str, num, whole, yes := &huma.Schema{Type: huma.TypeString}, &huma.Schema{Type: huma.TypeNumber}, &huma.Schema{Type: huma.TypeInteger}, &huma.Schema{Type: huma.TypeBoolean}
	maybe := &huma.Schema{Type: huma.TypeString, Nullable: true}
	list := func(of *huma.Schema) *huma.Schema { return &huma.Schema{Type: huma.TypeArray, Items: of} }
	oneOf := func(values ...any) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Enum: values} }
	// optional are the names, with a space between them, of what need not be there.
	open := func(optional string, properties map[string]*huma.Schema) *huma.Schema {
		may := strings.Fields(optional)
		required := slices.DeleteFunc(slices.Sorted(maps.Keys(properties)), func(name string) bool { return slices.Contains(may, name) })
		return &huma.Schema{Type: huma.TypeObject, Properties: properties, Required: required, AdditionalProperties: true}
	}
	levels := oneOf("LOW", "MEDIUM", "HIGH", "CRITICAL")
	place := open("key", map[string]*huma.Schema{"pointer": str, "start": whole, "end": whole, "key": yes})
	evidence := open("", map[string]*huma.Schema{"pattern": str, "places": list(place), "why": str})
	fact := open("", map[string]*huma.Schema{"kind": str, "value": str, "label": str, "pointer": str, "start": whole, "end": whole, "source": str})
	factor := open("", map[string]*huma.Schema{"name": str, "score": num, "weight": num, "contribution": num, "evidence": list(evidence)})
	about := func(s huma.Schema, text string) *huma.Schema {
		s.Description = text
		return &s
	}
	match := open("contribution keeps_mask", map[string]*huma.Schema{
		"id": str, "severity": str, "action": about(*str, "The pattern's own action."), "category": str,
		"field": about(*str, "JSON pointer of its first place."), "start": about(*whole, "First byte there."), "end": about(*whole, "The byte after the last."),
		"occurrences": whole, "contribution": about(*num, "Points it adds to raw_score: weight times decay to the power of n - 1. Left out where that is 0, and in older records."),
		"keeps_mask": about(*yes, "It's masked even though the policy gives it another action."),
	})
	counts := func(of *huma.Schema) *huma.Schema {
		return open("", map[string]*huma.Schema{"critical": of, "high": of, "medium": of, "low": of})
	}
	trusted := open("why", map[string]*huma.Schema{
		"succeeded": about(*num, "Calls that people reviewed, approved and that succeeded; older ones count less."),
		"failed":    about(*num, "Calls that failed or were denied or blocked; older ones count less."),
		"bound":     about(*num, "The lower 5 % quantile of Beta(1 + succeeded, 1 + failed), 0 to 1."),
		"lowered":   about(*yes, "Whether it lowered MEDIUM to LOW."),
		"why":       about(*str, "Why it didn't; absent where it did."),
	})
	trusted.Description = "How this agent's track record with the function affected a MEDIUM, where the policy uses track records."
	session := open("", map[string]*huma.Schema{
		"id":     about(*str, "The session grant that approved it."),
		"covers": about(*str, "Which calls it approves, how many and until when."),
	})
	session.Description = "Present where a person approved a similar call together with the next ones in its session."
	kinds := oneOf("read", "write", "message", "money", "permission", "delete", "execute", "unknown")
	effect := open("reversible audience amount", map[string]*huma.Schema{
		"kind": kinds, "verb": str, "object": str, "breadth": oneOf("one", "several", "all"),
		"reversible": about(*yes, "Absent where it's unknown."), "sensitive": about(*yes, "For reads: secrets, credentials, personal data in bulk, exports."),
		"certain":  about(*yes, "False where only the function's name says so."),
		"audience": oneOf("inside", "outside", "public"), "amount": open("currency", map[string]*huma.Schema{"value": num, "currency": str}),
		"evidence": list(open("command", map[string]*huma.Schema{"pointer": str, "start": whole, "end": whole, "why": str, "command": about(*str, "For a shell text judged in a workspace: the command it comes from.")})),
	})
	effectList := list(effect)
	effectList.Description, effectList.Nullable = "What the action does, highest floor first; empty where nothing is called. Null in assessments made before effects existed.", true
	floor := open("entry", map[string]*huma.Schema{
		"level": about(*str, "LOW to CRITICAL; SAFE in assessments made before floors existed."), "effect": about(*str, "The kind that decides; empty where nothing is called."), "because": str,
		"entry": about(*str, "The entry of the policy's function registry that lowered it."),
	})
	floor.Description = "The lowest level that the action's effects allow."
	finding := oneOf("network", "outside", "child", "hidden")
	file := open("sha256 findings foreign folder tasks reviewed gone edited", map[string]*huma.Schema{
		"path": str, "sha256": str, "findings": list(finding), "foreign": about(*yes, "Downloaded, cloned or unpacked."), "folder": about(*yes, "Applies to everything in it."),
		"tasks":    list(open("because runs", map[string]*huma.Schema{"name": str, "level": str, "because": str, "runs": list(str)})),
		"reviewed": about(*yes, "A person has approved a build, a test or an install since then."), "gone": yes, "edited": yes,
	})
	files := list(file)
	workspace := open("sandboxed level cause because cwd covers used writes reviews", map[string]*huma.Schema{
		"folder": str, "sandboxed": yes, "cwd": about(*str, "The folder in which the call starts."), "inside": about(*yes, "Whether that's inside the workspace folder."),
		"level": levels, "cause": about(*str, "A stable word for the rule that decided, like push."), "because": str,
		"covers": open("to files", map[string]*huma.Schema{"of": str, "to": str, "files": list(str)}),
		"used":   files, "writes": files, "reviews": yes, "decides": about(*yes, "Whether the workspace decided the level."),
	})
	workspace.Description = "How the call is judged in the workspace that an admin bound the agent to; absent without one."
	inputs := open("at agent environment tool workspace memory", map[string]*huma.Schema{
		"call_number": whole, "at": {Type: huma.TypeString, Format: "date-time"}, "agent": str, "environment": about(*str, "The environment that an admin bound the agent to."),
		"tool":      open("effect read_only", map[string]*huma.Schema{"name": str, "effect": kinds, "read_only": yes}),
		"workspace": open("sandboxed", map[string]*huma.Schema{"folder": str, "sandboxed": yes}),
		"memory":    open("files full", map[string]*huma.Schema{"files": files, "full": about(*yes, "The agent wrote more files than are tracked.")}),
	})
	inputs.Description = "The other inputs of the assessment, besides action, policy and track record. The same inputs always give the same assessment."
	aside := list(str)
	aside.Description = "Rules and patterns about commands that matched only text that nothing runs; they don't affect the level."
	remarks := list(str)
	remarks.Description = "Patterns that asked to confirm and raised nothing, because the call only reads."
	share := map[string]*huma.Schema{"score": about(*num, "0 to 1."), "weight": about(*num, "Its share, 0 to 1; 0 where it isn't used."), "contribution": about(*num, "What it adds to the score.")}
	ownShare := maps.Clone(share)
	ownShare["name"], ownShare["reason"], ownShare["failed"] = str, about(*str, "The policy's note on it."), about(*str, "Why it returned no result, which counts as 1; absent where it did.")
	scorers := open("", map[string]*huma.Schema{"mode": oneOf("blend", "max", "replace"), "built_in": open("", share), "own": list(open("reason failed", ownShare))})
	scorers.Description = "How the organisation's custom scorers changed the score; absent where there are none."
	edited := list(open("to", map[string]*huma.Schema{
		"path": str, "to": about(*str, "The new path of what is moved."), "does": oneOf("create", "change", "empty", "delete", "move"), "added": about(*whole, "Lines."), "removed": about(*whole, "Lines, as far as the call says them."),
	}))
	edited.Description = "The files that an edit or a patch is of; absent where the action is neither."
	return open("scorers rewrites trust session_grant effects files floor inputs set_aside remarks workspace", map[string]*huma.Schema{
		"files":   edited,
		"effects": effectList, "floor": floor, "inputs": inputs,
		"rewrites": about(*yes, "An approved call is returned in decision.effective without the secrets found in it; the grant binds what was sent."),
		"scorers":  scorers, "session_grant": session, "set_aside": aside, "remarks": remarks, "workspace": workspace,
		"level": levels, "score": num, "response": oneOf("allow", "hold", "block"),
		"facts":       list(fact),
		"five_factor": open("", map[string]*huma.Schema{"score": num, "level": levels, "factors": list(factor)}),
		"patterns": open("matched_patterns label severity_counts weights decay", map[string]*huma.Schema{
			"label":           about(*oneOf("clean", "suspicious", "dangerous"), "clean: no match; dangerous: a score of 40 or more, a critical match or a block; suspicious: anything in between. For information only. Absent in older records."),
			"severity_counts": counts(whole), "weights": counts(num), "decay": about(*num, "How much each further match of a severity counts relative to the previous one. Left out where nothing matched or where it's 0."),
			"evaluation_id": str, "tool_call_id": maybe, "lifecycle_point": str, "timestamp": {Type: huma.TypeString, Format: "date-time"},
			"matched_patterns": list(match), "match_count": whole, "raw_score": num, "numeric_score": whole, "categorical_severity": maybe,
			"base_action": str, "action": str, "action_reason": str, "score_override_exceeded": yes, "score_override_threshold": whole,
			"scan_duration_ms": num, "pattern_library_version": str, "tenant_id": str, "session_id": maybe, "agent_id": str,
		}),
		"rules": open("", map[string]*huma.Schema{
			"level": oneOf("SAFE", "LOW", "MEDIUM", "HIGH", "CRITICAL"), "triggered_rules": list(str), "reasons": list(str), "affected_resources": list(str),
			"reversible": yes, "estimated_impact": str, "recommendations": list(str), "requires_approval": yes,
		}),
		"trust":       trusted,
		"explanation": {Type: huma.TypeString, Description: "One sentence that names the decisive evidence."},
	})
}
