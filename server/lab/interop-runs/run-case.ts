import { monitorEventLoopDelay } from 'node:perf_hooks';
import { messageOf } from '@/lib/format/message-of';
import { decideVerdict, type RunEvidence, type Verdict } from '@/lib/interop/decide-verdict';
import {
  assess,
  countEnded,
  describeExpectation,
  type Measured,
  measurementOf,
} from '@/lib/interop/expectation';
import { type CaseAction, type CaseStep, type InteropCase, usualStepMs } from '@/lib/interop/interop-case';
import { findKnownResult } from '@/lib/interop/known-results';
import type { RunStep } from '@/lib/interop/run-schema';
import type { Clock } from '../../observe';
import { findPort } from '../port-block';
import { CaseNetwork } from './case-network';
import {
  argumentsOf,
  type ClientProgram,
  type ServerProgram,
  startProgram,
  usualQps,
} from './client-program';
import { DrivenClient } from './driven-client';
import { ServedResources } from './served-resources';

export interface RunCaseOptions {
  readonly clock: Clock;
  readonly program: ClientProgram;
  /** The xDS-enabled servers of cases that have such. Absent: those of the lab. */
  readonly serverProgram?: ServerProgram;
  /** Unique among runs, so that each run is a client of its own. */
  readonly nodeId: string;
  /** Why the case does not work without the environment variables that switch its feature on. Absent: they are not set. */
  readonly flagged?: string;
  /** Opens a tap before a management server, and resolves to its address. Absent: the client connects directly. */
  readonly openTap?: (upstream: string) => Promise<string>;
  /** Called when the client serves its statistics at the target, "127.0.0.1:PORT". */
  readonly onServing?: (statsTarget: string) => void;
  /** Resolves when what observes the client has read its state since the call. A step ends afterwards, so that its time shows it. */
  readonly whenObserved?: () => Promise<void>;
  /** Called with each step that has a result; with the verdict of the run if it is the last one. */
  readonly onStep?: (step: RunStep, verdict?: Verdict) => void;
  /** Resolves when nothing observes the client any longer. It ends afterwards, so that no source reports that as a failure. */
  readonly beforeEnd?: () => Promise<void>;
  readonly signal?: AbortSignal;
}

export interface CaseResult extends Verdict {
  readonly steps: readonly RunStep[];
  readonly flags: readonly string[];
  readonly bootstrap: string;
  readonly nacks: number;
  readonly stderr: string;
  readonly seconds: number;
}

/** The JVM needs seconds to start. */
const startMs = 45_000;
const pollMs = 50;
/** The line in which a runtime states why a program ended: stack traces and versions follow it. */
const errorLine = /^(?:\w*(?:Error|Exception)\b|panic:|fatal error:)/;
const delayResolutionMs = 20;
const afterNackMs = 8_000;
/** The rate is measured over a second that nothing else delays. */
const rateMs = 1_000;

/** Runs a case with a client: starts servers, backends and the client, does the steps, and ends everything. */
export async function runCase(testCase: InteropCase, options: RunCaseOptions): Promise<CaseResult> {
  const run = new CaseRun(testCase, options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class CaseRun {
  readonly #case: InteropCase;
  readonly #options: RunCaseOptions;
  readonly #network: CaseNetwork;
  readonly #steps: RunStep[] = [];
  readonly #served = new ServedResources();
  #client: DrivenClient | undefined;
  #flags: readonly string[] = [];
  #bootstrap = '';
  #hadRpc = false;
  /** The backends of the newest block. */
  #used: readonly string[] = [];

  constructor(testCase: InteropCase, options: RunCaseOptions) {
    this.#case = testCase;
    this.#options = options;
    this.#network = new CaseNetwork(testCase, options);
  }

  async run(): Promise<CaseResult> {
    const { clock, program, flagged } = this.#options;
    const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
    delay.enable();
    let begunAt = clock.now();
    let evidence: RunEvidence;
    try {
      await this.#network.start();
      for (const action of this.#case.setup ?? []) await this.#do(action);
      begunAt = clock.now();
      evidence = await this.#runSteps();
    } catch (error) {
      evidence = { obstacle: messageOf(error) };
      const [title, expected] = ['The run continues', 'servers, backends and the client on loopback'];
      this.#addStep({ title, expected, seen: messageOf(error), outcome: 'fails', begunAt });
    }
    const seconds = (clock.now() - begunAt) / 1_000;
    const { nacks } = this.#network;
    const [nack] = nacks;
    const { environment = {} } = this.#case.client ?? {};
    const known = findKnownResult(this.#case.name, program);
    const unable = known?.verdict === 'unable' ? { unable: known.reason } : {};
    delay.disable();
    const delayMs = delay.max / 1e6;
    const flags = flagged === undefined ? {} : { flags: { environment, without: flagged } };
    const verdict = decideVerdict({ ...evidence, ...(nack && { nack }), ...unable, ...flags, delayMs });
    const last = this.#steps.at(-1);
    if (last !== undefined) this.#options.onStep?.(last, verdict);
    return {
      ...verdict,
      steps: this.#steps,
      flags: this.#flags,
      bootstrap: this.#bootstrap,
      nacks: nacks.length,
      stderr: this.#client?.stderr ?? '',
      seconds,
    };
  }

  async close(): Promise<void> {
    await this.#options.beforeEnd?.();
    await this.#client?.close();
    this.#network.close();
  }

  async #runSteps(): Promise<RunEvidence> {
    const started = await this.#startClient();
    if (started !== undefined) return started;
    for (const step of this.#case.steps) {
      const evidence = await this.#runStep(step);
      if (evidence !== undefined) return evidence;
    }
    return {};
  }

  /** The first step of every case. */
  async #startClient(): Promise<RunEvidence | undefined> {
    const { clock, program, onServing, flagged, signal } = this.#options;
    const { client: settings = {} } = this.#case;
    const begunAt = clock.now();
    this.#bootstrap = await this.#network.buildBootstrap();
    const port = await findPort(0);
    this.#flags = argumentsOf(this.#case, port);
    const statsTarget = `127.0.0.1:${port}`;
    const child = startProgram(program, {
      args: this.#flags,
      bootstrap: this.#bootstrap,
      environment: flagged === undefined ? {} : (settings.environment ?? {}),
    });
    const client = new DrivenClient(child, { host: '127.0.0.1', port, text: statsTarget }, clock);
    this.#client = client;
    const title = 'The client starts';
    const expected = 'the client serves its statistics';
    const report = (outcome: RunStep['outcome'], seen: string): void =>
      this.#addStep({ title, expected, seen, outcome, begunAt });
    try {
      await client.whenServing(startMs, signal);
    } catch (error) {
      report('fails', messageOf(error));
      return { obstacle: `the client does not start: ${messageOf(error)}` };
    }
    if (client.exit !== undefined) {
      report('fails', client.exit);
      return { exit: { text: this.#describeExit(client.exit), hadRpc: false } };
    }
    const { timeoutSeconds, types = ['UNARY_CALL'], metadata = [] } = settings;
    // Upstream's programs have different flags for the timeout.
    if (timeoutSeconds !== undefined) await this.#do({ kind: 'configure', types, metadata, timeoutSeconds });
    onServing?.(statsTarget);
    report('holds', `statistics at ${statsTarget}`);
    return undefined;
  }

  /** Returns undefined if the step holds. */
  async #runStep(step: CaseStep): Promise<RunEvidence | undefined> {
    const { clock, signal } = this.#options;
    const { title, actions = [], actionOfTurn, expect, withinMs = usualStepMs } = step;
    const begunAt = clock.now();
    const usedBefore = this.#used;
    const expected = describeExpectation(expect);
    for (const action of actions) await this.#do(action);
    await this.#network.whenAnswered();
    let turn = 0;
    let seen = 'nothing';
    let used: readonly string[] = [];
    do {
      signal?.throwIfAborted();
      const client = this.#running;
      if (client.exit !== undefined) {
        const text = this.#describeExit(client.exit);
        const preceded = this.#network.describeNewestMessage();
        this.#addStep({
          title,
          expected,
          seen: `the client ended: ${text}`,
          preceded,
          outcome: 'fails',
          begunAt,
        });
        return { exit: { text, hadRpc: this.#hadRpc } };
      }
      try {
        if (actionOfTurn !== undefined) await this.#do(actionOfTurn(turn));
        turn += 1;
        const measured = await this.#measure(measurementOf(expect));
        used = usedBackends(measured) ?? usedBefore;
        this.#used = used;
        this.#hadRpc ||= hasSuccess(measured);
        const assessment = assess(expect, measured, usedBefore);
        seen = assessment.seen;
        if (assessment.holds) {
          await this.#options.whenObserved?.();
          this.#addStep({ title, expected, seen, outcome: 'holds', begunAt });
          return undefined;
        }
      } catch (error) {
        // A client that ends during a measurement is reported by the next turn.
        seen = messageOf(error);
      }
      await this.#pause(pollMs);
      // A failure that is counted stays counted.
    } while (expect.kind !== 'no-failures' && clock.now() < this.#endOf(begunAt, withinMs));
    const preceded = this.#network.describeNewestMessage();
    this.#addStep({ title, expected, seen, preceded, outcome: 'fails', begunAt });
    const isUnchanged =
      actions.length > 0 &&
      actions.every(({ kind }) => kind === 'serve') &&
      used.length > 0 &&
      isSameList(used, usedBefore);
    return { failed: { title, expected, seen, preceded, isUnchanged }, ...(await this.#measureRate()) };
  }

  /** A client that rejected what a step serves will not do what is expected: its step ends soon. */
  #endOf(begunAt: number, withinMs: number): number {
    const ofStep = this.#network.nacks.find(({ at }) => at >= begunAt || this.#steps.length === 1);
    const end = begunAt + withinMs;
    return ofStep === undefined ? end : Math.min(end, Math.max(begunAt, ofStep.at) + afterNackMs);
  }

  /** The client, which runs or has ended. */
  get #running(): DrivenClient {
    if (this.#client === undefined) throw new Error('expected a client that was started');
    return this.#client;
  }

  async #measure(measurement: ReturnType<typeof measurementOf>): Promise<Measured> {
    const client = this.#running;
    switch (measurement.kind) {
      case 'block':
        return { kind: 'block', block: await client.countBlock(measurement.rpcs) };
      case 'csds':
        return { kind: 'csds', rows: await client.readReport(this.#options.nodeId) };
      case 'required-security':
        return { kind: 'required-security', backends: await this.#network.inspectBackends() };
      case 'counts':
        return this.#countOver(measurement.overMs);
    }
  }

  async #countOver(overMs: number): Promise<Measured> {
    const client = this.#running;
    const before = await client.readCounts();
    if (overMs === 0) return { kind: 'counts', before, after: before };
    await this.#pause(overMs);
    return { kind: 'counts', before, after: await client.readCounts() };
  }

  /** A client that is too slow starts RPCs that do not end. */
  async #measureRate(): Promise<Pick<RunEvidence, 'rate'>> {
    const { qps = usualQps } = this.#case.client ?? {};
    const { clock } = this.#options;
    try {
      const from = clock.now();
      const before = await this.#running.readCounts();
      await this.#pause(rateMs);
      const after = await this.#running.readCounts();
      const seconds = (clock.now() - from) / 1_000;
      const rates = after.map((each) => {
        const earlier = before.find(({ method }) => method === each.method);
        const started = each.started - (earlier?.started ?? 0);
        return (
          Math.min(started, countEnded(each) - (earlier === undefined ? 0 : countEnded(earlier))) / seconds
        );
      });
      return { rate: { asked: qps, measured: Math.max(0, ...rates) } };
    } catch {
      // The client does not answer: what failed is reported as such.
      return {};
    }
  }

  async #do(action: CaseAction): Promise<void> {
    if (action.kind !== 'configure') {
      await this.#network.do(action, this.#used);
      return;
    }
    const { types, metadata = [], timeoutSeconds } = action;
    const timeout = timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1_000 };
    await this.#running.configure({ types, metadata, ...timeout });
  }

  #describeExit(how: string): string {
    const lines = this.#client?.stderr.trim().split('\n') ?? [];
    const why = lines.findLast((line) => errorLine.test(line)) ?? lines.at(-1) ?? '';
    return why === '' ? how : `${how}: ${why}`;
  }

  #addStep({ begunAt, ...step }: Omit<RunStep, 'step' | 'at' | 'ms'> & { readonly begunAt: number }): void {
    const at = this.#options.clock.now();
    const served = this.#served.changes(this.#network.servers);
    const added = {
      ...{ ...step, step: this.#steps.length + 1, at, ms: Math.max(0, at - begunAt) },
      ...(served.length > 0 && { served }),
    };
    this.#steps.push(added);
    // The last step is reported with the verdict.
    const isLast = step.outcome === 'fails' || added.step === this.#case.steps.length + 1;
    if (!isLast) this.#options.onStep?.(added);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.setTimeout(resolve, ms));
  }
}

function usedBackends(measured: Measured): readonly string[] | undefined {
  return measured.kind === 'block' ? measured.block.peers.map(({ peer }) => peer) : undefined;
}

function hasSuccess(measured: Measured): boolean {
  if (measured.kind === 'block') return measured.block.peers.length > 0;
  if (measured.kind !== 'counts') return false;
  return measured.after.some(({ ended }) => ended.some(({ code, count }) => code === 0 && count > 0));
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
