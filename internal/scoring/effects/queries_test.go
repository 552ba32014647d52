package effects

import "testing"

func TestQueryEffects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"db.users.find({active: true}).limit(10)":               "read",
		"db.users.drop()":                                       "delete",
		"db.getCollection('users').deleteMany({})":              "delete all, read",
		"db.users.deleteMany({age: {$lt: 3}})":                  "delete several",
		"db.users.deleteOne({_id: 1})":                          "delete",
		"db.dropDatabase()":                                     "delete all",
		"db.users.updateOne({_id: 1}, {$set: {a: 1}})":          "write",
		"db.orders.aggregate([{$match: {a: 1}}, {$out: 'x'}])":  "write several, read",
		"db.createUser({user: 'x', pwd: 'y', roles: ['root']})": "permission",
		"db.runCommand({dropDatabase: 1})":                      "execute",
		"db.users.find({$where: 'sleep(1)'})":                   "execute, read",
		"db.users.frob()":                                       "execute",
		`[{"$match": {"a": 1}}, {"$group": {"_id": "$b"}}]`:     "read",
		`[{"$match": {"a": 1}}, {"$merge": "x"}]`:               "write several, read",
		"GET user:1":                "read",
		"FLUSHALL":                  "delete all",
		"flushdb async":             "delete all",
		"DEL a b":                   "delete several",
		"SET a 1\nGET a":            "write, read",
		"CONFIG SET requirepass ''": "permission",
		"CONFIG GET maxmemory":      "read",
		"EVAL \"return 1\" 0":       "execute",
		"GET /_cat/indices":         "read",
		"POST /orders/_search\n{\"query\": {\"match_all\": {}}}":           "read",
		"POST /orders/_delete_by_query\n{\"query\": {\"match_all\": {}}}":  "delete all",
		"POST /orders/_update_by_query\n{\"query\": {\"match_all\": {}}}":  "write all",
		"POST /orders/_update_by_query\n{}":                                "write several",
		"DELETE /orders":                                                   "delete",
		"DELETE /*":                                                        "delete all",
		"PUT /_cluster/settings\n{}":                                       "permission",
		"PUT /orders/_doc/1\n{}":                                           "write",
		"MATCH (n:User {id: 1}) RETURN n":                                  "read",
		"MATCH (n) DETACH DELETE n":                                        "delete all",
		"MATCH (n:User) WHERE n.age < 3 DELETE n":                          "delete several",
		"MATCH (n:User {id: 1}) SET n.role = 'admin'":                      "write",
		"CREATE (n:User {name: 'x'})":                                      "write",
		"CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {})": "execute",
		"CALL db.labels()":                                                 "read",
		".drop table events":                                               "delete",
		".show tables":                                                     "read",
		"index=main error | delete":                                        "delete several",
		"error AND drop":                                                   "",
		"get the list of users":                                            "",
		"delete users":                                                     "",
		"from:bob newer_than:7d":                                           "",
		"match the colours (please)":                                       "",
		"":                                                                 "",
		"rate(http_requests_total[5m])":                                    "",
	} {
		all, ok := queryEffects(textOf(text), "/arguments/query", 0)
		if ok {
			checkEffects(t, text, all)
		}
		if got := shorthand(all); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzQueryEffects(f *testing.F) {
	for _, text := range []string{"db.a.b({c: 1})", "GET a\nSET b 1", "POST /a/_search", "MATCH (n) DELETE n", ".show x", `[{"$out": 1}]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if all, ok := queryEffects(textOf(text), "/code", 0); ok {
			checkEffects(t, text, all)
		}
	})
}
