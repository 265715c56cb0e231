// SPDX-License-Identifier: Apache-2.0
// libedit's own interface (histedit.h). Its setters take variable arguments, which Swift does not import: one door each.
#ifndef PET_LINE_EDITOR_SHIM_H
#define PET_LINE_EDITOR_SHIM_H

#include <fcntl.h>
#include <histedit.h>
#include <stdio.h>
#include <unistd.h>

typedef char *(*cle_prompt_function)(EditLine *);
typedef unsigned char (*cle_key_function)(EditLine *, int);

/// An editor on two descriptors, which stay the caller's, for the terminal of this type; or NULL.
static inline EditLine *cle_init(const char *name, int input, int output, const char *terminal) {
  int own_input = fcntl(input, F_DUPFD_CLOEXEC, 0), own_output = fcntl(output, F_DUPFD_CLOEXEC, 0);
  FILE *in = own_input < 0 ? NULL : fdopen(own_input, "r");
  FILE *out = own_output < 0 ? NULL : fdopen(own_output, "w");
  EditLine *editor = in != NULL && out != NULL ? el_init(name, in, out, out) : NULL;
  if (editor != NULL) {
    el_set(editor, EL_TERMINAL, terminal);
    return editor;
  }
  if (in != NULL) fclose(in);
  else if (own_input >= 0) close(own_input);
  if (out != NULL) fclose(out);
  else if (own_output >= 0) close(own_output);
  return NULL;
}

static inline void cle_end(EditLine *editor) {
  FILE *in = NULL, *out = NULL;
  el_get(editor, EL_GETFP, 0, &in);
  el_get(editor, EL_GETFP, 1, &out);
  el_end(editor);
  if (in != NULL) fclose(in);
  if (out != NULL) fclose(out);
}

static inline void cle_set_client(EditLine *editor, void *client) { el_set(editor, EL_CLIENTDATA, client); }

static inline void *cle_client(EditLine *editor) {
  void *client = NULL;
  el_get(editor, EL_CLIENTDATA, &client);
  return client;
}

/// `function` returns the prompt; text between two bytes of value 1 is sent to the terminal but takes no column.
static inline void cle_set_prompt(EditLine *editor, cle_prompt_function function) {
  el_set(editor, EL_PROMPT_ESC, function, '\1');
}

static inline void cle_set_reader(EditLine *editor, el_rfunc_t function) { el_set(editor, EL_GETCFN, function); }

/// Emacs keys, no signal handlers of libedit's own.
static inline void cle_set_defaults(EditLine *editor) {
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_SIGNAL, 0);
}

static inline void cle_bind_tab(EditLine *editor, cle_key_function function) {
  el_set(editor, EL_ADDFN, "pet-complete", "complete a command", function);
  el_set(editor, EL_BIND, "^I", "pet-complete", NULL);
}

/// What a terminal sends before pasted text where that is bracketed: `function` reads on from there.
static inline void cle_bind_paste(EditLine *editor, cle_key_function function) {
  el_set(editor, EL_ADDFN, "pet-paste", "insert pasted text", function);
  el_set(editor, EL_BIND, "\\e[200~", "pet-paste", NULL);
}

/// Words with the arrows, as terminals of xterm's kind send them with Ctrl and with Alt.
static inline void cle_bind_words(EditLine *editor) {
  el_set(editor, EL_BIND, "\\e[1;5C", "em-next-word", NULL);
  el_set(editor, EL_BIND, "\\e[1;5D", "ed-prev-word", NULL);
  el_set(editor, EL_BIND, "\\e[1;3C", "em-next-word", NULL);
  el_set(editor, EL_BIND, "\\e[1;3D", "ed-prev-word", NULL);
}

/// Puts the terminal into editing mode (1) or gives it back as it was (0).
static inline void cle_prepare_terminal(EditLine *editor, int raw) { el_set(editor, EL_PREP_TERM, raw); }

static inline void cle_refresh(EditLine *editor) { el_set(editor, EL_REFRESH); }

static inline void cle_use_history(EditLine *editor, History *list) { el_set(editor, EL_HIST, history, list); }

static inline void cle_history_set_size(History *list, int size) {
  HistEvent event;
  history(list, &event, H_SETSIZE, size);
}

static inline void cle_history_clear(History *list) {
  HistEvent event;
  history(list, &event, H_CLEAR);
}

static inline void cle_history_enter(History *list, const char *line) {
  HistEvent event;
  history(list, &event, H_ENTER, line);
}

#endif
