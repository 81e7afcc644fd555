'use client';

import Link from 'next/link';
import { omitEmpty } from '@/app/_ask/query-text';
import type { QuestionInput } from '@/app/_ask/question';
import { useQuestion } from '@/app/_ask/use-question';
import type { Convergence } from '@/lib/api/convergence';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { describePushKind } from '@/lib/view-model/pushes/push-state';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { Panel } from '../../_components/panel';
import { QueryContent } from '../../_components/query-content';
import type { Extent } from '../../_hooks/extent';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { useTimeZone } from '../../_hooks/use-time-zone';
import { type ClientLine, clientColumns, narrowClientColumns } from './client-columns';
import { PushChangesPanel } from './push-changes-panel';
import { PushContext } from './push-context';
import { PushPictures } from './push-pictures';
import { PushSummary } from './push-summary';
import { serializePushes } from './search-params';

type ConvergenceQuery = Required<QuestionInput<'convergence'>>;

const rowId = ({ clientId }: ClientLine) => clientId;

/** One push: its answers, hops, difference, and each client. */
export function PushView({ params }: { readonly params: ConvergenceQuery }) {
  const { type, version, server, resource, hash, from, to } = params;
  const asked = { type, ...omitEmpty({ version, server, resource, hash }), from, to };
  const { data, error, refetch } = useQuestion('convergence', asked, { placeholderData: undefined });
  return (
    <>
      <Link href={serializePushes('/pushes', { from, to })} className="self-start link-quiet">
        ← All pushes
      </Link>
      <QueryContent query={{ data, error, refetch }} what="the push" rows={10}>
        {(data) => <Reported push={data} extent={{ from, to }} />}
      </QueryContent>
    </>
  );
}

function Reported({ push, extent }: { readonly push: Convergence; readonly extent: Extent }) {
  const { subject, spread, clients, clientsLeftOut, firstAt } = push;
  const timeZone = useTimeZone();
  const isNarrow = useIsNarrow();
  const lines = clients.map((client): ClientLine => ({ ...client, subject, firstAt }));
  const mark = describePushKind(push);
  const name = subject.name ?? subject.version;
  return (
    <>
      <Panel
        title={`${subject.service} ${name}${mark === '' ? '' : `, ${mark}`}`}
        vantage={vantageOf(push, timeZone)}
        className="shrink-0"
      >
        <PushSummary push={push} />
        <PushContext push={push} extent={extent} />
      </Panel>
      <Panel
        title="Clients"
        vantage="as taps, probes, CSDS and the admin interface report them"
        partial={clientsLeftOut > 0 ? `${formatCounted(clientsLeftOut, 'more client')} not shown` : ''}
        className="shrink-0"
        flush
      >
        <DataTable
          label={`Clients: ${spread.accepted} of ${spread.total} ACKed`}
          rows={lines}
          columns={isNarrow ? narrowClientColumns : clientColumns}
          rowId={rowId}
          isSorted
          rowHeightPx={48}
          className="max-h-96 min-h-32"
          empty={<EmptyState title="No client subscribes to it" />}
        />
      </Panel>
      <PushChangesPanel push={push} />
      <Panel
        title="Hops and distribution"
        vantage="from the first observation of the push"
        className="shrink-0"
      >
        <PushPictures push={push} />
      </Panel>
    </>
  );
}

function vantageOf({ subject, firstAt, firstAfter }: Convergence, timeZone: string): string {
  const at = formatExactTime(firstAt, timeZone);
  const polled = firstAfter === undefined ? '' : ', by a poll: it may be older';
  return `${subject.server === null ? 'server not reported' : `from ${subject.server}`}; first seen ${at}${polled}`;
}
