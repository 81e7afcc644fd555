import type { ReplayPlan } from '@/lib/replay/replay-plan';
import type { Replay, ReplayChange } from '@/lib/views/recording/replay-schema';
import type { Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import { ReplayServer } from './replay-server';

interface ReplaysOptions {
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, 'readBodies'>;
  /** Called at most ten times a second per replay. */
  readonly onChange: (replay: Replay) => void;
  readonly onRemoved: (id: string) => void;
}

const maxReplays = 20;
const gatherMs = 100;

/** Replays end with the process. */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #running = new Map<string, ReplayServer>();
  readonly #timers = new Map<string, { cancel(): void }>();
  #number = 0;

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  list(): Replay[] {
    return [...this.#running.values()].map((each) => each.show());
  }

  find(id: string): Replay | undefined {
    return this.#running.get(id)?.show();
  }

  /** Returns undefined if there are too many replays. Throws if it cannot listen on the port. */
  async start(
    plan: ReplayPlan,
    { label, port, host }: { readonly label: string; readonly port: number; readonly host?: string },
  ): Promise<Replay | undefined> {
    if (this.#running.size >= maxReplays) return undefined;
    this.#number += 1;
    const id = `r${this.#number}`;
    const { clock, recorder } = this.#options;
    const server = new ReplayServer({
      ...{ id, label, plan, clock },
      readBodies: (hashes) => recorder.readBodies(hashes),
      onChange: () => this.#publishSoon(id),
    });
    this.#running.set(id, server);
    try {
      await server.listen(port, host);
    } catch (error) {
      this.#running.delete(id);
      await server.close();
      throw error;
    }
    return server.show();
  }

  /** Returns undefined if there is no such replay. */
  async change(id: string, { playing, speed, step, by }: ReplayChange): Promise<Replay | undefined> {
    const server = this.#running.get(id);
    if (server === undefined) return undefined;
    if (step !== undefined) await server.jump(step);
    else if (by !== undefined) await server.walk(by);
    if (playing === false) server.pause();
    else if (playing === true) server.play(speed);
    else if (speed !== undefined) server.setSpeed(speed);
    return server.show();
  }

  async remove(id: string): Promise<boolean> {
    const server = this.#running.get(id);
    if (server === undefined) return false;
    this.#running.delete(id);
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    await server.close();
    this.#options.onRemoved(id);
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.remove(id)));
  }

  #publishSoon(id: string): void {
    if (this.#timers.has(id) || !this.#running.has(id)) return;
    const publish = (): void => {
      this.#timers.delete(id);
      const replay = this.find(id);
      if (replay !== undefined) this.#options.onChange(replay);
    };
    this.#timers.set(id, this.#options.clock.setTimeout(publish, gatherMs));
  }
}
