import type { ConvergenceQuestion } from '@/lib/convergence/convergence-question';
import { type ClientOutcome, describeOutcome, isStuckOutcome } from '@/lib/convergence/decide-client';
import type { PushChanges } from '@/lib/convergence/find-push-changes';
import type {
  Convergence,
  ConvergenceClient,
  ConvergencePush,
  ConvergenceQuery,
  ConvergenceSubject,
  PushAnswer,
  RecentConvergence,
  RecentConvergenceQuery,
} from '@/lib/views/pushes/schema';
import type { ProbeTransport } from '@/lib/xds/probe-choices';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';
import type { ReportedTarget } from '../../live/convergence/convergence-builder';
import type { ConvergenceFound, ConvergenceReader, Extent } from '../../live/convergence/convergence-reader';
import type { Clock } from '../../observe';
import { flushLog } from '../../store/recorder/flush-log';
import type { Recorder } from '../../store/recorder/recorder';

export interface ConvergenceApiParts {
  readonly clock: Clock;
  readonly convergence: ConvergenceReader;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats' | 'readGaps'>;
  /** Returns undefined if the client is not known, or no longer known. */
  readonly nodeIdOf: (clientId: string) => string | undefined;
  /** Returns undefined if the source is not declared. */
  readonly findSource: (sourceId: string) => { readonly transport?: ProbeTransport } | undefined;
}

const mostClients = 2_000;
const mostContents = 50;
const namesReported = 64;
const namesInList = 5;
const clientsNamed = 5;

export class ConvergenceApi {
  readonly #parts: ConvergenceApiParts;

  constructor(parts: ConvergenceApiParts) {
    this.#parts = parts;
  }

  /** Returns undefined if the log has no such version or resource. */
  async find(requested: ConvergenceQuery, signal?: AbortSignal): Promise<Convergence | undefined> {
    const question = questionOf(requested);
    await flushLog(this.#parts.recorder);
    const extent = this.#extentOf(requested);
    const found = await this.#parts.convergence.find(question, extent, signal);
    if (found === undefined) return undefined;
    const { reported, validated } = found;
    const { outcomes, spread, changes } = validated;
    return {
      subject: subjectOf(reported),
      ...firstTimes(reported),
      until: extent.until,
      spread: {
        ...spread,
        sure: [...spread.sure],
        possible: [...spread.possible],
        percentiles: [...spread.percentiles],
      },
      clients: outcomes
        .slice(0, mostClients)
        .map((outcome) => this.#clientOf(outcome, reported, extent.until)),
      clientsLeftOut: Math.max(0, outcomes.length - mostClients),
      names: reported.names.slice(0, namesReported),
      nameCount: reported.nameCount,
      ...changesOf(changes, namesReported),
      contents: reported.contents
        .map(({ hash, versions, firstAt }, place) => ({
          hash,
          version: versions[0] ?? '',
          firstAt,
          isThis: place === reported.contentPlace,
        }))
        .reverse()
        .slice(0, mostContents),
      otherServers: reported.servers.filter((server) => server !== reported.server),
      notes: await this.#notesOf(found, extent),
    };
  }

  async recent(
    { limit, ...requested }: RecentConvergenceQuery,
    signal?: AbortSignal,
  ): Promise<RecentConvergence> {
    await flushLog(this.#parts.recorder);
    const extent = this.#extentOf(requested);
    const { found, from } = await this.#parts.convergence.recent(extent, limit, signal);
    return {
      items: found.map((each) => this.#pushOf(each)),
      from: from ?? undefined,
      until: extent.until,
      notes: found.some(({ isCut }) => isCut) ? [cutNote] : [],
    };
  }

  #extentOf({ from, to }: Pick<ConvergenceQuery, 'from' | 'to'>): Extent {
    const now = this.#parts.clock.now();
    const isNow = to === undefined || to >= now;
    return { until: isNow ? now : to, isNow, ...(from !== undefined && { from }) };
  }

  #clientOf(outcome: ClientOutcome, { firstAt }: ReportedTarget, until: EpochMs): ConvergenceClient {
    const { clientId, kind, at, earliestAt, sentAt, before, text, seq } = outcome;
    const hasAccepted = kind === 'accepted' && at !== undefined;
    return {
      clientId,
      nodeId: this.#nodeIdOf(clientId),
      probe: this.#probeOf(outcome),
      kind,
      answer: answerOf(outcome),
      answeredAt: outcome.answeredAt,
      controlPlaneAt: outcome.controlPlaneAt,
      inEffectAt: outcome.inEffectAt,
      recoveredAt: outcome.recoveredAt,
      reason: describeOutcome(outcome, until),
      after: hasAccepted
        ? { fromMs: Math.max(0, (earliestAt ?? at) - firstAt), toMs: Math.max(0, at - firstAt) }
        : undefined,
      at,
      sentAt,
      before,
      text,
      seq: seq === 0 ? undefined : seq,
    };
  }

  #pushOf({ reported, validated: { spread, changes, outcomes } }: ConvergenceFound): ConvergencePush {
    const { total, sent, accepted, inEffect, recovered, counts, probes, percentiles } = spread;
    const spanAt = (percent: number) => percentiles.find((each) => each.percent === percent)?.ofAll;
    const clients = outcomes.filter(({ isProbe }) => !isProbe);
    const named = (list: readonly ClientOutcome[]) =>
      list
        .slice(0, clientsNamed)
        .map(({ clientId, kind }) => ({ clientId, nodeId: this.#nodeIdOf(clientId), kind }));
    return {
      subject: subjectOf(reported),
      firstAt: reported.firstAt,
      names: reported.names.slice(0, namesInList),
      nameCount: reported.nameCount,
      ...changesOf(changes, namesInList),
      spread: { total, sent, accepted, inEffect, recovered, counts, probes },
      nackedBy: named(clients.filter(({ kind }) => kind === 'rejected')),
      stuck: named(clients.filter((client) => client.kind !== 'rejected' && isStuckOutcome(client))),
      p50: spanAt(50),
      p99: spanAt(99),
    };
  }

  #probeOf({ isProbe, sourceId }: ClientOutcome): ConvergenceClient['probe'] {
    if (!isProbe) return undefined;
    const { transport = 'ads' } = this.#parts.findSource(sourceId) ?? {};
    return transport === 'delta' || transport === 'delta-ads' ? 'delta' : 'sotw';
  }

  #nodeIdOf(clientId: string): string {
    return this.#parts.nodeIdOf(clientId) ?? clientId;
  }

  async #notesOf({ reported, validated, isCut }: ConvergenceFound, { until }: Extent): Promise<string[]> {
    const { recorder } = this.#parts;
    const notes: string[] = [];
    const gaps = await recorder.readGaps(reported.firstAt, until);
    if (gaps.length > 0) {
      notes.push(
        `${gaps.length} gaps in the recording since then: who seems stuck may have accepted unseen.`,
      );
    }
    const { oldestAt } = recorder.stats();
    if (oldestAt !== undefined && reported.firstAt - oldestAt < 1_000) {
      notes.push('The log begins here: it may have been sent before.');
    }
    if (isCut || validated.isCut) notes.push(cutNote);
    return notes;
  }
}

const cutNote = 'More is recorded of it than is read for one answer: the newest is left out.';

function questionOf({
  type: typeUrl,
  resource,
  hash,
  version,
  server,
}: ConvergenceQuery): ConvergenceQuestion {
  if ((resource === undefined) === (version === undefined)) {
    throw badRequest('resource: expected either resource or version', 'resource');
  }
  if (resource !== undefined) return { kind: 'resource', typeUrl, name: resource, ...(hash && { hash }) };
  return { kind: 'version', typeUrl, version: version ?? '', ...(server && { server }) };
}

function subjectOf({ question, hash, server, contents, contentPlace }: ReportedTarget): ConvergenceSubject {
  const { typeUrl } = question;
  const isResource = question.kind === 'resource';
  return {
    typeUrl,
    service: formatResourceType(typeUrl),
    name: isResource ? question.name : undefined,
    hash: hash ?? undefined,
    version: isResource ? (contents[contentPlace]?.versions[0] ?? '') : question.version,
    server,
  };
}

function firstTimes({ firstAt, firstAfter }: ReportedTarget): Pick<Convergence, 'firstAt' | 'firstAfter'> {
  return { firstAt, firstAfter };
}

function changesOf({ kind, revertsTo, changes, removed }: PushChanges, most: number) {
  return { kind, revertsTo, changes: changes.slice(0, most), removed: removed.slice(0, most) };
}

/** A client that accepted only later pushes did not answer this one. */
function answerOf({ kind, sentAt, answeredAt }: ClientOutcome): PushAnswer | undefined {
  if (kind === 'rejected') return 'NACKED';
  if (answeredAt !== undefined) return 'ACKED';
  return sentAt === undefined ? undefined : 'NO_ANSWER';
}
