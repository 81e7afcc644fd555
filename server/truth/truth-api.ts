import { LRUCache } from 'lru-cache';
import type { Moment } from '@/lib/api/moment';
import type { TruthPage, TruthQuery, TruthRow, TruthWordRow } from '@/lib/api/truth';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientState } from '@/lib/observation/client-state';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import { parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { describeHop, nameHop } from '@/lib/view-model/truth/describe-hop';
import { bodyOf, type TruthPlace, type TruthWord } from '@/lib/view-model/truth/truth-word';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { ClientAtCache } from '../api/past/client-at-cache';
import type { Differ } from '../diff/differ';
import type { FleetKeeper } from '../fleet/fleet-keeper';
import type { LiveState } from '../live/live-state';
import { takeSteps } from '../threads/take-steps';
import { buildTruthLines, settleTruthLines, type TruthLine, type TruthReports } from './client-truth';
import { readPastScene } from './past-scene';
import { findSpeakers, type TruthScene, type TruthSpeaker, type TruthSpeakers } from './truth-places';
import { type ProbeSource, toVariantProbes, type VariantProbe } from './variant-pairs';

export interface TruthApiParts {
  readonly live: Pick<
    LiveState,
    'world' | 'sourceIds' | 'clientsOfSource' | 'everClientsOf' | 'formerProbes' | 'revisionOf'
  >;
  readonly past: Pick<ClientAtCache, 'find' | 'findState' | 'findTime'>;
  readonly fleet: Pick<FleetKeeper, 'find'>;
  readonly freshnessOf: FreshnessOf;
  readonly listProbes: () => readonly ProbeSource[];
  readonly differ: Pick<Differ, 'outcomes'>;
}

/** What a page is made of: who speaks, and a line for each resource. */
interface Told {
  readonly speakers: TruthSpeakers;
  readonly lines: readonly TruthLine[];
  readonly freshnessOf: FreshnessOf;
  readonly moment?: Moment;
}

const clientsKept = 8;
/** Each of them holds several clients as they were. */
const momentsKept = 2;

/** Of a client's resources, what is told of each on its way: our probes, the control plane, the client. */
export class TruthApi {
  private readonly kept = new LRUCache<string, { revision: string; lines: Promise<TruthLine[]> }>({
    max: clientsKept,
  });
  private readonly keptThen = new LRUCache<string, Promise<Told | undefined>>({ max: momentsKept });

  constructor(private readonly parts: TruthApiParts) {}

  /** undefined: no such client. 400 and 404 of a moment: as ClientAtCache.find(). */
  async find(id: string, asked: TruthQuery): Promise<TruthPage | undefined> {
    const told = await (asked.at === undefined ? this.tellNow(id) : this.tellThen(id, asked.at));
    if (told === undefined) return undefined;
    const { lines, speakers, moment } = told;
    const typeUrl = asked.type === undefined ? undefined : parseTypeKey(asked.type);
    const found = lines.filter(
      ({ key, verdict }) =>
        (asked.only === 'all' || verdict.hop !== null) &&
        (typeUrl === undefined || key.typeUrl === typeUrl) &&
        (asked.name === undefined || key.name === asked.name) &&
        key.name.includes(asked.q),
    );
    const differ = lines.filter(({ verdict }) => verdict.hop !== null).length;
    const alone = lines.filter(({ verdict }) => verdict.compared < 2).length;
    const { offset, limit } = asked;
    return {
      sources: sourcesOf(told),
      counts: { resources: lines.length, agree: lines.length - differ - alone, differ, alone },
      items: found.slice(offset, offset + limit).map((line) => rowOf(line, speakers)),
      offset,
      total: found.length,
      ...(moment && { moment }),
    };
  }

  private async tellNow(id: string): Promise<Told | undefined> {
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
  private tellThen(id: string, at: string): Promise<Told | undefined> {
    const name = `${at} ${id}`;
    const kept = this.keptThen.get(name);
    if (kept !== undefined) return kept;
    const told = this.readThen(id, at);
    this.keptThen.set(name, told);
    // What fails is asked for again.
    told.catch(() => this.keptThen.delete(name));
    return told;
  }

  private async readThen(id: string, at: string): Promise<Told | undefined> {
    const found = await readPastScene({ ...this.parts, wholeIdOf: (each) => this.wholeIdOf(each) }, id, at);
    if (found === undefined) return undefined;
    const { scene, client, probes, moment } = found;
    const speakers = await this.findSpeakers(scene, client, probes);
    const { freshnessOf } = scene;
    return { speakers, lines: await this.compare(speakers), freshnessOf, moment };
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
    const lines = this.compare(speakers);
    this.kept.set(id, { revision, lines });
    // What fails is asked for again.
    lines.catch(() => this.kept.delete(id));
    return lines;
  }

  private async compare({ sotw, delta, controlPlane, client }: TruthSpeakers): Promise<TruthLine[]> {
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

function sourcesOf({ speakers, freshnessOf }: Told): TruthPage['sources'] {
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

function revisionOf(live: TruthApiParts['live'], { client, report }: TruthSpeaker): string {
  return `${report.sourceId} ${client.clientId} ${live.revisionOf(client.clientId)}`;
}

function rowOf({ key, words, verdict }: TruthLine, speakers: TruthSpeakers): TruthRow {
  const tell = (place: TruthPlace) => wordOf(place, words[place], speakers[place]);
  const told = {
    sotw: tell('sotw'),
    delta: tell('delta'),
    controlPlane: tell('controlPlane'),
    client: tell('client'),
  };
  const changes = Object.values(told).flatMap((word) => (word === null ? [] : [word.changedAt]));
  return {
    ...key,
    service: formatResourceType(key.typeUrl),
    words: told,
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
