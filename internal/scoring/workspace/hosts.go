package workspace

import (
	"net/netip"
	"strings"

	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Which hosts are this machine, its neighbours, or what a cloud tells of itself.

// isThisMachine reports whether a host is this machine.
func isThisMachine(host string) bool {
	if host == "localhost" || host == "0.0.0.0" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && (ip.IsLoopback() || ip.Unmap().IsLoopback() || ip.IsUnspecified())
}

// isMetadata reports whether a host gives a machine's credentials away.
func isMetadata(host string) bool {
	switch host {
	case "metadata.google.internal", "metadata", "instance-data", "100.100.100.200", "fd00:ec2::254", "metadata.azure.com", "168.63.129.16":
		return true
	}
	ip, ok := numeric(host)
	return ok && ip.IsLinkLocalUnicast()
}

// isPrivate reports whether a host is in a private network, or one that no public name is of.
func isPrivate(host string) bool {
	if _, ok := numeric(host); ok { // whose address that is, nobody knows
		return true
	}
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range wordlist.List("workspace.privateEndings") {
		if strings.HasSuffix(host, end) || host == end[1:] {
			return true
		}
	}
	return false
}

// numeric is a host as a number, in any way that programs take.
func numeric(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap(), true
	}
	if host == "" || strings.Trim(host, "0123456789abcdefx.") != "" || host[0] < '0' || host[0] > '9' {
		return netip.Addr{}, false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x") {
		return netip.Addr{}, false
	}
	return number(host)
}

// number is an address written as one number, or with octal or hexadecimal parts.
func number(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	var n uint64
	for i, p := range parts {
		var v uint64
		base := uint64(10)
		switch {
		case strings.HasPrefix(p, "0x"):
			base, p = 16, p[2:]
		case len(p) > 1 && p[0] == '0':
			base, p = 8, p[1:]
		}
		for _, c := range p {
			d := uint64(strings.IndexRune("0123456789abcdef", c))
			if d >= base || v > 1<<40 {
				return netip.Addr{}, false
			}
			v = v*base + d
		}
		if i == len(parts)-1 {
			n = n<<(8*uint(max(0, 5-len(parts)))) | v
		} else {
			n = n<<8 | v
		}
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
}
