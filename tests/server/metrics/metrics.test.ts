import { expect, test } from 'vitest';
import { formatExposition } from '@/server/metrics/exposition';
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
