import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Divergence } from '@/lib/api/propagation';
import type { ClientSummary, Source } from '@/lib/api/schema';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { Trouble } from '@/lib/view-model/overview/build-overview';
import { isTrouble } from '@/lib/xds/status';
import { clientHref } from '../../_components/client-href';
import { FreshnessMark } from '../../_components/freshness-mark';
import { nacksHref } from '../../_components/nack-href';
import { NameText } from '../../_components/name-text';
import { SourceMark } from '../../_components/source-mark';
import { StatusMark } from '../../_components/status-mark';
import { TimeAgo } from '../../_components/time-ago';

export function TroubleList({ troubles }: { readonly troubles: readonly Trouble[] }) {
  return (
    <ul className="divide-y divide-line">
      {troubles.map((trouble) => (
        <li key={keyOf(trouble)}>
          <TroubleItem trouble={trouble} />
        </li>
      ))}
    </ul>
  );
}

function keyOf(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'client':
      return `client ${trouble.client.id}`;
    case 'source':
      return `source ${trouble.source.id}`;
    case 'divergence':
      return `divergence ${trouble.first.target}`;
    case 'recorder':
      return 'recorder';
  }
}

function TroubleItem({ trouble }: { readonly trouble: Trouble }) {
  switch (trouble.kind) {
    case 'client':
      return <ClientTrouble client={trouble.client} />;
    case 'source':
      return <SourceTrouble source={trouble.source} />;
    case 'divergence':
      return <DivergenceTrouble first={trouble.first} total={trouble.total} />;
    case 'recorder':
      return (
        <Entry
          mark={<StatusMark status="NACKED" word="recorder stopped" />}
          title="Recording has stopped"
          reason={trouble.reason}
        />
      );
  }
}

function ClientTrouble({ client }: { readonly client: ClientSummary }) {
  const { trouble, troubleSince, nodeId, scope, troubleText, freshness } = client;
  return (
    <Entry
      mark={<IssueMark client={client} />}
      title={
        <Link href={clientHref(client.id)} className="min-w-0 font-medium hover:underline">
          <NameText name={scope === '' ? nodeId : `${nodeId} (${scope})`} maxChars={52} />
        </Link>
      }
      aside={
        <>
          {client.worst === 'NACKED' && (
            <Link href={nacksHref(client.id)} className="link-quiet">
              rejections
            </Link>
          )}
          {freshness !== 'live' && <FreshnessMark client={client} />}
          <span>{formatCounted(trouble, 'resource')}</span>
          {troubleSince !== null && (
            <span>
              since <TimeAgo iso={troubleSince} />
            </span>
          )}
        </>
      }
      reason={troubleText === '' ? 'No error message reported.' : troubleText}
    />
  );
}

/** The worst state of the client, or what its control plane reports. */
function IssueMark({ client: { worst, types } }: { readonly client: ClientSummary }) {
  if (worst !== null && (worst === 'UNKNOWN' || isTrouble(worst))) return <StatusMark status={worst} />;
  const isError = types.some(
    ({ byConfigStatus, sync }) => sync === 'ERROR' || (byConfigStatus.ERROR ?? 0) > 0,
  );
  return isError ? <StatusMark status="NACKED" word="ERROR" /> : <StatusMark status="UNKNOWN" word="STALE" />;
}

function DivergenceTrouble({ first, total }: { readonly first: Divergence; readonly total: number }) {
  const { target, service, name, text, since, delta } = first;
  return (
    <Entry
      mark={<StatusMark status="NACKED" word="sotw-delta-divergence" />}
      title={
        <Link
          href={`/clients/${encodeURIComponent(delta.clientId)}/propagation?propagation=differs`}
          className="min-w-0 font-medium hover:underline"
        >
          <NameText name={`${service} ${name}`} maxChars={52} />
        </Link>
      }
      aside={
        <>
          <span>{formatCounted(total, 'resource')}</span>
          <TimeAgo iso={since} />
        </>
      }
      reason={`${target}: ${text}`}
    />
  );
}

function SourceTrouble({ source }: { readonly source: Source }) {
  const { state, label, problem, lastSuccessAt, members } = source;
  const isOfMembers = state !== 'down' && members !== undefined;
  return (
    <Entry
      mark={<SourceMark state="down" />}
      title={
        <Link href="/sources" className="min-w-0 font-medium hover:underline">
          <NameText name={label} maxChars={52} />
        </Link>
      }
      aside={
        isOfMembers ? undefined : (
          <span>
            last response <TimeAgo iso={lastSuccessAt} never="never" />
          </span>
        )
      }
      reason={
        isOfMembers
          ? `${formatCount(members.down)} of its ${formatCounted(members.total, 'target')} ${members.down === 1 ? 'does' : 'do'} not answer`
          : (problem?.message ?? 'No reason reported.')
      }
      hint={problem?.hint}
    />
  );
}

interface EntryProps {
  readonly mark: ReactNode;
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly reason: string;
  readonly hint?: string;
}

function Entry({ mark, title, aside, reason, hint = '' }: EntryProps) {
  return (
    <div className="flex flex-col gap-1 px-4 py-2.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
        {mark}
        {title}
        <span className="ml-auto flex items-center gap-3 note">{aside}</span>
      </div>
      <p className="font-mono text-small leading-snug break-words whitespace-pre-wrap">{reason}</p>
      {hint !== '' && <p className="note">{hint}</p>}
    </div>
  );
}
