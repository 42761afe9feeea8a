/* Tests of the charts: ticks, places of values, and SVG that is safe whatever the names are. */
#include "src/output/chart.h"
#include "src/output/escape.h"
#include "src/output/svg.h"
#include "tests/unit.h"
#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

/* "0 10 20 us": the labels of a scale and its unit. (transfer full) */
static char *labels (const ChartScale *scale)
{
  GString *out = g_string_new (NULL);

  for (unsigned i = 0; i < scale->ticks->len; i++) {
    g_string_append_printf (out, "%s%s", i ? "|" : "", g_array_index (scale->ticks, ScaleTick, i).label);
  }
  g_string_append_printf (out, "|%s", scale->unit);
  return g_string_free (out, FALSE);
}

static void test_ticks (void)
{
  static const struct {
    const char *row;
    ScaleKind kind;
    ChartUnit unit;
    double low, high;
    unsigned wanted;
    const char *expected;
  } rows[] = {
    { "linear scales begin at 0", SCALE_LINEAR, UNIT_RATE, 300, 900, 5, "0|200|400|600|800|1000|" },
    { "one unit for all labels", SCALE_LINEAR, UNIT_RATE, 3e3, 3.3e5, 4, "0|100|200|300|400|k" },
    { "steps of 5", SCALE_LINEAR, UNIT_NS, 0, 2.3e6, 5, "0|0.5|1|1.5|2|2.5|ms" },
    { "below 0 is shown", SCALE_LINEAR, UNIT_PLAIN, -4, 4, 4, "-4|-2|0|2|4|" },
    { "no fractions of things", SCALE_LINEAR, UNIT_PLAIN, 0, 2, 6, "0|1|2|" },
    { "all the same", SCALE_LINEAR, UNIT_PLAIN, 0, 0, 4, "0|0.5|1|" },
    { "shares", SCALE_LINEAR, UNIT_SHARE, 0, 1, 5, "0|20|40|60|80|100|%" },
    { "bytes", SCALE_LINEAR, UNIT_BYTES, 0, 4. * 1024 * 1024, 4, "0|1|2|3|4|MiB" },
    { "a short logarithmic scale", SCALE_LOG, UNIT_NS, 1500, 70000, 8, "1 us|2 us|5 us|10 us|20 us|50 us|100 us|" },
    { "a long one has powers of 10 only", SCALE_LOG, UNIT_NS, 30, 3e6, 8, "100 ns|1 us|10 us|100 us|1 ms|" },
    { "one value", SCALE_LOG, UNIT_NS, 1000, 1000, 8, "1 us|2 us|" },
    { "powers of 2", SCALE_LOG2, UNIT_PLAIN, 1, 32, 8, "1|2|4|8|16|32|" },
    { "every other one", SCALE_LOG2, UNIT_PLAIN, 1, 256, 5, "1|4|16|64|256|" },
    { "one depth", SCALE_LOG2, UNIT_PLAIN, 8, 8, 5, "8|16|" },
    { "the tail", SCALE_TAIL, UNIT_SHARE, 0, 0.9995, 5, "0|50|90|99|99.9|%" },
    { "a short tail", SCALE_TAIL, UNIT_SHARE, 0, 0.5, 5, "0|50|90|%" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    ChartScale scale;
    chart_scale_init (&scale, rows[i].kind, rows[i].unit, rows[i].low, rows[i].high, rows[i].wanted);
    g_autofree char *got = labels (&scale);
    if (strcmp (got, rows[i].expected)) {
      fprintf (stderr, "\n  %s: got \"%s\", expected \"%s\"\n", rows[i].row, got, rows[i].expected);
      CU_FAIL ("labels differ");
    }
    for (unsigned k = 1; k < scale.ticks->len; k++) { /* where it is labelled increases, inside the scale */
      const double at = g_array_index (scale.ticks, ScaleTick, k).position;
      CU_ASSERT (at > g_array_index (scale.ticks, ScaleTick, k - 1).position && at <= 1);
    }
    CU_ASSERT (chart_scale_position (&scale, rows[i].low) >= 0);
    CU_ASSERT (scale.high >= rows[i].high && scale.low <= rows[i].low);
    chart_scale_clear (&scale);
  }
}

static void test_positions (void)
{
  static const struct {
    ScaleKind kind;
    double low, high, value, expected;
  } rows[] = {
    { SCALE_LINEAR, 0, 100, 25, 0.25 }, { SCALE_LINEAR, 0, 100, 200, 1 }, { SCALE_LOG, 10, 1000, 100, 0.5 },
    { SCALE_LOG, 10, 1000, 1, 0 },      { SCALE_LOG2, 1, 16, 4, 0.5 },    { SCALE_TAIL, 0, 0.9999, 0.99, 0.5 },
    { SCALE_TAIL, 0, 0.9999, 1, 1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    ChartScale scale;
    chart_scale_init (&scale, rows[i].kind, UNIT_SHARE, rows[i].low, rows[i].high, 5);
    CU_ASSERT_DOUBLE_EQUAL (chart_scale_position (&scale, rows[i].value), rows[i].expected, 1e-9);
    chart_scale_clear (&scale);
  }
}

static void test_escape_xml (void)
{
  static const struct {
    const char *row, *text, *expected;
  } rows[] = {
    { "no tag", "<script>", "&lt;script&gt;" },
    { "no end of an attribute", "\"'", "&quot;&#39;" },
    { "no character reference", "&lt;", "&amp;lt;" },
    { "what XML cannot hold", "a\001\033b\x7f", "a??b?" },
    { "C1", "\xc2\x9b", "?" },
    { "not a character", "\xef\xbf\xbf", "?" },
    { "line ends are kept", "a\nb\tc", "a\nb\tc" },
    { "UTF-8 is kept", "\xc3\xa4", "\xc3\xa4" },
    { "invalid UTF-8", "\xff", "\xef\xbf\xbd" },
    { "nothing", NULL, "" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *got = escape_xml (rows[i].text);
    if (strcmp (got, rows[i].expected)) {
      fprintf (stderr, "\n  %s: got \"%s\", expected \"%s\"\n", rows[i].row, got, rows[i].expected);
      CU_FAIL ("text differs");
    }
  }
}

static void test_svg (void)
{
  g_autoptr (Svg) svg = svg_new (10, 20.25, "a<b");
  g_autoptr (GString) path = g_string_new (NULL);

  svg_begin (svg, "font-size=\"12\"");
  svg_line (svg, 1, -0.04, 2.55, -3.5, NULL);
  svg_text (svg, 1, 2, SVG_END, "</text><script>", "fill=\"#000\"");
  svg_path_to (path, 'M', 1, 2);
  svg_path_to (path, 'L', 3.14, 0.05);
  svg_path (svg, path->str, NULL);
  svg_end (svg);
  g_autofree char *text = svg_document (svg);
  CU_ASSERT_STRING_EQUAL (
      text,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"10\" height=\"20.3\" viewBox=\"0 0 10 20.3\" "
      "font-family=\"Helvetica, Arial, sans-serif\">\n"
      "  <title>a&lt;b</title>\n"
      "  <g font-size=\"12\">\n"
      "    <line x1=\"1\" y1=\"0\" x2=\"2.6\" y2=\"-3.5\"/>\n"
      "    <text x=\"1\" y=\"2\" text-anchor=\"end\" fill=\"#000\">&lt;/text&gt;&lt;script&gt;</text>\n"
      "    <path d=\"M1 2L3.1 0.1\"/>\n"
      "  </g>\n"
      "</svg>\n");
}

static unsigned count (const char *text, const char *word)
{
  unsigned n = 0;

  for (const char *p = text; (p = strstr (p, word)); p += strlen (word)) {
    n++;
  }
  return n;
}

static void test_chart (void)
{
  static const ChartPoint points[] = { { 1, 10, 2 }, { 2, 30, 0 }, { 4, 40, 0 } };
  ChartSeries series[12];
  Chart chart = { .title = "<t>",
                  .x = { "depth", UNIT_PLAIN, SCALE_LOG2 },
                  .y = { "IOPS", UNIT_RATE, SCALE_LINEAR },
                  .n_series = G_N_ELEMENTS (series),
                  .series = series };

  for (unsigned i = 0; i < G_N_ELEMENTS (series); i++) {
    series[i] = (ChartSeries){ .name = i ? "a rather long name of a policy that needs room" : "<script>\"\n\033[31m",
                               .n = G_N_ELEMENTS (points),
                               .points = points };
  }
  g_autofree char *many = chart_svg (&chart), *again = chart_svg (&chart);
  CU_ASSERT_STRING_EQUAL (many, again);
  CU_ASSERT_PTR_NULL (strstr (many, "<script>"));
  CU_ASSERT_PTR_NULL (strchr (many, '\033'));
  CU_ASSERT_PTR_NOT_NULL (strstr (many, "&lt;script&gt;&quot;\\n\\x1b[31m"));
  CU_ASSERT_PTR_NOT_NULL (strstr (many, ">depth</text>"));
  CU_ASSERT_PTR_NOT_NULL (strstr (many, ">IOPS</text>"));
  /* The first two share a row of the legend, the others have one each: no row lies on another. */
  for (unsigned i = 1; i < G_N_ELEMENTS (series) - 1; i++) {
    g_autofree char *row = g_strdup_printf ("y=\"%u\"", 36 + 340 + 3 * 18 + 8 + 18 * i);
    CU_ASSERT_EQUAL (count (many, row), 1);
  }
  /* Lines differ without colours: each has a marker at its points and in the legend, other than its neighbours'. */
  chart.n_series = 2;
  g_autofree char *two = chart_svg (&chart);
  CU_ASSERT_EQUAL (count (two, "<circle"), 4);
  CU_ASSERT_EQUAL (count (two, "stroke-dasharray=\"7 3\""), 2);
  /* Of the interval: a line with two ends, on both. */
  CU_ASSERT_EQUAL (count (two, "class=\"s0\" stroke=\"#0060a0\"/>"), 3);
  chart.n_series = 0; /* nothing to show is no error */
  g_autofree char *none = chart_svg (&chart);
  CU_ASSERT_EQUAL (count (none, "<path"), 0);
}

void register_chart_tests (void)
{
  CU_pSuite suite = CU_add_suite ("chart", NULL, NULL);

  CU_add_test (suite, "labels of axes", test_ticks);
  CU_add_test (suite, "places of values", test_positions);
  CU_add_test (suite, "text for XML", test_escape_xml);
  CU_add_test (suite, "shapes", test_svg);
  CU_add_test (suite, "whole charts", test_chart);
}
