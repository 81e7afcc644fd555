import type { IssuePage } from '@/lib/api/issues';
import type { MetricFamily } from './exposition';

/**
 * The issues that last. Labels are the id and what is fixed for it, with the name of one resource; clients are counted, so that
 * the number of lines is that of the listed issues.
 */
export function issueFamilies({
  items,
  total,
  counts,
}: Pick<IssuePage, 'items' | 'total' | 'counts'>): MetricFamily[] {
  const dropped = Math.max(0, total - items.length);
  return [
    {
      ...{ name: 'xdscope_issues', type: 'gauge', help: 'Issues that last, by state (open, muted).' },
      samples: [
        { labels: { state: 'open' }, value: counts.open },
        { labels: { state: 'muted' }, value: counts.muted },
      ],
    },
    {
      ...{ name: 'xdscope_issue', type: 'gauge', dropped },
      help: '1 for each issue that lasts: what it does to RPCs (impact), and the severity that follows from it.',
      samples: items.map(({ id, kind, state, severity, impact, resource }) => ({
        labels: {
          ...{ issue: id, kind, state, severity, impact: impact.level },
          ...{ type: resource?.service ?? '', resource: resource?.name ?? '' },
        },
        value: 1,
      })),
    },
    {
      ...{ name: 'xdscope_issue_start_time_seconds', type: 'gauge', dropped },
      help: 'Unix time of the onset of each issue that lasts, if it is known.',
      samples: items.flatMap(({ id, since }) =>
        since === null ? [] : [{ labels: { issue: id }, value: since / 1_000 }],
      ),
    },
    {
      ...{ name: 'xdscope_issue_clients', type: 'gauge', dropped },
      help: 'Clients that have the issue, without probes of xdscope.',
      samples: items.map(({ id, clients }) => ({
        labels: { issue: id },
        value: clients.total - clients.probes,
      })),
    },
  ];
}
