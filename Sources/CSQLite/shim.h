// SPDX-License-Identifier: Apache-2.0
// SQLite's own interface (sqlite3.h). Swift imports neither variable arguments nor a cast as a constant: one door each.
#ifndef PET_SQLITE_SHIM_H
#define PET_SQLITE_SHIM_H

#include <sqlite3.h>

/// Turns a switch of a connection (`SQLITE_DBCONFIG_...`) on (1) or off (0); returns the result code.
static inline int csqlite_switch(sqlite3 *connection, int option, int on) {
  return sqlite3_db_config(connection, option, on, (int *)0);
}

/// Binds `count` bytes of UTF-8, which are copied. No bytes may have no address, which SQLite would take for null.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, count == 0 ? "" : text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds `count` bytes, which are copied. No bytes may have no address.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT);
}

#endif
