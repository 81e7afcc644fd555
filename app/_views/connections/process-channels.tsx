'use client';

import type { ReactNode } from 'react';
import { NotReported } from '@/app/_components/bytes-text';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { shortError } from '@/lib/views/connections/describe-disagreement';
import type {
  ChannelRow,
  ConnectionFiguresAnswer,
  ConnectionsPage,
  ListenerRow,
} from '@/lib/views/connections/schema';
import { ConnectionState, SinceText } from './connection-state';

interface ProcessChannelsProps {
  readonly channels: readonly ChannelRow[];
  readonly servers: readonly ChannelRow[];
  readonly listeners: readonly ListenerRow[];
  readonly counts: Pick<ConnectionsPage['counts'], 'listeners'>;
}

const listenersShown = 8;

/** The channels and listeners of the client's process, above its endpoints. */
export function ProcessChannels({ channels, servers, listeners, counts }: ProcessChannelsProps) {
  const management = servers.filter(({ isManagementServer }) => isManagementServer);
  const others = servers.filter(({ isManagementServer }) => !isManagementServer);
  return (
    <div className="flex min-w-0 flex-wrap gap-x-10 gap-y-3 border-b border-line px-4 py-2.5">
      <Channels title="Management servers" rows={management} />
      <Channels title="Channels of this client" rows={channels} />
      <Channels
        title={
          management.length === 0
            ? 'Channels without xDS, as to management servers'
            : 'Other channels of the process'
        }
        rows={others}
      />
      {listeners.length > 0 && (
        <Group title="Listeners">
          {listeners.slice(0, listenersShown).map((row) => (
            <Listener key={row.id} row={row} />
          ))}
          {counts.listeners > listenersShown && (
            <li className="note">{formatCount(counts.listeners - listenersShown)} more</li>
          )}
        </Group>
      )}
    </div>
  );
}

function Channels({ title, rows }: { readonly title: string; readonly rows: readonly ChannelRow[] }) {
  if (rows.length === 0) return null;
  return (
    <Group title={title}>
      {rows.map((row) => (
        <li key={row.id} className="flex min-w-0 flex-wrap items-baseline gap-x-3">
          <span className="font-mono break-all">{row.target}</span>
          <ConnectionState connection={row} />
          <span className="note">
            <SinceText connection={row} />
          </span>
          <Calls figures={row.figures} />
          {row.lastError !== '' && (
            <span className="text-nacked" title={row.lastError}>
              {shortError(row.lastError)}
            </span>
          )}
        </li>
      ))}
    </Group>
  );
}

const notServingTexts: Readonly<Record<NonNullable<ListenerRow['notServingBecause']>, string>> = {
  'no-socket': 'no socket of the process listens on the address',
  'other-address': 'the process listens on another address than that of the Listener',
  'no-config': 'the server has no valid Listener (gRFC A36)',
};

function Listener({ row }: { readonly row: ListenerRow }) {
  const { name, address, state } = row;
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-3">
      {name !== '' && <NameText name={name} />}
      <span className="font-mono break-all">
        {address === '' ? <NotReported why="the address is not reported" /> : address}
      </span>
      {state !== undefined && <StatusMark status={state} />}
      <ServingText row={row} />
      <Calls figures={row.figures} />
    </li>
  );
}

function ServingText({ row: { state, status, notServingBecause, figures } }: { readonly row: ListenerRow }) {
  const connected = figures?.openConnections ?? null;
  if (status === 'not-reported') return <NotReported why="no source reports the sockets of the process" />;
  if (status === 'serving')
    return (
      <span className="note" title="Open connections of clients, counted up to 100.">
        serving, {formatCounted(connected ?? 0, 'connection')}
      </span>
    );
  if (notServingBecause !== undefined)
    return (
      <span className="text-nacked">
        {state === 'ACKED' || state === 'ACTIVE' ? `${state}, but not serving` : 'not serving'}:{' '}
        {notServingTexts[notServingBecause]}
      </span>
    );
  // Listeners of Envoy have no figures: one that listens serves.
  const isOfServer = figures !== undefined;
  return (
    <span className="note" title={isOfServer ? notKnownToServe : undefined}>
      listening{connected === 0 && ', no client is connected'}
    </span>
  );
}

const notKnownToServe =
  'channelz does not report whether a server serves: one that does not closes the connections of its clients at once.';

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="note mb-0.5">{title}</h2>
      <ul className="flex min-w-0 flex-col gap-0.5">{children}</ul>
    </section>
  );
}

function Calls({ figures }: { readonly figures: ConnectionFiguresAnswer | undefined }) {
  if (figures === undefined) return null;
  const { callsStarted, callsFailed } = figures;
  const failed = callsFailed === 0 ? '' : `, ${formatCount(callsFailed)} failed`;
  return (
    <span className="note whitespace-nowrap tabular-nums">
      {formatCount(callsStarted)} {callsStarted === 1 ? 'call' : 'calls'}
      {failed}
    </span>
  );
}
