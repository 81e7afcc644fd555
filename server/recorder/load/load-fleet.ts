import type { LoadKind, LoadScope, LoadSeries } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import { isImportedClient } from '../../client-id';
import { LoadNames } from './load-names';
import { addSeries, type MinuteSums } from './minute-sums';

/** Of a series of the fleet. */
export interface FleetSum extends LoadValues {
  readonly kind: LoadKind;
}

interface Numbered {
  readonly id: number;
  readonly series: LoadSeries;
}

/**
 * Series of all clients together, so that what is asked of a cluster need not be read client by client: each series of a
 * client adds to one of the fleet, which is the same but for who reports and on which stream. They have negative numbers,
 * and no client. Clients of files are not of the fleet.
 */
export class LoadFleet {
  readonly #names: LoadNames;
  /** By series of a client; 0: none, or too many. */
  #fleetOf = new Int32Array(1_024);

  /** No series of a client is left out. */
  isComplete = true;

  constructor(limit: number) {
    this.#names = new LoadNames(limit);
  }

  /** What the file has. Returns series of the fleet that it has not: of a file of before there was one. */
  restore(all: readonly Numbered[]): readonly Numbered[] {
    this.#names.restore(all.filter(({ id }) => id < 0).map(({ id, series }) => ({ id: -id, series })));
    return this.add(all.filter(({ id }) => id > 0));
  }

  /** Series of clients, newly named. Returns those of the fleet that are new with them. */
  add(all: readonly Numbered[]): readonly Numbered[] {
    for (const { id, series } of all) {
      if (isImportedClient(series.scope.clientId)) continue;
      const scope: LoadScope = { ...series.scope, clientId: '', stream: 0 };
      const fleet = this.#names.idOf(this.#names.streamOf(scope), scope, series.part);
      if (fleet === undefined) this.isComplete = false;
      if (id >= this.#fleetOf.length) this.#grow(id);
      this.#fleetOf[id] = -(fleet ?? 0);
    }
    return this.#names.takeNew().map(({ id, series }) => ({ id: -id, series }));
  }

  /** The fleet's series that a client's belongs to; 0: there are too many, or the client is of a file. */
  of(series: number): number {
    return this.#fleetOf[series] ?? 0;
  }

  /** Of one minute, by series of the fleet. */
  sumsOf(minute: MinuteSums): Map<number, FleetSum> {
    const sums = new Map<number, FleetSum>();
    minute.forEach((series, kind, values) => {
      const fleet = this.of(series);
      if (fleet === 0) return;
      let sum = sums.get(fleet);
      if (sum === undefined) {
        sum = { ...noLoadValues(kind), kind };
        sums.set(fleet, sum);
      }
      addSeries(sum, values);
    });
    return sums;
  }

  #grow(id: number): void {
    const grown = new Int32Array(Math.max(id + 1, Math.ceil(this.#fleetOf.length * 1.5)));
    grown.set(this.#fleetOf);
    this.#fleetOf = grown;
  }
}
