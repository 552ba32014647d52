package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// What curl sends and fetches: its options, as curl itself reads them.

// curlOption is one option of curl, by its long name, with its value.
type curlOption struct {
	name  string
	value shell.Word
}

// curlShort are the letters of curl, by the long name of each.
var curlShort = map[byte]string{
	'X': "request", 'd': "data", 'F': "form", 'T': "upload-file", 'o': "output", 'D': "dump-header", 'c': "cookie-jar", 'K': "config", 'Q': "quote", 'u': "user", 'H': "header",
	'b': "cookie", 'E': "cert", 'A': "user-agent", 'e': "referer", 'x': "proxy", 'U': "proxy-user", 'm': "max-time", 'w': "write-out", 'r': "range", 'z': "time-cond", 'y': "speed-time",
	'Y': "speed-limit", 'C': "continue-at", 'P': "ftp-port", 't': "telnet-option", 'G': "get", 'I': "head", 'O': "remote-name", 'J': "remote-header-name",
}

// curlPlain are its letters that neither take a value nor change what is sent or saved.
const curlPlain = "#:0123469BMNRSVZafghijklLnpqsv"

// curlValues are its long options that take a value, curlFlags those that take none.
var (
	curlValues = setOf(`abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie cookie-jar create-file-mode crlfile curves
		data data-ascii data-binary data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare etag-save
		expect100-timeout form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts
		interface ip-tos ipfs-gateway json keepalive-cnt keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt max-filesize max-redirs max-time
		netrc-file noproxy oauth2-bearer output output-dir parallel-max parallel-max-host pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert
		proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword
		proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time sasl-authzid service-name sigalgs socks4 socks4a
		socks5 socks5-gssapi-service socks5-hostname speed-limit speed-time ssl-sessions stderr telnet-option tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace
		trace-ascii trace-config unix-socket upload-file upload-flags url url-query user user-agent variable vlan-priority write-out`)
	curlFlags = setOf(`anyauth append basic ca-native cert-status compressed compressed-ssh crlf create-dirs digest disable disable-eprt disable-epsv disallow-username-in-url doh-cert-status
		doh-insecure fail fail-early fail-with-body false-start form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control get globoff haproxy-protocol head help
		http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only ignore-content-length include insecure ipv4 ipv6 junk-session-cookies list-only location location-trusted
		mail-rcpt-allowfails manual mptcp negotiate netrc netrc-optional next ntlm ntlm-wb parallel parallel-immediate path-as-is post301 post302 post303 progress-bar progress-meter proxy-anyauth
		proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure proxy-negotiate proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw
		remote-header-name remote-name remote-name-all remote-time remove-on-error retry-all-errors retry-connrefused sasl-ir show-error show-headers silent skip-existing socks5-basic socks5-gssapi
		socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen tcp-nodelay
		test-event tftp-no-options tls-earlydata tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose version xattr`)
)

// curlName is the long option that a word means. A beginning stands for the option that
// it begins, and of several for the one with which all of them begin.
func curlName(text string) (name string, ok bool) {
	if curlValues[text] || curlFlags[text] {
		return text, true
	}
	if rest, found := strings.CutPrefix(text, "no-"); found && curlFlags[rest] {
		return "no", true
	}
	var all []string
	for _, options := range []set{curlValues, curlFlags} {
		for long := range options {
			if strings.HasPrefix(long, text) {
				all = append(all, long)
			}
		}
	}
	if len(all) == 0 || text == "" {
		return "", false
	}
	slices.Sort(all) // the shortest that begins the others stands first
	for _, long := range all {
		if !strings.HasPrefix(long, all[0]) {
			return "", false
		}
	}
	return all[0], true
}

// curlOptions takes the words of curl apart. unknown is an option that is none of curl's,
// or that could be several.
func curlOptions(args []shell.Word) (options []curlOption, urls []shell.Word, unknown string) {
	next := func(i *int) shell.Word {
		if *i+1 < len(args) {
			*i++
			return args[*i]
		}
		return shell.Word{Literal: true}
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case len(w.Text) < 2 || w.Text[0] != '-':
			urls = append(urls, w)
		case strings.HasPrefix(w.Text, "--"):
			written, value, inline := strings.Cut(w.Text[2:], "=")
			name, ok := curlName(strings.TrimPrefix(written, "expand-"))
			switch {
			case !ok && written != "":
				unknown = w.Text
			case ok && inline:
				w.Text = value
			case curlValues[name]:
				w = next(&i)
			}
			if ok {
				options = append(options, curlOption{name, w})
			}
		default:
			for j := 1; j < len(w.Text); j++ { // -sSLo file
				name := curlShort[w.Text[j]]
				if name == "" {
					if strings.IndexByte(curlPlain, w.Text[j]) < 0 {
						unknown = w.Text
					}
					continue
				}
				if !curlValues[name] {
					options = append(options, curlOption{name: name})
					continue
				}
				value := w
				if value.Text = w.Text[j+1:]; value.Text == "" {
					value = next(&i)
				}
				options = append(options, curlOption{name, value})
				break
			}
		}
	}
	return options, urls, unknown
}

func (x *commands) curl(_ shell.Command, args []shell.Word) {
	options, urls, unknown := curlOptions(args)
	t := transfer{urls: urls}
	if unknown != "" {
		x.found("execute", "run", "option", "curl has no option "+short(unknown)+" that is known")
	}
	inURL := false
	for _, o := range options {
		w := o.value
		value := w.Text
		switch o.name {
		case "request":
			t.method = strings.ToUpper(value)
		case "data", "data-raw", "data-binary", "data-urlencode", "data-ascii", "json", "form", "form-string":
			t.sends = true
			if file, ok := curlFile(o.name, value); ok {
				w.Text = file
				t.uploads = append(t.uploads, w)
			}
		case "upload-file":
			t.uploads = append(t.uploads, w)
			if t.method == "" {
				t.method = "PUT"
			}
		case "get":
			inURL = true
		case "head":
			t.method = "HEAD"
		case "output", "dump-header", "cookie-jar", "trace", "trace-ascii", "stderr", "hsts", "alt-svc", "etag-save", "libcurl":
			t.saves = append(t.saves, w)
		case "write-out":
			for _, part := range strings.Split(value, "%output{")[1:] {
				w.Text, _, _ = strings.Cut(part, "}")
				t.saves = append(t.saves, w)
			}
		case "remote-name", "remote-name-all", "remote-header-name":
			t.saves = append(t.saves, shell.Word{Text: "download", Literal: true})
		case "config":
			x.found("execute", "read", "settings", "curl does what a file says")
		case "url":
			t.urls = append(t.urls, w)
		case "mail-rcpt", "mail-from":
			x.found("message", "send", "mail", "curl sends mail")
		case "quote":
			x.found("delete", "command", "server", "curl gives a server commands")
		case "header", "proxy-header":
			if file, ok := strings.CutPrefix(value, "@"); ok {
				w.Text = file
				t.uploads = append(t.uploads, w)
			}
			t.header(value)
		case "variable":
			if _, file, ok := strings.Cut(value, "@"); ok {
				w.Text = file
				t.uploads = append(t.uploads, w)
			}
		}
	}
	if inURL && (t.method == "" || t.method == "POST") {
		t.method, t.sends = "GET", false
	}
	x.transfers(t, "curl")
}

// curlFile is the file that an option of curl sends: @file, name=@file or name@file.
func curlFile(name, value string) (string, bool) {
	at := strings.IndexAny(value, "@<")
	switch {
	case at < 0 || name == "data-raw" || name == "form-string":
		return "", false
	case name == "data-urlencode" && !strings.Contains(value[:at], "=") && value[at] == '@', at == 0, value[at-1] == '=' && name != "data-urlencode":
		file, _, _ := strings.Cut(value[at+1:], ";")
		return file, true
	}
	return "", false
}

// overrides are the headers and parameters by which a request asks to be taken for one of
// another method.
var overrides = setOf("x-http-method-override x-http-method x-method-override _method")

// header reads a header, which may name another method.
func (t *transfer) header(text string) {
	if name, value, ok := strings.Cut(text, ":"); ok && overrides[strings.ToLower(strings.TrimSpace(name))] {
		t.override = strings.ToUpper(strings.TrimSpace(value))
	}
}

// overriddenBy is the method that the address of a request asks for, "" for none.
func overriddenBy(address string) string {
	_, query, _ := strings.Cut(address, "?")
	for _, pair := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' || r == '#' }) {
		if name, value, _ := strings.Cut(pair, "="); overrides[strings.ToLower(name)] {
			return strings.ToUpper(value)
		}
	}
	return ""
}
