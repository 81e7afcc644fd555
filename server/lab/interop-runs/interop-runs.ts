import { randomUUID } from 'node:crypto';
import { findInteropCase, interopCases } from '@/lib/interop/cases/interop-cases';
import type { Verdict } from '@/lib/interop/decide-verdict';
import type { InteropCase } from '@/lib/interop/interop-case';
import type { InteropRun, InteropRunSummary, RunStep } from '@/lib/interop/run-schema';
import { identifyClient } from '../../client-id';
import type { Clock, Observe } from '../../observe';
import { nodeOfRun } from './case-network';
import type { ClientProgram } from './client-program';
import { performRun, runWithFlags } from './perform-run';
import type { SavedInteropRuns } from './saved-interop-runs';

/** The sources that observe the client of a run. */
interface RunSources {
  /** Opens a tap before a management server. */
  openTap(upstream: string): Promise<{ readonly listen: string; readonly sourceId: string }>;
  /** Observes CSDS, channelz and the RPCs of the client. Returns the ids of the sources. */
  observeClient(statsTarget: string, label: string): readonly string[];
  /** Resolves when each has polled the client since the call; after a time, or if one fails, without. */
  whenPolled(sourceIds: readonly string[]): Promise<void>;
  remove(sourceIds: readonly string[]): Promise<void>;
}

interface ClientIdentity {
  readonly clientId: string;
  readonly isReported: boolean;
}

interface InteropRunsOptions {
  readonly clock: Clock;
  readonly programs: readonly ClientProgram[];
  readonly observe: Observe;
  readonly sources: RunSources;
  /** The client with this node and target. `isReported`: the client itself has reported it, so that the id is final. */
  readonly identify: (node: ReturnType<typeof nodeOfRun>, target: string) => ClientIdentity;
  readonly saved: SavedInteropRuns;
}

interface RunOf {
  readonly testCase: InteropCase;
  readonly program: ClientProgram;
  readonly signal: AbortSignal;
  /** As performRun has it. */
  readonly flagged?: string;
}

export const runsSourceId = 'lab:interop';
const identifyMs = 4_000;
const pollMs = 50;
/** Older runs are dropped; the log keeps their steps. */
const runsKept = 1_000;

/** Runs of cases, with sources that observe the client and steps that are observations of it. */
export class InteropRuns {
  readonly #options: InteropRunsOptions;
  /** The newest is last. */
  #runs: readonly InteropRun[];
  /** By client. */
  readonly #busy = new Map<string, { readonly ended: Promise<void>; readonly abort: AbortController }>();
  /** The node ids of the clients of all runs, and the client ids that follow from them. */
  readonly #ids = new Set<string>();
  /** The sources of the runs that are under way. */
  readonly #sourceIds = new Set<string>();

  constructor(options: InteropRunsOptions, earlier: readonly InteropRun[]) {
    this.#options = options;
    this.#runs = earlier;
    for (const run of earlier) this.#addIds(run);
  }

  get programs(): readonly ClientProgram[] {
    return this.#options.programs;
  }

  /** The newest first. */
  list(): readonly InteropRun[] {
    return [...this.#runs].reverse();
  }

  find(id: string): InteropRun | undefined {
    return this.#runs.find((run) => run.id === id);
  }

  /** True if the client is that of a run. `nodeId`: undefined if the client is no longer known. */
  hasClient(clientId: string, nodeId: string | undefined): boolean {
    return this.#ids.has(clientId) || (nodeId !== undefined && this.#ids.has(nodeId));
  }

  /** True if the source observes a run that is under way. */
  hasSource(sourceId: string): boolean {
    return this.#sourceIds.has(sourceId);
  }

  isBusy(program: ClientProgram): boolean {
    return this.#busy.has(keyOf(program));
  }

  /** Runs the cases one after the other. The caller has checked that the client is not busy. */
  start(program: ClientProgram, cases: readonly InteropCase[]): readonly InteropRunSummary[] {
    const added = cases.map((testCase) => this.#planned(testCase, program));
    this.#runs = [...this.#runs, ...added].slice(-runsKept);
    for (const run of added) this.#addIds(run);
    const key = keyOf(program);
    const abort = new AbortController();
    const ended = this.#runAll(program, added, abort.signal).finally(() => this.#busy.delete(key));
    this.#busy.set(key, { ended, abort });
    return added;
  }

  /** Stops the runs that wait or are under way. They prove nothing, and are removed. */
  stop(): void {
    this.#abort('stopped by a user');
    this.#runs = this.#runs.filter(({ state }) => state !== 'waiting');
  }

  #abort(reason: string): void {
    for (const { abort } of this.#busy.values()) abort.abort(new Error(reason));
  }

  /** Some sources report no target. */
  #addIds({ nodeId, case: name, clientId = nodeId }: InteropRun): void {
    const targets = ['', targetOf(findInteropCase(name))];
    const ids = targets.map((target) => identifyClient(nodeOfRun(nodeId), target));
    for (const id of [nodeId, clientId, ...ids]) this.#ids.add(id);
  }

  /** Ends the runs that are under way. */
  async close(): Promise<void> {
    this.#abort('xdscope is stopping');
    await Promise.all(Array.from(this.#busy.values(), ({ ended }) => ended));
  }

  #planned({ name, steps }: InteropCase, { name: client, version }: ClientProgram): InteropRun {
    const id = randomUUID();
    return {
      ...{ id, case: name, client: { name: client, version }, state: 'waiting', reason: '' },
      ...{ startedAt: this.#options.clock.now(), nodeId: `interop-${client}-${name}-${id.slice(0, 8)}` },
      ...{ of: steps.length + 1, steps: [], flags: [], bootstrap: '', nacks: 0, stderr: '' },
    };
  }

  async #runAll(program: ClientProgram, planned: readonly InteropRun[], signal: AbortSignal): Promise<void> {
    for (const run of planned) {
      const testCase = findInteropCase(run.case);
      if (signal.aborted || testCase === undefined) return;
      const { id } = await runWithFlags(testCase, (flagged) =>
        this.#runOne(flagged === undefined ? run : this.#addFlagged(testCase, program), {
          ...{ testCase, program, signal },
          ...(flagged !== undefined && { flagged }),
        }),
      );
      if (signal.aborted) {
        this.#runs = this.#runs.filter((each) => each.id !== id);
        return;
      }
    }
  }

  #addFlagged(testCase: InteropCase, program: ClientProgram): InteropRun {
    const added = this.#planned(testCase, program);
    this.#runs = [...this.#runs, added].slice(-runsKept);
    return added;
  }

  async #runOne({ id, nodeId }: InteropRun, run: RunOf): Promise<InteropRun> {
    const { testCase, program, signal, flagged } = run;
    const { clock, sources } = this.#options;
    const sourceIds: string[] = [];
    let polling: readonly string[] = [];
    const addSources = (...added: readonly string[]): void => {
      sourceIds.push(...added);
      for (const sourceId of added) this.#sourceIds.add(sourceId);
    };
    const identify = () => this.#options.identify(nodeOfRun(nodeId), targetOf(testCase));
    /** Steps are observations of a client: they wait until its id is known. */
    let waiting: (readonly [RunStep, Verdict | undefined])[] = [];
    const record = ({ clientId }: ClientIdentity): void => {
      for (const [step, verdict] of waiting) this.#record({ id, testCase, program, clientId }, step, verdict);
      waiting = [];
      this.#change(id, { clientId });
    };
    this.#change(id, { state: 'running', startedAt: clock.now() });
    const ended = await performRun(testCase, {
      ...{ id, program, nodeId, clock, signal },
      ...(flagged !== undefined && { flagged }),
      openTap: async (upstream) => {
        const { listen, sourceId } = await sources.openTap(upstream);
        addSources(sourceId);
        return listen;
      },
      onServing: (statsTarget) => {
        polling = sources.observeClient(statsTarget, `${program.name} ${program.version}`);
        addSources(...polling);
      },
      whenObserved: () => sources.whenPolled(polling),
      onStep: (step, verdict) => {
        waiting.push([step, verdict]);
        const { steps = [] } = this.find(id) ?? {};
        this.#change(id, { steps: [...steps, step] });
        const identity = identify();
        if (identity.isReported) record(identity);
      },
      beforeEnd: async () => {
        // A case can be shorter than the time between two polls of CSDS.
        const until = clock.now() + identifyMs;
        while (sourceIds.length > 0 && !identify().isReported && clock.now() < until) await this.#pause();
        record(identify());
        await sources.remove(sourceIds);
        for (const sourceId of sourceIds) this.#sourceIds.delete(sourceId);
      },
    });
    const { startedAt: _, ...result } = ended;
    this.#change(id, result);
    const whole = this.find(id);
    // A run that was stopped is dropped.
    if (whole !== undefined && !signal.aborted)
      await this.#options.saved.save(whole, new Set(this.#runs.map((each) => each.id)));
    return ended;
  }

  #record(
    run: {
      readonly id: string;
      readonly testCase: InteropCase;
      readonly program: ClientProgram;
      readonly clientId: string;
    },
    { at, served: _served, ...step }: RunStep,
    verdict: Verdict | undefined,
  ): void {
    const { id: runId, testCase, program, clientId } = run;
    this.#options.observe({
      observation: {
        ...{ kind: 'interop-step', at, vantage: 'lab', sourceId: runsSourceId, clientId, runId },
        ...{ case: testCase.name, client: { name: program.name, version: program.version } },
        ...{ ...step, of: testCase.steps.length + 1 },
        ...(verdict && { verdict: { verdict: verdict.verdict, reason: verdict.reason } }),
      },
      bodies: [],
    });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.setTimeout(resolve, pollMs));
  }

  #change(id: string, change: Partial<InteropRun>): void {
    this.#runs = this.#runs.map((run) => (run.id === id ? { ...run, ...change } : run));
  }
}

function targetOf(testCase: InteropCase | undefined): string {
  return testCase?.client?.target ?? 'xds:///svc';
}

function keyOf({ name, version }: ClientProgram): string {
  return `${name}@${version}`;
}

/** The cases of these names; all without names. `unknown`: the first name that no case has. */
export function chooseCases(names: readonly string[] | undefined): {
  readonly cases: readonly InteropCase[];
  readonly unknown?: string;
} {
  if (names === undefined) return { cases: interopCases };
  const unknown = names.find((name) => findInteropCase(name) === undefined);
  const cases = names.flatMap((name) => findInteropCase(name) ?? []);
  return { cases, ...(unknown !== undefined && { unknown }) };
}

/** The program of a name, as in "grpc-go" (the newest version) or "grpc-go@1.85.0". */
export function findProgram(
  programs: readonly ClientProgram[],
  stated: string | undefined,
): ClientProgram | undefined {
  return programs.find((program) => stated === program.name || stated === keyOf(program));
}

export function listPrograms(programs: readonly ClientProgram[]): string {
  return programs.map(keyOf).join(', ');
}
