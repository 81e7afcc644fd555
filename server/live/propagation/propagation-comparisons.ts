import { LRUCache } from 'lru-cache';
import type { ClientState } from '@/lib/observation/client-state';
import { combinedState } from '@/lib/observation/combined-state';
import { describeMismatch, nameMismatch } from '@/lib/sync/describe-mismatch';
import type { NodesOfPlaces } from '@/lib/sync/find-first-mismatch';
import { bodyOf, type PropagationPlace, type PropagationState } from '@/lib/sync/propagation-state';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { Moment } from '@/lib/views/fields/moment';
import type { PropagationPage, PropagationRow, PropagationStateRow } from '@/lib/views/propagation/schema';
import { isProbeScope } from '@/lib/xds/client-scope';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { Differ } from '../../compute/diff/differ';
import type { ClientAtCache } from '../../store/past/client-at-cache';
import { SharedWork } from '../../workers/shared-work';
import { takeSteps } from '../../workers/threads/take-steps';
import type { FleetIndex } from '../fleet/fleet-index';
import type { LiveState } from '../live-state';
import {
  buildPropagationLines,
  comparePropagationLines,
  type PropagationLine,
  type PropagationReports,
} from './client-propagation';
import { readPastInputs } from './past-inputs';
import { numberPropagationRows, type PropagationComparison } from './propagation-page';
import {
  findReporters,
  type PropagationInputs,
  type PropagationReporter,
  type PropagationReporters,
} from './propagation-places';
import { type ProbeSource, toVariantProbes, type VariantProbe } from './variant-pairs';

interface PropagationComparisonsParts {
  readonly live: Pick<
    LiveState,
    'world' | 'sources' | 'sourceIds' | 'clientsOfSource' | 'everClientsOf' | 'removedProbes' | 'revisionOf'
  >;
  readonly past: Pick<ClientAtCache, 'find' | 'findState' | 'findTime'>;
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly freshnessOf: FreshnessOf;
  readonly listProbes: () => readonly ProbeSource[];
  readonly differ: Pick<Differ, 'outcomes'>;
}

interface Compared {
  readonly reporters: PropagationReporters;
  readonly lines: readonly PropagationLine[];
  readonly freshnessOf: FreshnessOf;
  readonly moment?: Moment;
}

const clientsKept = 8;
/** The number is small, because each of them retains several clients. */
const momentsKept = 2;

/** Compares what probes received, what the control plane reports and what the client reports of each resource. */
export class PropagationComparisons {
  readonly #parts: PropagationComparisonsParts;
  readonly #kept = new LRUCache<string, { revision: string; lines: PropagationLine[] }>({
    max: clientsKept,
  });
  readonly #keptThen = new LRUCache<string, Compared>({ max: momentsKept });
  readonly #coming = new SharedWork<PropagationLine[]>();
  readonly #comingThen = new SharedWork<Compared | undefined>();

  constructor(parts: PropagationComparisonsParts) {
    this.#parts = parts;
  }

  /**
   * `at` is the moment as in the URL, by default now. undefined if there is no such client. Errors 400 and 404 of a
   * moment are those of ClientAtCache.find().
   */
  async compare(
    clientId: string,
    at: string | undefined,
    signal?: AbortSignal,
  ): Promise<PropagationComparison | undefined> {
    const compared = await (at === undefined
      ? this.#compareNow(clientId, signal)
      : this.#compareThen(clientId, at, signal));
    if (compared === undefined) return undefined;
    const { lines, reporters, moment } = compared;
    return {
      sources: sourcesOf(compared),
      ...numberPropagationRows(lines, {
        factsOf: ({ key, verdict: { hop, compared } }) => ({ ...key, mismatch: hop ?? undefined, compared }),
        rowOf: (line) => rowOf(line, reporters),
      }),
      ...(moment && { moment }),
    };
  }

  async #compareNow(id: string, signal: AbortSignal | undefined): Promise<Compared | undefined> {
    const { live, freshnessOf } = this.#parts;
    const client = live.world.get(id);
    if (client === undefined) return undefined;
    const inputs = {
      world: live.world,
      clientsOfSource: (each: string) => live.clientsOfSource(each),
      freshnessOf,
    };
    const reporters = await this.#findReporters(inputs, client, toVariantProbes(this.#parts.listProbes()));
    return { reporters, lines: await this.#linesOf(id, reporters, signal), freshnessOf };
  }

  async #compareThen(id: string, at: string, signal: AbortSignal | undefined): Promise<Compared | undefined> {
    const name = `${at} ${id}`;
    const kept = this.#keptThen.get(name);
    if (kept !== undefined) return kept;
    const compared = await this.#comingThen.run(name, signal, (stop) => this.#readThen(id, at, stop));
    if (compared !== undefined) this.#keptThen.set(name, compared);
    return compared;
  }

  async #readThen(id: string, at: string, signal: AbortSignal): Promise<Compared | undefined> {
    const found = await readPastInputs(
      { ...this.#parts, wholeIdOf: (each) => this.#wholeIdOf(each) },
      id,
      at,
    );
    if (found === undefined) return undefined;
    const { inputs, client, probes, moment } = found;
    const reporters = await this.#findReporters(inputs, client, probes);
    const { freshnessOf } = inputs;
    return { reporters, lines: await this.#buildLines(reporters, signal), freshnessOf, moment };
  }

  async #findReporters(
    inputs: PropagationInputs,
    client: ClientState,
    probes: readonly VariantProbe[],
  ): Promise<PropagationReporters> {
    const wholeId = await this.#wholeIdOf(client);
    const whole = (wholeId === undefined ? undefined : inputs.world.get(wholeId)) ?? client;
    return findReporters(inputs, { client, whole }, probes);
  }

  /**
   * Returns the client of the whole process, if the client is a scope of one; for a probe, the client that control planes
   * report for its node.
   */
  async #wholeIdOf({ clientId, node, scope }: ClientState): Promise<string | undefined> {
    if (scope === '') return undefined;
    const { members } = await this.#parts.fleet.find();
    if (isProbeScope(scope)) {
      const ofNode = members.filter(({ summary }) => summary.nodeId === node.id && summary.scope === '');
      return ofNode.find(({ summary }) => summary.reports.every(({ side }) => side === 'control-plane'))
        ?.summary.id;
    }
    const link = members.find(({ summary }) => summary.id === clientId)?.link;
    return link?.kind === 'scope' ? link.wholeId : undefined;
  }

  async #linesOf(
    id: string,
    reporters: PropagationReporters,
    signal: AbortSignal | undefined,
  ): Promise<PropagationLine[]> {
    const revision = Object.values(reporters)
      .map((reporter: PropagationReporter | undefined) => reporter && revisionOf(this.#parts.live, reporter))
      .join('\n');
    const kept = this.#kept.get(id);
    if (kept?.revision === revision) return kept.lines;
    const name = `${id} ${revision}`;
    const lines = await this.#coming.run(name, signal, (stop) => this.#buildLines(reporters, stop));
    this.#kept.set(id, { revision, lines });
    return lines;
  }

  async #buildLines(
    { sotw, delta, controlPlane, client }: PropagationReporters,
    signal: AbortSignal,
  ): Promise<PropagationLine[]> {
    const reports: PropagationReports = {
      sotw: sotw?.report,
      delta: delta?.report,
      controlPlane: controlPlane?.report,
      client: client?.report,
    };
    const nodes: NodesOfPlaces = {
      sotw: sotw?.client.node.id,
      delta: delta?.client.node.id,
      controlPlane: controlPlane?.client.node.id,
      client: client?.client.node.id,
    };
    const { lines, pairs } = await takeSteps(buildPropagationLines(reports, nodes));
    const outcomeOf = await this.#parts.differ.outcomes(pairs, { signal });
    // A body that is no longer stored counts as different.
    return takeSteps(comparePropagationLines(lines, (pair) => outcomeOf(pair)?.totals.changes === 0, nodes));
  }
}

function sourcesOf({ reporters, freshnessOf }: Compared): PropagationPage['sources'] {
  const describe = (reporter: PropagationReporter | undefined) => {
    if (reporter === undefined) return undefined;
    const { client, report } = reporter;
    const { freshness, reason } = freshnessOf(report, client.clientId);
    const { clientId } = client;
    return { clientId, sourceId: report.sourceId, nodeId: client.node.id, freshness, reason };
  };
  return {
    sotw: describe(reporters.sotw),
    delta: describe(reporters.delta),
    controlPlane: describe(reporters.controlPlane),
    client: describe(reporters.client),
  };
}

function revisionOf(
  live: PropagationComparisonsParts['live'],
  { client, report }: PropagationReporter,
): string {
  return `${report.sourceId} ${client.clientId} ${live.revisionOf(client.clientId)}`;
}

function rowOf({ key, states, verdict }: PropagationLine, reporters: PropagationReporters): PropagationRow {
  const stateAt = (place: PropagationPlace) => rowAt(place, states[place], reporters[place]);
  const changes = Object.values(states).map((state) =>
    state === null || state === 'unnamed' ? 0 : state.changedAt,
  );
  return {
    ...key,
    service: formatResourceType(key.typeUrl),
    states: {
      sotw: stateAt('sotw'),
      delta: stateAt('delta'),
      controlPlane: stateAt('controlPlane'),
      client: stateAt('client'),
    },
    firstMismatch:
      verdict.hop === null
        ? undefined
        : {
            ...verdict.hop,
            finding: nameMismatch(verdict.hop),
            text: describeMismatch(verdict.hop),
          },
    compared: verdict.compared,
    changedAt: Math.max(...changes),
  };
}

function rowAt(
  place: PropagationPlace,
  state: PropagationState,
  reporter: PropagationReporter | undefined,
): PropagationStateRow | undefined {
  if (state === null || state === 'unnamed' || reporter === undefined) return undefined;
  const { versionInfo, configStatus, errorState, changedAt } = state;
  return {
    sourceId: reporter.report.sourceId,
    versionInfo,
    hash: bodyOf(place, state),
    state: combinedState(state),
    configStatus,
    details: errorState?.details ?? '',
    changedAt,
  };
}
