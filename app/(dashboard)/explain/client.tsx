'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsInteger, parseAsString, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { questionOptions } from '@/app/_ask/question';
import { useCommand } from '@/app/_ask/use-command';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { EmptyState } from '@/app/_components/empty-state';
import { QueryContent } from '@/app/_components/query-content';
import { ShareDialog } from '@/app/_components/share/share-dialog';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { parsersOf } from '@/app/_views/client/search-params';
import { clientsPerPage, FleetOutcomes } from '@/app/_views/explain/fleet-outcomes';
import { FleetSummary } from '@/app/_views/explain/fleet-summary';
import { RequestBar } from '@/app/_views/explain/request-bar';
import { isRequest, requestParams, requestQueryOf } from '@/app/_views/explain/search-params';
import { FleetFilterField } from '@/app/_views/fleet/fleet-filter-field';
import { MomentField } from '@/app/_views/scrubber/moment-field';
import { requestForms } from '@/lib/explain/parse-request';
import { findTime, formatIsoTime } from '@/lib/format/iso-time';
import type { FleetExplanation } from '@/lib/views/explain/fleet-schema';

const searchParams = {
  ...parsersOf(requestParams, {}),
  /** The filter of the clients. */
  q: parseAsString.withDefault(''),
  /** A moment as of a client; empty: now. */
  at: parseAsString.withDefault(''),
  /** The outcome whose clients are listed; empty: none. */
  group: parseAsString.withDefault(''),
  offset: parseAsInteger.withDefault(0),
};

const typingPauseMs = 300;
const partMs = 1_500;

export function ExplainPage() {
  const [query, setQuery] = useQueryStates(searchParams);
  const q = useDebounced(query.q.trim(), typingPauseMs);
  const isAsked = isRequest(query);
  const oldestAt = useQuestion('health', {}).data?.recorder.oldestAt;
  const { group, at } = query;
  // useQuestion() asks the question of the same name about one client.
  const answer = useQuery({
    ...questionOptions('explain', {
      ...requestQueryOf(query),
      ...(q !== '' && { q }),
      ...(at !== '' && { at }),
      ...(group !== '' && { group, offset: Math.max(0, query.offset), limit: clientsPerPage }),
    }),
    enabled: isAsked,
    // The answer about a large fleet comes in parts. A moment that is complete does not change.
    refetchInterval: ({ state: { data } }) =>
      data?.moment !== undefined && data.isComplete ? false : partMs,
  });
  return (
    <PageBody>
      <PageHead
        title="Explain"
        vantage="by the config in effect at each client; load reports do not count here"
        age={isAsked ? answer.data?.at : undefined}
      />
      <section
        aria-label="The request and its outcomes"
        className="overflow-hidden rounded-lg border border-line bg-raised"
      >
        <RequestBar
          texts={query}
          onChoose={(texts) => void setQuery({ ...texts, group: '', offset: 0 }, { history: 'push' })}
        />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
          <FleetFilterField
            value={query.q}
            onChange={(value) => void setQuery({ q: value, offset: 0 })}
            placeholder="All clients"
            className="max-w-md flex-[1_1_16rem]"
          />
          <span className="flex items-center gap-2">
            <span className="note">Shown time</span>
            <MomentField
              at={at === '' ? null : (findTime(at) ?? answer.data?.at ?? null)}
              onGo={(moment) => {
                const shown = moment === 'oldest' ? oldestAt : moment;
                void setQuery(
                  { at: shown === null || shown === undefined ? '' : formatIsoTime(shown), offset: 0 },
                  { history: 'push' },
                );
              }}
            />
          </span>
        </div>
        {isAsked ? (
          <QueryContent
            query={answer}
            what="the outcomes"
            rows={6}
            hint="Choose another request or time above."
          >
            {(data) => (
              <div aria-busy={answer.isPlaceholderData || !data.isComplete}>
                <div className="flex flex-wrap items-start justify-between gap-x-3 border-b border-line">
                  <FleetSummary explanation={data} />
                  {data.isComplete && <ShareOutcomes explanation={data} q={q} at={at} />}
                </div>
                <FleetOutcomes
                  explanation={data}
                  texts={query}
                  at={at}
                  listing={{
                    group,
                    onGroup: (next) => void setQuery({ group: next, offset: 0 }, { history: 'push' }),
                    onPage: (offset) => void setQuery({ offset }),
                  }}
                />
              </div>
            )}
          </QueryContent>
        ) : (
          <EmptyState title="No request">
            Type a request, such as {requestForms[0]}, or paste a curl or grpcurl line, or a line of an access
            log: the clients are listed here by where they send it.
          </EmptyState>
        )}
      </section>
    </PageBody>
  );
}

interface ShareOutcomesProps {
  readonly explanation: FleetExplanation;
  readonly q: string;
  readonly at: string;
}

function ShareOutcomes({ explanation: { request }, q, at }: ShareOutcomesProps) {
  const share = useCommand('POST explain/share');
  const [sharedAt, setSharedAt] = useState<number | null>(null);
  const send = () =>
    share.mutate({ ...request, q, ...(at !== '' && { at }) }, { onSuccess: () => setSharedAt(Date.now()) });
  return (
    <div className="px-4 py-2">
      <Button icon="share" onPress={send} isPending={share.isPending}>
        Share
      </Button>
      {!share.isIdle && (
        <ShareDialog
          onClose={share.reset}
          url={share.data?.url}
          error={share.error}
          onRetry={send}
          storedAt={sharedAt}
          resources={undefined}
          keeps="the outcomes of this request for all clients"
        />
      )}
    </div>
  );
}
