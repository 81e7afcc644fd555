import { ControlPlaneFold } from '@/lib/control-planes/control-plane-fold';
import { parseResource } from '@/lib/model/parse-resource';
import { referencesOf } from '@/lib/model/references';
import type { Observation } from '@/lib/observation/observation';
import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { boundedCache } from '../../bounded-cache';
import { decodeBody } from '../../codec/decode-body';
import type { Body, Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import { inSlices } from '../../workers/threads/in-slices';

interface ControlPlaneWatchOptions {
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, 'readHistory' | 'readBodies'>;
}

const kinds = [
  ...(['stream-opened', 'stream-closed', 'request-sent'] as const),
  ...(['response-received', 'ack-sent', 'nack-sent'] as const),
];
const vantages = ['probe', 'tap'] as const;
/** How much of the log is read at first. */
const readMs = 24 * 60 * 60 * 1_000;
const pageRows = 500;
/** A caller waits this long for the end of the log. What follows is read meanwhile, for the next one. */
const patienceMs = 1_000;
/** Larger listeners and route configurations are not decoded. */
const largestBodyBytes = 256 * 1024;
const clustersKept = 20_000;

/** Follows the log, and folds what probes and taps recorded of control planes. */
export class ControlPlaneWatch {
  readonly #options: ControlPlaneWatchOptions;
  readonly #clusters = boundedCache<readonly string[]>(clustersKept);
  readonly #fold = new ControlPlaneFold((hash) => this.#clusters.get(hash) ?? []);
  readonly #since: EpochMs;
  #seq = 0;
  #isComplete = false;
  #reading: Promise<void> | undefined;

  constructor(options: ControlPlaneWatchOptions) {
    this.#options = options;
    this.#since = Math.max(0, options.clock.now() - readMs);
  }

  get since(): EpochMs {
    return this.#since;
  }

  /** False if the log has more than was read so far. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Resolves to the fold of what the log has, or of as much of it as is read in a second. */
  async read(): Promise<ControlPlaneFold> {
    const { clock } = this.#options;
    const patience = new Promise<void>((resolve) => void clock.setTimeout(resolve, patienceMs));
    await Promise.race([this.#readToEnd(), patience]);
    return this.#fold;
  }

  async #readToEnd(): Promise<void> {
    // What is under way may have passed the end of the log before this call. Its caller receives its error.
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOn(): Promise<void> {
    const { recorder } = this.#options;
    this.#isComplete = false;
    for (;;) {
      const rows = await recorder.readHistory({
        ...{ kinds, vantages, from: this.#since, afterSeq: this.#seq, limit: pageRows, order: 'asc' },
      });
      const last = rows.at(-1);
      if (last === undefined) {
        this.#isComplete = true;
        return;
      }
      const observations: Observation[] = [];
      await inSlices(rows, ({ json }) => observations.push(JSON.parse(json)));
      await this.#readClusters(observations);
      await this.#findOpenings(observations);
      await inSlices(observations, (observation) => this.#fold.add(observation));
      this.#seq = last.seq;
    }
  }

  /** Streams may have been opened before the part of the log that is read. */
  async #findOpenings(observations: readonly Observation[]): Promise<void> {
    const opened = new Set<string>();
    for (const observation of observations) {
      if (!('streamId' in observation)) continue;
      const { streamId, kind } = observation;
      if (kind === 'stream-opened') opened.add(streamId);
      if (this.#seq > 0 || opened.has(streamId) || this.#fold.has(streamId)) continue;
      opened.add(streamId);
      const query = { streamId, kinds: ['stream-opened'] as const, limit: 1, order: 'asc' } as const;
      const [row] = await this.#options.recorder.readHistory(query);
      if (row !== undefined) this.#fold.add(JSON.parse(row.json), true);
    }
  }

  async #readClusters(observations: readonly Observation[]): Promise<void> {
    const wanted = new Set<string>();
    for (const observation of observations) {
      if (observation.kind !== 'response-received') continue;
      if (observation.typeUrl !== LDS.typeUrl && observation.typeUrl !== RDS.typeUrl) continue;
      for (const { hash, sizeBytes } of observation.resources) {
        if (sizeBytes <= largestBodyBytes && !this.#clusters.has(hash)) wanted.add(hash);
      }
    }
    if (wanted.size === 0) return;
    const bodies = await this.#options.recorder.readBodies(wanted);
    await inSlices([...bodies.values()], (body) => this.#clusters.set(body.hash, findClusters(body)), 1);
  }
}

function findClusters({ typeUrl, bytes }: Body): string[] {
  const { json } = decodeBody(typeUrl, bytes);
  return referencesOf(parseResource(typeUrl, json)).flatMap((reference) =>
    reference.typeUrl === CDS.typeUrl ? [reference.name] : [],
  );
}
