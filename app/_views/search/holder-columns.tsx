import Link from 'next/link';
import { clientHref } from '@/app/_components/client-href';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { StateMark } from '@/app/_components/status-mark';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { Holder } from '@/lib/views/search/schema';
import { stateRank } from '@/lib/xds/status';

type HolderColumn = DataColumn<Holder>;

export function buildHolderColumns(resource: ResourceKey): HolderColumn[] {
  return [
    clientColumn(resource),
    stateColumn,
    versionColumn,
    contentColumn,
    column('size', 'Size', ({ sizeBytes }) => sizeBytes, { as: 'bytes', widthPx: 80 }),
    sinceColumn,
    changedColumn,
    column('error', 'Error message', ({ error }) => error, { as: 'text' }),
  ];
}

export function buildNarrowHolderColumns(resource: ResourceKey): HolderColumn[] {
  return [
    { ...clientColumn(resource), widthPx: 150 },
    { ...stateColumn, widthPx: 110 },
    { ...versionColumn, widthPx: 80 },
  ];
}

const freshnessWords: Readonly<Record<Holder['freshness'], string>> = {
  live: '',
  stale: 'stale',
  gone: 'no longer reported',
  file: 'of a file',
};

function clientColumn(resource: ResourceKey): HolderColumn {
  return column('client', 'Client', ({ nodeId }) => nodeId, {
    widthPx: 240,
    grows: true,
    cell: ({ clientId, nodeId, scope, isProbe, freshness }) => (
      <div className="flex min-w-0 flex-col leading-snug">
        <Link href={clientHref(clientId, resource)} className="block min-w-0 font-medium link-hover">
          <NameText name={nodeId} />
        </Link>
        <span className="flex min-w-0 gap-x-2 text-tiny text-muted">
          {scope !== '' && <NameText name={scope} />}
          {isProbe && <span>xdscope’s own probe</span>}
          {freshnessWords[freshness] !== '' && <span>{freshnessWords[freshness]}</span>}
        </span>
      </div>
    ),
  });
}

const stateColumn: HolderColumn = column('state', 'State', ({ state }) => state && stateRank(state), {
  description: 'The worst of what the client answered and of what is in effect',
  widthPx: 140,
  cell: ({ state }) => <StateMark state={state} />,
});

const versionColumn: HolderColumn = column('version', 'Version', ({ versionInfo }) => versionInfo || null, {
  as: 'name',
  description: 'The version that the client ACKed last',
  widthPx: 130,
});

const contentColumn: HolderColumn = column('content', 'Content', ({ hash }) => hash, {
  description: 'The beginning of the SHA-256 of the content; clients with equal digits have equal content',
  as: (hash) => (
    <span className="font-mono text-[0.9286em]" title={`SHA-256 ${hash}`}>
      {hash.slice(0, 8)}
    </span>
  ),
});

const sinceColumn: HolderColumn = column('since', 'In effect since', ({ inEffectSince }) => inEffectSince, {
  as: 'ago',
  why: 'not reported',
  widthPx: 120,
  description: 'When the client put the payload into effect, as it reports it',
});

const changedColumn: HolderColumn = column('changed', 'Changed', ({ changedAt }) => changedAt, {
  as: 'ago',
  description: 'When xdscope first saw this state',
});
