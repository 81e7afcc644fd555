import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Prepared } from './peer';
import type { MomentOf, Results } from './results';

type Stop = () => Promise<void> | void;

interface MomentRunOptions {
  readonly results: Results;
  readonly print: (line: string) => void;
}

/** The moments of a chapter, each of which passes or fails, and what was started in them. */
export class MomentRun {
  readonly #of: Omit<MomentOf, 'moment'>;
  readonly #options: MomentRunOptions;
  readonly #stops: Stop[] = [];

  readonly workDir: string;
  /** The moment that runs. */
  moment = 'start';

  constructor(of: Omit<MomentOf, 'moment'>, workDir: string, options: MomentRunOptions) {
    this.#of = of;
    this.#options = options;
    this.workDir = workDir;
    mkdirSync(workDir, { recursive: true });
  }

  /** As in "grpc-go 1.81.1". */
  get title(): string {
    return this.#of.peer;
  }

  stopAtEnd(stop: Stop): void {
    this.#stops.unshift(stop);
  }

  /** Stops everything that was started, the latest first. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }

  /** Runs a moment, which passes unless an error is thrown. */
  readonly run = async (moment: string, steps: () => Promise<void>): Promise<void> => {
    this.moment = moment;
    await steps();
    this.pass(moment);
  };

  /** Returns what to print. */
  pass(moment = this.moment): string {
    return this.#options.results.pass({ ...this.#of, moment });
  }

  /** Prints the error. */
  fail(error: unknown, moment = this.moment): void {
    this.#options.print(this.#options.results.fail({ ...this.#of, moment }, error));
  }
}

/** An error fails the moment in which it is thrown. At the end, everything that was started is stopped. */
export async function runMoments<Run extends MomentRun>(
  run: Run,
  steps: (run: Run) => Promise<void>,
): Promise<void> {
  try {
    await steps(run);
  } catch (error) {
    run.fail(error);
  } finally {
    await run.stop();
  }
}

export interface EnvoyRunOptions extends MomentRunOptions {
  readonly prepared: Prepared;
  readonly workDir: string;
}

/** The moments of a chapter of one Envoy. */
export function momentsOfEnvoy(
  chapter: string,
  { prepared, workDir, ...options }: EnvoyRunOptions,
): MomentRun {
  const peer = `envoy ${prepared.version}`;
  const of = { flavor: 'envoy', peer, protocol: 'sotw', server: 'scripted', chapter } as const;
  return new MomentRun(of, path.join(workDir, `envoy-${prepared.version}-${chapter}`), options);
}
