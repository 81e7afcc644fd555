'use client';

import { useQueries } from '@tanstack/react-query';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { clientQuestionOptions } from '@/app/_ask/client-question';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { parsersOf } from '@/app/_views/client/search-params';
import { RequestBar } from '@/app/_views/explain/request-bar';
import { isRequest, requestParams, requestQueryOf } from '@/app/_views/explain/search-params';
import { formatCounted } from '@/lib/format/count';
import { formatIsoTime } from '@/lib/format/iso-time';
import { messageOf } from '@/lib/format/message-of';
import { formatShare } from '@/lib/format/share';
import type { Explanation } from '@/lib/views/explain/schema';
import type { Convergence } from '@/lib/views/pushes/schema';

/** Each takes two questions. */
const mostClients = 20;

const parsers = parsersOf(requestParams, {});

/** Where each client of a push sent a request before it, and after it. */
export function PushOutcomes({ push }: { readonly push: Convergence }) {
  const [texts, setTexts] = useQueryStates(parsers);
  const isAsked = isRequest(texts);
  const clients = push.clients.filter(({ probe }) => probe === undefined);
  const shown = isAsked ? clients.slice(0, mostClients) : [];
  const moments = shown.map(({ at, inEffectAt, answeredAt }) => {
    const after = Math.max(at ?? 0, inEffectAt ?? 0, answeredAt ?? 0);
    return {
      before: formatIsoTime(push.firstAt - 1),
      after: formatIsoTime(after === 0 ? push.until : after),
    };
  });
  const answers = useQueries({
    queries: shown.flatMap(({ clientId }, index) =>
      [moments[index]?.before, moments[index]?.after].map((at = '') =>
        clientQuestionOptions({ clientId, at }, 'explain', requestQueryOf(texts)),
      ),
    ),
  });
  const lines = shown.map((client, index) => {
    const [before, after] = [answers[2 * index], answers[2 * index + 1]];
    const [a, b] = [before?.data, after?.data];
    const isChanged = a && b && JSON.stringify(a.branches) !== JSON.stringify(b.branches);
    // A client that the log does not know at one of the times has an error there.
    const isUnknown = [before, after].some((each) => each?.error || each?.data?.outcome.kind === 'unknown');
    return { client, before, after, isChanged, isUnknown, moment: moments[index] };
  });
  const changed = lines.filter(({ isChanged, isUnknown }) => isChanged === true && !isUnknown).length;
  const unknown = lines.filter(({ isUnknown }) => isUnknown).length;
  const isLoaded = answers.every(({ data, error }) => data !== undefined || error !== null);
  return (
    <Panel
      title="A request before and after"
      vantage="by the config in effect at each client at both times"
      partial={clients.length > mostClients ? `the first ${mostClients} of ${clients.length} clients` : ''}
      className="shrink-0"
      flush
    >
      <RequestBar texts={texts} isShort onChoose={(next) => void setTexts(next, { history: 'push' })} />
      {isAsked && (
        <p role="status" className="px-4 py-2">
          {isLoaded
            ? `The outcome changed at ${changed} of ${formatCounted(lines.length, 'client')}${unknown === 0 ? '' : `; it is not known at ${unknown}`}.`
            : 'Explaining the request ...'}
        </p>
      )}
      <ul aria-label="Outcomes before and after" className="divide-y divide-line">
        {lines.map(({ client, before, after, isChanged, isUnknown, moment }) => (
          <li key={client.clientId} className="px-4 py-2">
            <Link
              href={`/clients/${encodeURIComponent(client.clientId)}/explain?${new URLSearchParams({ ...requestQueryOf(texts), since: moment?.before ?? '', until: moment?.after ?? '', at: moment?.after ?? '' })}`}
              prefetch={false}
              className="inline-flex min-h-6 max-w-full items-center link-hover"
            >
              <NameText name={client.nodeId} />
            </Link>
            <p className="wrap-anywhere">
              <span className="text-muted">Before: </span>
              {sentenceOf(before, after)}
            </p>
            <p className="wrap-anywhere">
              <span className="text-muted">After: </span>
              {isChanged === false && !isUnknown ? 'the same.' : sentenceOf(after, before)}
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface Answered {
  readonly data?: Pick<Explanation, 'outcome' | 'branches'> | undefined;
  readonly error: unknown;
}

/** With the endpoints if the sentence of the other answer is the same and its endpoints are not. */
function sentenceOf(answered: Answered | undefined, other: Answered | undefined): string {
  if (answered?.data === undefined) return answered?.error ? messageOf(answered.error) : 'Loading ...';
  const { outcome, branches } = answered.data;
  const { sentence } = outcome;
  if (other?.data?.outcome.sentence !== sentence) return sentence;
  const endpoints = formatEndpoints(branches);
  return endpoints === formatEndpoints(other.data.branches)
    ? sentence
    : `${sentence} Endpoints: ${endpoints}.`;
}

const mostEndpoints = 10;

function formatEndpoints(branches: Explanation['branches']): string {
  const all = branches.flatMap(({ endpoints = [] }) => endpoints);
  const shown = all.slice(0, mostEndpoints).map(({ address, priority, percent }) => {
    const share = percent === undefined ? '' : `, ${formatShare(percent / 100)}`;
    return `${address} (${priority}${share})`;
  });
  const left = all.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`${left} more`])].join(', ') || 'none';
}
