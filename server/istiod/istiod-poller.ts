import { status as grpcStatus } from '@grpc/grpc-js';
import { formatCounted } from '@/lib/format/count';
import type { ClientConfigChanged, Problem } from '@/lib/observation/observation';
import { CodecError } from '../codec/codec-error';
import type { RedactionMarker } from '../codec/redaction-marker';
import { CallError } from '../grpc/grpc-requester';
import type { RawAnswer } from '../grpc/raw-answer';
import type { Body } from '../observe';
import { bodiesOf, type ConfigNews } from '../poll-diff/bodies-of';
import { compareAnswers, compareClient } from '../poll-diff/compare-answers';
import { GrpcPoller, type GrpcPollerKind, type GrpcPollerOptions } from '../poll-diff/grpc-poller';
import type { KnownClient, KnownClients } from '../poll-diff/known-clients';
import type { IsCurrent } from '../poll-diff/poller';
import { type DebugRequest, encodeDebugRequest } from './debug-request';
import { IstiodSchedule } from './istiod-schedule';
import { readConfig, readNonces, readSyncStatus, type SyncStatus } from './read-debug-answer';

export interface IstiodPollerOptions extends GrpcPollerOptions {
  /** The node id in the requests. */
  readonly nodeId: string;
  readonly marker: RedactionMarker;
}

const kind: GrpcPollerKind = {
  ...{ vantage: 'istiod', service: 'ADS', hint: 'Is this an istiod?' },
  streamPath: '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  fetchPath: null,
  ...{ intervalMs: 10_000, deadlineMs: 20_000, maxBackoffMs: 60_000 },
};

/** Codes with which a server without the type, or without permission for it, ends the stream. */
const rejections: ReadonlySet<number> = new Set([
  grpcStatus.UNAUTHENTICATED,
  grpcStatus.PERMISSION_DENIED,
  grpcStatus.INVALID_ARGUMENT,
  grpcStatus.NOT_FOUND,
  grpcStatus.DEADLINE_EXCEEDED,
]);

/**
 * Polls one istiod by its debug types: the sync status of all proxies repeatedly, and the config of each proxy, one at
 * a time, after something was sent to it. Emits the same observations as for the CSDS of a control plane.
 */
export class IstiodPoller extends GrpcPoller {
  private readonly schedule: IstiodSchedule;
  /** Whole-type rows, by client. */
  private known: KnownClients = new Map();
  /** Rows of the configs, by client. */
  private readonly configs = new Map<string, KnownClient>();
  /** Clients whose first report was emitted without the config, which follows as its second part. */
  private readonly incomplete = new Set<string>();
  /** By client, why its config is not requested. */
  private readonly ambiguous = new Map<string, string>();
  private instance = '';
  private answerNotes: readonly string[] = [];
  private rejected = { nonces: '', configs: '', noncesUntil: Number.NEGATIVE_INFINITY };
  private readonly unread = new Map<string, number>();
  private answeredAt: number | undefined;
  /** Milliseconds from request to answer, for all requests of this poll. */
  private requestMs = 0;

  constructor(private readonly options: IstiodPollerOptions) {
    super(options, kind);
    this.schedule = new IstiodSchedule(this.intervalMs);
  }

  protected override begin(): void {
    this.schedule.reset();
  }

  protected override failed(): void {
    this.schedule.reset();
  }

  protected override async poll(isCurrent: IsCurrent): Promise<number> {
    const { clock } = this.options;
    const next = this.schedule.next(clock.now());
    if (next?.kind === 'status') await this.pollStatus(isCurrent);
    else if (next?.kind === 'config') await this.pollConfig(next.clientId, isCurrent);
    return this.schedule.waitMs(clock.now());
  }

  private async pollStatus(isCurrent: IsCurrent): Promise<void> {
    const { clock, random, marker, sourceId, maxClients } = this.options;
    const at = clock.now();
    this.requestMs = 0;
    const answer = await this.requestDebug({ kind: 'status' });
    if (!isCurrent()) return;
    const latencyMs = this.requestMs;
    const read = readSyncStatus(answer.take(), marker);
    const clients = await this.withNonces(read);
    if (!isCurrent()) return;
    this.schedule.statusRequested({ at, tookMs: this.requestMs, spread: 0.9 + 0.2 * random() });
    const { observations, next, named, notAdmitted, duplicates } = compareAnswers(this.known, clients, {
      ...{ sourceId, vantage: 'istiod', at: clock.now(), side: 'control-plane', maxClients },
      ...(this.answeredAt !== undefined && { previousAt: this.answeredAt }),
    });
    this.known = next;
    this.answeredAt = at;
    this.instance = read.instance;
    this.answerNotes = [
      ...read.notes,
      ...duplicates.map(
        (name) => `Several proxies have the node id "${name}"; they are distinguished by their status.`,
      ),
    ];
    const changed = new Set(observations.flatMap((each) => ('clientId' in each ? [each.clientId] : [])));
    this.schedule.follow(named, changed);
    const current = new Set(named);
    for (const clientId of this.configs.keys()) if (!next.has(clientId)) this.configs.delete(clientId);
    for (const clientId of this.unread.keys()) if (!current.has(clientId)) this.unread.delete(clientId);
    for (const clientId of this.ambiguous.keys()) if (!current.has(clientId)) this.ambiguous.delete(clientId);
    this.polled.succeed({
      ...{ askedAt: at, named, hasNews: observations.length > 0, notes: this.notes() },
      ...{ latencyMs, answerBytes: answer.sizeBytes, notAdmitted },
    });
    for (const observation of observations) this.emit(this.asFirstPart(observation), new Map());
  }

  /** Adds the nonces, which istiod reports in a separate answer. */
  private async withNonces({ clients }: SyncStatus): Promise<SyncStatus['clients']> {
    const { clock } = this.options;
    if (clock.now() < this.rejected.noncesUntil) return clients;
    try {
      const nonces = readNonces((await this.requestDebug({ kind: 'nonces' })).take());
      this.rejected = { ...this.rejected, nonces: '', noncesUntil: Number.NEGATIVE_INFINITY };
      return clients.map((client) => ({
        ...client,
        resources: client.resources.map((row) => {
          const reported = nonces.get(client.node.id)?.get(row.typeUrl);
          return reported === undefined ? row : { ...row, nonces: reported };
        }),
      }));
    } catch (error) {
      if (!isRejection(error)) throw error;
      const noncesUntil = clock.now() + this.intervalMs * 60;
      this.rejected = { ...this.rejected, nonces: reasonOf(error), noncesUntil };
      return clients;
    }
  }

  private async pollConfig(clientId: string, isCurrent: IsCurrent): Promise<void> {
    const { clock, marker, sourceId } = this.options;
    const client = this.known.get(clientId);
    const at = clock.now();
    // istiod finds a proxy by a part of its name, and cannot distinguish proxies with the same node id.
    const other = client && this.findLongerName(client.node.id);
    if (other === undefined) this.ambiguous.delete(clientId);
    else this.ambiguous.set(clientId, `"${client?.node.id}" is a part of "${other}"`);
    if (client === undefined || client.scope !== '' || other !== undefined) {
      this.schedule.configRequested(clientId, { at, tookMs: 0 });
      this.polled.update({ notes: this.notes() });
      this.completeReports([clientId]);
      return;
    }
    this.requestMs = 0;
    try {
      const read = readConfig(
        (await this.requestDebug({ kind: 'config', nodeId: client.node.id })).take(),
        marker,
      );
      if (!isCurrent()) return;
      this.schedule.configRequested(clientId, { at, tookMs: this.requestMs });
      this.rejected = { ...this.rejected, configs: '' };
      this.unread.set(clientId, read?.problems.length ?? 0);
      // If the proxy left this instance, or its config failed, the previous report remains.
      const resources = read?.rows ?? [...(this.configs.get(clientId)?.rows.values() ?? [])];
      const known = this.configs.get(clientId);
      const { now, observation } = compareClient(clientId, { ...client, resources }, known, {
        ...{ sourceId, vantage: 'istiod', at: clock.now(), side: 'control-plane' },
        ...(this.answeredAt !== undefined && known !== undefined && { previousAt: this.answeredAt }),
      });
      this.configs.set(clientId, now);
      this.incomplete.delete(clientId);
      this.polled.update({
        notes: this.notes(),
        ...(observation !== undefined && { lastChangedAt: clock.now() }),
      });
      if (observation !== undefined) this.emit(observation, read?.bodies ?? new Map());
    } catch (error) {
      if (!isRejection(error)) throw error;
      if (!isCurrent()) return;
      this.schedule.configRequested(clientId, { at, tookMs: this.requestMs });
      this.schedule.rejectConfigs(clock.now());
      this.rejected = { ...this.rejected, configs: reasonOf(error) };
      this.polled.update({ notes: this.notes() });
      this.completeReports([...this.incomplete]);
    }
  }

  /** Marks the first report of a client as the first of two parts. The second part is the config. */
  private asFirstPart(observation: ConfigNews): ConfigNews {
    const { clientId, kind } = observation;
    if (kind !== 'client-config-changed' || this.configs.has(clientId) || this.rejected.configs !== '')
      return observation;
    this.incomplete.add(clientId);
    return { ...observation, part: { number: 1, of: 2 } };
  }

  /** The name of another proxy that contains this name, as "db-0.shop-test" contains "db-0.shop". */
  private findLongerName(name: string): string | undefined {
    for (const { node } of this.known.values())
      if (node.id !== name && node.id.includes(name)) return node.id;
    return undefined;
  }

  /** Emits the second part of first reports whose configs will not arrive. */
  private completeReports(clientIds: readonly string[]): void {
    const { sourceId, clock } = this.options;
    for (const clientId of clientIds) {
      const client = this.known.get(clientId);
      if (!this.incomplete.delete(clientId) || client === undefined) continue;
      const { node, scope, side } = client;
      const end: ClientConfigChanged = {
        ...{ kind: 'client-config-changed', at: clock.now(), vantage: 'istiod', sourceId, clientId },
        ...{ side, node, scope, changed: [], removed: [], part: { number: 2, of: 2 } },
      };
      this.emit(end, new Map());
    }
  }

  private async requestDebug(debugRequest: DebugRequest): Promise<RawAnswer> {
    const { nodeId, clock } = this.options;
    const at = clock.now();
    try {
      return await this.request(encodeDebugRequest(debugRequest, nodeId));
    } finally {
      this.requestMs += clock.now() - at;
    }
  }

  private notes(): string[] {
    const { nonces, configs } = this.rejected;
    const unread = [...this.unread.values()].reduce((sum, count) => sum + count, 0);
    const named = this.known.size;
    const read = this.schedule.configsRead;
    const [why = ''] = this.ambiguous.values();
    return [
      ...(this.instance === '' ? [] : [`This is ${this.instance}.`]),
      ...this.answerNotes,
      ...(nonces === '' ? [] : [`istiod does not report nonces: ${nonces}`]),
      ...(configs === '' ? [] : [`istiod does not report the configs of its proxies: ${configs}`]),
      ...(configs === '' && read < named
        ? [`The config of ${read} of ${named} proxies has been read so far.`]
        : []),
      ...(why === ''
        ? []
        : [
            `istiod finds a proxy by a part of its name, so that the config of ${formatCounted(this.ambiguous.size, 'proxy', 'proxies')} is not requested: ${why}.`,
          ]),
      ...(unread === 0 ? [] : [`${unread} parts of configs could not be read.`]),
    ];
  }

  protected override async explain(error: unknown): Promise<Problem> {
    const problem = await super.explain(error);
    if (!(error instanceof CallError)) return problem;
    // istiod reports this as an error without a code of its own.
    if (otherIdentity.test(error.details)) {
      const message = `${this.target.text} denied the request: ${error.details}`;
      return { code: 'PERMISSION_DENIED', message, hint: authenticated };
    }
    const hint = hints[problem.code];
    return hint === undefined ? problem : { ...problem, hint };
  }

  private emit(observation: ConfigNews, bodies: ReadonlyMap<string, Body>): void {
    this.options.observe({ observation, bodies: bodiesOf(observation, bodies) });
  }
}

const authenticated =
  'istiod reports its own state to authenticated clients only: use its TLS port (15012) with a token or a certificate of istio-system, as a node of that namespace. Older ones, and those with ENABLE_DEBUG_ENDPOINT_AUTH=false, report it to every client on 15010.';

const otherIdentity = /debug info is not available for current identity/;

const hints: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: authenticated,
  PERMISSION_DENIED: authenticated,
  DEADLINE_EXCEEDED: 'Is this an istiod? Other ADS servers do not have its type istio.io/debug/syncz.',
};

function isRejection(error: unknown): error is CallError | CodecError {
  return (
    error instanceof CodecError ||
    (error instanceof CallError && (rejections.has(error.code) || otherIdentity.test(error.details)))
  );
}

/** The reason as the end of a sentence. */
function reasonOf(error: CallError | CodecError): string {
  if (error instanceof CodecError) return `${error.message}.`;
  if (error.code === grpcStatus.DEADLINE_EXCEEDED) return 'it does not answer.';
  return `${grpcStatus[error.code] ?? error.code}${error.details === '' ? '' : `: ${error.details}`}.`;
}
