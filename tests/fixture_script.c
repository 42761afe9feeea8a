/* Scripts: their tasks and steps read from text, and what all steps use.  See model_fixture.h. */
#include "tests/fixture_private.h"

#include <math.h>
#include <string.h>

/* ---- what steps use ---- */

void actor_log (Actor *actor, const char *event)
{
  GString *log = actor->fixture->log;

  if (log->len)
    g_string_append (log, ", ");
  g_string_append_printf (log, "%s@", actor->task->name);
  fixture_append_us (log, task_now (actor->task));
  g_string_append_printf (log, " %s", event);
}

UrTime script_us (const char *text) { return (UrTime) llround (g_ascii_strtod (text, NULL) * 1000); }

unsigned step_number (const Step *step) { return (unsigned) g_ascii_strtoull (step->text, NULL, 10); }

UrTime actor_deadline (Actor *actor, const char *text)
{
  return *text ? task_now (actor->task) + script_us (text) : UR_TIME_NEVER;
}

Ring *actor_ring (const Actor *actor) { return actor->ring ? actor->ring : actor->fixture->ring; }

Ring *actor_ring_number (const Actor *actor, const char *text)
{
  guint64 n = g_ascii_strtoull (text, NULL, 10);

  g_assert (n < actor->fixture->sim->rings->len);
  return g_ptr_array_index (actor->fixture->sim->rings, (guint) n);
}

/* ---- scripts ---- */

static const StepKind *const kinds[] = { fixture_cpu_steps, fixture_ring_steps };

static Step step_parse (const char *word)
{
  const char *colon = strchr (word, ':');
  size_t length = colon ? (size_t) (colon - word) : strlen (word);

  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (const StepKind *kind = kinds[i]; kind->name; kind++)
      if (strlen (kind->name) == length && strncmp (kind->name, word, length) == 0)
        return (Step){ kind, g_strdup (colon ? colon + 1 : "") };
  g_error ("no step \"%s\"", word);
}

static void step_clear (gpointer data) { g_free (((Step *) data)->text); }

static void actor_body (Task *task, void *data)
{
  Actor *actor = data;

  while (actor->at < actor->steps->len) {
    const Step *step = &g_array_index (actor->steps, Step, actor->at++);

    step->kind->act (actor, step);
  }
  task_sync (task);
  fixture_done_one (actor->fixture);
}

static void actor_start (UrEngine *engine, void *data)
{
  (void) engine;
  task_start (((Actor *) data)->task, NULL);
}

void actor_free (gpointer data)
{
  Actor *actor = data;

  g_array_unref (actor->steps);
  g_free (actor);
}

static void actor_new (Fixture *fixture, const char *text)
{
  Actor *actor = g_new0 (Actor, 1);
  const char *colon = strchr (text, ':'), *rest;
  g_autofree char *name = NULL;
  g_auto (GStrv) words = NULL;
  int pinned = -1;
  unsigned previous = 0;

  g_assert (colon);
  rest = text + strcspn (text, "@/~:");
  name = g_strndup (text, (gsize) (rest - text));
  for (; rest != colon; rest += 1 + strcspn (rest + 1, "@/~:")) {
    if (*rest == '@')
      actor->start = script_us (rest + 1);
    else if (*rest == '/')
      pinned = (int) g_ascii_strtoull (rest + 1, NULL, 10);
    else
      previous = (unsigned) g_ascii_strtoull (rest + 1, NULL, 10);
  }
  actor->fixture = fixture;
  actor->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (actor->steps, step_clear);
  words = g_strsplit (colon + 1, " ", -1);
  for (char **word = words; *word; word++)
    if (**word) {
      Step step = step_parse (*word);

      g_array_append_val (actor->steps, step);
    }
  actor->task = task_new (fixture->sim, name, TASK_CLASS_APP, pinned, actor_body, actor);
  if (pinned < 0)
    actor->task->cpu = &fixture->sim->cpus[previous];
  g_ptr_array_add (fixture->actors, actor);
  fixture->busy++;
  ur_engine_at (fixture->sim->engine, actor->start, actor_start, actor);
}

void fixture_script (Fixture *fixture, const char *script)
{
  g_auto (GStrv) actors = g_strsplit (script, "|", -1);

  for (char **actor = actors; *actor; actor++)
    actor_new (fixture, g_strstrip (*actor));
}

Task *fixture_task (Fixture *fixture, const char *name)
{
  for (unsigned i = 0; i < fixture->actors->len; i++) {
    Task *task = ((Actor *) g_ptr_array_index (fixture->actors, i))->task;

    if (strcmp (task->name, name) == 0)
      return task;
  }
  g_error ("no task \"%s\"", name);
}
