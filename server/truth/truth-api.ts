import { LRUCache } from 'lru-cache';
import { type TruthPage, type TruthRow, type TruthWordRow, truthQuery } from '@/lib/api/truth';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { chooseReport, type FreshnessOf } from '@/lib/view-model/client/choose-report';
import { parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { describeHop } from '@/lib/view-model/truth/describe-hop';
import { bodyOf, type TruthPlace, type TruthWord } from '@/lib/view-model/truth/truth-word';
import { formatResourceType } from '@/lib/xds/resource-type';
import { parseInput } from '../api/parse-input';
import type { Differ } from '../diff/differ';
import type { FleetKeeper } from '../fleet/fleet-keeper';
import type { LiveState } from '../live/live-state';
import { takeSteps } from '../threads/take-steps';
import {
  buildTruthLines,
  countHeld,
  settleTruthLines,
  type TruthLine,
  type TruthReports,
} from './client-truth';
import { findProbeReport, type ProbeReport } from './probe-report';
import { type ProbeSource, variantOf } from './variant-pairs';

export interface TruthApiParts {
  readonly live: Pick<LiveState, 'world' | 'clientsOfSource' | 'revisionOf'>;
  readonly fleet: Pick<FleetKeeper, 'find'>;
  readonly freshnessOf: FreshnessOf;
  readonly listProbes: () => readonly ProbeSource[];
  readonly differ: Pick<Differ, 'outcomes'>;
}

type Place = { readonly client: ClientState; readonly report: ClientReport };
type Places = Readonly<Record<TruthPlace, Place | undefined>>;

const clientsKept = 8;

/** Of a client's resources, what is told of each on its way: our probes, the control plane, the client. */
export class TruthApi {
  private readonly kept = new LRUCache<string, { revision: string; lines: Promise<TruthLine[]> }>({
    max: clientsKept,
  });

  constructor(private readonly parts: TruthApiParts) {}

  /** undefined: no such client. */
  async find(id: string, input: unknown): Promise<TruthPage | undefined> {
    const asked = parseInput(truthQuery, input);
    const client = this.parts.live.world.get(id);
    if (client === undefined) return undefined;
    const places = await this.findPlaces(client);
    const lines = await this.linesOf(id, places);
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
      sources: this.sourcesOf(places),
      counts: { resources: lines.length, agree: lines.length - differ - alone, differ, alone },
      items: found.slice(offset, offset + limit).map((line) => rowOf(line, places)),
      offset,
      total: found.length,
    };
  }

  /** Whoever asks for the same meanwhile waits for the same. */
  private linesOf(id: string, places: Places): Promise<TruthLine[]> {
    const revision = Object.values(places)
      .map((place: Place | undefined) => place && revisionOf(this.parts.live, place))
      .join('\n');
    const kept = this.kept.get(id);
    if (kept?.revision === revision) return kept.lines;
    const lines = this.compare(places);
    this.kept.set(id, { revision, lines });
    // What fails is asked for again.
    lines.catch(() => this.kept.delete(id));
    return lines;
  }

  private async compare({ sotw, delta, controlPlane, client }: Places): Promise<TruthLine[]> {
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

  private async findPlaces(client: ClientState): Promise<Places> {
    const { freshnessOf } = this.parts;
    const own = chooseReport(client, 'client', freshnessOf);
    const whole = await this.findWhole(client);
    const theirs = chooseReport(whole, 'control-plane', freshnessOf);
    return {
      ...(await this.findProbes(client)),
      controlPlane: theirs && { client: whole, report: theirs },
      client: own && { client, report: own },
    };
  }

  /** Control planes know the node alone: what they say of it they say of each of its scopes (gRFC A71). */
  private async findWhole(client: ClientState): Promise<ClientState> {
    const { fleet, live } = this.parts;
    if (client.scope === '') return client;
    const { members } = await fleet.find();
    const link = members.find(({ summary }) => summary.id === client.clientId)?.link;
    return (link?.kind === 'scope' ? live.world.get(link.wholeId) : undefined) ?? client;
  }

  /** Those of the server from which they hold most of what the client has. */
  private async findProbes(client: ClientState): Promise<Pick<Places, 'sotw' | 'delta'>> {
    const byTarget = new Map<string, { sotw?: ProbeReport; delta?: ProbeReport; held: number }>();
    for (const { id, target, settings } of this.parts.listProbes()) {
      const variant = variantOf(settings.transport);
      const probe = findProbeReport(this.parts.live, id);
      if (variant === undefined || probe === undefined) continue;
      const known = byTarget.get(target) ?? { held: 0 };
      byTarget.set(target, known);
      known[variant] ??= probe;
      known.held = Math.max(known.held, await takeSteps(countHeld(client, probe.report)));
    }
    const [best] = [...byTarget.values()].filter(({ held }) => held > 0).sort((a, b) => b.held - a.held);
    return { sotw: best?.sotw, delta: best?.delta };
  }

  private sourcesOf(places: Places): TruthPage['sources'] {
    const tell = (place: Place | undefined) => {
      if (place === undefined) return null;
      const { client, report } = place;
      const { freshness, reason } = this.parts.freshnessOf(report, client.clientId);
      const { clientId } = client;
      return { clientId, sourceId: report.sourceId, nodeId: client.node.id, freshness, reason };
    };
    return {
      sotw: tell(places.sotw),
      delta: tell(places.delta),
      controlPlane: tell(places.controlPlane),
      client: tell(places.client),
    };
  }
}

function revisionOf(live: TruthApiParts['live'], { client, report }: Place): string {
  return `${report.sourceId} ${client.clientId} ${live.revisionOf(client.clientId)}`;
}

function rowOf({ key, words, verdict }: TruthLine, places: Places): TruthRow {
  const tell = (place: TruthPlace) => wordOf(place, words[place], places[place]);
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
    firstHop: verdict.hop && { ...verdict.hop, text: describeHop(verdict.hop) },
    compared: verdict.compared,
    changedAt: changes.sort().at(-1) ?? formatIsoTime(0),
  };
}

function wordOf(place: TruthPlace, word: TruthWord, speaker: Place | undefined): TruthWordRow | null {
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
