package sql

import "testing"

func TestIsStatement(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SELECT 1", "select * from orders", "select name from users where id = 1", "SELECT count(*) FROM a", "SELECT version()", "select a.b, c as d from e f join g on g.h = f.h",
		"DELETE FROM users", "delete from users where id=1", "DROP TABLE users", "drop table if exists users cascade;", "DROP DATABASE shop", "TRUNCATE TABLE a", "truncate orders", "TRUNCATE public.orders CASCADE", "truncate orders restart identity",
		"UPDATE users SET role = 'admin' WHERE id = 7", "update a set b=1", "INSERT INTO a VALUES (1)", "insert into a (b) values (2)", "INSERT INTO a SELECT * FROM b",
		"WITH x AS (SELECT 1) SELECT * FROM x", "WITH x (a, b) AS (SELECT 1, 2) DELETE FROM y", "CREATE TABLE a (b int)", "CREATE USER mallory SUPERUSER PASSWORD 'x'",
		"GRANT ALL PRIVILEGES ON ALL TABLES IN SCHEMA public TO mallory", "GRANT admin TO bob", "REVOKE ALL ON orders FROM app", "ALTER TABLE users DROP COLUMN email",
		"ALTER SYSTEM SET log_statement = 'none'", "EXPLAIN ANALYZE DELETE FROM orders", "CALL purge_old_orders()", "EXEC sp_executesql N'DROP TABLE users'", "EXEC xp_cmdshell 'x'",
		"DO $$ BEGIN DROP TABLE users; END $$", "/*!50000DROP*/ TABLE users", "-- a comment\nDROP TABLE users", "BEGIN; DROP TABLE users; COMMIT", "COPY users TO '/tmp/x'",
		"COPY (SELECT 1) TO STDOUT", "MERGE INTO a USING b ON a.c = b.c WHEN MATCHED THEN DELETE", "PRAGMA table_info(users)", "SHOW TABLES", "SET GLOBAL x = 1", "LOAD DATA INFILE 'x' INTO TABLE y",
		"EXPORT DATA OPTIONS (uri='gs://b/x-*.csv') AS SELECT a FROM b", "UNLOAD ('SELECT a FROM b') TO 's3://b/x'", "EXPORT TABLE orders TO '/x'", "COPY INTO @out/x FROM orders", "COPY INTO 's3://b/x' FROM orders",
		"COPY INTO orders FROM @in/x", "KILL QUERY 42", "KILL MUTATION WHERE table = 'orders'", "PURGE BINARY LOGS BEFORE '2030-01-01'", "PREPARE p FROM 'DROP TABLE x'", "BACKUP DATABASE shop TO DISK = 'x'", "(SELECT a FROM b)", "SELECT pg_terminate_backend(1)", "SELECT 'a' || 'b'", "USE shop; SELECT * FROM a",
		"SELECT * FROM users INTO OUTFILE '/x'", "CREATE INDEX i ON orders (a)", "VACUUM FULL orders", "DROP USER alice", "SELECT * FROM [Order Details]", "select distinct city from stores order by 1",
	} {
		if !Read(text).IsStatement() {
			t.Errorf("%q is SQL", text)
		}
	}
	for _, text := range []string{
		"", "delete the old rows from the list", "drop table error in production", "Update me on the move", "select one from the menu", "Select a seat from the list", "insert coin",
		"create a table for the party", "grant access to Bob please", "grant access to bob", "call me tomorrow", "call mom (urgent)", "explain the plan", "show tables at the market", "set the table", "set it to five",
		"with love from Paris", "with all due respect", "do it now", "update the docs set", "delete from here on", "drop me a line", "drop user complaints into the box", "alter ego", "merge the branch into main",
		"use the force", "begin at the start", "execute order 66", "copy this file to that folder", "Lock the door", "Rename the file", "select items for review today from shopping list",
		"SELECT", "DROP", "from orders where", "how do I select from a table?", "truncate the log file", "truncate long text", "comment on the issue", "values matter", "analyze this",
		"replace the word a with b", "load the truck", "UPDATE: the meeting moved", "create user guide for new staff", "create role descriptions for HR", "create table of contents", "create index of all pages",
		"export data to the spreadsheet", "export table of contents", "kill the lights", "kill query monitoring", "copy into the folder", "purge master list", "unload the van", "alter database schema later", "explain select statements to me", "Insert into the slot", "delete from cart button broken",
	} {
		if Read(text).IsStatement() {
			t.Errorf("%q is no SQL", text)
		}
	}
}
