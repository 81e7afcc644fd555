import { type EffectState, heldBody } from '@/lib/facts/effect';
import type { Failing } from '@/lib/facts/failing-endpoints';
import type { ModelOf } from '@/lib/model/model-of';
import type { ResourceModel } from '@/lib/model/parse-resource';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { ReferenceReport } from '@/lib/resolve/reference-report';
import type { JoinedConfig } from '@/lib/views/connections/join-config';
import type { ConnectedConfig } from '@/lib/views/connections/read-connected-config';
import type { Topology } from '@/lib/views/graph/topology';
import { type BodyKey, type BodyReadings, readingName } from './body-readings';
import type { HistoryStep } from './history-builder';
import { type Reading, readUntilWhole } from './reading';

type Readable = EffectState & ResourceKey;

/** The rows of one client, in order, with the models of their bodies. */
export class RowList {
  readonly rows: ResourceRow[] = [];
  /** The answers that were built last. */
  drawn?: {
    readonly topology: Topology;
    readonly failing: Failing;
    readonly lacksConnections: true | undefined;
  };
  references?: ReferenceReport;
  connected?: ConnectedConfig;
  /** Beside the connections that were last asked about. */
  joined?: JoinedConfig;
  readonly #models = new Map<string, ResourceModel>();
  #isRead = false;

  constructor(
    readonly version: number,
    /** The steps that led to the rows, for a history. */
    readonly steps: readonly HistoryStep[] = [],
  ) {}

  /** Reads all shown bodies of the rows. */
  *readAll(readings: BodyReadings): Reading<void> {
    if (this.#isRead) return;
    yield* readUntilWhole((missing) => this.#readUnread(readings, missing));
    this.#isRead = true;
  }

  #readUnread(readings: BodyReadings, missing: Map<string, BodyKey>): void {
    const all: readonly Readable[][] = [this.rows, ...this.steps.map(({ changed }) => [...changed])];
    for (const row of all.flat()) {
      const hash = heldBody(row);
      if (hash === undefined) continue;
      const key = { hash, typeUrl: row.typeUrl };
      const name = readingName(key);
      if (this.#models.has(name)) continue;
      const reading = readings.find(key);
      if (reading === undefined) missing.set(name, key);
      else if (reading.kind === 'read') this.#models.set(name, reading.model);
    }
  }

  /** Returns the models that readAll() has read. */
  readonly modelOf: ModelOf = (hash, typeUrl) => this.#models.get(readingName({ hash, typeUrl }));
}
