import { useClientViewData } from '@/app/_ask/client-view-data';
import { NotReported } from '@/app/_components/bytes-text';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { ConfigStatusText } from '@/app/_components/inspector/config-status-text';
import { NameText } from '@/app/_components/name-text';
import { StageMark } from '@/app/_components/stage-mark';
import { StateMark, StatusMark } from '@/app/_components/status-mark';
import { TypeText, typeColumnPx } from '@/app/_components/type-text';
import { V2Mark } from '@/app/_components/v2-mark';
import { RowWaits } from '@/app/_components/waiting-text';
import type { NamePart } from '@/lib/format/names/name-part';
import { describeDoubt } from '@/lib/observation/describe-doubt';
import { isInDoubt } from '@/lib/observation/effect-stage';
import { findWaiting } from '@/lib/observation/find-waiting';
import { describeRejection } from '@/lib/views/client/describe-rejection';
import { knownUntil } from '@/lib/views/client/known-until';
import { findDisagreement } from '@/lib/views/resources/find-disagreement';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { namePartColumns } from './name-part-columns';

/** The server sorts. */
type ResourceColumn = DataColumn<ResourceRowJson>;

const type: ResourceColumn = column('type', 'Type', ({ typeUrl }) => typeUrl, {
  description: 'Discovery service',
  widthPx: typeColumnPx,
  cell: (row) => (
    <>
      <TypeText typeUrl={row.typeUrl} className="text-muted" />
      {row.apiVersion === 'v2' && (
        <>
          {' '}
          <V2Mark />
        </>
      )}
    </>
  ),
});

const name: ResourceColumn = column('name', 'Name', (row) => row.name, {
  widthPx: 264,
  grows: true,
  nameOf: (row) => row.name,
  cell: (row) => (
    <span className="flex min-w-0 items-baseline gap-2">
      <NameText name={row.name} typeUrl={row.typeUrl} copy />
      <StageMark {...row} />
    </span>
  ),
});

const status: ResourceColumn = column('status', 'State', (row) => row.state, {
  description: 'The worst of what the client answered and of what is in effect',
  widthPx: 164,
  cell: (row) =>
    row.side === 'client' ? (
      <StateMark state={row.state} />
    ) : (
      <NotReported why="not reported by the client" />
    ),
});

const controlPlane: ResourceColumn = column('control-plane', 'Control plane', (row) => row.configStatus, {
  description:
    'config_status: the control plane’s report. It is reported per type: one NACK marks all of a type.',
  widthPx: 132,
  cell: (row) => <ConfigStatusText row={row} />,
});

const version: ResourceColumn = column('version', 'Version', ({ versionInfo }) => versionInfo || null, {
  as: 'name',
  description: 'The version that the client ACKed last, or reports',
  // A timestamp with a number, as istiod writes it, on one line.
  widthPx: 212,
  why: 'no version reported',
  nameOf: (row) => row.versionInfo,
});

const updated: ResourceColumn = column('updated', 'Last updated', (row) => row.lastUpdated, {
  as: 'ago',
  description: 'last_updated, by the clock of its source',
  widthPx: 128,
  why: 'not reported',
});

const changed: ResourceColumn = column('changed', 'Changed', (row) => row.changedAt, {
  as: 'ago',
  description: 'When xdscope first saw this state',
});

const size: ResourceColumn = column('size', 'Size', (row) => row.sizeBytes, {
  as: 'bytes',
  description: 'Protobuf bytes of the content',
  widthPx: 84,
});

const hash: ResourceColumn = column('hash', 'Hash', (row) => row.hash, {
  description: 'SHA-256 of the content',
  why: 'content not reported',
  as: (digits) => (
    <span className="font-mono text-[0.9286em] text-muted" title={digits}>
      {digits.slice(0, 8)}
    </span>
  ),
});

/** `parts`: the parts of names that have columns of their own. */
export function buildResourceColumns(parts: readonly NamePart[]): readonly ResourceColumn[] {
  const partColumns = parts.map((part) => namePartColumns[part]);
  return [type, name, ...partColumns, status, controlPlane, version, updated, changed, size, hash];
}

export const narrowResourceColumns: readonly ResourceColumn[] = [
  { ...type, widthPx: 68 },
  {
    ...name,
    widthPx: 120,
    cell: (row) => (
      <span className="flex min-w-0 flex-col">
        <NameText name={row.name} typeUrl={row.typeUrl} />
        <StageMark {...row} />
      </span>
    ),
  },
  { ...status, widthPx: 124 },
];

function ShownWaits({ row }: { readonly row: ResourceRowJson }) {
  const { client, snapshotAt } = useClientViewData();
  return <RowWaits row={row} until={knownUntil(client, snapshotAt)} />;
}

/** The detail line: what the resource waits for, why the resource was rejected, and how the sides differ. */
export function resourceDetail(row: ResourceRowJson) {
  const found = findDisagreement(row);
  // Equal content under two versions is normal after a push; only the inspector shows it.
  const disagreement = found?.kind === 'version-only' ? undefined : found;
  const error = row.errorState;
  // With an error, the ambient error is the same one.
  const ambient = error === null ? row.ambientError : undefined;
  const waits = findWaiting(row, row.state).length > 0;
  const doubt = row.doubt !== undefined && isInDoubt(row) ? describeDoubt(row, row.doubt) : undefined;
  const isPlain = ambient === undefined && disagreement === undefined && !waits;
  if (error === null && doubt === undefined && isPlain) return null;
  return (
    <div className="flex flex-col gap-0.5 pl-[72px] text-small max-md:pl-0">
      {waits && <ShownWaits row={row} />}
      {error !== null && (
        <p className="line-clamp-4 break-words whitespace-pre-wrap">
          <StatusMark status={row.state ?? 'UNKNOWN'} word={false} className="mr-1.5 align-middle" />
          {error.versionInfo !== '' && (
            <span className="text-muted">
              {row.clientStatus === 'NACKED' ? 'rejected version ' : 'version '}
              <span className="font-mono text-text">{error.versionInfo}</span>:{' '}
            </span>
          )}
          <span className="font-mono">{describeRejection(row) || 'no error message reported'}</span>
        </p>
      )}
      {doubt !== undefined && <p className="break-words text-muted">{doubt}</p>}
      {ambient !== undefined && (
        <p className="break-words text-timeout">
          Still in use despite {ambient.code}: {ambient.details}
        </p>
      )}
      {disagreement !== undefined && <p className="break-words text-timeout">Differs: {disagreement.text}</p>}
    </div>
  );
}
