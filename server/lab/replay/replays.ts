import type { ReplayPlan } from '@/lib/replay/replay-plan';
import type { Replay, ReplayChange } from '@/lib/views/recording/replay-schema';
import type { Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import { ReplayServer } from './replay-server';

interface ReplaysOptions {
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, 'readBodies'>;
  /** The list of replays has changed. */
  readonly onChange: () => void;
}

const maxReplays = 20;

/** Replays end with the process. */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #running = new Map<string, ReplayServer>();
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
    const { clock, recorder, onChange } = this.#options;
    const server = new ReplayServer({
      ...{ id, label, plan, clock, onChange },
      readBodies: (hashes) => recorder.readBodies(hashes),
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
    await server.close();
    this.#options.onChange();
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.remove(id)));
  }
}
