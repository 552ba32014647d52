# Turns the lines of go test -bench into an array of {name, value, unit, limit,
# ratio}. A benchmark reports "limit" and "ratio" as metrics of those names
# (testing.B.ReportMetric); where it has none they are null. With -v table=1 it is a table of the
# ratios instead.
/^pkg:/ { n = split($2, path, "/"); pkg = path[n] }
/^Benchmark/ {
	limit = ratio = "null"
	for (i = 3; i < NF; i += 2) {
		if ($(i + 1) == "limit") limit = $i
		if ($(i + 1) == "ratio") ratio = $i
	}
	sub(/-[0-9]+$/, "", $1)
	if (ratio != "null") ratios[++measured] = sprintf("%8.2f  %s/%s", ratio, pkg, $1)
	for (i = 3; i < NF; i += 2) {
		if ($(i + 1) == "limit" || $(i + 1) == "ratio") continue
		gsub(/["\\\\]/, "", $1)
		rows[++count] = sprintf("{\"name\":\"%s/%s\",\"value\":%s,\"unit\":\"%s\",\"limit\":%s,\"ratio\":%s}", pkg, $1, $i, $(i + 1), limit, ratio)
	}
}
END {
	if (table) {
		print "   ratio  benchmark (of AtOnce: database, act, clients, organisations)"
		for (i = 1; i <= measured; i++) print ratios[i]
		exit
	}
	print "["
	for (i = 1; i <= count; i++) print "  " rows[i] (i < count ? "," : "")
	print "]"
}
