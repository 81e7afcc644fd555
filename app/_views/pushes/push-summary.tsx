import Link from 'next/link';
import { clientHref } from '@/app/_components/client-href';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { isStuckOutcome } from '@/lib/convergence/decide-client';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatSpan } from '@/lib/format/duration';
import { countUnsettled } from '@/lib/views/pushes/push-state';
import type { Convergence } from '@/lib/views/pushes/schema';
import type { State } from '@/lib/xds/status';

/** The answers as counts, the times to ACK, and stuck clients by name. */
export function PushSummary({ push }: { readonly push: Convergence }) {
  const { spread, kind, revertsTo } = push;
  const { total, sent, accepted, inEffect, recovered, counts, probes } = spread;
  const facts: readonly (readonly [label: string, count: number, status: State, note: string])[] = [
    ['Sent', sent, 'REQUESTED', `of ${formatCounted(total, 'client')}`],
    ['ACKED', accepted, 'ACKED', ''],
    ['NACKED', counts.rejected, 'NACKED', recovered === 0 ? '' : `${recovered} later ACKED it`],
    ['In effect', inEffect, 'ACTIVE', ''],
    ['Waiting or stuck', countUnsettled(spread), 'NO_ANSWER', ''],
  ];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-x-8 gap-y-3">
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          {facts.map(([label, count, status, note]) => (
            <div key={label}>
              <dt className="note">{label}</dt>
              <dd className="text-[1.1429rem] font-semibold tabular-nums">
                {count === 0 ? (
                  <span className="font-normal text-muted">0</span>
                ) : (
                  <StatusMark status={status} word={formatCount(count)} />
                )}
                {note !== '' && <span className="ml-1.5 text-small font-normal text-muted">{note}</span>}
              </dd>
            </div>
          ))}
          <div title="Probes of xdscope are no clients of the mesh, and are not counted">
            <dt className="note">Probes, not counted</dt>
            <dd className="text-[1.1429rem] text-muted tabular-nums">
              {probes.accepted} of {probes.total} ACKed
            </dd>
          </div>
        </dl>
        <Percentiles push={push} />
      </div>
      {kind === 'redundant' && (
        <p className="text-medium">Redundant push: no client received other content than it had.</p>
      )}
      {kind === 'revert' && (
        <p className="text-medium">
          Revert: the content is that of {revertsTo === '' ? 'an earlier version' : `version ${revertsTo}`}.
        </p>
      )}
      <Stuck push={push} />
    </div>
  );
}

const stuckNamed = 8;

function Stuck({ push: { clients, spread } }: { readonly push: Convergence }) {
  const stuck = clients.filter((client) => client.probe === undefined && isStuckOutcome(client));
  // `clients` may be cut, so the counts are used.
  const total = countUnsettled(spread) + spread.counts.rejected - spread.recovered;
  if (total === 0) return null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-medium">
      <span className="text-nacked">{formatCounted(total, 'client')} stuck</span>
      {stuck.slice(0, stuckNamed).map(({ clientId, nodeId }) => (
        <Link key={clientId} href={clientHref(clientId)} className="min-w-0 link-quiet">
          <NameText name={nodeId} />
        </Link>
      ))}
      {total > stuckNamed && <span className="text-muted">and {formatCount(total - stuckNamed)} more</span>}
    </p>
  );
}

function Percentiles({ push: { spread } }: { readonly push: Convergence }) {
  const { percentiles } = spread;
  return (
    <table className="text-right tabular-nums">
      <thead className="note">
        <tr>
          <th className="pr-4 text-left font-normal max-md:pr-1">Time to ACK</th>
          {percentiles.map(({ percent }) => (
            <th key={percent} className="px-3 font-normal max-md:px-1.5">
              p{percent}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th className="pr-4 text-left font-normal max-md:pr-1">of all clients</th>
          {percentiles.map(({ percent, ofAll }) => (
            <td key={percent} className="px-3 max-md:px-1.5 md:whitespace-nowrap">
              {formatSpan(ofAll)}
            </td>
          ))}
        </tr>
        <tr>
          <th className="pr-4 text-left font-normal max-md:pr-1">of those that ACKed</th>
          {percentiles.map(({ percent, ofAccepted }) => (
            <td key={percent} className="px-3 max-md:px-1.5 md:whitespace-nowrap">
              {ofAccepted === undefined ? 'none' : formatSpan(ofAccepted)}
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}
