import {
  ManagementServer,
  type ManagementServerOptions,
} from '@/server/lab/management-server/management-server';
import type { RequestEvent } from '@/server/lab/management-server/stream-logic';
import { GrpcChannelStory, type GrpcChannelStoryOptions } from './grpc-channel-story';
import { ManualClock } from './recorder-manual-clock';

export interface PlayedChannel {
  readonly server: ManagementServer;
  readonly story: GrpcChannelStory;
  /** The requests that the server has received. */
  readonly requests: RequestEvent[];
}

/** Channels and their management servers on one clock, closed together. */
export class ChannelStories {
  readonly clock = new ManualClock();
  readonly #played: PlayedChannel[] = [];

  /** Starts a server and a channel that connects to it. */
  async play(
    {
      serves,
      ...options
    }: Omit<GrpcChannelStoryOptions, 'target' | 'clock'> & Pick<Partial<ManagementServerOptions>, 'serves'>,
    prepare: (played: PlayedChannel) => void = () => undefined,
  ): Promise<PlayedChannel> {
    const { clock } = this;
    const server = new ManagementServer({ clock, serves });
    const requests: RequestEvent[] = [];
    server.onRequest((request) => requests.push(request));
    const story = new GrpcChannelStory({ ...options, target: await server.listen(), clock });
    const played = { server, story, requests };
    this.#played.push(played);
    prepare(played);
    story.channel.start();
    return played;
  }

  async close(): Promise<void> {
    for (const { server, story } of this.#played.splice(0)) {
      await story.channel.stop();
      await server.close();
    }
  }
}
