import { ackedVersionOf } from '@/lib/observation/acked-version';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import type { CopyEvent, Direction } from '@/server/collect/tap/copy-events';
import { Recording } from '@/server/collect/tap/recording/recording';
import { recordedClients } from '@/server/collect/tap/remote-tap';
import type { Emission } from '@/server/observe';
import { OpenStreams } from '@/server/workers/threads/open-streams';
import { grpcFrame } from './builders/grpc-frame';
import { type AnyMessage, encodeMessage } from './builders/xds-wire';

export type Fields = Record<string, unknown>;
const codec = createCodec({ redactionKey: new Uint8Array(32) });
const v3 = 'envoy.service.discovery.v3';
const ads = `${v3}.AggregatedDiscoveryService/StreamAggregatedResources`;
export const deltaAds = `${v3}.AggregatedDiscoveryService/DeltaAggregatedResources`;

/** Records streams whose messages a test sends, and collects the emissions. */
export class RecordingStory {
  readonly emissions: Emission[] = [];
  readonly notes: string[] = [];
  readonly closedTaps: number[] = [];
  #clockMs = 0;
  readonly #world: World = new Map();
  readonly #streams = new OpenStreams();
  #recorded = 0;
  #recording = this.#start();

  #start(): Recording {
    const recording = new Recording({
      codec,
      onEmission: (_tap, emission) => {
        this.emissions.push(emission);
        this.#streams.follow(emission.observation);
        this.#recorded += 1;
        foldObservation(this.#world, { ...emission.observation, seq: this.#recorded });
      },
      onNote: (_tap, note) => this.notes.push(note),
      onTapClosed: (tap) => this.closedTaps.push(tap),
      maxUnfinishedBytes: 1000,
    });
    recording.addTap(1, 'tap:test');
    return recording;
  }

  /** Another recording thread begins. Streams that are still open have to be opened again, as late ones. */
  restart(): void {
    this.#recording = this.#start();
    const reports = [...this.#world.values()].flatMap((client) =>
      [...client.reports.values()].map((report) => ({ client, report })),
    );
    for (const client of recordedClients(this.#streams, reports)) this.#recording.addClient(1, client);
  }

  event(event: CopyEvent, bytes: Uint8Array = new Uint8Array()): void {
    const buffer = new Uint8Array(bytes).buffer;
    this.#recording.record({ events: [event], bytes: buffer, cost: 0 });
  }

  open(streamId = 's', path = ads, isLate = false): void {
    const reported = { tap: 1, path, peer: '127.0.0.1:9', server: 'server:1', encoding: '', isLate };
    this.event({ kind: 'opened', streamId, at: 1, ...reported });
  }

  close(streamId = 's'): void {
    this.event({ kind: 'closed', streamId, at: 1, code: 'OK', details: '' });
  }

  data(direction: Direction, bytes: Buffer, streamId = 's'): void {
    this.#clockMs += 10;
    const reported = { sizeBytes: bytes.length, messages: 1, clockMs: this.#clockMs };
    this.event({ kind: 'data', streamId, direction, at: 1, ...reported }, bytes);
  }

  message(direction: Direction, type: string, fields: Fields, streamId?: string): void {
    this.data(direction, grpcFrame(encodeMessage(type, fields)), streamId);
  }

  request(fields: Fields, streamId?: string): void {
    const node = { id: 'c', userAgentName: 'gRPC Go' };
    this.message('up', `${v3}.DiscoveryRequest`, { node, typeUrl: CDS.typeUrl, ...fields }, streamId);
  }

  deltaRequest(fields: Fields): void {
    this.message('up', `${v3}.DeltaDiscoveryRequest`, {
      node: { id: 'c' },
      typeUrl: CDS.typeUrl,
      ...fields,
    });
  }

  /** A response of CDS whose nonce is the version after "n". */
  response(
    versionInfo: string,
    resources: readonly AnyMessage[],
    fields: Fields = {},
    streamId?: string,
  ): void {
    const response = { typeUrl: CDS.typeUrl, versionInfo, nonce: `n${versionInfo}`, resources, ...fields };
    this.message('down', `${v3}.DiscoveryResponse`, response, streamId);
  }

  /** The ACK of `response(versionInfo)`, subscribed to a and b. */
  ack(versionInfo: string, fields: Fields = {}): void {
    this.request({ resourceNames: ['a', 'b'], versionInfo, responseNonce: `n${versionInfo}`, ...fields });
  }

  /** The NACK of version 2 of a client that accepted version 1. */
  nack(message: string, fields: Fields = {}): void {
    this.ack('1', { responseNonce: 'n2', errorDetail: { code: 3, message }, ...fields });
  }

  deltaResponse(fields: Fields): void {
    this.message('down', `${v3}.DeltaDiscoveryResponse`, { typeUrl: CDS.typeUrl, ...fields });
  }

  checkAnswers(now: number): void {
    this.#recording.checkAnswers(now);
  }

  /** The observations since the last call. */
  take(): Observation[] {
    return this.emissions.splice(0).map(({ observation }) => observation);
  }

  /** "name STATUS version" of all rows, with the version that was ACKed last. */
  allRows(): string[] {
    const reports = [...this.#world.values()].flatMap((client) => [...client.reports.values()]);
    return reports.flatMap((report) =>
      [...report.resources.values()].map(
        (row) => `${row.name} ${row.clientStatus} ${ackedVersionOf(row, report)}`,
      ),
    );
  }

  kinds(): string[] {
    return this.take().map(({ kind }) => kind);
  }

  /** "name STATUS version" of the rows that have changed since the last call. */
  rows(): string[] {
    const observations = this.take();
    return observations.flatMap((each) =>
      'changed' in each
        ? [
            ...each.changed.map((row) => `${row.name} ${row.clientStatus} ${row.versionInfo}`),
            ...each.removed.map(({ name }) => `${name} removed`),
          ]
        : [],
    );
  }
}
