import { by } from '@/lib/collections/compare';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { messageOf } from '@/lib/format/message-of';
import { configTypes } from '@/lib/views/fleet/config-types';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { SizesAnswer } from '@/lib/views/sizes/schema';
import { compareTypeUrls, formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import type { KeptList } from '../../store/kept-list';
import { takeSteps } from '../../workers/threads/take-steps';
import type { FleetIndex } from '../fleet/fleet-index';
import { ClientGrowth } from './client-growth';
import type { KeptClient, KeptHead } from './saved-sizes';

interface SizeHistoryOptions {
  readonly clock: Clock;
  readonly fleet: Pick<FleetIndex, 'find'>;
  /** With more samples, every second one is removed. */
  readonly mostSamples?: number;
  /** Absent: the history is not kept over a restart. */
  readonly kept?: KeptList<KeptHead, KeptClient>;
}

interface Sample {
  readonly at: EpochMs;
  readonly bytes: ReadonlyMap<string, number>;
}

const samplesPerSave = 10;

/** Samples the bytes that all clients, and each of them, hold by type; kept over restarts. */
export class SizeHistory {
  readonly #options: SizeHistoryOptions;

  /** Samples of each client. */
  clients = new ClientGrowth();
  #samples: Sample[] = [];
  #everyMs = 30_000;
  #timer: { cancel(): void } | undefined;
  #unsaved = 0;

  constructor(options: SizeHistoryOptions) {
    this.#options = options;
  }

  /** The first sample is taken on the first request, or after a while. */
  start(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      void this.sample().finally(() => {
        if (this.#timer !== undefined) this.start();
      });
    }, this.#everyMs);
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#save();
  }

  /** Restores the samples of an earlier run. */
  async restore(): Promise<void> {
    const { head, lines } = (await this.#options.kept?.read()) ?? {};
    if (head === undefined) return;
    this.#everyMs = head.everyMs;
    this.#samples = head.samples.map(({ at, bytes }) => ({ at, bytes: byType(head.types, bytes) }));
    for (const client of lines ?? []) this.clients.restore(head.types, client);
  }

  async #save(): Promise<void> {
    const { kept } = this.#options;
    if (kept === undefined || this.#unsaved === 0) return;
    this.#unsaved = 0;
    const types = [
      ...new Set([...this.clients.typeUrls, ...this.#samples.flatMap(({ bytes }) => [...bytes.keys()])]),
    ];
    const samples = this.#samples.map(({ at, bytes }) => ({
      at,
      bytes: types.map((type) => bytes.get(type) ?? 0),
    }));
    const head = { types, everyMs: this.#everyMs, samples };
    await kept.write(head, this.clients.keep()).catch((error: unknown) => {
      log('error', 'sizes', `growth is not stored: ${messageOf(error)}`);
    });
  }

  async sample(): Promise<void> {
    const { clock, fleet, mostSamples = 400 } = this.#options;
    const { members } = await fleet.find();
    const at = clock.now();
    this.#samples.push({ at, bytes: await takeSteps(sumByType(members)) });
    await takeSteps(this.clients.note(at, members));
    this.#unsaved += 1;
    if (this.#unsaved >= samplesPerSave) await this.#save();
    if (this.#samples.length < mostSamples) return;
    // The older half loses detail, but not its range of time.
    this.#samples = this.#samples.filter((_, index) => index % 2 === 0);
    this.#everyMs *= 2;
  }

  list(): SizesAnswer['growth'] {
    return this.#samples.map(formatSample);
  }

  /** Samples of one client, and what it holds now. */
  listOf({ summary }: Pick<FleetMember, 'summary'>): SizesAnswer['growth'] {
    const points = this.clients.of(summary.id);
    const bytes = new Map(
      configTypes(summary).flatMap(({ typeUrl, sizeBytes }) =>
        sizeBytes === undefined ? [] : [[typeUrl, sizeBytes]],
      ),
    );
    return [...points, { at: this.#options.clock.now(), bytes }].map(formatSample);
  }
}

function byType(types: readonly string[], bytes: readonly number[]): Map<string, number> {
  return new Map(
    types.flatMap((type, place) => ((bytes[place] ?? 0) === 0 ? [] : [[type, bytes[place] ?? 0]])),
  );
}

function formatSample({ at, bytes }: Sample): SizesAnswer['growth'][number] {
  return {
    at,
    types: [...bytes]
      .sort(by(([key]) => key, compareTypeUrls))
      .map(([typeUrl, size]) => ({ typeUrl, service: formatResourceType(typeUrl), bytes: size })),
  };
}

function* sumByType(members: readonly FleetMember[]): Steps<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const [index, { summary, link }] of members.entries()) {
    if (index % itemsPerStep === 0) yield;
    if (link?.kind === 'whole') continue;
    for (const { typeUrl, sizeBytes } of configTypes(summary)) {
      if (sizeBytes !== undefined) sums.set(typeUrl, (sums.get(typeUrl) ?? 0) + sizeBytes);
    }
  }
  return sums;
}
