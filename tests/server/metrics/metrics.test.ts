import { expect, test } from 'vitest';
import { LoadTable } from '@/lib/view-model/load/load-table';
import { formatExposition } from '@/server/metrics/exposition';
import { inFlightFamilies } from '@/server/metrics/in-flight';
import { LoadCounters } from '@/server/metrics/load-counters';
import { clusterLoad, loadReported, localityLoad } from '../../support/load-samples';

test('formatExposition writes the text format, with every odd character escaped', () => {
  const text = formatExposition([
    {
      ...{ name: 'x_total', type: 'counter', help: 'A \\ and\na line.' },
      samples: [
        { labels: { name: 'a "b" \\ c\nd' }, value: 18446744073709551616n },
        { value: Number.POSITIVE_INFINITY },
      ],
    },
    { name: 'empty', type: 'gauge', help: 'Nothing.', samples: [] },
  ]);
  expect(text).toBe(
    [
      '# HELP x_total A \\\\ and\\na line.',
      '# TYPE x_total counter',
      'x_total{name="a \\"b\\" \\\\ c\\nd"} 18446744073709551616',
      'x_total +Inf',
      '',
    ].join('\n'),
  );
});

test('LoadCounters add up all clients, exactly', () => {
  const counters = new LoadCounters();
  const largest = '18446744073709551615';
  for (const clientId of ['a', 'b']) {
    counters.observe(
      loadReported(
        1,
        [
          clusterLoad([localityLoad('z', { successful: largest, errors: '2' })], {
            totalDropped: '5',
            dropped: [{ category: 'lb', count: '3' }],
          }),
        ],
        { clientId },
      ),
    );
  }
  const text = formatExposition(counters.families());
  const place = 'source="lrs",cluster="cart",region="eu",zone="z",sub_zone="",priority="0"';
  expect(text).toContain(`xdscope_load_requests_total{${place},result="success"} 36893488147419103230\n`);
  expect(text).toContain(`xdscope_load_requests_total{${place},result="error"} 4\n`);
  expect(text).toContain('xdscope_load_dropped_requests_total{source="lrs",cluster="cart"} 10\n');
  expect(text).toContain(
    'xdscope_load_category_dropped_requests_total{source="lrs",cluster="cart",category="lb"} 6\n',
  );
  expect(text).toContain('xdscope_load_reports_total{source="lrs",cluster="cart"} 2\n');
});

test('requests in flight are those of who reports, and nothing of who is silent', () => {
  const table = new LoadTable();
  const report = (clientId: string, at: number, inProgress: string) =>
    table.fold(loadReported(at, [clusterLoad([localityLoad('z', { inProgress })])], { clientId }));
  report('a', 1_000, '3');
  report('a', 90_000, '4');
  report('b', 100_000, '18446744073709551615');
  report('gone', 1_000, '7');
  const textAt = (now: number) => formatExposition(inFlightFamilies(table, now));
  const line = 'source="lrs",cluster="cart",region="eu",zone="z",sub_zone="",priority="0"';
  expect(textAt(101_000)).toContain(`xdscope_load_requests_in_flight{${line}} 18446744073709551619\n`);
  expect(textAt(101_000)).toContain('xdscope_load_silent_clusters 1\n');
  // Nobody is left who says it: that is not none.
  expect(textAt(500_000)).not.toContain('in_flight{');
  expect(textAt(500_000)).toContain('xdscope_load_silent_clusters 3\n');
});
