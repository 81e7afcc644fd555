import { ServerCredentials } from '@grpc/grpc-js';
import type { ReplayPlan, ReplayResource, ReplayStep } from '@/lib/replay/replay-plan';
import type { Replay } from '@/lib/views/recording/replay-schema';
import type { Body, Clock } from '../../observe';
import { ManagementServer, type VerdictEvent } from '../management-server/management-server';
import type { Resource } from '../management-server/snapshot-store';

interface ReplayServerOptions {
  readonly id: string;
  readonly label: string;
  readonly plan: ReplayPlan;
  readonly clock: Clock;
  /** Unknown hashes are left out. */
  readonly readBodies: (hashes: Iterable<string>) => Promise<ReadonlyMap<string, Body>>;
  readonly onChange: () => void;
}

/** The next step waits this long for clients to answer the current one. */
const patienceMs = 10_000;
/** Clients request names one after the other: the next step waits once for a name that no client requests. */
const namePatienceMs = 1_000;
const longestIdleMs = 60 * 60 * 1000;
const stepsShown = 20;

type Replayed = NonNullable<Replay['steps'][number]['replayed']>;

/**
 * A management server that serves a recorded past: every client that connects receives the resources to which it
 * subscribes, as they were recorded. Types are not served before their first step. Each step is sent to all clients;
 * the next one is sent at its time, but not before an answer for each type.
 */
export class ReplayServer {
  readonly #options: ReplayServerOptions;
  readonly #server: ManagementServer;
  readonly #replayed = new Map<number, Replayed>();
  readonly #missing = new Set<string>();
  /** Types of the newest step that a client has answered. */
  readonly #answered = new Set<string>();
  /** Number of nonces by step when it was served; an older nonce does not answer the step. */
  readonly #nonces = new Map<number, number>();
  /** Types and names that no client requested in time. */
  readonly #unrequested = new Set<string>();
  #address = '';
  #step = -1;
  #servedAt = 0;
  #playing = false;
  #speed: number | null = 1;
  #timer: { cancel(): void } | null = null;
  #work: Promise<void> = Promise.resolve();
  /** Number of running jumps; until they are done, nothing else is scheduled. */
  #jumps = 0;
  #hasClients = false;
  #wentBack = false;
  #closed = false;

  constructor(options: ReplayServerOptions) {
    this.#options = options;
    const isHeld = (typeUrl: string): boolean => {
      const { steps } = options.plan;
      const first = steps.findIndex(({ types }) => types.some((each) => each.typeUrl === typeUrl));
      return first > this.#step;
    };
    const { clock } = options;
    this.#server = new ManagementServer({ clock, identifier: 'xdscope-replay', isHeld });
    this.#server.onVerdict((event) => this.#hear(event));
    this.#server.onRequest(() => this.#hearStream());
    this.#server.onStreamEnd(() => this.#hearStream());
  }

  async listen(port: number, host = '127.0.0.1'): Promise<string> {
    this.#address = await this.#server.listen(port, ServerCredentials.createInsecure(), host);
    return this.#address;
  }

  /** Serves step by step, from the first subscription on. */
  play(speed: number | null = this.#speed): void {
    this.#speed = speed;
    this.#playing = true;
    this.#schedule();
    this.#options.onChange();
  }

  setSpeed(speed: number | null): void {
    this.#speed = speed;
    this.#schedule();
    this.#options.onChange();
  }

  pause(): void {
    this.#playing = false;
    this.#cancel();
    this.#options.onChange();
  }

  /** Serves a step, and discards the answers to it and to later ones. Resolves when it is sent or scheduled. */
  jump(step: number): Promise<void> {
    return this.#go(() => step);
  }

  /** Moves by this many steps (negative: back) once everything requested before is served. */
  walk(by: number): Promise<void> {
    return this.#go(() => this.#step + by);
  }

  #go(target: () => number): Promise<void> {
    this.#jumps += 1;
    this.#cancel();
    const served = this.#work.then(async () => {
      try {
        await this.#serve(Math.max(0, Math.min(target(), this.#options.plan.steps.length - 1)));
      } finally {
        this.#jumps -= 1;
      }
      this.#schedule();
    });
    // The caller receives the error; later calls are served nevertheless.
    this.#work = served.catch(() => undefined);
    return served;
  }

  show(): Replay {
    const { id, label, plan } = this.#options;
    const first = Math.max(0, Math.min(this.#step - stepsShown / 2, plan.steps.length - stepsShown));
    const comparisons = [...this.#replayed.keys()].map((index) => this.#compare(index));
    return {
      id,
      label,
      mode: plan.mode,
      nodeId: plan.nodeId,
      address: this.#address,
      playing: this.#playing,
      speed: this.#speed ?? undefined,
      step: this.#step,
      stepCount: plan.steps.length,
      steps: plan.steps
        .slice(first, first + stepsShown)
        .map((step, index) => this.#showStep(step, first + index)),
      same: comparisons.filter((each) => each === 'same').length,
      differs: comparisons.filter((each) => each === 'differs').length,
      clients: this.#server.connectedNodes(),
      notes: [...plan.notes, ...missingNotes(this.#missing.size), ...(this.#wentBack ? [wentBackNote] : [])],
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#server.close();
    await this.#work;
  }

  #showStep({ at, types, recorded }: ReplayStep, index: number): Replay['steps'][number] {
    return {
      index,
      at,
      types: types.map(({ typeUrl, versionInfo, set, removed }) => {
        return { typeUrl, versionInfo, resources: set.length, removed: removed.length };
      }),
      recorded,
      replayed: this.#replayed.get(index),
      comparison: this.#compare(index),
    };
  }

  #compare(index: number): Replay['steps'][number]['comparison'] {
    const recorded = this.#options.plan.steps[index]?.recorded ?? null;
    const replayed = this.#replayed.get(index);
    if (recorded === null) return 'unknown';
    if (replayed === undefined) return this.#isSilent(index) ? 'unknown' : 'waiting';
    return recorded.isAccepted === replayed.isAccepted ? 'same' : 'differs';
  }

  /** Returns whether serving the step sent nothing: usually for a delta response without resources and removals. */
  #isSilent(index: number): boolean {
    const { types = [] } = this.#options.plan.steps[index] ?? {};
    if (index > this.#step || !types.every(({ set, removed }) => set.length + removed.length === 0))
      return false;
    return index < this.#step || this.#server.isAnswered();
  }

  async #serve(step: number): Promise<void> {
    if (this.#closed || step < 0) return;
    const { steps } = this.#options.plan;
    const isNext = step === this.#step + 1;
    const changes = isNext ? (steps[step]?.types ?? []) : servedAfter(steps, step);
    const hashes = changes.flatMap(({ set }) => set.map(({ hash }) => hash));
    const bodies = await this.#options.readBodies(hashes);
    if (this.#closed) return;
    if (isNext) this.#leave(steps[this.#step]);
    else this.#unrequested.clear();
    if (step <= this.#step && this.#hasClients) this.#wentBack = true;
    this.#step = step;
    for (const index of [...this.#replayed.keys()]) if (index >= step) this.#replayed.delete(index);
    this.#answered.clear();
    for (let index = isNext ? step : 0; index <= step; index++) {
      this.#nonces.set(index, this.#server.nonceCount);
    }
    this.#servedAt = this.#options.clock.now();
    if (!isNext && !this.#hasClients) this.#withdrawLater();
    for (const { typeUrl, versionInfo, set, removed } of changes) {
      const resources = set.flatMap((each) => this.#resourceOf(each, bodies));
      const gone = isNext ? removed : this.#others(typeUrl, resources);
      this.#server.update('*', typeUrl, { set: resources, removed: gone }, versionInfo);
    }
    this.#options.onChange();
  }

  /**
   * After a jump back, resources of later steps remain for clients that have them, because a deletion was not recorded.
   * They are removed once no client is connected.
   */
  #withdrawLater(): void {
    const served = new Map(
      servedAfter(this.#options.plan.steps, this.#step).map((each) => [each.typeUrl, each]),
    );
    for (const typeUrl of new Set(this.#server.listResources().map((each) => each.typeUrl))) {
      const { set = [], versionInfo = '' } = served.get(typeUrl) ?? {};
      const removed = this.#others(typeUrl, set);
      if (removed.length > 0) this.#server.update('*', typeUrl, { set: [], removed }, versionInfo);
    }
  }

  #leave(step: ReplayStep | undefined): void {
    for (const { typeUrl, name } of this.#unanswered(step?.types ?? [])) {
      this.#unrequested.add(keyOf(typeUrl, name));
    }
  }

  /** Returns resources of a step that no client has answered yet, without those that no client requests. */
  #unanswered(types: ReplayStep['types']): ReplayResource[] {
    return types.flatMap(({ typeUrl, set }) => {
      const answered = this.#server.listAnswered(typeUrl);
      return set.filter(({ name }) => !answered.has(name) && !this.#unrequested.has(keyOf(typeUrl, name)));
    });
  }

  /** Returns served resources that are not among `resources`. */
  #others(typeUrl: string, resources: readonly { readonly name: string }[]): string[] {
    const kept = new Set(resources.map(({ name }) => name));
    return this.#server
      .listResources()
      .filter((each) => each.typeUrl === typeUrl && !kept.has(each.name))
      .map(({ name }) => name);
  }

  #resourceOf(
    { typeUrl, name, hash, versionInfo: version }: ReplayResource,
    bodies: ReadonlyMap<string, Body>,
  ): Resource[] {
    const bytes = bodies.get(hash)?.bytes;
    if (bytes !== undefined) return [{ typeUrl, name, bytes, version }];
    this.#missing.add(hash);
    return [];
  }

  #hearStream(): void {
    const hasClients = this.#server.connectedNodes().length > 0;
    // Without clients, no answer was expected before.
    if (hasClients && !this.#hasClients) this.#servedAt = this.#options.clock.now();
    this.#hasClients = hasClients;
    if (!hasClients) {
      if (this.#wentBack) this.#withdrawLater();
      this.#wentBack = false;
      this.#unrequested.clear();
    }
    this.#schedule();
    this.#options.onChange();
  }

  #hear({ typeUrl, nodeId, responseNonce, accepted, errorDetail }: VerdictEvent): void {
    const { steps } = this.#options.plan;
    const isOf = (index: number): boolean =>
      Number(responseNonce) > (this.#nonces.get(index) ?? Number.POSITIVE_INFINITY);
    if (isOf(this.#step)) this.#answered.add(typeUrl);
    let step = this.#step;
    while (step >= 0 && !(isOf(step) && steps[step]?.types.some((each) => each.typeUrl === typeUrl)))
      step -= 1;
    // A NACK of a step remains, whatever else of the step is accepted.
    if (step >= 0 && this.#replayed.get(step)?.isAccepted !== false) {
      this.#replayed.set(step, { isAccepted: accepted, errorDetail, nodeId });
    }
    this.#schedule();
    this.#options.onChange();
  }

  /** Schedules the next step for its time, but not before the current one is answered. */
  #schedule(): void {
    this.#cancel();
    if (this.#jumps > 0) return;
    const next = this.#options.plan.steps[this.#step + 1];
    if (!this.#playing || this.#closed || this.#server.connectedNodes().length === 0) return;
    if (next === undefined) {
      this.#playing = false;
      return;
    }
    const now = this.#options.clock.now();
    const newest = this.#options.plan.steps[this.#step];
    const apartMs = newest === undefined || this.#speed === null ? 0 : (next.at - newest.at) / this.#speed;
    const dueAt = this.#servedAt + Math.min(longestIdleMs, Math.max(0, apartMs));
    const at = newest === undefined ? dueAt : Math.max(dueAt, this.#servedAt + this.#patienceMs(newest));
    const following = this.#step + 1;
    this.#timer = this.#options.clock.setTimeout(
      () => {
        this.#timer = null;
        void this.jump(following);
      },
      Math.max(0, at - now),
    );
  }

  /** Clients request one type after the other, so a step of several types takes longer to be answered. */
  #patienceMs({ types }: ReplayStep): number {
    if (this.#compare(this.#step) === 'waiting') return patienceMs;
    if (types.some(({ typeUrl, set }) => set.length > 0 && !this.#answered.has(typeUrl))) return patienceMs;
    return this.#unanswered(types).length > 0 ? namePatienceMs : 0;
  }

  #cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}

/** Returns all resources that are served after a step, by type. */
function servedAfter(steps: readonly ReplayStep[], step: number): ReplayStep['types'] {
  const types = new Map<string, { versionInfo: string; served: Map<string, ReplayResource> }>();
  for (const { types: changes } of steps.slice(0, step + 1)) {
    for (const { typeUrl, versionInfo, set, removed } of changes) {
      const type = types.get(typeUrl) ?? { versionInfo, served: new Map<string, ReplayResource>() };
      types.set(typeUrl, type);
      type.versionInfo = versionInfo;
      for (const name of removed) type.served.delete(name);
      for (const resource of set) type.served.set(resource.name, resource);
    }
  }
  return [...types].map(([typeUrl, { versionInfo, served }]) => {
    return { typeUrl, versionInfo, set: [...served.values()], removed: [] };
  });
}

function keyOf(typeUrl: string, name: string): string {
  return `${typeUrl}\u0000${name}`;
}

const wentBackNote =
  'The replay was moved back while a client was connected: resources of that client are served until a step changes them. For a clean start, play it again without connected clients.';

function missingNotes(count: number): string[] {
  return count === 0 ? [] : [`${count} resource payloads are not there any more: they are not served`];
}
