import type { ResourceChanges } from '@/lib/observation/resource-state';
import type { NackBehavior } from '../response/resource-validator';
import type { ServerLink } from '../stream/server-link';
import type { ValidatedResponse } from '../stream/xds-channel';
import type { ReportedResponse, XdsClientHandler } from './xds-client-handler';

interface AnswerOptions {
  readonly isNews: boolean;
  readonly nack: NackBehavior;
  readonly isSubscribed: (name: string) => boolean;
  /** Returns whether the name is subscribed to and unknown. */
  readonly isAwaited: (name: string) => boolean;
  readonly handler: Pick<
    XdsClientHandler,
    'onResponse' | 'onAnswered' | 'onCacheChanged' | 'onSubscriptionSent'
  >;
  /** Returns the changes to report with the answer. */
  readonly takeChanges: () => ResourceChanges;
}

/** Reports a response and answers it, at once or after the delay of DelayedAnswers. */
export function answerResponse(
  link: ServerLink,
  reported: ReportedResponse,
  { isNews, nack, isSubscribed, isAwaited, handler, takeChanges }: AnswerOptions,
): void {
  const { response, read, streamId } = reported;
  const { typeUrl, versionInfo, nonce, isDelta } = response;
  if (isAnsweredForEver(typeUrl, isDelta)) {
    handler.onResponse(link, reported, 1);
    handler.onCacheChanged(unackedReason, takeChanges());
    return;
  }
  const answer = (verdict: ValidatedResponse['verdict'], isReported: boolean): void => {
    const validated = { typeUrl, versionInfo, nonce, verdict, isAwaited };
    const [request, ...following] = link.answer(validated);
    if (request !== undefined && isReported) handler.onAnswered(streamId, request, validated, takeChanges());
    for (const each of following) handler.onSubscriptionSent(streamId, each, takeChanges());
  };
  const problems = nack.ignoresUnrequested ? problemsOfSubscribed(read, isSubscribed) : read.problems;
  if (problems.length === 0 && !isNews) {
    link.delayedAnswers.acceptRepeat(typeUrl, isDelta, (repeats) => {
      if (repeats > 0) handler.onResponse(link, reported, repeats);
      answer({ kind: 'accepted' }, repeats > 0);
    });
    return;
  }
  if (problems.length === 0) {
    handler.onResponse(link, reported, 1);
    link.delayedAnswers.acceptNews(typeUrl, isDelta, () => answer({ kind: 'accepted' }, true));
    return;
  }
  const isGoodInPart =
    (read.repeats?.count ?? 0) > 0 ||
    read.resources.some(({ kind, name }) => kind !== 'rejected' && isSubscribed(name));
  const errorDetail = formatProblems(problems);
  const marks = nack.movesVersion && isGoodInPart ? { movesVersion: true as const } : {};
  const verdict = { kind: 'rejected', errorDetail, ...marks } as const;
  const rejection = { version: versionInfo, errorDetail, content: contentOf(read, errorDetail) };
  const isRepeat = link.delayedAnswers.isRejectedAgain(typeUrl, rejection.content);
  if (!isRepeat) handler.onResponse(link, reported, 1);
  link.delayedAnswers.reject(typeUrl, isDelta, { ...rejection, isRepeat }, (repeats) => {
    if (isRepeat && repeats > 0) handler.onResponse(link, reported, repeats);
    answer(verdict, repeats > 0);
  });
}

function problemsOfSubscribed(
  { problems, resources }: ReportedResponse['read'],
  isSubscribed: (name: string) => boolean,
): readonly string[] {
  const ignored = new Set(
    resources.flatMap((each) => (each.kind === 'rejected' && !isSubscribed(each.name) ? each.reason : [])),
  );
  return problems.filter((problem) => !ignored.has(problem));
}

/** Returns equal texts for responses that are rejected for equal reasons; null if a new resource is accepted. */
function contentOf({ resources, received }: ReportedResponse['read'], errorDetail: string): string | null {
  if (resources.some(({ kind }) => kind === 'new')) return null;
  return JSON.stringify([errorDetail, received.map(({ hash }) => hash)]);
}

const maxShownProblems = 20;

/** Formats one line for each problem, up to a limit, because a server may send 30,000 invalid resources. */
function formatProblems(problems: readonly string[]): string {
  const more = problems.length - maxShownProblems;
  const shown = problems.slice(0, maxShownProblems);
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

const workloadTypes: ReadonlySet<string> = new Set([
  'type.googleapis.com/istio.workload.Address',
  'type.googleapis.com/istio.workload.Workload',
]);

/**
 * True if istiod answers each ACK of the type with another response, about 1,000 times a second (measured). It does
 * so for its debug types and, in state of the world, for those of ztunnel, which subscribes in delta.
 */
function isAnsweredForEver(typeUrl: string, isDelta: boolean): boolean {
  return typeUrl.startsWith('istio.io/debug') || (!isDelta && workloadTypes.has(typeUrl));
}

const unackedReason = 'istiod answers each ACK of this type with another response, so that none is sent';
