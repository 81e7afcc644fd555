import { IssueIndex } from '@/lib/issues/issue-index';
import { stateOfGroup } from '@/lib/nacks/nack-group';
import { NackIndex } from '@/lib/nacks/nack-index';
import { ackedVersionOf } from '@/lib/observation/acked-version';
import { foldObservation, type World } from '@/lib/observation/fold';
import { createCodec } from '@/server/codec/codec';
import { Recording } from '@/server/collect/tap/recording/recording';
import { grpcFrame } from './builders/grpc-frame';

const codec = createCodec({ redactionKey: new Uint8Array(32) });
const service = 'envoy.service.discovery.v3';

/** One ADS stream through a tap, with the fold of what the tap reports. */
export class TappedStream {
  readonly world: World = new Map();
  readonly nacks = new NackIndex({ idOf: (key) => key });
  readonly #issues = new IssueIndex({ idOf: (key) => key });
  #seq = 0;
  readonly #recording = new Recording({
    codec,
    onEmission: (_tap, { observation }) => {
      this.#seq += 1;
      const recorded = { ...observation, seq: this.#seq };
      foldObservation(this.world, recorded);
      this.nacks.fold(recorded);
      this.#issues.fold(recorded);
    },
    onNote: (_tap, note) => {
      throw new Error(note);
    },
    onTapClosed: () => undefined,
    maxUnfinishedBytes: 1_000_000,
  });

  constructor({ isDelta = false } = {}) {
    this.#recording.addTap(1, 'tap:test');
    const method = isDelta ? 'DeltaAggregatedResources' : 'StreamAggregatedResources';
    const opened = { path: `${service}.AggregatedDiscoveryService/${method}`, peer: 'p:1' };
    const event = {
      kind: 'opened',
      streamId: 's',
      at: 1,
      tap: 1,
      server: 's:1',
      encoding: '',
      ...opened,
    } as const;
    this.#recording.record({ events: [event], bytes: new ArrayBuffer(0), cost: 0 });
  }

  send(direction: 'up' | 'down', message: Uint8Array): void {
    const bytes = new Uint8Array(grpcFrame(Buffer.from(message)));
    const event = { kind: 'data', streamId: 's', direction, at: this.#seq, clockMs: this.#seq } as const;
    this.#recording.record({
      events: [{ ...event, sizeBytes: bytes.length, messages: 1 }],
      bytes: bytes.buffer,
      cost: 0,
    });
  }

  row(typeUrl: string, name: string) {
    const [client] = this.world.values();
    const [report] = client?.reports.values() ?? [];
    return report?.resources.get(`${typeUrl}\u0000${name}`);
  }

  /** The version that the client ACKed last. */
  versionOf(typeUrl: string, name: string): string | undefined {
    const [client] = this.world.values();
    const [report] = client?.reports.values() ?? [];
    const row = this.row(typeUrl, name);
    return row && ackedVersionOf(row, report ?? {});
  }

  /** "kind name" of each open issue. */
  get issues(): string[] {
    const open = [...this.#issues.records.values()].filter((record) => record.open.size > 0);
    return open.map(({ cause: { kind, name } }) => `${kind} ${name}`);
  }

  /** "name state", of each group of NACKs. */
  get groups(): string[] {
    return [...this.nacks.groups.values()].map((group) => {
      const versions = [...group.clients.values()].map(({ versionInfo }) => versionInfo);
      return `${group.name} ${versions} ${stateOfGroup(group)}`;
    });
  }
}
