import { type EffectState, heldBody } from '@/lib/facts/effect';
import type { Failing } from '@/lib/facts/failing-endpoints';
import type { ModelOf } from '@/lib/model/model-of';
import type { ResourceModel } from '@/lib/model/parse-resource';
import { resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { ReferenceReport } from '@/lib/resolve/reference-report';
import type { JoinedConfig } from '@/lib/views/connections/join-config';
import type { ConnectedConfig } from '@/lib/views/connections/read-connected-config';
import type { Topology } from '@/lib/views/graph/topology';
import { replaceRows } from '../subjects/client-rows';
import { type BodyKey, type BodyReadings, readingName } from './body-readings';
import type { HistoryStep } from './history-builder';
import { type Reading, readUntilWhole } from './reading';

type Readable = EffectState & ResourceKey;

/** The rows of one client, in order, with the models of their bodies. */
export class RowList {
  /** The list is replaced by each change. */
  rows: readonly ResourceRow[] = [];
  /** Built on first use, and dropped by each change. */
  drawn?: {
    readonly topology: Topology;
    readonly failing: Failing;
    readonly lacksConnections: true | undefined;
  };
  references?: ReferenceReport;
  connected?: ConnectedConfig;
  /** Beside the connections that were last asked about. */
  joined?: JoinedConfig;
  #models = new Map<string, ResourceModel>();
  /** Rows whose models have not been read. */
  #unread: readonly Readable[] = [];

  constructor(
    public version: number,
    /** The steps that led to the rows, for a history. */
    readonly steps: readonly HistoryStep[] = [],
  ) {
    this.#unread = steps.flatMap(({ changed }) => changed);
  }

  change(changed: ReadonlyMap<string, ResourceRow>, removed: readonly ResourceKey[]): void {
    const isNew = this.rows.length === 0;
    this.rows = isNew
      ? [...changed.values()].sort(compareResourceKeys)
      : replaceRows([...this.rows], [...changed.values(), ...removed], (key) =>
          changed.get(resourceKey(key)),
        );
    this.#unread = isNew ? [...this.#unread, ...this.rows] : [...this.#unread, ...changed.values()];
    this.drawn = undefined;
    this.references = undefined;
    this.connected = undefined;
    this.joined = undefined;
  }

  /** Reads all shown bodies of the rows. */
  *readAll(readings: BodyReadings): Reading<void> {
    yield* readUntilWhole((missing) => this.#readUnread(readings, missing));
    this.#unread = [];
    this.#forgetOld();
  }

  #readUnread(readings: BodyReadings, missing: Map<string, BodyKey>): void {
    for (const row of this.#unread) {
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

  /** Drops models of earlier rows when there are too many. */
  #forgetOld(): void {
    if (this.steps.length > 0 || this.#models.size <= 2 * this.rows.length + 1_000) return;
    const models = new Map<string, ResourceModel>();
    for (const row of this.rows) {
      const hash = heldBody(row);
      if (hash === undefined) continue;
      const name = readingName({ hash, typeUrl: row.typeUrl });
      const model = this.#models.get(name);
      if (model !== undefined) models.set(name, model);
    }
    this.#models = models;
  }
}
