'use client';

import { NotReported } from '@/app/_components/bytes-text';
import { GlyphMark } from '@/app/_components/shape-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { useClockText } from '@/app/_hooks/use-clock-text';
import { connectionShape } from '@/lib/views/connections/connection-shape';
import { describeDisagreement } from '@/lib/views/connections/describe-disagreement';
import type { Absence, ConnectionRow } from '@/lib/views/connections/schema';
import type { EpochMs } from '@/lib/xds/units';

type Connected = Pick<ConnectionRow['connection'] & object, 'state'>;

export function ConnectionState({ connection }: { readonly connection: Connected }) {
  return <GlyphMark shape={connectionShape(connection.state)} />;
}

const absences: Readonly<Record<Absence, readonly [text: string, why: string]>> = {
  'not-reported': ['Not reported', 'no source reports the connections of this client'],
  'priority-not-tried': [
    'Not tried',
    'no endpoint of this priority has a subchannel: gRPC creates them when the priorities before it fail',
  ],
  'not-usable': ['No subchannel', 'gRPC connects only to endpoints whose health is HEALTHY or UNKNOWN'],
  none: ['No subchannel', 'the LB policy has not created a subchannel for this endpoint'],
  'no-host': ['No host', 'Envoy lists no host with this address in the cluster'],
  dns: ['By DNS', 'the address is a DNS name; the addresses that it has are listed without a cluster'],
};

export function AbsenceText({ absence }: { readonly absence: Absence }) {
  const [text, why] = absences[absence];
  return (
    <span className="text-muted" title={why}>
      {text}
    </span>
  );
}

type Since = Pick<
  ConnectionRow['connection'] & object,
  'since' | 'isSinceFirstPoll' | 'failingSince' | 'state'
>;

/** Shows when the state began; for an endpoint that fails, since when it has not been READY. */
export function SinceText({ connection }: { readonly connection: Since | undefined }) {
  if (connection === undefined) return <NotReported why="no connection is reported" />;
  const { since, failingSince, isSinceFirstPoll, state } = connection;
  const began = state === 'TRANSIENT_FAILURE' ? (failingSince ?? since) : since;
  return (
    <span
      className="whitespace-nowrap"
      title={isSinceFirstPoll ? 'it began before the first poll' : undefined}
    >
      {isSinceFirstPoll && <span className="text-muted">before </span>}
      <TimeAgo at={began} />
    </span>
  );
}

/** Shows what does not fit together. `at`: the moment of the view; null: now. */
export function DisagreementText({ row, at }: { readonly row: ConnectionRow; readonly at: EpochMs | null }) {
  const text = useClockText((now) => describeDisagreement(row, at ?? now));
  if (text === '') return null;
  return (
    <span
      className="min-w-0 whitespace-normal break-words text-small leading-tight text-nacked"
      title={row.connection?.lastError}
      suppressHydrationWarning
    >
      {text}
    </span>
  );
}
