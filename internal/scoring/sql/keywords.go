package sql

import (
	"slices"
	"strings"
)

// WordID stands for a keyword or a mark of a statement; 0 for any other word.
type WordID uint16

// firstKeyword is the id of the first one: before it are the marks, by their byte.
const firstKeyword = 256

// keywords are the words that the reader of statements looks at; their ids are their
// places behind firstKeyword.
var keywords = strings.Fields(`ABORT AFTER ALL ALTER AND ANALYZE AS ASC ATTACH BACKUP BEGIN BEFORE BY CALL CASCADE CLUSTER COMMENT COMMIT CONCURRENTLY COPY CREATE
	CSV DATABASE DECLARE DELETE DESC DETACH DISTINCT DO DROP DUMPFILE ELSE END ESCAPE EVENT EXEC EXECUTE EXISTS EXPLAIN EXTENSION EXTERNAL FAIL FALSE FETCH FIRST FOR
	FOREIGN FROM FUNCTION GLOBAL GO GRANT GROUP HAVING IF IGNORE IN INDEX INNER INSERT INSTEAD INTO IS JOIN KEY KILL LATERAL LEFT LIKE LIMIT LOAD LOCAL LOCK LOGIN
	LOW_PRIORITY MATERIALIZED MERGE MINUS NATURAL NEXT NO NOT NULL OF OFFSET ON ONLY OPTIMIZE OR ORDER OUTFILE OVERWRITE POLICY PREPARE PROCEDURE PROGRAM PUBLICATION
	PURGE QUICK RECURSIVE REFRESH REINDEX RENAME REPLACE RESTORE RETURNING REVOKE RIGHT ROLE ROLLBACK ROW ROWS SCHEMA SELECT SEQUENCE SERVER SET SHOW SHUTDOWN START
	STDIN STDOUT SUBSCRIPTION TABLE TABLESPACE TEMP TEMPORARY THEN TO TOP TRIGGER TRUE TRUNCATE TYPE UNION UNIQUE UNLOGGED UPDATE UPSERT USAGE USE USER USING VACUUM VALUES
	VIEW WHEN WHERE WITH CROSS EXCEPT INTERSECT FULL OUTER LOOP SHARE`)

// longestKeyword is that of SUBSCRIPTION, and of MATERIALIZED and CONCURRENTLY.
const longestKeyword = 12

// keywordsBy are the ids of the keywords by length and first letter.
var keywordsBy = func() (by [longestKeyword + 1]['Z' + 1 - 'A'][]WordID) {
	for i, word := range keywords {
		list := &by[len(word)][word[0]-'A']
		*list = append(*list, firstKeyword+WordID(i))
	}
	return by
}()

// keyword is the id of a word, in any case.
func keyword(word string) WordID {
	if len(word) > longestKeyword {
		return 0
	}
	first := word[0] &^ 0x20
	if first < 'A' || first > 'Z' {
		return 0
	}
	for _, id := range keywordsBy[len(word)][first-'A'] {
		if isUpperOf(keywords[id-firstKeyword], word) {
			return id
		}
	}
	return 0
}

// isUpperOf reports whether word is upper, which is as long, with letters of any case.
func isUpperOf(upper, word string) bool {
	for i := range len(word) {
		b := word[i]
		if b >= 'a' && b <= 'z' {
			b -= 'a' - 'A'
		}
		if b != upper[i] {
			return false
		}
	}
	return true
}

// A mark has its byte for an id; that of NUL, which is that of no word, is one that no
// mark has.
const nulID = 255

func markID(b byte) WordID {
	if b == 0 {
		return nulID
	}
	return WordID(b)
}

var marks = func() (all [firstKeyword]string) {
	for b := range len(all) {
		all[b] = string([]byte{byte(b)})
	}
	all[0], all[nulID] = "", "\x00"
	return all
}()

func (id WordID) String() string {
	if id < firstKeyword {
		return marks[id]
	}
	return keywords[id-firstKeyword]
}

// Lower is the keyword in lower case.
func (id WordID) Lower() string { return lowerKeywords[id-firstKeyword] }

var lowerKeywords = func() []string {
	all := make([]string, len(keywords))
	for i, word := range keywords {
		all[i] = strings.ToLower(word)
	}
	return all
}()

// wordIDs is above every id.
const wordIDs = 512

// WordSet is a set of keywords and marks.
type WordSet [wordIDs / 64]uint64

// hasOneOf reports whether both sets have a word.
func (s *WordSet) hasOneOf(other *WordSet) bool {
	for i, words := range other {
		if s[i]&words != 0 {
			return true
		}
	}
	return false
}

// Words is the set of those in a list between spaces.
func Words(list string) *WordSet {
	var s WordSet
	for word := range strings.FieldsSeq(list) {
		id := WordID(word[0])
		if i := slices.Index(keywords, word); i >= 0 {
			id = firstKeyword + WordID(i)
		}
		s[id/64] |= 1 << (id % 64)
	}
	return &s
}
