import type { Clock } from '../observe';
import { pickOne, type Random } from './random';
import { type FaultName, faults } from './shop/fault';
import { shopBackends } from './shop/shop-backends';
import { usualWeight } from './shop/shop-endpoints';
import { type ShopLocality, shopLocalities } from './shop/shop-localities';
import type { ShopState } from './shop/shop-state';

/** The operations that background faults use. Each call emits its own lab-event. */
export interface LabControls {
  state(): ShopState;
  setCanaryPercent(percent: number): void;
  setWeight(locality: ShopLocality, weight: number): void;
  stopBackend(name: string): void;
  startBackend(name: string): void;
  pushFault(name: FaultName): void;
  revertFault(name: FaultName): void;
  /** Returns whether a user set the resource. Background faults do not change such a resource. */
  isSetByUser(name: FaultName): boolean;
}

const minPauseMs = 8000;
const maxPauseMs = 20_000;

interface InjectedFault {
  readonly subject: string;
  readonly end: () => void;
}

/**
 * Injects one fault every 8 to 20 s and reverts it with the next change, so one fault is active at a time. The same
 * seed yields the same faults if no user changes the lab.
 */
export class BackgroundFaults {
  readonly #lab: LabControls;
  readonly #options: { clock: Clock; random: Random };
  #timer: { cancel(): void } | undefined;
  #injected: InjectedFault | undefined;

  constructor(lab: LabControls, options: { clock: Clock; random: Random }) {
    this.#lab = lab;
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  start(): void {
    if (this.#timer === undefined) this.#scheduleNext();
  }

  /** Also reverts the active fault, so that only changes of users remain. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#revertInjected();
  }

  /** Must be called when a user changes this backend or fault. Background faults no longer revert it. */
  leave(subject: string): void {
    if (this.#injected?.subject === subject) this.#injected = undefined;
  }

  #scheduleNext(): void {
    const { clock, random } = this.#options;
    const pauseMs = minPauseMs + random() * (maxPauseMs - minPauseMs);
    this.#timer = clock.setTimeout(() => {
      this.#scheduleNext();
      if (this.#injected === undefined) this.#act();
      else this.#revertInjected();
    }, pauseMs);
  }

  #revertInjected(): void {
    const trouble = this.#injected;
    this.#injected = undefined;
    trouble?.end();
  }

  #act(): void {
    const { random } = this.#options;
    const dice = random();
    if (dice < 0.3) this.#shiftCanary();
    else if (dice < 0.45) this.#shiftZones();
    else if (dice < 0.75) this.#breakBackend();
    else this.#pushBadResource();
  }

  #shiftCanary(): void {
    const { canaryPercent } = this.#lab.state();
    const choices = [5, 10, 20, 35, 50].filter((percent) => percent !== canaryPercent);
    const percent = pickOne(this.#options.random, choices);
    if (percent !== undefined) this.#lab.setCanaryPercent(percent);
  }

  #shiftZones(): void {
    const [locality] = shopLocalities.filter(({ assignment }) => assignment === 'catalog-stable');
    if (locality === undefined) return;
    const weight = this.#lab.state().localityWeights.get(locality.key) ?? usualWeight;
    const choices = [50, 100, 150, 200].filter((each) => each !== weight);
    const chosen = pickOne(this.#options.random, choices);
    if (chosen !== undefined) this.#lab.setWeight(locality, chosen);
  }

  #breakBackend(): void {
    const { unhealthy } = this.#lab.state();
    const whole = shopBackends.filter(({ name }) => !unhealthy.has(name));
    // The last healthy endpoint of an assignment is never stopped.
    const spare = whole.filter(({ assignment }) => {
      return whole.filter((other) => other.assignment === assignment).length > 1;
    });
    const name = pickOne(this.#options.random, spare)?.name;
    if (name === undefined) return;
    this.#injected = { subject: name, end: () => this.#lab.startBackend(name) };
    this.#lab.stopBackend(name);
  }

  #pushBadResource(): void {
    const { activeFaults } = this.#lab.state();
    const choices = faults.filter(
      ({ name, isGentle }) => isGentle && !activeFaults.has(name) && !this.#lab.isSetByUser(name),
    );
    const name = pickOne(this.#options.random, choices)?.name;
    if (name === undefined) return;
    this.#injected = { subject: name, end: () => this.#lab.revertFault(name) };
    this.#lab.pushFault(name);
  }
}
