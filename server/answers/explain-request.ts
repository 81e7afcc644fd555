import { describeUnmeasured } from '@/lib/facts/failing-endpoints';
import { whyNoClient } from '@/lib/facts/no-client';
import type { ExplainRequest } from '@/lib/requests/request';
import { describeOutcome } from '@/lib/views/explain/build-explanation';
import type { Explanation } from '@/lib/views/explain/schema';
import { resolvedQuery } from '@/lib/views/resolved/query';
import type { Who } from '@/lib/xds/profile';
import { type DefaultsParts, findDefaults } from './client-defaults';
import { parseInput } from './parse-input';
import { trafficQuestion } from './resolved/resolved-query';
import type { ClientSubject } from './subjects/client-subjects';

interface ExplainedQuery {
  readonly about: ExplainRequest;
  readonly target?: string | undefined;
  readonly listener?: string | undefined;
  readonly profile?: Who | undefined;
}

/** Explains a request by the config of a live client, of a client at a moment, or of a permalink. */
export async function explainRequest(
  subject: ClientSubject,
  { about, ...start }: ExplainedQuery,
  parts: DefaultsParts,
  signal?: AbortSignal,
): Promise<Explanation> {
  const { client, source, at, revision, moment } = subject;
  const resolving = parseInput(resolvedQuery, start);
  const question = trafficQuestion(resolving, await findDefaults(subject, parts, signal));
  const answer = await parts.graphs.ask('explain', source, { ...question, about }, signal);
  const noClient = whyNoClient(subject);
  const isForwarded = answer.branches.some(({ kind }) => kind === 'forwarded');
  const unmeasured =
    isForwarded && question.lacksConnections && describeUnmeasured(question.lacksConnections);
  const known = {
    ...{ clientId: client.id, at, revision, ...answer },
    ...(moment && { moment }),
    ...(unmeasured && { unmeasured }),
  };
  if (noClient === '') return known;
  return {
    ...known,
    noClient,
    outcome: { ...answer.outcome, sentence: describeOutcome(answer.branches, true) },
  };
}
