import Link from 'next/link';
import { NotReported } from '@/app/_components/bytes-text';
import { clientHref } from '@/app/_components/client-href';
import { bytesColumn, textColumn, timeColumn } from '@/app/_components/columns';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { StateMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import type { Holder } from '@/lib/api/search';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { stateRank } from '@/lib/xds/status';

type HolderColumn = DataColumn<Holder>;

export function buildHolderColumns(resource: ResourceKey): HolderColumn[] {
  return [
    clientColumn(resource),
    stateColumn,
    versionColumn,
    contentColumn,
    bytesColumn<Holder>(({ sizeBytes }) => sizeBytes, { id: 'size', header: 'Size', widthPx: 80 }),
    sinceColumn,
    changedColumn,
    textColumn<Holder>(({ error }) => error, { id: 'error', header: 'Error message' }),
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
  return {
    id: 'client',
    header: 'Client',
    widthPx: 240,
    grows: true,
    sortValue: ({ nodeId }) => nodeId,
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
  };
}

const stateColumn: HolderColumn = {
  id: 'state',
  header: 'State',
  description: 'The worst of what the client answered and of what is in effect',
  widthPx: 140,
  sortValue: ({ state }) => (state === null ? null : stateRank(state)),
  cell: ({ state }) => <StateMark state={state} />,
};

const versionColumn: HolderColumn = {
  id: 'version',
  header: 'Version',
  description: 'The version that the client ACKed last',
  widthPx: 130,
  sortValue: ({ versionInfo }) => (versionInfo === '' ? null : versionInfo),
  cell: ({ versionInfo }) => (versionInfo === '' ? <NotReported /> : <NameText name={versionInfo} />),
};

const contentColumn: HolderColumn = {
  id: 'content',
  header: 'Content',
  description: 'The beginning of the SHA-256 of the content; clients with equal digits have equal content',
  widthPx: 96,
  sortValue: ({ hash }) => hash,
  cell: ({ hash }) =>
    hash === null ? (
      <NotReported />
    ) : (
      <span className="font-mono text-[0.9286em]" title={`SHA-256 ${hash}`}>
        {hash.slice(0, 8)}
      </span>
    ),
};

const sinceColumn: HolderColumn = {
  id: 'since',
  header: 'In effect since',
  description: 'When the client put the payload into effect, as it reports it',
  align: 'right',
  widthPx: 120,
  sortsDescendingFirst: true,
  sortValue: ({ inEffectSince }) => inEffectSince,
  cell: ({ inEffectSince }) => (inEffectSince === null ? <NotReported /> : <TimeAgo iso={inEffectSince} />),
};

const changedColumn = timeColumn<Holder>(({ changedAt }) => changedAt, {
  id: 'changed',
  header: 'Changed',
  description: 'When xdscope first saw this state',
});
