import type { ResourceChanges } from '@/lib/observation/observation';
import type { NackBehavior } from '../response/resource-validator';
import type { ServerLink } from '../stream/server-link';
import type { ValidatedResponse } from '../stream/xds-channel';
import type { ReportedResponse, XdsClientHandler } from './xds-client-handler';

export interface AnswerOptions {
  /** Did the response change anything? */
  readonly isNews: boolean;
  readonly nack: NackBehavior;
  /** Did we ask for the resource of this name? */
  readonly isAsked: (name: string) => boolean;
  /** Is nothing known of it yet? */
  readonly isAwaited: (name: string) => boolean;
  readonly handler: Pick<XdsClientHandler, 'onResponse' | 'onAnswered' | 'onSubscriptionSent'>;
  /** What is to be reported with the answer. */
  readonly takeChanges: () => ResourceChanges;
}

/** Reports a response and answers it: now, or when the server has had time to think. */
export function answerResponse(
  link: ServerLink,
  reported: ReportedResponse,
  { isNews, nack, isAsked, isAwaited, handler, takeChanges }: AnswerOptions,
): void {
  const { response, read, streamId } = reported;
  const { typeUrl, versionInfo, nonce, isDelta } = response;
  const answer = (verdict: ValidatedResponse['verdict'], isReported: boolean): void => {
    const validated = { typeUrl, versionInfo, nonce, verdict, isAwaited };
    const [request, ...anew] = link.answer(validated);
    if (request !== undefined && isReported) handler.onAnswered(streamId, request, validated, takeChanges());
    for (const each of anew) handler.onSubscriptionSent(streamId, each, takeChanges());
  };
  const problems = nack.sparesUnasked ? problemsOfAsked(read, isAsked) : read.problems;
  if (problems.length === 0 && !isNews) {
    link.held.acceptRepeat(typeUrl, isDelta, (repeats) => {
      if (repeats > 0) handler.onResponse(link, reported, repeats);
      answer({ kind: 'accepted' }, repeats > 0);
    });
    return;
  }
  if (problems.length === 0) {
    handler.onResponse(link, reported, 1);
    link.held.acceptNews(typeUrl, isDelta, () => answer({ kind: 'accepted' }, true));
    return;
  }
  const isGoodInPart =
    (read.repeats?.count ?? 0) > 0 ||
    read.resources.some(({ kind, name }) => kind !== 'rejected' && isAsked(name));
  const errorDetail = formatProblems(problems);
  const marks = nack.movesVersion && isGoodInPart ? { movesVersion: true as const } : {};
  const verdict = { kind: 'rejected', errorDetail, ...marks } as const;
  const rejection = { version: versionInfo, errorDetail, content: contentOf(read, errorDetail) };
  const isRepeat = link.held.isRejectedAgain(typeUrl, rejection.content);
  if (!isRepeat) handler.onResponse(link, reported, 1);
  link.held.reject(typeUrl, isDelta, { ...rejection, isRepeat }, (repeats) => {
    if (isRepeat && repeats > 0) handler.onResponse(link, reported, repeats);
    answer(verdict, repeats > 0);
  });
}

/** Without those of resources that nobody asked for. */
function problemsOfAsked(
  { problems, resources }: ReportedResponse['read'],
  isAsked: (name: string) => boolean,
): readonly string[] {
  const spared = new Set(
    resources.flatMap((each) => (each.kind === 'rejected' && !isAsked(each.name) ? each.reason : [])),
  );
  return problems.filter((problem) => !spared.has(problem));
}

/** The same for responses of which all that is new is rejected for the same reasons; null: there is something else. */
function contentOf({ resources, received }: ReportedResponse['read'], errorDetail: string): string | null {
  if (resources.some(({ kind }) => kind === 'new')) return null;
  return JSON.stringify([errorDetail, received.map(({ hash }) => hash)]);
}

const shownProblems = 20;

/** One line each. A server that sent 30,000 broken resources need not read of each. */
function formatProblems(problems: readonly string[]): string {
  const more = problems.length - shownProblems;
  const shown = problems.slice(0, shownProblems);
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
