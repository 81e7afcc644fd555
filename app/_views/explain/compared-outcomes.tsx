'use client';

import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ClientAnswer, clientQuestionOptions } from '@/app/_ask/client-question';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { GlyphMark } from '@/app/_components/shape-mark';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import { messageOf } from '@/lib/format/message-of';
import { shapeOfOutcome } from '@/lib/views/explain/verdict-shape';
import { clientNames, clients, nameOf, newestOf } from '@/lib/xds/profile';
import { useClientViewQuery } from '../client/use-client-view-query';
import { explainParams, explainQueryOf } from './search-params';

type Explained = ClientAnswer<'explain'>;

interface Answered {
  readonly data: Explained | undefined;
  readonly error: unknown;
}

/** The outcome at the first of two compared moments beside the one that is shown. */
export function EarlierOutcome({ shown }: { readonly shown: Explained }) {
  const { client, comparedSince } = useClientViewData();
  const { query } = useClientViewQuery(explainParams);
  const timeZone = useTimeZone();
  const before = useQuery({
    ...clientQuestionOptions(
      { clientId: client.id, at: comparedSince ?? '' },
      'explain',
      explainQueryOf(query),
    ),
    enabled: comparedSince !== null,
  });
  if (comparedSince === null) return null;
  const at = before.data?.moment?.at;
  return (
    <section aria-label="Before and after" className="border-b border-line px-4 py-3">
      <dl className="grid grid-cols-1 gap-x-4 gap-y-1 @xl:grid-cols-[10rem_minmax(0,1fr)]">
        <OutcomeLine answered={before} word={at === undefined ? 'Before' : formatExactTime(at, timeZone)} />
        <OutcomeLine answered={{ data: shown, error: null }} word="Shown">
          {before.data !== undefined && (
            <span className="text-muted">
              {isSameOutcome(before.data, shown) ? ' The outcome is the same.' : ' The outcome changed.'}
            </span>
          )}
        </OutcomeLine>
      </dl>
    </section>
  );
}

/** What clients of other kinds would do with the same resources. */
export function OutcomesByProfile({ shown }: { readonly shown: Explained }) {
  const { subject } = useClientViewData();
  const { query } = useClientViewQuery(explainParams);
  const answers = useQueries({
    queries: clients.map((profile) =>
      clientQuestionOptions(subject, 'explain', { ...explainQueryOf(query), profile }),
    ),
  });
  const lines = clients.map((each, at) => {
    const answered = answers[at] ?? { data: undefined, error: null };
    const word =
      answered.data === undefined ? clientNames[each] : nameOf(answered.data.profile ?? newestOf(each));
    return { answered, word };
  });
  const distinct = [...new Map(lines.map((line) => [line.word, line])).values()];
  return (
    <>
      <dl className="mt-2 grid grid-cols-1 gap-x-4 gap-y-1 @xl:grid-cols-[10rem_minmax(0,1fr)]">
        {distinct.map(({ answered, word }) => (
          <OutcomeLine key={word} answered={answered} word={word}>
            {answered.data !== undefined && !isSameOutcome(answered.data, shown) && (
              <span className="text-muted"> It differs from the outcome above.</span>
            )}
          </OutcomeLine>
        ))}
      </dl>
      {distinct.length === 1 && (
        <p className="note mt-1">
          The listener has an address: the rules of Envoy apply to it, whichever profile is chosen.
        </p>
      )}
    </>
  );
}

interface OutcomeLineProps {
  readonly word: string;
  readonly answered: Answered;
  readonly children?: ReactNode;
}

function OutcomeLine({ word, answered: { data, error }, children }: OutcomeLineProps) {
  return (
    <>
      <dt className="text-muted">{word}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-3 max-xl:mb-1">
        {data === undefined ? (
          <span className="wrap-anywhere">{error ? messageOf(error) : 'Loading ...'}</span>
        ) : (
          <>
            <GlyphMark shape={shapeOfOutcome(data.branches.length > 1 ? undefined : data.outcome.kind)} />
            <span className="min-w-0 flex-[1_1_14rem] wrap-anywhere">
              {data.outcome.sentence}
              {children}
            </span>
          </>
        )}
      </dd>
    </>
  );
}

function isSameOutcome(a: Explained, b: Explained): boolean {
  return JSON.stringify(a.branches) === JSON.stringify(b.branches);
}
