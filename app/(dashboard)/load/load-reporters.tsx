'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { column } from '@/app/_components/column';
import type { LoadTotalsAnswer } from '@/lib/api/load';
import { formatDuration } from '@/lib/format/duration';
import { buildReporters, type LoadReporter } from '@/lib/view-model/load/build-reporters';
import type { EpochMs } from '@/lib/xds/units';
import type { DataColumn } from '../../_components/data-column';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { NameText } from '../../_components/name-text';
import { StatusMark } from '../../_components/status-mark';
import { useClockText } from '../../_hooks/use-clock-text';
import { useIsNarrow } from '../../_hooks/use-is-narrow';

const stateMarks = {
  reports: { status: 'HEALTHY', word: 'reports' },
  silent: { status: 'TIMEOUT', word: 'stopped reporting' },
  unknown: { status: 'UNKNOWN', word: 'interval not reported' },
} as const;

type ReporterColumn = DataColumn<LoadReporter>;
const name: ReporterColumn = column('client', 'Client', (row) => row.name, {
  widthPx: 180,
  grows: true,
  as: (text, { clientId }) => (
    <Link href={`/load?by=cluster&client=${encodeURIComponent(clientId)}`} className="link-hover">
      <NameText name={text} />
    </Link>
  ),
});
const state: ReporterColumn = column('state', 'State', (row) => row.state, {
  description: 'Stopped reporting: no report for at least three of its intervals',
  widthPx: 130,
  as: (reported) => <StatusMark {...stateMarks[reported]} />,
});
const interval: ReporterColumn = column('interval', 'Interval', (row) => row.intervalMs, {
  as: formatDuration,
  align: 'right',
  widthPx: 90,
  description: 'Mean interval of its reports',
});
const reports: ReporterColumn = column('reports', 'Reports', (row) => row.reports, {
  as: 'count',
  description: 'Cluster reports in the time range',
  widthPx: 90,
});
const last: ReporterColumn = column('last', 'Newest', (row) => row.lastAt, { as: 'ago', widthPx: 100 });

interface LoadReportersProps {
  readonly answer: LoadTotalsAnswer;
  /** When the answer was loaded, by this machine's clock; null: the time range has an end. */
  readonly readAt: EpochMs | null;
}

const checkEveryMs = 5_000;

export function LoadReporters({ answer, readAt }: LoadReportersProps) {
  const isNarrow = useIsNarrow();
  // Without new reports nothing is reloaded, so the state is also recomputed by time.
  const checks = Number(
    useClockText((now) => (readAt === null ? '0' : String(Math.floor((now - readAt) / checkEveryMs)))),
  );
  const rows = useMemo(() => buildReporters(answer, Math.max(0, checks) * checkEveryMs), [answer, checks]);
  return (
    <DataTable
      label="Clients that report load"
      rows={rows}
      columns={isNarrow ? [name, state, last] : [name, state, interval, reports, last]}
      rowId={({ clientId }) => clientId}
      className="max-h-[70vh] min-h-40"
      empty={<EmptyState title="No load reported in this time range" />}
    />
  );
}
