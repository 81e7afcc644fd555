import { expect } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import type { ResponseEntry, ResponseEnvelope } from '@/server/collect/xds/response/response-envelope';
import type {
  ChannelStreamEnd,
  OpenedStream,
  SentRequest,
  ValidatedResponse,
  Verdict,
  XdsChannel,
  XdsChannelHandler,
} from '@/server/collect/xds/stream/xds-channel';
import { until } from './xds-probe-story';

/** A channel of any transport with everything that it reports. Responses are accepted unless `validate` rejects them. */
export interface ChannelStory {
  readonly channel: XdsChannel;
  readonly codec: ReturnType<typeof createCodec>;
  readonly opened: OpenedStream[];
  readonly sent: SentRequest[];
  readonly answered: (SentRequest | undefined)[];
  readonly closed: ChannelStreamEnd[];
  readonly responses: { readonly streamId: string; readonly envelope: ResponseEnvelope }[];
  /** The number of attempts to open a stream. */
  tries(): number;
  /** Waits for the n-th response, and returns its entries. */
  nth(count: number): Promise<{ envelope: ResponseEnvelope; entries: ResponseEntry[]; names: string[] }>;
  nthClosed(count: number): Promise<ChannelStreamEnd>;
  validate: (envelope: ResponseEnvelope, entries: ResponseEntry[]) => Verdict;
}

export function channelStory(
  create: (handler: XdsChannelHandler, codec: ReturnType<typeof createCodec>) => XdsChannel,
): ChannelStory {
  const codec = createCodec({ redactionKey: new Uint8Array(32) });
  const entriesOf = (envelope: ResponseEnvelope) => [...readEntries(envelope, codec.nameOf)];
  let tries = 0;
  const story: Omit<ChannelStory, 'channel'> = {
    codec,
    opened: [],
    sent: [],
    answered: [],
    closed: [],
    responses: [],
    tries: () => tries,
    nth: (count) =>
      until(() => {
        expect(story.responses.length).toBeGreaterThanOrEqual(count);
        const { envelope } = story.responses[count - 1] ?? { envelope: undefined };
        if (envelope === undefined) throw new Error('no response');
        const entries = entriesOf(envelope);
        return { envelope, entries, names: entries.flatMap(({ name }) => name ?? []) };
      }),
    nthClosed: (count) =>
      until(() => {
        const end = story.closed[count - 1];
        if (end === undefined) throw new Error(`expected ${count} ends, got ${story.closed.length}`);
        return end;
      }),
    validate: (_, entries) => {
      const problems = entries.flatMap((each) => (each.kind === 'problem' ? [each.reason] : []));
      return problems.length === 0
        ? { kind: 'accepted' }
        : { kind: 'rejected', errorDetail: problems.join('\n') };
    },
  };
  const handler: XdsChannelHandler = {
    onConnecting: () => {
      tries += 1;
    },
    onStreamOpened: (stream) => story.opened.push(stream),
    onSubscriptionSent: (_, request) => story.sent.push(request),
    onResponse: async (streamId, envelope) => {
      const { typeUrl, versionInfo, nonce } = envelope;
      const validated: ValidatedResponse = {
        typeUrl,
        versionInfo,
        nonce,
        verdict: story.validate(envelope, entriesOf(envelope)),
      };
      story.answered.push(channel.answer(validated)[0]);
      story.responses.push({ streamId, envelope });
    },
    onStreamClosed: (_, end) => story.closed.push(end),
    heldVersions: () => new Map(),
  };
  const channel = create(handler, codec);
  return Object.assign(story, { channel });
}
