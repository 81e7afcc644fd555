import os from 'node:os';
import * as z from 'zod';
import type { Observation } from '@/lib/observation/observation';
import type { SourceKind } from '@/lib/observation/source-kinds';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import { isPolled, type SourceSetup } from '../sources/source-kinds';
import type { StartSource } from '../sources/source-registry';
import type { StarterOf } from '../sources/source-starter';
import type { KeptValue, StateEntry } from '../store/kept-value';
import { countRejected, type Fence, releaseLeases, takeLeases } from '../store/leases';
import type { Recorder } from '../store/recorder/recorder';
import type { StoreDatabase } from '../store/schema';
import { LeasedSource } from './leased-source';

const terms = z.array(
  z.object({
    lease: z.string(),
    /** 0: another process held the lease. */
    number: z.number().int(),
    /** The first local seq of an observation that was made under this number, and the time from which on load was observed under it. */
    fromSeq: z.number().int(),
    fromAt: z.number().default(0),
  }),
);

type Terms = z.infer<typeof terms>;

/** The fencing numbers of the observations of this recording. They are set aside with it. */
export const leaseTermsEntry: StateEntry<Terms> = {
  key: 'lease-terms',
  schema: terms,
  initial: [],
};

/** A process that has died is replaced after this time and one turn of the others. */
const ttlMs = 10_000;

/** Reports may be recorded so late. */
const lateMs = 60_000;

interface SourceLeasesParts {
  readonly clock: Clock;
  readonly collector: string;
  readonly kept: KeptValue<Terms>;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats'>;
  /** Called before a source starts that another process has observed since this one did: what is known of it is outdated. */
  readonly onInherited: (sourceId: string) => void;
}

/**
 * Decides by leases of the shared store which collector observes a source that several collectors have, and under which fencing number
 * its observations were made. While the store cannot be reached, whoever observes a source continues: what it has observed after
 * another collector took over is rejected by the store.
 */
export class SourceLeases {
  readonly #parts: SourceLeasesParts;
  /** The sources of this process that others may have, by the name of the lease. */
  readonly #sources = new Map<string, LeasedSource>();
  /** The lease of each source, the members of lists included. */
  readonly #leaseOf = new Map<string, string>();
  /** The leases that this process has taken over from another one. InheritedReports removes them. */
  readonly inherited = new Set<string>();
  /** The sources that have started since then, by these leases. */
  readonly #startedOf = new Map<string, Set<string>>();
  #rejected = 0;
  /** All load until then is in the store, and all observations up to this seq. */
  #sent = { at: 0, seq: 0 };

  constructor(parts: SourceLeasesParts) {
    this.#parts = parts;
  }

  /** Observations of all collectors that the store has rejected. */
  get rejected(): number {
    return this.#rejected;
  }

  /** A source that `starterOf` starts runs while this process holds its lease. */
  wrap(starterOf: StarterOf): StarterOf {
    return (source, setup) => {
      const starter = starterOf(source, setup);
      const { id, origin, listId } = source;
      // The members of a list run where the list does.
      const owner = listId === undefined ? leaseNameOf(source, setup) : this.#leaseOf.get(listId);
      if (!isShared(setup.kind, origin) || owner === undefined) return starter;
      this.#leaseOf.set(id, owner);
      const start: StartSource = (onStatus) => {
        const started = this.#startedOf.get(owner);
        if (started?.has(id) === false) this.#parts.onInherited(id);
        started?.add(id);
        return starter(onStatus);
      };
      if (listId !== undefined) return start;
      return (onStatus) => {
        const leased = new LeasedSource({
          ...{ start, onStatus, mayStart: () => this.#numberOf(owner) !== 0 },
          onWanted: (isWanted) => {
            if (isWanted) this.#sources.set(owner, leased);
            else if (this.#sources.get(owner) === leased) this.#sources.delete(owner);
          },
        });
        return leased;
      };
    };
  }

  /** Claims, takes and releases leases, and starts and stops the sources. Calls must not overlap. */
  async takeTurn(store: StoreDatabase): Promise<void> {
    const { collector: holder, kept } = this.#parts;
    const names = [...this.#sources.keys()];
    const held = await takeLeases(store, { holder, names, ttlMs });
    const lost = names.filter((name) => !held.has(name));
    await Promise.all(lost.map((name) => this.#sources.get(name)?.stop()));
    await releaseLeases(store, holder, lost);
    const all = [...held, ...lost.map((name) => [name, 0] as const)];
    const changed = all.filter(([name, number]) => this.#numberOf(name) !== number);
    for (const [name, number] of changed) {
      if (number < 2) continue;
      this.inherited.add(name);
      this.#startedOf.set(name, new Set());
    }
    if (changed.length > 0) {
      // What the source observed under an earlier number has seqs up to this one.
      await this.#parts.recorder.flushed();
      const fromSeq = this.#parts.recorder.stats().newestSeq + 1;
      const fromAt = this.#parts.clock.now();
      await kept.change((before) => [
        ...before,
        // The first holder of all may have observed the source before it had the lease.
        ...changed.map(([lease, number]) =>
          number === 1 ? { lease, number, fromSeq: 0, fromAt: 0 } : { lease, number, fromSeq, fromAt },
        ),
      ]);
    }
    for (const name of held.keys()) this.#sources.get(name)?.run();
    this.#rejected = await countRejected(store);
  }

  /** The store cannot be reached: this process observes what it observed last, or what it never asked the store about. */
  runUnconnected(): void {
    for (const source of this.#sources.values()) source.runIfAllowed();
  }

  /** undefined: no other process can have the source. */
  leaseOf(sourceId: string): string | undefined {
    return this.#leaseOf.get(sourceId);
  }

  /** undefined: nobody else can have made the observation. */
  fenceOf({ sourceId, kind }: Observation, seq: number): Fence | undefined {
    return kind === 'source-declared' ? undefined : this.#fenceOf(sourceId, (term) => term.fromSeq <= seq);
  }

  /** Under which fence a source reported load. undefined: nobody else can have observed it. */
  fenceAt(sourceId: string, at: EpochMs): Fence | undefined {
    return this.#fenceOf(sourceId, (term) => term.fromAt <= at);
  }

  #fenceOf(sourceId: string, hasBegun: (term: Terms[number]) => boolean): Fence | undefined {
    const lease = this.#leaseOf.get(sourceId);
    if (lease === undefined) return undefined;
    const term = this.#parts.kept.value.findLast((each) => each.lease === lease && hasBegun(each));
    return { lease, number: term?.number ?? 0 };
  }

  /** All observations up to this seq are in the store. */
  async noteSent(seq: number): Promise<void> {
    this.#sent.seq = seq;
    await this.#forgetTerms();
  }

  /** All load that was recorded until then is in the store. */
  async noteLoadSent(at: EpochMs): Promise<void> {
    this.#sent.at = at - lateMs;
    await this.#forgetTerms();
  }

  /** Forgets the numbers under which nothing more is sent. */
  async #forgetTerms(): Promise<void> {
    const { kept } = this.#parts;
    const { seq, at } = this.#sent;
    const isNeeded = ({ lease }: { lease: string }, index: number, all: Terms): boolean =>
      !all.some(
        (each, later) =>
          later > index && each.lease === lease && each.fromSeq <= seq + 1 && each.fromAt <= at,
      );
    if (kept.value.every(isNeeded)) return;
    await kept.change((before) => before.filter(isNeeded));
  }

  /** The number under which this process holds the lease; 0 if it does not, undefined before its first turn. */
  #numberOf(name: string): number | undefined {
    return this.#parts.kept.value.findLast(({ lease }) => lease === name)?.number;
  }
}

/** Servers of a lab and peers that connect to this process are its own. */
function isShared(kind: SourceKind, origin: string): boolean {
  return (isPolled(kind) || kind === 'ads' || kind.endsWith('-list')) && origin !== 'lab';
}

/** A loopback address and a file are something else on each machine. */
function leaseNameOf({ id, target }: Parameters<StarterOf>[0], setup: SourceSetup): string {
  const isFile = 'from' in setup && setup.from.kind === 'file';
  const isLocal = isFile || /^(?:[a-z]+:\/*)?(?:localhost|127\.|\[::1\]|unix:)/i.test(target);
  return isLocal ? `${os.hostname()} ${id}` : id;
}
