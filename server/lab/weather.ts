import type { Clock } from '../observe';
import { pickOne, type Random } from './random';
import { type FaultName, faults } from './shop/fault';
import { shopBackends } from './shop/shop-backends';
import { usualWeight } from './shop/shop-endpoints';
import { type ShopLocality, shopLocalities } from './shop/shop-localities';
import type { ShopState } from './shop/shop-state';

/** What the weather may do to the lab. Each call reports its own lab-event. */
export interface Sky {
  state(): ShopState;
  setCanaryPercent(percent: number): void;
  setWeight(locality: ShopLocality, weight: number): void;
  stopBackend(name: string): void;
  startBackend(name: string): void;
  pushFault(name: FaultName): void;
  revertFault(name: FaultName): void;
  /** Was the resource behind it set by hand? Then it is left alone. */
  isByHand(name: FaultName): boolean;
}

const minPauseMs = 8000;
const maxPauseMs = 20_000;

/** Trouble that the weather made and has to end. */
interface Trouble {
  readonly subject: string;
  readonly end: () => void;
}

/**
 * Gentle weather: every 8 to 20 s one thing changes. Trouble comes alone, and the next change is its end.
 * The same seed makes the same weather, as long as nobody interferes.
 */
export class Weather {
  private timer: { cancel(): void } | undefined;
  private trouble: Trouble | undefined;

  constructor(
    private readonly sky: Sky,
    private readonly options: { clock: Clock; random: Random },
  ) {}

  get isOn(): boolean {
    return this.timer !== undefined;
  }

  start(): void {
    if (this.timer === undefined) this.scheduleNext();
  }

  /** Ends its own trouble too: after it the shop is as whole as people left it. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.endTrouble();
  }

  /** A person has taken this backend or fault in hand: the weather does not undo it any more. */
  leave(subject: string): void {
    if (this.trouble?.subject === subject) this.trouble = undefined;
  }

  private scheduleNext(): void {
    const { clock, random } = this.options;
    const pauseMs = minPauseMs + random() * (maxPauseMs - minPauseMs);
    this.timer = clock.setTimeout(() => {
      this.scheduleNext();
      if (this.trouble === undefined) this.act();
      else this.endTrouble();
    }, pauseMs);
  }

  private endTrouble(): void {
    const trouble = this.trouble;
    this.trouble = undefined;
    trouble?.end();
  }

  private act(): void {
    const { random } = this.options;
    const dice = random();
    if (dice < 0.3) this.shiftCanary();
    else if (dice < 0.45) this.shiftZones();
    else if (dice < 0.75) this.breakBackend();
    else this.pushBadResource();
  }

  private shiftCanary(): void {
    const { canaryPercent } = this.sky.state();
    const choices = [5, 10, 20, 35, 50].filter((percent) => percent !== canaryPercent);
    const percent = pickOne(this.options.random, choices);
    if (percent !== undefined) this.sky.setCanaryPercent(percent);
  }

  /** The catalog's first zone against its second one. */
  private shiftZones(): void {
    const [locality] = shopLocalities.filter(({ assignment }) => assignment === 'catalog-stable');
    if (locality === undefined) return;
    const weight = this.sky.state().localityWeights.get(locality.key) ?? usualWeight;
    const choices = [50, 100, 150, 200].filter((each) => each !== weight);
    const chosen = pickOne(this.options.random, choices);
    if (chosen !== undefined) this.sky.setWeight(locality, chosen);
  }

  private breakBackend(): void {
    const { unhealthy } = this.sky.state();
    const whole = shopBackends.filter(({ name }) => !unhealthy.has(name));
    // Never the last one of its assignment.
    const spare = whole.filter(({ assignment }) => {
      return whole.filter((other) => other.assignment === assignment).length > 1;
    });
    const name = pickOne(this.options.random, spare)?.name;
    if (name === undefined) return;
    this.trouble = { subject: name, end: () => this.sky.startBackend(name) };
    this.sky.stopBackend(name);
  }

  private pushBadResource(): void {
    const { activeFaults } = this.sky.state();
    const choices = faults.filter(
      ({ name, isGentle }) => isGentle && !activeFaults.has(name) && !this.sky.isByHand(name),
    );
    const name = pickOne(this.options.random, choices)?.name;
    if (name === undefined) return;
    this.trouble = { subject: name, end: () => this.sky.revertFault(name) };
    this.sky.pushFault(name);
  }
}
