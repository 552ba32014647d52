package httpapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/httpserver"
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
	status                   int   // of success
	refusals                 []int // besides 401, 422, 429, 500 and 503, which every operation has
}

var (
	submitText = text{
		id: "submit", summary: "Submit an action", status: http.StatusCreated, refusals: []int{400, 403, 409, 413, 415},
		description: "Scores the action and stores it: approved or blocked by the policy, or pending until a person decides. With `wait` the answer is held back until the status is final.",
	}
	listText = text{
		id: "list", summary: "List this agent's approvals", status: http.StatusOK,
		description: "Newest first. Unknown query parameters are refused.",
	}
	getText = text{
		id: "get", summary: "Read an approval", status: http.StatusOK, refusals: []int{404},
		description: "With `wait` the answer is held back until the status is final. The approval of another agent does not exist.",
	}
	cancelText = text{
		id: "cancel", summary: "Take a pending approval back", status: http.StatusOK, refusals: []int{400, 403, 404, 409, 410, 413, 415},
		description: "The body is empty or {}.",
	}
	consumeText = text{
		id: "consume", summary: "Spend the grant", status: http.StatusOK, refusals: []int{400, 403, 404, 409, 413, 415},
		description: "Call it right before acting. It succeeds once, for the approved digest, before the grant expires; every other outcome is a 409 with its own problem type.",
	}
	resultText = text{
		id: "report", summary: "Report the outcome", status: http.StatusOK, refusals: []int{400, 403, 404, 409, 413, 415},
		description: "Once, after consume. The same report again is accepted, another one is not.",
	}
)

// operation is one route of the API with everything in front of its handler.
func (s *server) operation(method, path string, t text) huma.Operation {
	op := huma.Operation{
		OperationID: t.id, Summary: t.summary, Description: t.description,
		Method: method, Path: "/api/v1" + path,
		DefaultStatus:      t.status,
		Errors:             append([]int{401, 422, 429, 503}, t.refusals...),
		Security:           []map[string][]string{{keyScheme: {}}},
		SkipValidateParams: true, // parameters.go does it in our words
		SkipValidateBody:   true, // body.go does
		Middlewares:        huma.Middlewares{s.authenticate, s.strict},
	}
	if method == http.MethodPost {
		op.MaxBodyBytes = canon.MaxBytes + 1 // huma's limit is exclusive
		op.Middlewares = append(op.Middlewares, s.jsonOnly)
	}
	return op
}

// describeBodies puts the schemas of the request bodies where huma, which sees
// raw bytes, has none.
func describeBodies(doc *huma.OpenAPI) {
	for path, body := range map[string]any{
		"/api/v1/approvals":              submitBody{},
		"/api/v1/approvals/{id}/cancel":  cancelBody{},
		"/api/v1/approvals/{id}/consume": consumeBody{},
		"/api/v1/approvals/{id}/result":  resultBody{},
	} {
		request := doc.Paths[path].Post.RequestBody
		request.Content["application/json"].Schema = doc.Components.Schemas.Schema(reflect.TypeOf(body), true, "")
	}
	doc.Paths["/api/v1/approvals/{id}/cancel"].Post.RequestBody.Required = false

	submit := doc.Paths["/api/v1/approvals"].Post
	replay := *submit.Responses["201"]
	replay.Description = "The approval that this idempotency key made before"
	submit.Responses["200"] = &replay
}

// openapi serves the document, made once, when it is first asked for.
func (s *server) openapi() echo.HandlerFunc {
	document := sync.OnceValues(func() ([]byte, error) { return json.Marshal(s.api.OpenAPI()) })
	return func(c echo.Context) error {
		body, err := document()
		if err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, body)
	}
}

// The bodies as the document describes them; scoring.NewAction and body.go are
// what decides. null counts as absent everywhere.

type submitBody struct {
	Function       string         `json:"function,omitempty" minLength:"1" doc:"The tool about to be called. Required at pre-tool-call; at most 512 bytes, no control characters."`
	Arguments      any            `json:"arguments,omitempty" doc:"Its arguments. Numbers that a double cannot hold exactly are sent as strings."`
	Docstring      string         `json:"docstring,omitempty" doc:"What the tool says about itself."`
	Code           string         `json:"code,omitempty" doc:"The code about to run, where the tool runs code."`
	ActionType     string         `json:"action_type,omitempty"`
	Hints          map[string]any `json:"hints,omitempty" doc:"What the agent knows about the risk; can only raise the score's evidence, never hide any."`
	SessionID      string         `json:"session_id,omitempty"`
	ToolCallID     string         `json:"tool_call_id,omitempty"`
	LifecyclePoint string         `json:"lifecycle_point,omitempty" enum:"pre-agent-start,pre-tool-call,post-tool-result" default:"pre-tool-call"`
	Content        string         `json:"content,omitempty" doc:"The prompt or the tool's result; not at pre-tool-call."`
	Environment    string         `json:"environment,omitempty" example:"production"`
	Justification  string         `json:"justification,omitempty" doc:"Why; shown to the operator as the agent's words."`
	Metadata       map[string]any `json:"metadata,omitempty" doc:"Kept and shown, read by no model."`
	ExpiresIn      int            `json:"expires_in_seconds,omitempty" minimum:"1" maximum:"86400" doc:"When nobody decided by then the approval expires; the policy's default is used without it."`
	Revises        string         `json:"revises,omitempty" pattern:"^apr_[0-9a-f]{32}$" doc:"Id of the approval whose requested changes this one answers."`
}

// TransformSchema says that arguments are an object or an array.
func (submitBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	arguments := s.Properties["arguments"]
	arguments.OneOf = []*huma.Schema{{Type: huma.TypeObject}, {Type: huma.TypeArray, Items: &huma.Schema{}}}
	return s
}

type cancelBody struct{}

type consumeBody struct {
	Digest string `json:"digest" pattern:"^sha256:[0-9a-f]{64}$" doc:"digest of the approval, as the agent computes it over what it is about to run."`
}

type resultBody struct {
	Status string `json:"status" enum:"succeeded,failed"`
	Detail string `json:"detail,omitempty" doc:"At most 4096 bytes."`
}

// TransformSchema lets the two parts be null that a pending approval has not.
func (approval) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, name := range []string{"decision", "execution"} {
		s.Properties[name] = &huma.Schema{AnyOf: []*huma.Schema{s.Properties[name], {Type: "null"}}}
	}
	return s
}

// Schema describes the assessment: the members that agents may rely on.
func (assessment) Schema(huma.Registry) *huma.Schema {
	str, num, list := &huma.Schema{Type: huma.TypeString}, &huma.Schema{Type: huma.TypeNumber}, func(of *huma.Schema) *huma.Schema {
		return &huma.Schema{Type: huma.TypeArray, Items: of}
	}
	open := func(properties map[string]*huma.Schema, required ...string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, Properties: properties, Required: required, AdditionalProperties: true}
	}
	factor := open(map[string]*huma.Schema{
		"name": str, "score": num, "weight": num, "contribution": num, "evidence": list(open(nil)),
	}, "name", "score", "weight", "contribution")
	return open(map[string]*huma.Schema{
		"level": str, "score": num, "response": str,
		"facts":       list(open(map[string]*huma.Schema{"kind": str, "value": str, "label": str, "pointer": str})),
		"five_factor": open(map[string]*huma.Schema{"score": num, "level": str, "factors": list(factor)}, "score", "level", "factors"),
		"patterns":    open(nil),
		"rules": open(map[string]*huma.Schema{
			"level": str, "triggered_rules": list(str), "reasons": list(str), "affected_resources": list(str),
			"reversible": {Type: huma.TypeBoolean}, "estimated_impact": str, "recommendations": list(str),
			"requires_approval": {Type: huma.TypeBoolean},
		}, "level", "triggered_rules"),
		"explanation": {Type: huma.TypeString, Description: "One sentence that names the decisive evidence."},
	}, "level", "score", "explanation")
}
