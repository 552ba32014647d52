package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/sql"
)

// queryEffects reads a query of MongoDB, Redis, Elasticsearch, Kusto or Neo4j; ok is false
// where the text is none of them.
func queryEffects(t *call.Text, pointer string, start int) (all []Effect, ok bool) {
	q := queryReader{source: t, text: t.String(), pointer: pointer, start: start}
	trimmed := strings.TrimSpace(q.text)
	for _, read := range []func(string) bool{q.mongo, q.pipeline, q.elastic, q.redis, q.kusto, q.cypher} {
		if read(trimmed) {
			return q.worstFirst(), true
		}
	}
	return nil, false
}

// queryReader gathers what one query does.
type queryReader struct {
	findings
	source        *call.Text
	text, pointer string
	start         int
}

func (q *queryReader) found(kind Kind, verb, object string, breadth Breadth, why string) {
	q.add(Effect{Kind: kind, Verb: verb, Object: object, Breadth: breadth, Certain: true, Evidence: []Evidence{{Pointer: q.pointer, Start: q.start, End: q.start + len(q.text), Why: why}}})
}

// mongo reads db.users.deleteMany({}).
func (q *queryReader) mongo(text string) bool {
	if !strings.HasPrefix(text, "db.") && !strings.HasPrefix(text, "rs.") && !strings.HasPrefix(text, "sh.") && !strings.HasPrefix(text, "db[") {
		return false
	}
	tokens, broken := code.Tokens(q.source.Inner(text), code.Way{JS: true})
	if broken != "" {
		q.found(Execute, "run", "query", One, "can't be read: "+broken)
	}
	called := false
	for i, t := range tokens {
		at := func(n int) code.Token {
			if n < 0 || n >= len(tokens) {
				return code.Token{}
			}
			return tokens[n]
		}
		switch {
		case t.Kind == code.Name && oneOf(t.Text, "$where $function $accumulator mapReduce eval function runCommand adminCommand") || t.Kind == code.Text && oneOf(t.Text, "$where $function $accumulator"):
			q.found(Execute, "run", "code", One, "runs "+t.Text)
			called = true
		case (t.Kind == code.Name || t.Kind == code.Text) && oneOf(t.Text, "$out $merge"):
			q.found(Write, "write", "documents", Several, "writes by "+t.Text)
		case t.Kind != code.Name || !at(i+1).Is("(") || !at(i-1).Is("."):
		default:
			called = true
			e, known := sqlWords().Mongo[t.Text]
			if !known {
				q.found(Execute, "run", "query", One, "calls "+code.Plain(t.Text)+", which isn't known to be harmless")
				continue
			}
			e.Breadth = One
			if empty := at(i+2).Is(")") || at(i+2).Is("{") && at(i+3).Is("}"); oneOf(t.Text, "deleteMany updateMany remove") && empty || oneOf(t.Text, "dropDatabase dropAllUsers shutdownServer") {
				e.Breadth = All
			} else if strings.HasSuffix(t.Text, "Many") {
				e.Breadth = Several
			}
			q.found(e.Kind, e.Verb, e.Object, e.Breadth, "calls "+t.Text)
		}
	}
	if !called {
		q.found(Execute, "run", "query", One, "can't be read: it calls nothing")
	}
	return true
}

// pipeline reads an aggregation of MongoDB: a list of objects with $match and the like.
func (q *queryReader) pipeline(text string) bool {
	if !strings.HasPrefix(text, "[") || !strings.Contains(text, `"$`) {
		return false
	}
	q.found(Read, "read", "documents", One, "an aggregation")
	for _, stage := range []string{`"$out"`, `"$merge"`} {
		if strings.Contains(text, stage) {
			q.found(Write, "write", "documents", Several, "writes by "+strings.Trim(stage, `"`))
		}
	}
	for _, stage := range []string{`"$where"`, `"$function"`, `"$accumulator"`} {
		if strings.Contains(text, stage) {
			q.found(Execute, "run", "code", One, "runs "+strings.Trim(stage, `"`))
		}
	}
	return true
}

// elastic reads POST /orders/_delete_by_query and the like.
func (q *queryReader) elastic(text string) bool {
	method, rest, _ := strings.Cut(text, " ")
	path, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	path, _, _ = strings.Cut(strings.TrimSpace(path), " ")
	if !oneOf(method, "GET HEAD POST PUT PATCH DELETE") || !strings.HasPrefix(path, "/") && !strings.Contains(path, "/_") && !strings.HasPrefix(path, "_") {
		return false
	}
	path, _, _ = strings.Cut(path, "?")
	why := method + " request"
	breadth := One
	if strings.Contains(path, "*") || strings.Contains(path, "_all") || strings.Contains(path, ",") || strings.Contains(path, "_by_query") && strings.Contains(text, "match_all") {
		breadth = All
	}
	has := func(list string) bool {
		for part := range strings.SplitSeq(path, "/") {
			if oneOf(part, list) {
				return true
			}
		}
		return false
	}
	switch {
	case has("_delete_by_query"):
		q.found(Delete, "delete", "documents", breadth.wider(Several), "_delete_by_query")
	case method == "DELETE":
		q.found(Delete, "delete", "index", breadth, why)
	case method == "GET" || method == "HEAD" || has("_search _count _msearch _mget _analyze _explain _validate _field_caps _sql _eql _termvectors _rank_eval _knn_search _async_search") && method == "POST":
		q.found(Read, "search", "documents", One, why)
	case has("_security _cluster _nodes _ilm _slm _snapshot _watcher _license _scripts _ingest _settings"):
		q.found(Permission, "change", "cluster setting", breadth, why)
	case has("_close _shrink _rollover _forcemerge _reindex _update_by_query _bulk"):
		q.found(Write, "change", "documents", breadth.wider(Several), why)
	default:
		q.found(Write, "write", "document", breadth, why)
	}
	return true
}

// redis reads commands of Redis, one in a line, in capitals; FLUSHALL in any.
func (q *queryReader) redis(text string) bool {
	if text == "" {
		return false
	}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if oneOf(strings.ToUpper(word), "FLUSHALL FLUSHDB") {
			word = strings.ToUpper(word)
		}
		if _, ok := sqlWords().Redis[word]; !ok && word != "" || word == "SELECT" && strings.Trim(rest, "0123456789 ") != "" {
			return false
		}
	}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		word = strings.ToUpper(word)
		e, ok := sqlWords().Redis[word]
		if !ok {
			continue
		}
		switch second, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(rest)), " "); {
		case oneOf(word, "CONFIG ACL CLIENT CLUSTER SLOWLOG LATENCY") && oneOf(second, "GET LIST WHOAMI INFO NODES ID GETNAME LEN LATEST CAT"):
			e.Kind, e.Sensitive = Read, word == "ACL"
		case word == "DEL" && strings.Contains(strings.TrimSpace(rest), " "):
			e.Breadth = Several
		}
		if e.Breadth == "" {
			e.Breadth = One
		}
		q.found(e.Kind, e.Verb, e.Object, e.Breadth, "the command "+word)
	}
	return len(q.all) > 0
}

// kusto reads the commands of Azure Data Explorer, and Splunk's delete.
func (q *queryReader) kusto(text string) bool {
	if !strings.HasPrefix(text, ".") {
		if strings.HasSuffix(text, "| delete") && (strings.Contains(text, "index=") || strings.HasPrefix(text, "search ")) {
			q.found(Delete, "delete", "events", Several, "| delete")
			return true
		}
		return false
	}
	word, _, _ := strings.Cut(text[1:], " ")
	switch {
	case oneOf(word, "show"):
		q.found(Read, "read", "schema", One, "."+word)
	case oneOf(word, "drop delete clear purge move replace undo"):
		q.found(Delete, "delete", "table", One, "."+word)
	case oneOf(word, "create alter set append set-or-append set-or-replace create-merge alter-merge create-or-alter rename ingest export"):
		q.found(Write, "change", "table", One, "."+word)
	case oneOf(word, "add execute grant"):
		q.found(Permission, "change", "access", One, "."+word)
	default:
		return false
	}
	return true
}

// cypher reads Neo4j's language: the words outside of literals.
func (q *queryReader) cypher(text string) bool {
	tokens := q.source.Inner(text).SQL().Tokens(sql.Unquoting)
	p := sqlText{sqlReader: &sqlReader{}, text: text}
	word := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return p.word(tokens[i])
	}
	first := word(0)
	switch {
	case oneOf(first, "MATCH OPTIONAL UNWIND MERGE CREATE DETACH FOREACH") && (word(1) == "(" || word(2) == "(" || word(2) == "=" || first == "OPTIONAL" || first == "UNWIND"):
	case first == "CALL" && (word(2) == "." || word(1) == "{"):
	default:
		return false
	}
	bounded, wrote := false, false
	for i := range tokens {
		bounded = bounded || word(i) == "WHERE" || word(i) == "{" || word(i) == "LIMIT"
	}
	breadth := Several
	if !bounded {
		breadth = All
	}
	for i, t := range tokens {
		if t.Open {
			q.found(Execute, "run", "query", One, "can't be read: a quote isn't closed")
		}
		if before := word(i - 1); before == "." || before == ":" {
			continue
		}
		switch word(i) {
		case "DELETE":
			q.found(Delete, "delete", "nodes", breadth, "DELETE")
		case "DROP":
			q.found(Delete, "drop", "index", One, "DROP")
		case "REMOVE", "SET", "MERGE", "CREATE", "FOREACH":
			if !wrote {
				wrote = true
				q.found(Write, "change", "nodes", One, word(i))
			}
		case "LOAD":
			q.found(Write, "load", "file", One, "LOAD CSV")
		case "CALL":
			if name := word(i+1) + "." + word(i+3); word(i+1) != "{" && !oneOf(name, "DB.LABELS DB.SCHEMA DB.PROPERTYKEYS DB.RELATIONSHIPTYPES DB.INDEXES DB.CONSTRAINTS DB.INDEX") {
				q.found(Execute, "call", "procedure", One, "calls a procedure, which isn't known to be harmless")
			}
		}
	}
	if len(q.all) == 0 {
		q.found(Read, "read", "nodes", One, "MATCH")
	}
	return true
}
