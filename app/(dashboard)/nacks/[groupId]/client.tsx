'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useQuestion } from '@/app/_ask/use-question';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { separator } from '@/app/_components/separator';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { ClientsPanel } from '@/app/_views/nacks/clients-panel';
import { ErrorMessagePanel } from '@/app/_views/nacks/error-message-panel';
import { FindingsPanel } from '@/app/_views/nacks/findings-panel';
import { findShownField, nackViewParams } from '@/app/_views/nacks/group-search-params';
import { NackStateMark } from '@/app/_views/nacks/nack-state-mark';
import { PayloadPanel } from '@/app/_views/nacks/payload-panel';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { NackDetail } from '@/lib/views/nacks/schema';
import { findResourceType } from '@/lib/xds/resource-type';
import { EmptyState } from '../../../_components/empty-state';
import { PageBody } from '../../../_components/shell/page-body';
import { TimeAgo } from '../../../_components/time-ago';
import { ApiError } from '../../../_hooks/api-error';

export function NackGroupPage({ groupId }: { readonly groupId: string }) {
  useLiveStream('nacks');
  const query = useQuestion('nacks/{groupId}', { groupId });
  if (query.data === undefined && query.error instanceof ApiError && query.error.status === 404) {
    return (
      <EmptyState title="NACK not found">
        It is older than the log or the list of NACKs reaches back.{' '}
        <Link href="/nacks" className="link">
          All NACKs
        </Link>
      </EmptyState>
    );
  }
  return (
    <PageBody>
      <QueryContent query={query} what="the NACK" rows={10}>
        {(nack) => <Nack nack={nack} />}
      </QueryContent>
    </PageBody>
  );
}

function Nack({ nack }: { readonly nack: NackDetail }) {
  const [view, setView] = useQueryStates(nackViewParams, { history: 'replace' });
  const field = findShownField(nack, view);
  return (
    <>
      <Head nack={nack} />
      <Times nack={nack} />
      <ErrorMessagePanel
        nack={nack}
        chosen={view.field === '' ? view.statement : null}
        onChoose={(index) => void setView({ statement: index, field: null, body: null })}
      />
      <div className="grid items-start gap-3 xl:grid-cols-[minmax(0,3fr)_minmax(20rem,2fr)]">
        <PayloadPanel
          nack={nack}
          field={field}
          body={view.body}
          format={view.format}
          onChange={(next) => void setView(next)}
        />
        <div className="flex min-w-0 flex-col gap-3">
          <FindingsPanel
            nack={nack}
            shownField={field}
            onShow={(path) => void setView({ field: path, body: null })}
          />
          <AcceptedBeside nack={nack} />
        </div>
      </div>
      <ClientsPanel nack={nack} />
    </>
  );
}

/** The header stays visible while the page scrolls to the field. */
function Head({ nack: { group } }: { readonly nack: NackDetail }) {
  const { service, typeUrl, name, state } = group;
  return (
    <header className="sticky top-0 z-20 -mx-3 -mt-3 flex flex-col gap-0.5 border-b border-line bg-surface px-3 py-2 md:-mx-5 md:-mt-4 md:px-5">
      <p className="note">
        <Link href="/nacks" className="link-hover">
          NACKs
        </Link>{' '}
        / {service} {findResourceType(typeUrl)?.noun ?? 'resource'}
      </p>
      <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
        <h1 className="min-w-0 text-[1.2857rem] font-semibold tracking-tight">
          {name === '' ? 'unnamed resource' : <NameText name={name} copy />}
        </h1>
        <NackStateMark state={state} />
      </div>
    </header>
  );
}

function Times({ nack: { group } }: { readonly nack: NackDetail }) {
  const { times, clients, firstAt, lastAt, resolvedAt } = group;
  return (
    <p className="note">
      rejected {formatCounted(times, 'time')} by {formatCounted(clients.total, 'client')}
      {clients.leftOut > 0 && ' and more'}
      {clients.terminated > 0 &&
        `, ${formatCount(clients.terminated)} of which terminated before resolving it`}
      {separator}first <TimeAgo at={firstAt} />
      {separator}last <TimeAgo at={lastAt} />
      {resolvedAt !== undefined && (
        <>
          {separator}resolved <TimeAgo at={resolvedAt} />
        </>
      )}
    </p>
  );
}

function AcceptedBeside({ nack: { accepted } }: { readonly nack: NackDetail }) {
  return (
    <Panel
      title="Accepted from the same response"
      vantage={accepted === undefined ? 'not reported' : 'from the recorded response'}
    >
      {accepted === undefined ? (
        <p className="text-muted">
          Not reported: CSDS reports single resources. Taps and probes see whole responses.
        </p>
      ) : accepted.total === 0 ? (
        <p className="text-muted">Nothing new: the other resources were unchanged.</p>
      ) : (
        <>
          <ul className="flex max-h-40 flex-col gap-0.5 overflow-y-auto">
            {accepted.names.map((name) => (
              <li key={name}>
                <NameText name={name} />
              </li>
            ))}
          </ul>
          {accepted.total > accepted.names.length && (
            <p className="mt-1 note">
              and {formatCounted(accepted.total - accepted.names.length, 'resource')} more
            </p>
          )}
        </>
      )}
    </Panel>
  );
}
