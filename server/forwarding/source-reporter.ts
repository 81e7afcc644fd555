import * as z from 'zod';
import type { Clock } from '../observe';
import type { SourceStatus } from '../source-status';
import type { SourceDescription } from '../sources/source-registry';
import type { StateStore } from '../store/state';
import { RepeatedWork } from './repeated-work';
import { shareSource } from './shared-status';

/** A collector, by its id. Its version is that of its newest report, so that one that has ended is recognised. */
export const collectorPrefix = 'collectors/';
export const collectorSchema = z.object({
  name: z.string(),
  /** Incremented when its sources or their statuses have changed. */
  revision: z.number().int(),
  /** Incremented when the clients of a source are others. */
  clientsRevision: z.number().int(),
});
export const sourcesPrefix = 'collector-sources/';
/** The ids of clients: of ten thousand, they are 250 kB, and change seldom. */
export const clientsPrefix = 'collector-clients/';

const reportEveryMs = 2_000;

interface SourceReporterParts {
  readonly clock: Clock;
  readonly collector: string;
  readonly name: string;
  /** Resolves with undefined while it is not connected yet. */
  readonly state: () => Promise<StateStore | undefined>;
  readonly listSources: () => Iterable<{
    readonly description: SourceDescription;
    readonly status: SourceStatus;
  }>;
}

/** Reports the sources of this collector and their statuses to the shared store, every two seconds. */
export class SourceReporter {
  readonly #parts: SourceReporterParts;
  readonly #work: RepeatedWork;
  /** What was reported last, as JSON, and since which revision it is the same, by prefix. */
  readonly #reported = new Map<string, { readonly json: string; readonly revision: number }>();

  /** By source. Those from before another collector took it over remain, because one that takes it over next compares them. */
  readonly #clients = new Map<string, readonly string[]>();

  constructor(parts: SourceReporterParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: reportEveryMs, failure: 'the sources are not reported' },
      work: () => this.#report(),
    });
  }

  start(): void {
    this.#work.start();
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  async #report(): Promise<void> {
    const { collector, name, listSources, clock } = this.#parts;
    const state = await this.#parts.state();
    if (state === undefined) return;
    const all = [...listSources()];
    const sources = all.map(({ description, status }) => shareSource(description, status));
    for (const { description, status } of all)
      if (status.isStandby !== true) this.#clients.set(description.id, [...status.clients.keys()]);
    const clients = all.map(({ description: { id } }) => [id, this.#clients.get(id) ?? []]);
    const changed = [
      ...this.#findChange(sourcesPrefix, sources, clock.now()),
      ...this.#findChange(clientsPrefix, clients, clock.now()),
    ];
    for (const { prefix, value } of changed) await state.put(`${prefix}${collector}`, value);
    for (const { prefix, json, revision } of changed) this.#reported.set(prefix, { json, revision });
    const revisionOf = (prefix: string): number => this.#reported.get(prefix)?.revision ?? 0;
    const revisions = { revision: revisionOf(sourcesPrefix), clientsRevision: revisionOf(clientsPrefix) };
    await state.put(`${collectorPrefix}${collector}`, { name, ...revisions });
  }

  *#findChange(prefix: string, value: unknown, now: number) {
    const before = this.#reported.get(prefix);
    const json = JSON.stringify(value);
    // A restart must not repeat a revision.
    if (json !== before?.json)
      yield { prefix, value, json, revision: Math.max((before?.revision ?? 0) + 1, now) };
  }
}
