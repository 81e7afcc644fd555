import { describeMeasuredRequests, type MeasuredRequests } from '@/lib/facts/measured-requests';
import { whyNoClient } from '@/lib/facts/no-client';
import type { FailoverQuestion, FailoverSimulation } from '@/lib/views/failover/schema';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { badRequest, notFound } from '../api-error';
import { type DefaultsParts, findDefaults, findMeasured } from './client-defaults';
import type { PlayQuestion } from './failover/failover-builder';
import { parseInput } from './parse-input';
import { trafficQuestion } from './resolved/resolved-query';
import type { ResolvedQuery } from './resolved/resolved-questions';
import type { ClientRef, ClientSubject } from './subjects/client-subjects';

interface ParsedPlay {
  readonly resolved: ResolvedQuery;
  readonly about: PlayQuestion;
  readonly ref: ClientRef;
}

function parsePlay(question: FailoverQuestion): ParsedPlay {
  const { client, permalink, cluster, requests, changes, seconds, find, at, ...start } = question;
  if ((client === undefined) === (permalink === undefined)) {
    throw badRequest('expected either client or permalink');
  }
  if (permalink !== undefined && at !== undefined) {
    throw badRequest('expected no at with a permalink, which is a snapshot of one moment');
  }
  const ref = client === undefined ? { permalinkId: permalink ?? '' } : { clientId: client, at };
  const resolved = parseInput(resolvedQuery, start);
  return { resolved, about: { cluster, requests, changes, seconds, find }, ref };
}

interface FailoverApiOptions extends DefaultsParts {
  readonly findSubject: (ref: ClientRef, signal?: AbortSignal) => Promise<ClientSubject | undefined>;
}

export class FailoverApi {
  readonly #options: FailoverApiOptions;

  constructor(options: FailoverApiOptions) {
    this.#options = options;
  }

  async simulate(query: FailoverQuestion, signal?: AbortSignal): Promise<FailoverSimulation> {
    const { ref, resolved, about } = parsePlay(query);
    const subject = await this.#options.findSubject(ref, signal);
    if (subject === undefined) throw missingSubject(ref);
    const { client, source, at, revision } = subject;
    const defaults = await findDefaults(subject, this.#options, signal);
    const { connected } = defaults;
    const question = {
      ...trafficQuestion(resolved, defaults),
      about: { ...about, ...(connected && { connected }) },
    };
    const answer = await this.#options.graphs.ask('failover', source, question, signal);
    const measured = await findMeasured(subject, this.#options.measuredRequests, signal);
    const noClient = whyNoClient(subject);
    const notes = [
      ...(noClient === '' ? [] : [noClient]),
      ...answer.notes,
      ...describeMeasured(answer.cluster, measured),
    ];
    return { clientId: client.id, at, revision, ...answer, notes, moment: subject.moment };
  }

  /** Simulates the cluster while every endpoint is as EDS states, without a change. */
  simulateNow(
    subject: Pick<FailoverQuestion, 'client' | 'permalink' | 'at'>,
    cluster: string,
  ): Promise<FailoverSimulation> {
    return this.simulate({ ...subject, cluster, changes: [], seconds: 0, find: '' });
  }
}

/** Empty if nothing is measured, or if it is known to the simulation: it reads what fails by load reports. */
function describeMeasured(
  cluster: string | undefined,
  measured: ReadonlyMap<string, MeasuredRequests> | undefined,
): string[] {
  const found = cluster === undefined ? undefined : measured?.get(cluster);
  if (found === undefined || found.failing !== undefined) return [];
  return [`cluster "${cluster}": ${describeMeasuredRequests(found)}`];
}

/** Builds the error 404 with the id that was not found. */
export function missingSubject(ref: ClientRef) {
  return 'permalinkId' in ref
    ? notFound('Permalink', `no permalink has the id ${JSON.stringify(ref.permalinkId)}`)
    : notFound('Client', `no client has the id ${JSON.stringify(ref.clientId)}`);
}
