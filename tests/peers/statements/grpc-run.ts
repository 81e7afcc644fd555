import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { LDS, RDS } from '@/lib/xds/resource-type';
import { freePort } from '../../support/free-port';
import { patienceMs } from '../../support/patience';
import { waitUntil } from '../../support/wait-until';
import { nameOf } from '../compare';
import { startEchoBackend } from '../connections/echo-backend';
import { startScriptedServer } from '../control-plane';
import type { ClientPeer, RunningClient } from '../peer';
import { pushType, runScripted, type ScriptedRunOptions } from '../scripted-run';
import type { Xdscope } from '../xdscope';
import { type Counted, readStatements } from './grpc-read-views';
import type { GrpcSituation } from './grpc-situation';
import { grpcSituations, withheldCluster } from './grpc-situations';
import { describeRow, matrixOf, type Outcome, type Row } from './rows';

export const chapter = 'grpc-statements';

/** The results of the last RPCs of a target are the outcome. */
const rpcsMeasured = 20;
/**
 * The resource timer, and then the patience of issues, end within it, and so does an issue about RPCs that no longer fail, which is
 * measured over minutes.
 */
const settlingMs = 120_000;

/** RPCs of one gRPC client to many targets, each with a config of its own, and what the views of xdscope state of them. */
export async function runGrpcStatements(options: ScriptedRunOptions): Promise<void> {
  const { peer, prepared, print } = options;
  const title = `${peer.name} ${prepared.version}`;
  const rows = new Map<Vantage, Row[]>();
  await runScripted(chapter, options, async (scripted) => {
    const { server } = scripted;
    const compare = async (observed: Observed, situations: readonly Situation[]): Promise<void> => {
      const { vantage } = observed;
      for (const [situation, found] of await observed.settle(situations)) {
        rows.set(vantage, [...(rows.get(vantage) ?? []), ...found]);
        const moment = `${situation.title} (${vantage})`;
        const open = found.filter((row) => !observed.isSettled(row, situation, found));
        const isSilent = vantage !== 'CSDS' && found.every(({ stated }) => stated === 'unknown');
        const text = isSilent ? 'no view states more than "unknown"' : open.map(describeRow).join('; ');
        if (text === '') print(scripted.pass(moment));
        else scripted.fail(new Error(text), moment);
      }
    };
    const backend = await startEchoBackend();
    scripted.stopAtEnd(backend.stop);
    const situations = grpcSituations({ good: backend.port, closed: await freePort() });
    await scripted.serve(situations.flatMap(({ first }) => first));
    const xdscope = await scripted.startXdscope('csds-and-channelz');
    const withoutChannelz = await scripted.startXdscope('csds');
    const start = async (nodeId: string, target: string, names: readonly string[]) => {
      const workDir = path.join(scripted.workDir, nodeId);
      mkdirSync(workDir);
      const targets = names.map((name) => `xds:///${name}`);
      const client = await scripted.startClient({ nodeId, servers: [target], targets, workDir });
      await xdscope.observe(client.adminTarget);
      await xdscope.observe(client.adminTarget, 'channelz');
      await withoutChannelz.observe(client.adminTarget);
      const parts = { nodeId, peer, client };
      return [
        new Observed({ ...parts, xdscope, vantage: 'CSDS and channelz' }),
        new Observed({ ...parts, xdscope: withoutChannelz, vantage: 'CSDS' }),
      ] as const;
    };
    const [observed, ofCsds] = await start(
      'statements',
      server.target,
      situations.map(({ name }) => name),
    );
    const [unreached, unreachedOfCsds] = await start('unreached', `127.0.0.1:${await freePort()}`, [
      'never-reached',
    ]);
    const withholding = await startScriptedServer();
    scripted.stopAtEnd(() => withholding.close());
    for (const type of [RDS, LDS]) await pushType(withholding, type, withheldCluster.first, 'v1');
    const [withheld, withheldOfCsds] = await start('withheld', withholding.target, [withheldCluster.name]);
    const changing = situations.filter(({ later }) => later !== undefined);
    await waitUntil('RPCs have the outcome of the first config', () =>
      changing.every(({ name, firstOutcome = 'succeeds' }) => observed.findOutcome(name) === firstOutcome),
    );
    await scripted.serve(situations.flatMap(({ first, later: last = first }) => last));
    for (const each of [observed, ofCsds]) each.forget();
    const neverReached = [
      { name: 'never-reached', title: 'the management server was never reached', clusters: [] },
    ];
    await compare(observed, situations);
    await compare(unreached, neverReached);
    await compare(withheld, [withheldCluster]);
    await compare(ofCsds, situations);
    await compare(withheldOfCsds, [withheldCluster]);
    await compare(unreachedOfCsds, neverReached);
    await server.stop();
    for (const each of [observed, ofCsds]) each.forget();
    const lost = situations
      .filter(({ name }) => name === 'healthy')
      .map((each) => ({ ...each, title: 'the management server stopped' }));
    for (const each of [observed, ofCsds]) await compare(each, lost);
  });
  for (const [vantage, found] of rows)
    for (const line of matrixOf(found)) print(`${title}, ${vantage}: ${line}`);
}

type Situation = Pick<GrpcSituation, 'name' | 'title' | 'clusters' | 'lacking'>;
/** CSDS alone does not show whether a client can connect. */
type Vantage = 'CSDS and channelz' | 'CSDS';

interface ObservedParts {
  readonly nodeId: string;
  readonly peer: ClientPeer;
  readonly client: RunningClient;
  readonly xdscope: Xdscope;
  readonly vantage: Vantage;
}

/** A client that calls its targets again and again. */
class Observed {
  readonly #nodeId: string;
  readonly #peer: ClientPeer;
  readonly #xdscope: Xdscope;
  readonly #client: RunningClient;
  /** The newest results by the name of the target, oldest first. */
  readonly #results = new Map<string, boolean[]>();

  readonly vantage: Vantage;

  constructor({ nodeId, peer, client, xdscope, vantage }: ObservedParts) {
    this.vantage = vantage;
    this.#nodeId = nodeId;
    this.#peer = peer;
    this.#xdscope = xdscope;
    this.#client = client;
    client.onCall?.((target, result) => {
      const name = nameOf(target);
      const before = this.#results.get(name) ?? [];
      this.#results.set(name, [...before, result.startsWith('ok')].slice(-rpcsMeasured));
    });
  }

  forget(): void {
    this.#results.clear();
  }

  /** undefined: too few RPCs have ended. */
  findOutcome(name: string): Outcome | undefined {
    const found = this.#results.get(name) ?? [];
    if (found.length < rpcsMeasured) return undefined;
    if (found.every(Boolean)) return 'succeeds';
    return found.some(Boolean) ? 'some fail' : 'fails';
  }

  /** Reads the views until each states what is measured, or the time that they need at most has passed. */
  async settle<S extends Situation>(situations: readonly S[]): Promise<(readonly [S, Row[]])[]> {
    const deadline = Date.now() + patienceMs(settlingMs);
    const counts = new Map<string, Counted | undefined>();
    const found = new Map<S, Row[]>();
    for (;;) {
      await this.#measure(situations);
      for (const situation of situations) {
        const own = await this.#rowsOf(situation, counts);
        found.set(situation, own);
      }
      const isDone = [...found].every(([situation, own]) =>
        own.every((row) => this.isSettled(row, situation, own)),
      );
      if (isDone || Date.now() > deadline) return [...found];
      const polls = await this.#xdscope.polls();
      await waitUntil('xdscope has polled', async () => (await this.#xdscope.polls()) >= polls + 2);
    }
  }

  /** Returns true if the view states what is measured, or if it is known that it lacks the fact. */
  isSettled({ view, stated, measured }: Row, { lacking }: Situation, all: readonly Row[]): boolean {
    if (stated === measured) return true;
    if (stated !== 'unknown') return false;
    const isLacking = [this.#peer.name, this.vantage].some((by) => lacking?.[by]?.includes(view));
    if (isLacking) return true;
    if (this.vantage !== 'CSDS') return false;
    // CSDS alone lacks connections and counts. What the config states to fail is an issue.
    const config = all.find((row) => row.view === 'effective config');
    return view !== 'issues' || config?.stated !== 'fails';
  }

  async #measure(situations: readonly Situation[]): Promise<void> {
    await waitUntil(`${rpcsMeasured} RPCs to each target have ended`, () => {
      const ended = this.#client.ended();
      if (ended !== undefined) throw new Error(`the client ended: ${ended}`);
      return situations.every(({ name }) => this.findOutcome(name) !== undefined);
    });
  }

  async #rowsOf(situation: Situation, counts: Map<string, Counted | undefined>): Promise<Row[]> {
    const { name } = situation;
    const { items } = await this.#xdscope.get<{
      items: readonly { id: string; nodeId: string; scope: string }[];
    }>('clients');
    const own = items.filter(({ nodeId }) => nodeId === this.#nodeId);
    const client = own.find(({ scope }) => nameOf(scope) === name) ?? own.find(({ scope }) => scope === '');
    const measured = this.findOutcome(name);
    if (client === undefined || measured === undefined)
      throw new Error(`expected a client of ${name}, got ${JSON.stringify(own)}`);
    const { statements, counted, lacking } = await readStatements(
      situation,
      client.id,
      { measured, before: counts.get(name) },
      this.#xdscope,
    );
    counts.set(name, counted);
    return statements.map(([view, stated]) => ({
      ...{ situation: situation.title, about: name, view, stated, measured },
      ...(stated === 'unknown' && lacking !== undefined && { lacking }),
    }));
  }
}
