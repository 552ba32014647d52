package workspace

import (
	"slices"
	"strings"
	"testing"
)

// What a session grant would cover is named by the command itself; what leads elsewhere
// leaves nothing.
func TestScopes(t *testing.T) {
	t.Parallel()
	b := Binding{Folder: "/home/ana/shop"}
	for command, want := range map[string]string{
		"npm install left-pad":                                "install package.json .npmrc",
		"npm i @types/node --save-dev":                        "install package.json .npmrc",
		"cd web && npm install a":                             "install web/package.json web/.npmrc",
		"npm install --registry https://x.example a":          "",
		"npm install ana/shop":                                "",
		"npm install github:ana/shop":                         "",
		"npm install ../other":                                "",
		"pip install requests":                                "install pyproject.toml requirements.txt setup.py uv.toml",
		"pip install -i https://x.example/simple requests":    "",
		"pip install git+https://x.example/y.git":             "",
		"cargo add --git https://x.example/y y":               "",
		"go get example.com/x@v1":                             "install go.mod",
		"npm install $P":                                      "",
		"docker compose up -d":                                "compose compose.yaml compose.yml docker-compose.yml docker-compose.yaml compose.override.yaml docker-compose.override.yml Dockerfile",
		"docker compose -f dev.yaml up -d web":                "compose dev.yaml Dockerfile",
		"docker-compose -f dev.yaml down --remove-orphans":    "compose dev.yaml Dockerfile",
		"docker compose run app rake":                         "",
		"docker compose exec app rake":                        "",
		"docker compose down -v":                              "",
		"docker compose -f /tmp/x.yaml up":                    "",
		"docker compose --project-directory /srv/other up -d": "",
		"docker compose --env-file prod.env up -d":            "",
		"docker --context prod compose up -d":                 "",
		"docker -H ssh://prod compose up -d":                  "",
		"git push origin fix":                                 "push fix",
		"git push -u origin fix":                              "push fix",
		"git push other fix":                                  "",
		"git push -o ci.variable=X=1 origin fix":              "",
		"git push --repo=https://x.example/y fix":             "",
		"git -C ../other push origin fix":                     "",
		"cd ../other && git push origin fix":                  "",
		"ssh build.acme.test uptime":                          "ssh build.acme.test",
		"ssh -p 22 -l dev Build.acme.test uptime":             "ssh dev@build.acme.test",
		"ssh root@build.acme.test uptime":                     "ssh root@build.acme.test",
		"ssh -J x.example build.acme.test uptime":             "",
		"ssh -o ProxyCommand=./x build.acme.test uptime":      "",
		"ssh -L 80:x.example:80 build.acme.test":              "",
		"scp a build.acme.test:/tmp":                          "",
	} {
		got := ""
		if s := Examine(b, bash(command)).Judge(Memory{}).Covers; s != nil {
			words := []string{s.Of, s.To}
			for _, f := range s.Files {
				words = append(words, strings.TrimPrefix(f, b.Folder+"/"))
			}
			got = strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
		}
		if got != want {
			t.Errorf("%s: covers %q, want %q", command, got, want)
		}
	}
}
