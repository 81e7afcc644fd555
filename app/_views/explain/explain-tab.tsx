'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { QueryContent } from '@/app/_components/query-content';
import { GlyphMark } from '@/app/_components/shape-mark';
import { useClientViewQuery } from '@/app/_views/client/use-client-view-query';
import { requestForms } from '@/lib/explain/parse-request';
import { formatSentence } from '@/lib/format/sentence';
import { formatShare } from '@/lib/format/share';
import { describeOutcome } from '@/lib/views/explain/build-explanation';
import type { ExplainedBranch, Explanation } from '@/lib/views/explain/schema';
import { shapeOfOutcome } from '@/lib/views/explain/verdict-shape';
import { InspectorSide } from '../client/inspector-side';
import { StartChooser } from '../client/start-chooser';
import { EarlierOutcome, OutcomesByProfile } from './compared-outcomes';
import { ProofPanel } from './proof-panel';
import { RequestBar } from './request-bar';
import { explainParams, explainQueryOf, isRequest } from './search-params';
import { TraceSteps } from './trace-steps';

export function ExplainTab() {
  const { query, setQuery, resource, openResource } = useClientViewQuery(explainParams);
  const isAsked = isRequest(query);
  const answer = useQuestion('explain', explainQueryOf(query), { enabled: isAsked });
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      <div className="@container relative min-h-0 flex-1 overflow-y-auto">
        <RequestBar texts={query} onChoose={(texts) => setQuery({ ...texts, all: false }, 'push')} />
        {isAsked ? (
          <>
            <StartChooser
              label="Where the request begins"
              query={query}
              first={answer.data}
              onStart={(start) => setQuery(start, 'push')}
              onProfile={setQuery}
            />
            <QueryContent
              query={answer}
              what="the explanation"
              rows={10}
              hint="Choose another request or listener above."
            >
              {(data) => <Answer explanation={data} isNext={answer.isPlaceholderData} />}
            </QueryContent>
          </>
        ) : (
          <EmptyState title="No request">
            Type a request, such as {requestForms[0]}, or paste a curl or grpcurl line, or a line of an access
            log: the steps that this client takes with it are listed here.
          </EmptyState>
        )}
      </div>
    </SplitView>
  );
}

interface AnswerProps {
  readonly explanation: Explanation;
  /** The answer is that of the previous request while the next one is loading. */
  readonly isNext: boolean;
}

function Answer({ explanation, isNext }: AnswerProps) {
  const { outcome, branches, steps, stepsTotal, request, start, noClient, unmeasured } = explanation;
  const { subject, basePath } = useClientViewData();
  const search = useSearchParams().toString();
  // A permalink has no log from which the config could be read again.
  const isProvable = 'clientId' in subject && !isNext;
  return (
    <div aria-busy={isNext}>
      <section aria-label="Outcome" className="border-b border-line px-4 py-3">
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <GlyphMark shape={shapeOfOutcome(branches.length > 1 ? undefined : outcome.kind)} />
          <strong className="min-w-0 flex-[1_1_16rem] font-semibold wrap-anywhere">{outcome.sentence}</strong>
        </p>
        {noClient !== undefined && <p className="note">{formatSentence(noClient)}</p>}
        {unmeasured !== undefined && <p className="note">{formatSentence(unmeasured)}</p>}
        {branches.length > 1 && <Branches branches={branches} isHypothetical={noClient !== undefined} />}
        {branches.length === 1 && <Endpoints branch={branches[0]} />}
        <Link
          href={`${basePath}/graph${search === '' ? '' : `?${search}`}`}
          prefetch={false}
          className="mt-1 inline-flex min-h-6 items-center text-small link"
        >
          Show in graph
        </Link>
      </section>
      <EarlierOutcome shown={explanation} />
      <ByProfile explanation={explanation} />
      {isProvable && (
        <ProofPanel
          // A proof is of one request.
          key={JSON.stringify([request, start])}
          subject={subject}
          explanation={explanation}
        />
      )}
      <TraceSteps steps={steps} total={stepsTotal} />
    </div>
  );
}

/** The other profiles are asked when the part is open. */
function ByProfile({ explanation }: { readonly explanation: Explanation }) {
  const { query, setQuery } = useClientViewQuery(explainParams);
  return (
    <details
      open={query.profiles}
      onToggle={({ currentTarget: { open } }) => open !== query.profiles && setQuery({ profiles: open })}
      className="border-b border-line px-4 py-2"
    >
      <summary className="note min-h-6 cursor-pointer">
        By client profile: the same resources in other clients
      </summary>
      {query.profiles && <OutcomesByProfile shown={explanation} />}
    </details>
  );
}

function Branches({
  branches,
  isHypothetical,
}: {
  readonly branches: readonly ExplainedBranch[];
  readonly isHypothetical: boolean;
}) {
  return (
    <ul className="mt-2 flex flex-col gap-1.5">
      {branches.map((branch, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is the identity of a branch.
        <li key={at} className="flex flex-wrap items-baseline gap-x-3">
          <GlyphMark shape={shapeOfOutcome(branch.kind)} />
          <span className="min-w-0 flex-[1_1_16rem] wrap-anywhere">
            {branch.percent !== undefined && `${formatShare(branch.percent / 100)}: `}
            {describeOutcome([branch], isHypothetical)}{' '}
            <span className="text-muted">{branch.when !== '' && `Condition: ${branch.when}`}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

const endpointsShown = 10;

function Endpoints({ branch }: { readonly branch: ExplainedBranch | undefined }) {
  const { endpoints = [] } = branch ?? {};
  if (endpoints.length < 2) return null;
  return (
    <ul className="mt-2 font-mono text-medium">
      {endpoints.slice(0, endpointsShown).map(({ address, priority, locality, percent }) => (
        <li key={`${priority} ${locality} ${address}`} className="wrap-anywhere">
          {address} <span className="text-muted">{`${priority} ${locality}`}</span>
          {percent !== undefined && ` ${formatShare(percent / 100)}`}
        </li>
      ))}
      {endpoints.length > endpointsShown && (
        <li className="text-muted">and {endpoints.length - endpointsShown} more</li>
      )}
    </ul>
  );
}
