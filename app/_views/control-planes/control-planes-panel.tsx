'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { clientHref } from '@/app/_components/client-href';
import { EmptyState } from '@/app/_components/empty-state';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { describeDifference } from '@/lib/views/control-planes/describe-difference';
import type { ControlPlaneRow, InstanceDifferenceRow } from '@/lib/views/control-planes/schema';
import { formatResourceType } from '@/lib/xds/resource-type';

/** What the control planes of this mesh did, as probes and taps recorded it. */
export function ControlPlanesPanel() {
  const query = useQuestion('interop/control-planes', {});
  return (
    <Panel
      title="Control planes in production"
      vantage="by probes and taps, in the last 24 hours of the log"
      partial={query.data?.notes.join(' ')}
      flush
    >
      <QueryContent query={query} what="the control planes">
        {({ items, differences }) =>
          items.length === 0 ? (
            <EmptyState title="No control plane was observed">
              What clients report (CSDS, admin interface) does not show what their control plane sends. A
              probe requests the resources of a node itself, and a tap records the streams of real clients.
              Add one of them under{' '}
              <Link href="/sources" className="link">
                Settings
              </Link>
              , or start xdscope with <code>--ads HOST:PORT</code> (probe) or{' '}
              <code>--tap LISTEN=UPSTREAM</code>. To compare instances of one control plane, add a probe for
              each of them with the same node id.
            </EmptyState>
          ) : (
            <>
              <ul className="divide-y divide-line">
                {items.map((item) => (
                  <ControlPlaneItem key={item.server} item={item} />
                ))}
              </ul>
              <Differences differences={differences} />
              <VersionDifferences differences={differences} />
            </>
          )
        }
      </QueryContent>
    </Panel>
  );
}

function ControlPlaneItem({ item }: { readonly item: ControlPlaneRow }) {
  const { server, identifiers, clients, openStreams, responses, repeated, spins, fastestSpin } = item;
  const { lastSpinAt, breaks, ends } = item;
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-mono break-all">{server}</span>
        <span className="note break-all">{identifiers.join(', ')}</span>
      </p>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 sm:grid-cols-3 lg:grid-cols-6">
        <Figure term="Clients">{formatCount(clients)}</Figure>
        <Figure term="Open streams">{formatCount(openStreams)}</Figure>
        <Figure term="Responses">{formatCount(responses)}</Figure>
        <Figure term="Repeated without a change">
          {formatCount(repeated)}
          {spins > 0 && (
            <span className="text-nacked">
              , {formatCounted(spins, 'spin')} of up to {formatCount(fastestSpin)}
            </span>
          )}
          {lastSpinAt !== undefined && (
            <>
              , the last <TimeAgo at={lastSpinAt} />
            </>
          )}
        </Figure>
        <Figure term="Pushes in the wrong order">{describeOrder(item)}</Figure>
        <Figure term="Ended streams">{formatCount(ends.reduce((sum, { count }) => sum + count, 0))}</Figure>
      </dl>
      {breaks.length > 0 && (
        <details>
          <summary className="note py-1">Pushes in the wrong order, newest first</summary>
          <ul className="pl-4">
            {breaks.map(
              ({ at, clientId, nodeId, kind, typeUrl, name, cluster, lastedMs, isFelt, isOfProbe }) => (
                <li key={`${at} ${clientId} ${typeUrl} ${name} ${cluster} ${kind}`} className="break-words">
                  <TimeAgo at={at} className="note" />{' '}
                  <Link href={clientHref(clientId)} className="link-quiet" prefetch={false}>
                    {nodeId}
                  </Link>
                  : {formatResourceType(typeUrl)} <span className="font-mono">{name}</span>{' '}
                  {kind === 'sent-before-cluster'
                    ? 'was sent before the cluster'
                    : 'led to the removed cluster'}{' '}
                  <span className="font-mono">{cluster}</span>
                  {lastedMs === undefined ? ', which still lasts' : ` for ${formatDuration(lastedMs)}`}
                  {isFelt ? ' (felt: the client had accepted it)' : ''}
                  {isOfProbe ? ' (at a probe, which has no traffic)' : ''}
                </li>
              ),
            )}
          </ul>
        </details>
      )}
      {ends.length > 0 && (
        <details>
          <summary className="note py-1">Ended streams, by status and the last message</summary>
          <ul className="pl-4">
            {ends.map(({ code, after, count }) => (
              <li key={`${code} ${after}`}>
                {formatCount(count)} × {code} after {after}
                {code === 'CANCELLED' && <span className="note"> (the client ended it)</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** Probes alone do not show what the clients of the control plane accepted. */
function describeOrder({ broken, brokenAtClients, felt }: ControlPlaneRow): string {
  if (broken === 0) return '0';
  const ofClients = brokenAtClients === 0 ? 'all at probes' : `${formatCount(felt)} felt`;
  return `${formatCount(broken)}, ${ofClients}`;
}

interface FigureProps {
  readonly term: string;
  readonly children: ReactNode;
}

function Figure({ term, children }: FigureProps) {
  return (
    <div>
      <dt className="note">{term}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}

interface DifferencesProps {
  readonly differences: readonly InstanceDifferenceRow[];
}

function Differences({ differences }: DifferencesProps) {
  const ofResources = differences.filter(({ kind }) => kind === 'resources');
  return (
    <section aria-label="Differences between instances" className="border-t border-line px-4 py-2">
      <h3 className="note font-medium">
        Instances that sent one node different resources for longer than 5 s
      </h3>
      {ofResources.length === 0 ? (
        <p className="note">None. Instances are compared where two of them are sent the same node id.</p>
      ) : (
        <DifferenceList differences={ofResources} />
      )}
    </section>
  );
}

/** Informational: it is stated where it exists, and is no issue. */
function VersionDifferences({ differences }: DifferencesProps) {
  const ofVersions = differences.filter(({ kind }) => kind === 'versions');
  if (ofVersions.length === 0) return null;
  return (
    <section aria-label="Differences of versions alone" className="border-t border-line px-4 py-2">
      <h3 className="note font-medium">
        Instances that sent one node equal resources with different versions for longer than 5 s
      </h3>
      <p className="note">
        Informational: each instance may have versions of its own. A client that reconnects to the other one
        may be sent resources that it has.
      </p>
      <DifferenceList differences={ofVersions} />
    </section>
  );
}

function DifferenceList({ differences }: DifferencesProps) {
  return (
    <ul>
      {differences.map((difference) => {
        const { nodeId, typeUrl, servers, since, until } = difference;
        return (
          <li key={JSON.stringify([nodeId, typeUrl, servers, since])} className="break-words">
            {describeDifference(difference)}, <TimeAgo at={since} className="note" />
            {until === undefined ? ', lasts' : `, lasted ${formatDuration(until - since)}`}
          </li>
        );
      })}
    </ul>
  );
}
