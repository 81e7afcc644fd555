import { messageOf } from '@/lib/format/message-of';
import { buildSnapshotSteps, type SnapshotRow } from '@/lib/replay/build-snapshot-steps';
import type { ReplayPlan } from '@/lib/replay/replay-plan';
import { chooseReport } from '@/lib/views/client/choose-report';
import type { Replay, ReplayChange, ReplayRequest } from '@/lib/views/recording/replay-schema';
import { ApiError, badRequest, notFound } from '../../api-error';
import { loadStreamPlan, secretsNote } from '../../lab/replay/load-stream-plan';
import type { Replays } from '../../lab/replay/replays';
import type { LiveState } from '../../live/live-state';
import type { Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import type { ClientSubject } from '../subjects/client-subjects';

interface ReplaysApiOptions {
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly live: LiveState;
  readonly replays: Replays;
  readonly findPermalink: (id: string) => Promise<ClientSubject | undefined>;
}

interface Planned {
  readonly plan: ReplayPlan;
  readonly label: string;
}

export class ReplaysApi {
  readonly #options: ReplaysApiOptions;

  constructor(options: ReplaysApiOptions) {
    this.#options = options;
  }

  list(): Replay[] {
    return this.#options.replays.list();
  }

  async start(requested: ReplayRequest, host?: string): Promise<Replay> {
    const { replays, recorder } = this.#options;
    const { mode, clientId, permalinkId, port = 0 } = requested;
    if ((clientId === undefined) === (permalinkId === undefined)) {
      throw badRequest('clientId: expected it, or permalinkId', 'clientId');
    }
    if (recorder.stats().state === 'recording') await recorder.flushed();
    const { plan, label } =
      permalinkId !== undefined
        ? await this.#ofPermalink(permalinkId)
        : mode === 'stream'
          ? await this.#ofStream(clientId ?? '', requested)
          : await this.#ofClient(clientId ?? '', requested.at);
    if (plan.steps.every(({ types }) => types.length === 0)) {
      throw new ApiError(409, 'Nothing to replay', `${label}: expected resources with a payload, got none`);
    }
    try {
      const started = await replays.start(plan, { label, port, host });
      if (started !== undefined) return started;
    } catch (cause) {
      throw new ApiError(
        409,
        'Port not free',
        `expected to listen on port ${port}, got: ${messageOf(cause)}`,
      );
    }
    throw new ApiError(409, 'Too many replays', 'expected at most 20 at once: end one');
  }

  async change(id: string, change: ReplayChange): Promise<Replay> {
    const changed = await this.#options.replays.change(id, change);
    if (changed === undefined) throw unknown(id);
    return changed;
  }

  async remove(id: string): Promise<void> {
    if (!(await this.#options.replays.remove(id))) throw unknown(id);
  }

  async #ofStream(
    clientId: string,
    { streamId, from, to }: Pick<ReplayRequest, 'streamId' | 'from' | 'to'>,
  ): Promise<Planned> {
    const { nodeId, label } = this.#nameOf(clientId);
    const plan = await loadStreamPlan(this.#options.recorder, { clientId, nodeId, streamId, from, to });
    if (plan !== undefined) return { plan, label };
    throw new ApiError(
      409,
      'Nothing to replay',
      `${label}: expected responses of a stream, got none; what it held can be served as a snapshot`,
    );
  }

  async #ofClient(clientId: string, at: number | undefined): Promise<Planned> {
    const { nodeId, label } = this.#nameOf(clientId);
    const { live, recorder, clock } = this.#options;
    const client =
      at === undefined ? live.world.get(clientId) : (await recorder.readClientAt(clientId, at))?.client;
    const fresh = { freshness: 'live', reason: '', lastSeenAt: undefined } as const;
    const report =
      client &&
      (chooseReport(client, 'client', () => fresh) ?? chooseReport(client, 'control-plane', () => fresh));
    const rows = report?.resources.values() ?? [];
    return { plan: snapshotPlan(nodeId, rows, at ?? clock.now()), label };
  }

  async #ofPermalink(id: string): Promise<Planned> {
    const found = await this.#options.findPermalink(id);
    if (found === undefined) throw notFound('Permalink', `no permalink has the id ${JSON.stringify(id)}`);
    const { nodeId } = found.client;
    return { plan: snapshotPlan(nodeId, found.rows, found.at), label: `${nodeId}, permalink` };
  }

  #nameOf(clientId: string): { readonly nodeId: string; readonly label: string } {
    const client = this.#options.live.world.get(clientId);
    if (client === undefined) throw notFound('Client', `no client has the id ${JSON.stringify(clientId)}`);
    const { node, scope } = client;
    return { nodeId: node.id, label: scope === '' ? node.id : `${node.id}, ${scope}` };
  }
}

function snapshotPlan(nodeId: string, rows: Iterable<SnapshotRow>, at: number): ReplayPlan {
  return { mode: 'snapshot', nodeId, steps: buildSnapshotSteps(rows, at), notes: [secretsNote] };
}

function unknown(id: string): ApiError {
  return notFound('Replay', `no replay has the id ${JSON.stringify(id)}`);
}
