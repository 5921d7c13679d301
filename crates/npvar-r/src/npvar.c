/* The border between R and the Rust library: hands columns over, hands texts back. Nothing is computed here. */

#include <stdint.h>
#include <stdlib.h>

#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

typedef struct Given Given;
typedef struct Running Running;

char *npvar_call(const char *question);
Given *npvar_table(void);
void npvar_add_file(Given *table, const char *path);
void npvar_add_numbers(Given *table, const char *name, const double *values, size_t n);
void npvar_add_words(Given *table, const char *name, const char *const *words, size_t n);
Running *npvar_start(Given *table, const char *question);
char *npvar_wait(const Running *running, uint32_t milliseconds);
void npvar_free_running(Running *running);
void npvar_free_text(char *text);

static const char *text_at(SEXP words, R_xlen_t i)
{
    return Rf_translateCharUTF8(STRING_ELT(words, i));
}

/* An R string of a text, which is freed. */
static SEXP given_back(char *text)
{
    SEXP string = PROTECT(Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)));
    npvar_free_text(text);
    UNPROTECT(1);
    return string;
}

static SEXP call(SEXP question)
{
    return given_back(npvar_call(text_at(question, 0)));
}

static void finalise(SEXP handle)
{
    Running *running = R_ExternalPtrAddr(handle);
    if (running != NULL) {
        R_ClearExternalPtr(handle);
        npvar_free_running(running);
    }
}

/* `data` is a named list of numeric and character vectors, or a character vector of paths. What R may refuse (memory,
   strings) happens before the table is made. */
static SEXP start(SEXP data, SEXP question)
{
    SEXP handle = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(handle, finalise, TRUE);
    const char *asked = text_at(question, 0);
    const int is_files = TYPEOF(data) == STRSXP;
    const R_xlen_t count = XLENGTH(data);
    SEXP titles = is_files ? data : Rf_getAttrib(data, R_NamesSymbol);
    const char **names = (const char **) R_alloc(count + 1, sizeof(char *));
    const char ***words = (const char ***) R_alloc(count + 1, sizeof(char **));
    for (R_xlen_t j = 0; j < count; j++) {
        names[j] = text_at(titles, j);
        words[j] = NULL;
        SEXP column = is_files ? R_NilValue : VECTOR_ELT(data, j);
        if (TYPEOF(column) == STRSXP) {
            words[j] = (const char **) R_alloc(XLENGTH(column) + 1, sizeof(char *));
            for (R_xlen_t i = 0; i < XLENGTH(column); i++)
                words[j][i] = STRING_ELT(column, i) == NA_STRING ? NULL : text_at(column, i);
        }
    }
    Given *table = npvar_table();
    for (R_xlen_t j = 0; j < count; j++) {
        SEXP column = is_files ? R_NilValue : VECTOR_ELT(data, j);
        if (is_files)
            npvar_add_file(table, names[j]);
        else if (words[j] != NULL)
            npvar_add_words(table, names[j], words[j], XLENGTH(column));
        else
            npvar_add_numbers(table, names[j], REAL(column), XLENGTH(column));
    }
    R_SetExternalPtrAddr(handle, npvar_start(table, asked));
    UNPROTECT(1);
    return handle;
}

/* NULL while the work goes on. */
static SEXP wait_for(SEXP handle, SEXP milliseconds)
{
    Running *running = R_ExternalPtrAddr(handle);
    if (running == NULL)
        Rf_error("this work has been given up");
    char *text = npvar_wait(running, (uint32_t) Rf_asInteger(milliseconds));
    return text == NULL ? R_NilValue : given_back(text);
}

static SEXP give_up(SEXP handle)
{
    finalise(handle);
    return R_NilValue;
}

static const R_CallMethodDef methods[] = {
    {"C_call", (DL_FUNC) &call, 1},
    {"C_start", (DL_FUNC) &start, 2},
    {"C_wait", (DL_FUNC) &wait_for, 2},
    {"C_give_up", (DL_FUNC) &give_up, 1},
    {NULL, NULL, 0}
};

void R_init_npvar(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, methods, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
