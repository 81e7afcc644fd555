'use client';

import { type ReactNode, useState } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { ErrorLine } from '@/app/_components/error-line';
import { NameText } from '@/app/_components/name-text';
import { NumberSetting } from '@/app/_components/number-setting';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { formatShare } from '@/lib/format/share';
import type { PeerComparison, PeerRow, TestClientPage } from '@/lib/views/test-client/schema';

/** As blockRequest of the schema, whose validators do not reach the browser. */
const maxBlockRpcs = 10_000;
const maxTimeoutSeconds = 60;
const unmatchedShown = 5;

interface RpcBlockProps {
  readonly block: TestClientPage['block'];
  readonly isLive: boolean;
}

/** Requests the RPCs that start next, and shows which servers answered those of the newest request. */
export function RpcBlock({ block, isLive }: RpcBlockProps) {
  const { client } = useClientViewData();
  const request = useCommand('POST clients/{id}/test-client/block');
  const [rpcs, setRpcs] = useState(100);
  const [timeoutSeconds, setTimeoutSeconds] = useState(20);
  return (
    <>
      {isLive && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pb-2">
          <NumberSetting
            text="RPCs"
            label="Number of RPCs"
            value={rpcs}
            min={1}
            max={maxBlockRpcs}
            onSet={setRpcs}
          />
          <NumberSetting
            text="within"
            label="Timeout of the block in seconds"
            unit="s"
            value={timeoutSeconds}
            min={1}
            max={maxTimeoutSeconds}
            onSet={setTimeoutSeconds}
          />
          <Button
            isPending={request.isPending}
            onPress={() => request.mutate({ id: client.id, rpcs, timeoutSeconds })}
          >
            {request.isPending ? 'Counting RPCs' : 'Count the next RPCs'}
          </Button>
          <ErrorLine error={request.error} />
        </div>
      )}
      {block === undefined ? (
        <p className="note">No block was requested yet (GetClientStats).</p>
      ) : (
        <Block block={block} />
      )}
    </>
  );
}

function Block({ block }: { readonly block: NonNullable<TestClientPage['block']> }) {
  const { at, requested, failed, timeoutMs, tookMs, peers, methods, clusters, unmatched } = block;
  return (
    <>
      <p className="note pb-1.5">
        {formatCounted(requested, 'RPC')} that started after the request, answered <TimeAgo at={at} /> after{' '}
        {formatDuration(tookMs)} of at most {formatDuration(timeoutMs)}:{' '}
        <span className={failed > 0 ? 'font-medium text-nacked' : ''}>
          {formatCount(failed)} failed or had not ended
        </span>
        .
      </p>
      <div className="flex flex-wrap items-start gap-x-10 gap-y-3">
        <Peers label="RPCs by server" peers={peers} />
        {methods.length > 1 &&
          methods.map(({ method, peers: ofMethod }) => (
            <Peers key={method} label={`RPCs of ${method} by server`} title={method} peers={ofMethod} />
          ))}
        {clusters.map((each) => (
          <Comparison key={each.cluster} comparison={each} />
        ))}
      </div>
      {unmatched.length > 0 && (
        <p className="note pt-1.5 break-words">
          No expected share: the config has no endpoint in a single cluster with the hostname or address{' '}
          {unmatched.slice(0, unmatchedShown).join(', ')}
          {unmatched.length > unmatchedShown && ` and ${unmatched.length - unmatchedShown} more`}.
        </p>
      )}
    </>
  );
}

/** The endpoints of one cluster: the share that the config implies beside the measured one. */
function Comparison({ comparison: { cluster, rpcs, peers } }: { readonly comparison: PeerComparison }) {
  return (
    <table aria-label={`Expected and measured shares of ${cluster}`} className="text-right tabular-nums">
      <caption className="pb-0.5 text-left">
        <NameText name={cluster} className="font-medium" />{' '}
        <span className="note">
          {formatCounted(rpcs, 'RPC')} that succeeded; expected by the config of this view
        </span>
      </caption>
      <Heads heads={['Endpoint', 'Expected', 'Measured', 'RPCs']} />
      <tbody>
        {peers.map(({ peer, count, share, expected }) => (
          <tr key={peer}>
            <PeerHead peer={peer} />
            <td className="pl-6">{expected === undefined ? 'not listed' : formatShare(expected)}</td>
            <td className="pl-6">{formatShare(share)}</td>
            <td className="pl-6">{formatCount(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PeersProps {
  readonly label: string;
  readonly title?: string;
  readonly peers: readonly PeerRow[];
}

function Peers({ label, title = 'All methods', peers }: PeersProps) {
  if (peers.length === 0) return null;
  return (
    <table aria-label={label} className="text-right tabular-nums">
      <Heads heads={[title, 'RPCs', 'Share']}>
        <th scope="col" className="pl-6 max-sm:hidden">
          <span className="sr-only">Bar</span>
        </th>
      </Heads>
      <tbody>
        {peers.map(({ peer, count, share }) => (
          <tr key={peer}>
            <PeerHead peer={peer} />
            <td className="pl-6">{formatCount(count)}</td>
            <td className="pl-6">{formatShare(share)}</td>
            <td className="pl-6 max-sm:hidden">
              <meter min={0} max={1} value={share} aria-label={`Share of ${peer}`} className="w-40" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Heads({ heads, children }: { readonly heads: readonly string[]; readonly children?: ReactNode }) {
  return (
    <thead className="note">
      <tr>
        {heads.map((head, at) => (
          <th key={head} scope="col" className={at === 0 ? 'text-left font-normal' : 'pl-6 font-normal'}>
            {head}
          </th>
        ))}
        {children}
      </tr>
    </thead>
  );
}

function PeerHead({ peer }: { readonly peer: string }) {
  return (
    <th scope="row" className="min-w-28 py-0.5 text-left font-mono font-normal break-all">
      {peer}
    </th>
  );
}
