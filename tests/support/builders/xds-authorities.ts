import { Authority } from '@/server/collect/xds/client/authority';
import { AuthorityType } from '@/server/collect/xds/client/authority-type';
import { ServerLinks } from '@/server/collect/xds/client/server-links';
import { errorPolicyOf } from '@/server/collect/xds/stream/error-policy';
import { ServerLink } from '@/server/collect/xds/stream/server-link';
import { plainServer, type ServerConfig } from '@/server/transport/bootstrap/server-config';
import { parseTarget } from '@/server/transport/targets/target';
import { ManualClock } from '../recorder-manual-clock';

/** Authorities whose channels record what they do: "server-1: start", "server-1: CDS a b". */
export class AuthorityStory {
  readonly calls: string[] = [];
  readonly authorities: Authority[] = [];
  readonly #clock = new ManualClock();
  readonly links = new ServerLinks(
    (key, server) => this.#createLink(key, server),
    () => this.authorities,
  );

  /** `name` null: the authority of old-style names. */
  add(name: string | null, ...servers: string[]): Authority {
    const authority = new Authority({
      ...{ name, servers: servers.map(serverAt), fallbackOnReachabilityOnly: false },
      createType: (_, typeUrl) =>
        new AuthorityType({
          ...{ typeUrl, wildcard: false, clock: this.#clock, isOurs: () => true },
          policy: () => errorPolicyOf('pre-a88', { features: new Set() }),
          onLinks: () => undefined,
          onExpired: () => undefined,
        }),
      linkTo: (server) => this.links.linkTo(server),
      onUsed: (link) => this.links.use(link),
      onReleased: (link) => this.links.release(link, { isStopped: false }),
      onSwitched: () => undefined,
      onAllFailed: () => undefined,
      now: () => this.#clock.now(),
    });
    this.authorities.push(authority);
    return authority;
  }

  /** Returns the calls since the last take(). */
  take(): string[] {
    return this.calls.splice(0);
  }

  #createLink(key: string, server: ServerConfig): ServerLink {
    const add = (call: string) => this.calls.push(`${server.target.text.replace(/:.*/, '')}: ${call}`);
    const channel = {
      start: () => add('start'),
      stop: async () => void add('stop'),
      subscribe: (typeUrl: string, { names }: { readonly names: ReadonlySet<string> }) =>
        void add([typeUrl.replace(/.*\./, ''), ...[...names].sort()].join(' ')),
      answer: () => [],
    };
    const nothing = () => undefined;
    const handler = {
      ...{ onConnecting: nothing, onStreamOpened: nothing, onSubscriptionSent: nothing, recall: nothing },
      ...{ onResponse: async () => undefined, onStreamClosed: nothing, heldVersions: () => new Map() },
    };
    const options = { createChannel: () => channel, clock: this.#clock, errorModel: 'pre-a88' } as const;
    return new ServerLink(key, server, options, handler);
  }
}

function serverAt(name: string): ServerConfig {
  const parsed = parseTarget(`${name}:18000`);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return plainServer(parsed.target);
}
