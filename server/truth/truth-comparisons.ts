import { LRUCache } from 'lru-cache';
import type { Moment } from '@/lib/api/moment';
import type { TruthPage, TruthRow, TruthWordRow } from '@/lib/api/truth';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientState } from '@/lib/observation/client-state';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import { describeHop, nameHop } from '@/lib/view-model/truth/describe-hop';
import { bodyOf, type TruthPlace, type TruthWord } from '@/lib/view-model/truth/truth-word';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { ClientAtCache } from '../api/past/client-at-cache';
import type { Differ } from '../diff/differ';
import type { FleetIndex } from '../fleet/fleet-index';
import type { LiveState } from '../live/live-state';
import { takeSteps } from '../threads/take-steps';
import { buildTruthLines, settleTruthLines, type TruthLine, type TruthReports } from './client-truth';
import { readPastScene } from './past-scene';
import { numberTruthRows, type TruthComparison } from './truth-page';
import { findSpeakers, type TruthScene, type TruthSpeaker, type TruthSpeakers } from './truth-places';
import { type ProbeSource, toVariantProbes, type VariantProbe } from './variant-pairs';

export interface TruthComparisonsParts {
  readonly live: Pick<
    LiveState,
    'world' | 'sourceIds' | 'clientsOfSource' | 'everClientsOf' | 'formerProbes' | 'revisionOf'
  >;
  readonly past: Pick<ClientAtCache, 'find' | 'findState' | 'findTime'>;
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly freshnessOf: FreshnessOf;
  readonly listProbes: () => readonly ProbeSource[];
  readonly differ: Pick<Differ, 'outcomes'>;
}

/** The reporters of each place, and a line for each resource. */
interface Compared {
  readonly speakers: TruthSpeakers;
  readonly lines: readonly TruthLine[];
  readonly freshnessOf: FreshnessOf;
  readonly moment?: Moment;
}

const clientsKept = 8;
/** Each of them holds several clients as they were. */
const momentsKept = 2;

/** Compares what our probes received, what the control plane reports and what the client reports of each resource. */
export class TruthComparisons {
  private readonly kept = new LRUCache<string, { revision: string; lines: Promise<TruthLine[]> }>({
    max: clientsKept,
  });
  private readonly keptThen = new LRUCache<string, Promise<Compared | undefined>>({ max: momentsKept });

  constructor(private readonly parts: TruthComparisonsParts) {}

  /** `at`: as the URL states it; absent: now. undefined: no such client. 400 and 404 of a moment: as ClientAtCache.find(). */
  async compare(clientId: string, at: string | undefined): Promise<TruthComparison | undefined> {
    const compared = await (at === undefined ? this.compareNow(clientId) : this.compareThen(clientId, at));
    if (compared === undefined) return undefined;
    const { lines, speakers, moment } = compared;
    return {
      sources: sourcesOf(compared),
      ...numberTruthRows(lines, {
        factsOf: ({ key, verdict: { hop, compared } }) => ({ ...key, differs: hop !== null, compared }),
        rowOf: (line) => rowOf(line, speakers),
      }),
      ...(moment && { moment }),
    };
  }

  private async compareNow(id: string): Promise<Compared | undefined> {
    const { live, freshnessOf } = this.parts;
    const client = live.world.get(id);
    if (client === undefined) return undefined;
    const scene = {
      world: live.world,
      clientsOfSource: (each: string) => live.clientsOfSource(each),
      freshnessOf,
    };
    const speakers = await this.findSpeakers(scene, client, toVariantProbes(this.parts.listProbes()));
    return { speakers, lines: await this.linesOf(id, speakers), freshnessOf };
  }

  /** Whoever asks for the same moment meanwhile waits for the same. */
  private compareThen(id: string, at: string): Promise<Compared | undefined> {
    const name = `${at} ${id}`;
    const kept = this.keptThen.get(name);
    if (kept !== undefined) return kept;
    const compared = this.readThen(id, at);
    this.keptThen.set(name, compared);
    // What fails is asked for again.
    compared.catch(() => this.keptThen.delete(name));
    return compared;
  }

  private async readThen(id: string, at: string): Promise<Compared | undefined> {
    const found = await readPastScene({ ...this.parts, wholeIdOf: (each) => this.wholeIdOf(each) }, id, at);
    if (found === undefined) return undefined;
    const { scene, client, probes, moment } = found;
    const speakers = await this.findSpeakers(scene, client, probes);
    const { freshnessOf } = scene;
    return { speakers, lines: await this.buildLines(speakers), freshnessOf, moment };
  }

  private async findSpeakers(
    scene: TruthScene,
    client: ClientState,
    probes: readonly VariantProbe[],
  ): Promise<TruthSpeakers> {
    const wholeId = await this.wholeIdOf(client);
    const whole = (wholeId === undefined ? undefined : scene.world.get(wholeId)) ?? client;
    return findSpeakers(scene, { client, whole }, probes);
  }

  /** Of a scope of a client that has several: the client as a whole. */
  private async wholeIdOf({ clientId, scope }: ClientState): Promise<string | undefined> {
    if (scope === '') return undefined;
    const { members } = await this.parts.fleet.find();
    const link = members.find(({ summary }) => summary.id === clientId)?.link;
    return link?.kind === 'scope' ? link.wholeId : undefined;
  }

  /** Whoever asks for the same meanwhile waits for the same. */
  private linesOf(id: string, speakers: TruthSpeakers): Promise<TruthLine[]> {
    const revision = Object.values(speakers)
      .map((speaker: TruthSpeaker | undefined) => speaker && revisionOf(this.parts.live, speaker))
      .join('\n');
    const kept = this.kept.get(id);
    if (kept?.revision === revision) return kept.lines;
    const lines = this.buildLines(speakers);
    this.kept.set(id, { revision, lines });
    // What fails is asked for again.
    lines.catch(() => this.kept.delete(id));
    return lines;
  }

  private async buildLines({ sotw, delta, controlPlane, client }: TruthSpeakers): Promise<TruthLine[]> {
    const reports: TruthReports = {
      sotw: sotw?.report,
      delta: delta?.report,
      controlPlane: controlPlane?.report,
      client: client?.report,
    };
    const { lines, pairs } = await takeSteps(buildTruthLines(reports));
    const outcomeOf = await this.parts.differ.outcomes(pairs);
    // A body that is not kept any longer differs, for all that is known.
    return takeSteps(
      settleTruthLines(lines, (typeUrl) => (left, right) => {
        return outcomeOf({ typeUrl, left, right })?.totals.changes === 0;
      }),
    );
  }
}

function sourcesOf({ speakers, freshnessOf }: Compared): TruthPage['sources'] {
  const tell = (speaker: TruthSpeaker | undefined) => {
    if (speaker === undefined) return null;
    const { client, report } = speaker;
    const { freshness, reason } = freshnessOf(report, client.clientId);
    const { clientId } = client;
    return { clientId, sourceId: report.sourceId, nodeId: client.node.id, freshness, reason };
  };
  return {
    sotw: tell(speakers.sotw),
    delta: tell(speakers.delta),
    controlPlane: tell(speakers.controlPlane),
    client: tell(speakers.client),
  };
}

function revisionOf(live: TruthComparisonsParts['live'], { client, report }: TruthSpeaker): string {
  return `${report.sourceId} ${client.clientId} ${live.revisionOf(client.clientId)}`;
}

function rowOf({ key, words, verdict }: TruthLine, speakers: TruthSpeakers): TruthRow {
  const wordAt = (place: TruthPlace) => wordOf(place, words[place], speakers[place]);
  const wordRows = {
    sotw: wordAt('sotw'),
    delta: wordAt('delta'),
    controlPlane: wordAt('controlPlane'),
    client: wordAt('client'),
  };
  const changes = Object.values(wordRows).flatMap((word) => (word === null ? [] : [word.changedAt]));
  return {
    ...key,
    service: formatResourceType(key.typeUrl),
    words: wordRows,
    firstHop: verdict.hop && {
      ...verdict.hop,
      finding: nameHop(verdict.hop),
      text: describeHop(verdict.hop),
    },
    compared: verdict.compared,
    changedAt: changes.sort().at(-1) ?? formatIsoTime(0),
  };
}

function wordOf(place: TruthPlace, word: TruthWord, speaker: TruthSpeaker | undefined): TruthWordRow | null {
  if (word === null || word === 'unnamed' || speaker === undefined) return null;
  const { versionInfo, clientStatus, configStatus, errorState, changedAt } = word;
  return {
    sourceId: speaker.report.sourceId,
    versionInfo,
    hash: bodyOf(place, word),
    clientStatus,
    configStatus,
    details: errorState?.details ?? '',
    changedAt: formatIsoTime(changedAt),
  };
}
