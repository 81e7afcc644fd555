import { expect, test } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { LoadTable } from '@/lib/views/load/load-table';
import { formatExposition, type MetricFamily } from '@/server/answers/metrics/exposition';
import { LoadCounters } from '@/server/answers/metrics/load-counters';
import { inFlightFamilies } from '@/server/answers/metrics/metrics-api';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';

const expositionOf = (families: readonly MetricFamily[]) => runSteps(formatExposition(families));

test('formatExposition writes the text format, with every odd character escaped', () => {
  const text = expositionOf([
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
  const text = expositionOf(counters.families());
  const place = 'source="lrs",cluster="cart",region="eu",zone="z",sub_zone="",priority="0"';
  expect(text).toContain(`xdscope_load_requests_total{${place},result="success"} 36893488147419103230\n`);
  expect(text).toContain(`xdscope_load_requests_total{${place},result="error"} 4\n`);
  expect(text).toContain('xdscope_load_dropped_requests_total{source="lrs",cluster="cart"} 10\n');
  expect(text).toContain(
    'xdscope_load_category_dropped_requests_total{source="lrs",cluster="cart",category="lb"} 6\n',
  );
  expect(text).toContain('xdscope_load_reports_total{source="lrs",cluster="cart"} 2\n');
});

test('requests in flight are those of clients that report', () => {
  const table = new LoadTable();
  const report = (clientId: string, at: number, inProgress: string) =>
    table.fold(loadReported(at, [clusterLoad([localityLoad('z', { inProgress })])], { clientId }));
  report('a', 1_000, '3');
  report('a', 90_000, '4');
  report('b', 100_000, '18446744073709551615');
  report('gone', 1_000, '7');
  const textAt = (now: number) => expositionOf(runSteps(inFlightFamilies(table, now)));
  const line = 'source="lrs",cluster="cart",region="eu",zone="z",sub_zone="",priority="0"';
  expect(textAt(101_000)).toContain(`xdscope_load_requests_in_flight{${line}} 18446744073709551619\n`);
  expect(textAt(101_000)).toContain('xdscope_load_silent_clusters 1\n');
  // Nobody is left who says it: that is not none.
  expect(textAt(500_000)).not.toContain('in_flight{');
  expect(textAt(500_000)).toContain('xdscope_load_silent_clusters 3\n');
  // Who reports again counts again, with localities that the report leaves out.
  table.fold(loadReported(500_000, [clusterLoad([])], { clientId: 'a' }));
  expect(textAt(501_000)).toContain(`xdscope_load_requests_in_flight{${line}} 4\n`);
  expect(textAt(501_000)).toContain('xdscope_load_silent_clusters 2\n');
  table.removeClient('a');
  table.removeSource('lrs');
  expect(textAt(501_000)).not.toContain('in_flight{');
  expect(textAt(501_000)).toContain('xdscope_load_silent_clusters 0\n');
});

const linesOf = (text: string, metric: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${metric}{`));

test('a metric has at most 2,000 lines, the same ones in each scrape, and says how many were dropped', () => {
  const [counters, table] = [new LoadCounters(), new LoadTable()];
  const invent = (from: number, count: number) => {
    for (let index = from; index < from + count; index++) {
      const cluster = clusterLoad([localityLoad('z')], { clusterName: `cluster-${index}` });
      const report = loadReported(1_000, [cluster], { clientId: `c${index % 10}` });
      const fitted = table.fold(report);
      if (fitted !== undefined) counters.observe(fitted);
    }
  };
  const scrape = () => expositionOf([...counters.families(), ...runSteps(inFlightFamilies(table, 2_000))]);
  invent(0, 47_000);
  const text = scrape();
  expect(text.length).toBeLessThan(3_000_000);
  const metrics = new Set([...text.matchAll(/^(xdscope_\w+)\{/gm)].map(([, name = '']) => name));
  for (const metric of metrics) expect(linesOf(text, metric).length).toBeLessThanOrEqual(2_000);
  const own = text.split('\n').filter((line) => /^xdscope_(metrics_dropped|load_lines_left)/.test(line));
  // Up to 20,000 lines of a kind are known; of the 27,000 others each report has a cluster and a locality.
  expect(own).toEqual([
    'xdscope_load_lines_left_out_total 54000',
    'xdscope_metrics_dropped_lines{metric="xdscope_load_reports_total"} 18000',
    'xdscope_metrics_dropped_lines{metric="xdscope_load_dropped_requests_total"} 18000',
    'xdscope_metrics_dropped_lines{metric="xdscope_load_requests_total"} 38000',
    'xdscope_metrics_dropped_lines{metric="xdscope_load_issued_requests_total"} 18000',
    'xdscope_metrics_dropped_lines{metric="xdscope_load_requests_in_flight"} 45000',
  ]);
  invent(47_000, 3_000);
  const later = scrape();
  for (const metric of ['xdscope_load_reports_total', 'xdscope_load_requests_in_flight'])
    expect(linesOf(later, metric).map((line) => line.split(' ')[0])).toEqual(
      linesOf(text, metric).map((line) => line.split(' ')[0]),
    );
});
