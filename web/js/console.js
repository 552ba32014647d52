// The console's script: what HTML cannot do. Every page works without it, except for live updates.
