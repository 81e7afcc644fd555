import Link from 'next/link';
import { useQuestion } from '@/app/_ask/use-question';
import { clientHref } from '@/app/_components/client-href';
import { FreshnessMark } from '@/app/_components/freshness-mark';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { StatusMark } from '@/app/_components/status-mark';
import { knownUntil, WaitingSummaryText } from '@/app/_components/waiting-text';
import { formatCount } from '@/lib/format/count';
import type { FleetClient } from '@/lib/views/fleet/schema';

/** Clients with a resource that warms or a response without an answer. */
const waitingFilter = 'is=waiting fresh!=gone';
/** The fleet table shows more, with filters. */
const shownMost = 20;

/** Clients with resources that warm, or with responses without an answer. */
export function WaitingPanel() {
  const fleet = useQuestion('fleet', { q: waitingFilter, sort: 'status', limit: shownMost });
  return (
    <Panel
      title="Warming and unanswered"
      vantage="resources that are not in use yet, and responses without an answer"
      age={fleet.data?.newestAt ?? null}
      flush
    >
      <QueryContent query={fleet} what="the clients" rows={3}>
        {({ items, lines }) => (
          <>
            <ul className="divide-y divide-line">
              {items.map(
                (line) =>
                  line.kind === 'client' && (
                    <li key={line.client.id} className="flex flex-col gap-1 px-4 py-2.5">
                      <WaitingClient client={line.client} />
                    </li>
                  ),
              )}
            </ul>
            {lines > items.length && (
              <p className="border-t border-line px-4 py-2.5">
                <Link href={`/clients?q=${encodeURIComponent(waitingFilter)}`} className="link">
                  All {formatCount(lines)}
                </Link>
              </p>
            )}
          </>
        )}
      </QueryContent>
    </Panel>
  );
}

function WaitingClient({ client }: { readonly client: FleetClient }) {
  const { id, nodeId, scope, waiting = [], freshness } = client;
  return (
    <>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
        <Link href={clientHref(id)} className="min-w-0 font-medium hover:underline">
          <NameText name={nodeId} />
          {scope !== '' && <span className="note"> {scope}</span>}
        </Link>
        {freshness !== 'live' && <FreshnessMark client={client} />}
      </div>
      {waiting.map((each) => (
        <p key={each.state} className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-small">
          <StatusMark status={each.state} />
          <WaitingSummaryText waiting={each} until={knownUntil(client)} className="min-w-0 wrap-anywhere" />
        </p>
      ))}
    </>
  );
}
